import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing

/// A type with hand-written coding is read from what another app wrote with Foundation's coder.
@Suite struct HandWrittenImportTests {
  @Test func everyCallOfAContainerReadsAPropertyList() async throws {
    let store = GlobalData.inMemory()
    let report = try await store.importPropertyList(
      PropertyListEncoder().encode(["value": HandWrittenCoding()]), as: ["value": HandWrittenCoding.self])
    #expect(report.importedKeys == ["value"], "\(report)")
    #expect(try store.object(HandWrittenCoding.self, forKey: "value") == HandWrittenCoding())
  }
}
