import Foundation
import KeyedArchive
import TestSupport
import Testing

@testable import GlobalData

/// What other programs do to the file and the folder of an open store.
struct LiveFileTests {
  @TemporaryFolder private var folder

  @Test func aFolderThatIsRemovedUnderAnOpenStoreIsCreatedAgain() async throws {
    let inner = folder.appendingPathComponent("inner")
    let url = inner.appendingPathComponent("store")
    let store = GlobalData(at: url)
    try await store.set(1, forKey: "a")
    try FileManager.default.removeItem(at: inner)
    try await store.set(2, forKey: "b")
    #expect(try store.object(Int.self, forKey: "b") == 2)
    #expect(try GlobalData.check(fileAt: url).isIntact)
    // What readers see is what the file holds.
    let keys = store.allKeys
    try await store.close()
    #expect(store.allKeys == keys)
    #expect(try store.object(Int.self, forKey: "b") == 2)
  }

  @Test func writesFailWhileAFileReplacesTheFolder() async throws {
    let inner = folder.appendingPathComponent("inner")
    let aside = folder.appendingPathComponent("aside")
    let store = GlobalData(at: inner.appendingPathComponent("store"))
    try await store.set(1, forKey: "a")
    try FileManager.default.moveItem(at: inner, to: aside)
    try Data("no folder".utf8).write(to: inner)
    await #expect(throws: GlobalDataError.self) { try await store.set(2, forKey: "a") }
    #expect(try Data(contentsOf: inner) == Data("no folder".utf8))

    try FileManager.default.removeItem(at: inner)
    try FileManager.default.moveItem(at: aside, to: inner)
    #expect(try store.object(Int.self, forKey: "a") == 1)
    try await store.set(3, forKey: "a")
    try await store.close()
    #expect(try store.object(Int.self, forKey: "a") == 3)
  }

  @Test func anItemThatIsNotAFileIsRefusedWithoutWaiting() async throws {
    let pipe = folder.appendingPathComponent("pipe")
    try pipe.makePipe()
    #expect(GlobalData(at: URL(fileURLWithPath: "/dev/zero")).stateOnceOpen == .unavailable)
    let inner = folder.appendingPathComponent("folder")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    for url in [pipe, inner] {
      let store = GlobalData(at: url)
      #expect(store.stateOnceOpen == .unavailable)
      await #expect(throws: GlobalDataError.self) { try await store.set(1, forKey: "a") }
      await #expect(throws: GlobalDataError.self) { try await store.clear() }
      #expect(FileManager.default.fileExists(atPath: url.path))
    }
    #expect(try folderContents(folder) == ["folder", "pipe"])
  }

  /// A mapped file that is truncated while it is read stops the process with SIGBUS.
  @Test func aFileThatIsTruncatedDuringAReadIsReadAsFarAsItGoes() async throws {
    let url = folder.appendingPathComponent("store")
    let store = GlobalData(at: url)
    try await store.set(Data(repeating: 7, count: 4 << 20), forKey: "large")
    let whole = try Data(contentsOf: url)
    let isDone = Locked(false)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        let handle = open(url.path, O_WRONLY)
        #expect(handle >= 0)
        for round in 0..<200 {
          #expect(ftruncate(handle, off_t(round * 20_000)) == 0)
          _ = whole.withUnsafeBytes { pwrite(handle, $0.baseAddress, $0.count, 0) }
        }
        close(handle)
        isDone.withLock { $0 = true }
      }
      group.addTask {
        repeat {
          do {
            let contents = try ArchiveFile(url: url).read(limit: 8 << 20)
            #expect(contents.map { whole.starts(with: $0) || $0.contains(0) } == true)
          } catch {
            Issue.record(error)
          }
        } while !isDone.withLock { $0 }
      }
    }
    #expect(try ArchiveFile(url: url).read(limit: 8 << 20) == whole)
  }
}
