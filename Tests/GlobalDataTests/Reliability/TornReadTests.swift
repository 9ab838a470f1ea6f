import Dispatch
import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Reading takes no lock. So a store may read a file while another process writes a change, and find half of it. By its
/// status, the file has not changed since.
@Suite struct TornReadTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.file("store") }

  /// The part of a change that was not written yet when the file was read.
  enum Missing: CaseIterable {
    case beginning, end, firstOfTwo
  }

  private func store(_ url: URL, _ persistence: GlobalData.Persistence = .appending) -> GlobalData {
    GlobalData(at: url, configuration: .with { $0.persistence = persistence }, system: POSIXSystemCalls())
  }

  /// Overwrites a file in place, and restores its time.
  private func write(_ bytes: Data, over url: URL) throws {
    let file = try FileHandle(forWritingTo: url)
    try file.write(contentsOf: bytes)
    try file.close()
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: url.path)
  }

  /// A store to which another process appends two changes, and its file before, during and after that.
  private func files(_ url: URL, _ missing: Missing) async throws -> (torn: Data, whole: Data) {
    let writer = store(url)
    try await writer.set("one", forKey: "a")
    try await writer.set("two", forKey: "b")
    func end() throws -> Int {
      try #require(try ArchiveImage.parse(Data(contentsOf: url)).appendPoint).offset
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

  /// Some file systems (FUSE) have no file for a moment while another process replaces it.
  @Test func aFileThatIsAbsentForAMomentIsRead() async throws {
    try await store(url).set("one", forKey: "a")
    let system = FaultySystemCalls()
    let reader = GlobalData(at: url, system: system)
    system.fail(.error(ENOENT), times: 3) { $0.call == .openat && $0.name == "store" }
    #expect(try reader.texts() == ["a": "one"])
    #expect(system.faults == 3)
    try await store(url).set("two", forKey: "a")
    system.recover()
    system.fail(.error(ENOENT), times: 3) { $0.call == .openat && $0.name == "store" }
    try await reader.refresh()
    #expect(try reader.texts() == ["a": "two"])
    #expect(system.faults == 3)
    // Without a lock file, the file is absent immediately.
    for name in try folder.names() { try FileManager.default.removeItem(at: folder.file(name)) }
    system.recover()
    #expect(try GlobalData(at: folder.file("other"), system: system).texts() == [:])
    #expect(system.records.count { $0.call == .openat && $0.name == "other" } == 1)
  }

  @Test(arguments: Missing.allCases, GlobalData.Persistence.allCases)
  func aWriteKeepsAChangeThatWasReadHalfWritten(missing: Missing, persistence: GlobalData.Persistence) async throws {
    let (torn, whole) = try await files(url, missing)
    let keys = missing == .firstOfTwo ? ["a", "b", "c", "d"] : ["a", "b", "c"]
    try write(torn, over: url)
    let reader = store(url, persistence)
    #expect(!reader.contains("c"))
    try write(whole, over: url)
    try await reader.set("new", forKey: "new")
    #expect(reader.allKeys == keys + ["new"])
    #expect(store(url).allKeys == keys + ["new"])
    #expect(reader.stateOnceOpen == .ready)
    #expect(try folder.names().filter { $0.contains("damaged") }.isEmpty)
  }

  @Test func refreshingShowsAChangeThatWasReadHalfWritten() async throws {
    let (torn, whole) = try await files(url, .end)
    try write(torn, over: url)
    let reader = store(url)
    #expect(reader.allKeys == ["a", "b"])
    try write(whole, over: url)
    try await reader.refresh()
    #expect(reader.allKeys == ["a", "b", "c"])
  }

  /// Reads a file that another process changes after the file's bytes were copied for the first time.
  private func reading<Result: Sendable>(
    _ torn: Data, thenBecoming whole: Data, _ url: URL, _ read: @escaping @Sendable (FaultySystemCalls) throws -> Result
  ) async throws -> Result {
    try write(torn, over: url)
    let system = FaultySystemCalls()
    let pause = CallPause()
    // The second call finds the end of the file.
    system.fail(.pause(pause), skipping: 1, times: 1) { $0.call == .read }
    // This call blocks, so it must not run on a thread that tasks need.
    async let result = withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: .init { try read(system) }) }
    }
    #expect(await pause.reached())
    try write(whole, over: url)
    pause.end()
    return try await result
  }

  @Test func aReadBetweenTwoChangesIsNotDamage() async throws {
    let (torn, whole) = try await files(url, .firstOfTwo)
    try #require(!ArchiveImage.parse(torn).damage.isEmpty)
    let store = try await reading(torn, thenBecoming: whole, url) { system in
      let store = GlobalData(at: url, system: system)
      try store.openNow()
      return store
    }
    #expect(store.allKeys == ["a", "b", "c", "d"])
    #expect(store.stateOnceOpen == .ready && store.recoveryOnceOpen == nil)
    let contents = try await reading(torn, thenBecoming: whole, url) { system in
      try ArchiveFile(url: url, system: system).readArchive()?.parsed.get()
    }
    #expect(try #require(contents).damage.isEmpty)
  }

  @Test func realDamageIsFoundByTheSecondRead() async throws {
    let (torn, _) = try await files(url, .firstOfTwo)
    try write(torn, over: url)
    let system = FaultySystemCalls()
    let reading = try #require(
      try ArchiveFile(url: url, system: system).readArchive())
    #expect(try !reading.parsed.get().damage.isEmpty)
    #expect(system.records.count { $0.call == .read } == 4)
    #expect(try !GlobalData.check(fileAt: url).isIntact)
    #expect(throws: GlobalDataError.self) { try GlobalData.contents(ofFileAt: url) }
  }
}
