import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Large pieces and many keys.
struct LargeFileTests {
  /// Systems write at most 2 GiB in one call, and some reject larger requests.
  @Test func aLargePieceIsWrittenInSeveralCalls() async throws {
    try await withTemporaryDirectory { folder in
      let size = 2 * OpenFile.chunk + 1
      let system = FaultySystemCalls()
      try ArchiveFile(in: folder, system: system).replace(with: [Data(count: size)], durability: .processCrash)
      #expect(OpenFile.chunk <= 1 << 30)
      #expect(system.count(of: .write) == 3)
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("store").path)
      #expect(attributes[.size] as? Int == size)
    }
  }

  /// Swift seeds its hashes in each process, so an adversary cannot choose colliding keys, only their number and their
  /// order. Opening takes linear time.
  @Test func manyKeysAreReadInTimeInProportion() throws {
    let few = try secondsToOpen(count: 20_000)
    let many = try secondsToOpen(count: 200_000)
    // Ten times as many keys. If each key were searched among all others, it would take a hundred times as long.
    #expect(many < 40 * few)
  }

  /// The processor time of this thread, whatever else runs.
  private func secondsToOpen(count: Int) throws -> Double {
    let entries = (0..<count).map { StoredEntry(key: String($0, radix: 36), value: Data([0xf6])) }
    let data = ArchiveImage(identity: UUID(), generation: 1, entries: entries).data
    let began = threadSeconds()
    let contents = StoreContents(try ArchiveImage.parse(data).image, .ready, stamp: nil)
    #expect(contents.keys.count == count)
    return threadSeconds() - began
  }

  private func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
