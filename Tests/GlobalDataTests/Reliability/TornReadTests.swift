import Foundation
import TestSupport
import Testing

@testable import GlobalData

/// Reading takes no lock. So a store may read a file of which another process is writing a change at this moment, and find the
/// half of it; by what the system says about the file, nothing has happened since.
@Suite struct TornReadTests {
  /// What of a change was not written yet when the file was read.
  enum Missing: CaseIterable {
    case beginning, end, firstOfTwo
  }

  private func store(_ url: URL, _ persistence: GlobalData.Persistence = .appending) -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.persistence = persistence
    return GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
  }

  /// Writes over a file in place, and makes it look as if nobody had.
  private func write(_ bytes: Data, over url: URL) throws {
    let file = try FileHandle(forWritingTo: url)
    try file.write(contentsOf: bytes)
    try file.close()
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: url.path)
  }

  /// A store that another process appends two changes to, and its file before, in the middle of that, and after it.
  private func files(_ url: URL, _ missing: Missing) async throws -> (torn: Data, whole: Data) {
    let writer = store(url)
    try await writer.set("one", forKey: "a")
    try await writer.set("two", forKey: "b")
    func end() throws -> Int {
      try #require(try ArchiveImage.parse(Data(contentsOf: url), limits: ArchiveLimits()).appendPoint).offset
    }
    let first = try end()
    try await writer.set(String(repeating: "three ", count: 300), forKey: "c")
    let second = try end()
    if missing == .firstOfTwo { try await writer.set("four", forKey: "d") }
    let whole = try Data(contentsOf: url)
    var torn = whole
    switch missing {
    case .beginning, .firstOfTwo: torn.resetBytes(in: first..<first + 1000)
    case .end: torn.resetBytes(in: second - 1000..<second)
    }
    return (torn, whole)
  }

  @Test(arguments: Missing.allCases, GlobalData.Persistence.allCases)
  func aWriteKeepsTheChangeThatWasReadInItsMiddle(missing: Missing, persistence: GlobalData.Persistence) async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let (torn, whole) = try await files(url, missing)
      let keys = missing == .firstOfTwo ? ["a", "b", "c", "d"] : ["a", "b", "c"]
      try write(torn, over: url)
      let reader = store(url, persistence)
      #expect(!reader.contains("c"))
      try write(whole, over: url)
      try await reader.set("new", forKey: "new")
      #expect(reader.allKeys == keys + ["new"])
      #expect(store(url).allKeys == keys + ["new"])
      #expect(reader.state == .ready)
      #expect(try folder.names().filter { $0.contains("damaged") }.isEmpty)
    }
  }

  @Test func refreshingShowsTheChangeThatWasReadInItsMiddle() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let (torn, whole) = try await files(url, .end)
      try write(torn, over: url)
      let reader = store(url)
      #expect(reader.allKeys == ["a", "b"])
      try write(whole, over: url)
      try await reader.refresh()
      #expect(reader.allKeys == ["a", "b", "c"])
    }
  }
}
