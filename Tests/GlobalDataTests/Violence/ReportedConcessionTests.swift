import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// A concession is reported, and does not make a write fail.
struct ReportedConcessionTests {
  @Test(
    .timeLimit(.minutes(10)),
    arguments: [(.fsync, EINVAL), (.fsync, ENOTSUP), (.open, EACCES)] as [(SystemCall, Int32)])
  func aFolderThatCannotBeSyncedIsReportedAndWritten(call: SystemCall, number: Int32) async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store")
      let system = FaultySystemCalls()
      let store = GlobalData(at: url, system: system)
      try store.openNow()
      var diagnostics = store.diagnostics.makeAsyncIterator()
      // A folder that may be written but not listed refuses to be opened for listing, which is the first of two
      // attempts.
      for nth in 0..<8 where call == .open { system.fail(.open, nth: 1 + 2 * nth, .error(number)) }
      if call == .fsync { system.fail(.fsync, onFolder: true, .error(number)) }
      try await store.set("written", forKey: "a")
      let diagnostic = await diagnostics.next()
      #expect(diagnostic?.kind == .concession)
      #expect(system.faults > 0)
      #expect(try GlobalData(at: url).object(String.self, forKey: "a") == "written")
    }
  }
}
