import Foundation
import GlobalData
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

/// A file that cannot be read as an archive is not an empty store: each use throws, and the file stays as it is.
@Suite struct UnreadableFileTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.appendingPathComponent("store.archive") }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: @Sendable (Data) -> Data
    let code: GlobalDataError.Code
  }

  static let cases = [
    Case(testDescription: "empty", bytes: { _ in Data() }, code: .damaged),
    Case(testDescription: "cut in the middle", bytes: { $0.prefix($0.count / 2) }, code: .damaged),
    Case(testDescription: "last byte missing", bytes: { $0.dropLast() }, code: .damaged),
    Case(testDescription: "a byte too many", bytes: { $0 + [1] }, code: .damaged),
    Case(testDescription: "zeros", bytes: { Data(count: $0.count) }, code: .damaged),
    Case(testDescription: "JSON", bytes: { _ in Data(#"{"car": 1}"#.utf8) }, code: .foreignFormat),
    Case(testDescription: "other CBOR", bytes: { _ in Data([0xd9, 0xd9, 0xf7, 0x80]) }, code: .foreignFormat),
    Case(
      testDescription: "a newer version",
      bytes: { data in
        var data = data
        data[15] = 0x02  // the version follows the tag, the array's head and the eleven bytes of the name
        return data
      }, code: .newerFormat),
  ]

  @Test(arguments: cases) func readsAndWritesThrowAndTheFileStays(_ example: Case) async throws {
    let store = GlobalData(at: url, configuration: .with { $0.recoveryPolicy = .refuse })
    try await store.set("something to lose", forKey: "a")
    try await store.close()
    let bytes = example.bytes(try Data(contentsOf: url))
    try bytes.write(to: url)

    let reading = expectError(GlobalDataError.self) { try store.object(forKey: "a") }
    #expect(reading?.code == example.code)
    #expect(reading?.fileURL?.path == url.path)
    let writing = await expectError(GlobalDataError.self) { try await store.set(1, forKey: "b") }
    #expect(writing?.code == example.code)
    await #expect(throws: GlobalDataError.self) { try await store.removeObject(forKey: "a") }
    #expect(throws: GlobalDataError.self) { try store.openNow() }
    #expect(!store.contains("a"))
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try folderContents(folder) == ["store.archive"])
  }

  @Test func theValuesOfAFileOnAFailingDiskCanBeSavedOnAnotherOne() async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: folder.file("store"), system: system)
    try await store.set("something to lose", forKey: "a")
    system.fail(.error(EIO)) { $0.name.hasSuffix("store") }
    let error = try await requireError(GlobalDataError.self) { try await store.set(1, forKey: "b") }
    #expect(error.code == .readFailed && error.advice.contains("restore its snapshot() elsewhere"))
    // A backup has to read the file, to have the changes of other processes.
    await #expect(throws: GlobalDataError.self) { try await store.backup(to: folder.file("backup")) }
    let other = GlobalData(at: folder.file("other"))
    try await other.restore(store.snapshot())
    #expect(try other.object(String.self, forKey: "a") == "something to lose")
  }

  @Test func aFolderInPlaceOfTheFileIsAnError() async throws {
    let store = GlobalData(at: folder)
    #expect(throws: GlobalDataError.self) { try store.object(forKey: "a") }
    let error = await expectError(GlobalDataError.self) { try await store.set(1, forKey: "a") }
    #expect(error?.code == .notAFile)
    #expect(try folderContents(folder).isEmpty)
  }

  @Test func theStoreWorksAgainOnceTheFileCanBeRead() async throws {
    let store = GlobalData(at: url, configuration: .with { $0.recoveryPolicy = .refuse })
    try await store.set(1, forKey: "a")
    try await store.close()
    let intact = try Data(contentsOf: url)
    try intact.dropLast().write(to: url)
    #expect(throws: GlobalDataError.self) { try store.openNow() }
    try intact.write(to: url)
    #expect(try store.object(Int.self, forKey: "a") == 1)
    try await store.set(2, forKey: "a")
    #expect(try store.object(Int.self, forKey: "a") == 2)
  }

  @Test(arguments: [false, true]) func clearingNotifiesObserversOfTheRemovedKeys(isClosed: Bool) async throws {
    let store = GlobalData(at: url)
    try await store.set(1, forKey: "a")
    var changes = store.changes.makeAsyncIterator()
    if isClosed { try await store.close() }
    // The contents of the file are unknown. The observers know what they saw last.
    try Data(count: 100).write(to: url)
    try await store.clear()
    try await store.set(2, forKey: "b")
    let change = try #require(await changes.next())
    try #require(change.keys == ["a"])
    #expect(change.origin == .clear)
    #expect(await changes.next()?.keys == ["b"])
  }

  @Test func checkingFindsEachProblemAndChangesNothing() async throws {
    let store = GlobalData(at: url)
    try await store.set("something to lose", forKey: "a")
    try await store.set("more", forKey: "b")
    let intact = try GlobalData.check(fileAt: url)
    #expect(intact.isIntact && intact.entryCount == 2)
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count - 12] ^= 1  // in the value of "b"
    try bytes.write(to: url)
    let report = try GlobalData.check(fileAt: url)
    #expect(report.entryCount == 1)
    #expect(report.problems.contains { $0.contains("\"b\"") })
    #expect(try Data(contentsOf: url) == bytes)
    #expect(throws: GlobalDataError.self) { try GlobalData.check(fileAt: folder.appendingPathComponent("none")) }
  }
}
