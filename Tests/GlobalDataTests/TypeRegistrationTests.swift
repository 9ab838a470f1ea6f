import Foundation
import GlobalData
import Synchronization
import TestSupport
import Testing
import ThrownErrors

@Suite struct TypeRegistrationTests {
  private struct Impostor: Archivable {
    static let archiveTag: ArchiveTag = "CarInfo"
  }

  private struct FormerImpostor: Archivable {
    static let formerArchiveTags: [ArchiveTag] = ["Garage"]
  }

  @Test func aTagClashIsReportedAlthoughRegisterDoesNotThrow() async throws {
    let warnings = Mutex<[ArchiveWarning]>([])
    let configuration = GlobalData.Configuration.with { $0.registry = TypeRegistry() }
    configuration.registry.handleWarnings { warning in warnings.withLock { $0.append(warning) } }
    let store = GlobalData.inMemory(configuration: configuration)
    store.register(CarInfo.self, Garage.self)
    #expect(warnings.withLock { $0 } == [])
    await GlobalData.withStore(store) {
      GlobalData.register(Impostor.self, FormerImpostor.self)
      GlobalData.register(Impostor.self)
    }
    #expect(warnings.withLock { $0.map(\.kind) } == [.tagClash, .tagClash])
    #expect(warnings.withLock { $0.map(\.tag) } == ["CarInfo", "Garage"])
    #expect(warnings.withLock { $0.first?.message.contains("Impostor is stored under the archive tag") } == true)
    // Reading without a type does not guess; reading with a type still works.
    try await store.set(CarInfo("B 1"), forKey: "car")
    let error = try requireError(GlobalDataError.self) { try store.object(forKey: "car") }
    // Nothing is wrong with the stored value: neither a migration nor a later version of the app would help.
    #expect("\(error)".contains("Give one of them another archiveTag"))
    #expect(error.code == .decodingFailed)
    #expect(error.advice == "The entry is unchanged.")
    #expect(try store.object(CarInfo.self, forKey: "car") == CarInfo("B 1"))
  }
}
