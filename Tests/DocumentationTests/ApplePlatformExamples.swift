import Foundation
import GlobalData
import Testing

/// Nothing is written: the stores are created and not used.
@Suite struct ApplePlatformExamples {
  @Test func aGroupsStoreCanStayOutOfBackups() {
    var configuration = GlobalData.Configuration(location: .appGroup("group.org.example.app", named: "widget"))
    configuration.isExcludedFromBackup = true  // what can be loaded again
    let widget = GlobalData(configuration)
    #expect(widget.configuration.isExcludedFromBackup)
    #expect(widget.url?.lastPathComponent == "widget.archive")
  }

  @Test func diagnosticsGoWhereTheProgramSays() {
    var configuration = GlobalData.Configuration(location: .named("session"))
    configuration.diagnosticHandler = { diagnostic in
      print("\(diagnostic.kind): \(diagnostic)")
    }
    let session = GlobalData(configuration)
    #expect(session.configuration.diagnosticHandler != nil)
  }

  @Test func aStoreForATestCanBeSilent() {
    var silent = GlobalData.Configuration()
    silent.diagnosticHandler = { _ in }
    let store = GlobalData.inMemory(configuration: silent)
    #expect(store.url == nil)
    #expect(store.configuration.diagnosticHandler != nil)
  }
}
