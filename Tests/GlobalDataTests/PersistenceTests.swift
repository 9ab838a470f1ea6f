import Foundation
import GlobalData
import GlobalDataTesting
import TestSupport
import Testing

@Suite struct PersistenceTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.appendingPathComponent("store.archive") }

  @Test func valuesAreReadAfterTheStoreWasClosed() async throws {
    let store = GlobalData(at: folder.appendingPathComponent("store.archive"))
    try await store.set(CarInfo("HH-GD 1"), forKey: "car")
    try await store.set([1.5, .infinity, -0.0], forKey: "numbers")
    try await store.close()
    #expect(try store.object(CarInfo.self, forKey: "car") == CarInfo("HH-GD 1"))
    #expect(try store.object([Double].self, forKey: "numbers") == [1.5, .infinity, -0.0])
  }

  @Test(.enabled(if: ChildProcess.isPossible)) func anotherProcessReadsWhatThisOneWrote() async throws {
    try await GlobalData(at: url).set(CarInfo("B 77"), forKey: "car")
    let tool = try await ChildProcess.run("archivetool", ["get", url.path, "car"], outputIn: folder)
    #expect(tool.status == 0)
    let value = try JSONDecoder().decode(ArchiveValue.self, from: Data(tool.output.utf8))
    #expect(value["plate"]?.string == "B 77")
  }

  @Test(.enabled(if: ChildProcess.isPossible)) func aChangeByAnotherProcessIsKeptByTheNextWrite() async throws {
    let store = GlobalData(at: url)
    try await store.set(1, forKey: "ours")
    let tool = try await ChildProcess.run("archivetool", ["set", url.path, "theirs", "2"], outputIn: folder)
    #expect(tool.status == 0)
    try await store.set(3, forKey: "ours")
    try await store.close()
    #expect(try store.object(Int.self, forKey: "ours") == 3)
    #expect(try store.object(Int.self, forKey: "theirs") == 2)
  }

  @Test func onlyTheFirstWriteCreatesTheFolder() async throws {
    let inner = folder.appendingPathComponent("a/b")
    let store = GlobalData(at: inner.appendingPathComponent("store.archive"))
    #expect(store.allKeys.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: inner.path))
    try await store.set(1, forKey: "a")
    #expect(try folderContents(inner) == ["store.archive"])
  }

  @Test func writingTheSameValueAgainDoesNotTouchTheFile() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    try await store.set(["b": 1, "a": 2, "c": 3], forKey: "a")
    #expect(faults.calls.contains { $0.operation == .rename })
    faults.reset()
    try await store.set(["c": 3, "a": 2, "b": 1], forKey: "a")
    try await store.removeObject(forKey: "never there")
    #expect(!faults.calls.contains { $0.operation == .rename || $0.operation == .write })
  }

  @Test func clearingRemovesTheFileAndLeavesNothingBehind() async throws {
    let store = GlobalData(at: folder.appendingPathComponent("store.archive"))
    try await store.set(1, forKey: "a")
    try await store.clear()
    #expect(try folderContents(folder).isEmpty)
    try await store.clear()
    #expect(try folderContents(folder).isEmpty)
    try await store.set(2, forKey: "b")
    try await store.close()
    #expect(store.allKeys == ["b"])
  }

  @Test func anEntryOfAnUnknownTypeSurvivesRewritesByteForByte() async throws {
    let store = GlobalData(at: url)
    try await store.set(CarInfo("HH-GD 1"), forKey: "car")
    try await store.close()
    let value = try #require(try store.object(ArchiveValue.self, forKey: "car"))
    #expect(value.object?.tag == "CarInfo")
    // The registry of this process does not know the type, and writing another entry does not decode this one.
    for number in 0..<5 { try await store.set(number, forKey: "other") }
    try await store.close()
    #expect(try store.object(ArchiveValue.self, forKey: "car") == value)
    #expect(try store.object(CarInfo.self, forKey: "car") == CarInfo("HH-GD 1"))
  }

  @Test func twoStoresAtOnePathShareTheirContents() async throws {
    let link = folder.appendingPathComponent("link.archive")
    let first = GlobalData(at: url)
    try await first.set(1, forKey: "a")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    let second = GlobalData(at: link)
    try await second.set(2, forKey: "b")
    #expect(first.allKeys == ["a", "b"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == url.path)
  }

  @Test func severalStoresShareAFolder() async throws {
    let first = GlobalData(at: folder.appendingPathComponent("a.archive"))
    let second = GlobalData(at: folder.appendingPathComponent("b.archive"))
    try await first.set(1, forKey: "key")
    try await second.set(2, forKey: "key")
    try await first.clear()
    #expect(try second.object(Int.self, forKey: "key") == 2)
  }
}
