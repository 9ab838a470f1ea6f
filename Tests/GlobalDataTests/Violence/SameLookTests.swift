import Foundation
import TestSupport
import Testing

@testable import GlobalData

/// Another writer's file that looks like the one that was read.
struct SameLookTests {
  /// A file system gives the number of a removed file to the next one, and the times of kernels before Linux 6.13 are
  /// no finer than a few milliseconds: two quick writes by another process may leave a file with the same number, size
  /// and time.
  @Test func aLaterFileOfTheSameNumberSizeAndTimeIsNoticed() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store")
      let store = GlobalData(at: url)
      try await store.set(1, forKey: "counter")

      let copy = folder.appendingPathComponent("copy")
      try FileManager.default.copyItem(at: url, to: copy)
      try await GlobalData(at: copy).set(2, forKey: "counter")
      let later = try Data(contentsOf: copy)
      let before = try #require(try ArchiveFile(url: url).stamp())
      try #require(later.count == before.size)
      let descriptor = open(url.path, O_WRONLY)
      defer { close(descriptor) }
      #expect(later.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == later.count)
      let modified = try #require(before.modified)
      let time = timespec(tv_sec: modified.seconds, tv_nsec: modified.nanoseconds)
      #expect(futimens(descriptor, [time, time]) == 0)

      // Without the head, nothing distinguishes them.
      var after = try #require(try ArchiveFile(url: url).stamp())
      #expect(!after.agrees(with: before))
      after.head = before.head
      try #require(after.agrees(with: before))
      let counter = try await store.update { data in
        let counter = (try data.object(Int.self, forKey: "counter") ?? 0) + 1
        try data.set(counter, forKey: "counter")
        return counter
      }
      #expect(counter == 3)
    }
  }
}
