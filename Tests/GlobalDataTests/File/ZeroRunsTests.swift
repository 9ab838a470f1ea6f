import Foundation
import GlobalDataTesting
import KeyedArchive
import TestSupport
import Testing

@testable import GlobalData

/// A written sector never looks unwritten, and an unwritten one always does.
@Suite struct ZeroRunsTests {
  private func areLong(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { ZeroRuns.areLong(in: $0) }
  }

  @Test func aRunIsFoundWhereverItBegins() {
    for length in [0, 1, 254, 255, 256, 600] {
      for before in 0..<300 {
        for after in [0, 1, 200] {
          let bytes =
            [UInt8](repeating: 7, count: before) + [UInt8](repeating: 0, count: length)
            + [UInt8](repeating: 7, count: after)
          if areLong(bytes) != (length >= 255) { Issue.record("\(before) bytes, \(length) zeros, \(after) bytes") }
        }
      }
    }
  }

  /// Values of zeros and few other bytes, with runs on both sides of the limit.
  private func sparseValue(_ random: inout SeededGenerator) -> Data {
    var value = Data()
    for _ in 0..<1 + random.below(8) {
      value.append(Data(count: [0, 1, 250, 253, 254, 255, 256, 300, 511, 700][random.below(10)]))
      value.append(contentsOf: [UInt8](repeating: UInt8(1 << random.below(8)), count: 1 + random.below(2)))
    }
    return value + Data(count: [0, 100, 254, 255, 600][random.below(5)])
  }

  @Test func any512BytesOfAChangeHaveTwoThatAreNotZero() {
    var random = SeededGenerator(seed: 24)
    var chunked = 0
    let rounds = (0..<200).oneIn(4).count
    for _ in 0..<rounds {
      let values = (0..<3).map { _ in sparseValue(&random) }
      let entries = values.enumerated().map { StoredEntry(key: "\($0)", content: $1) }
      for (entry, value) in zip(entries, values) {
        #expect(entry.contentData == value)
        if entry.value.count != value.count { chunked += 1 }
      }
      let change = ArchiveChange(
        generation: 2, syncedLength: 100, previousChecksum: 0, steps: [.remove("a")] + entries.map { .set($0) })
      let bytes = change.encoded(archiveChecksum: 0).bytes.takeData()
      let others = bytes.indices.filter { bytes[$0] != 0 }
      for start in 0..<max(1, bytes.count - 511) {
        let window = others.drop { $0 < start }.prefix { $0 < start + 512 }
        guard window.count < 2 else { continue }
        Issue.record("\(window.count) bytes from \(start)")
      }
    }
    #expect((rounds / 2..<3 * rounds).contains(chunked), "both forms occur: \(chunked)")
  }

  @Test func aKeyWithALongRunOfZerosIsRefused() async throws {
    let store = GlobalData.inMemory()
    try await store.set(1, forKey: String(repeating: "\0", count: 254))
    await #expect(throws: GlobalDataError.self) { try await store.set(1, forKey: String(repeating: "\0", count: 255)) }
  }

  /// Zeros belong to a value if they were written, and to a power cut if they were not.
  @Test func aChangeWithZerosAndALostSectorIsIgnored() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let store = GlobalData(at: url, configuration: .with { $0.persistence = .appending })
      try await store.set("one", forKey: "a")
      let start = try #require(ArchiveImage.parse(Data(contentsOf: url)).appendPoint).offset
      let value = Data(count: 900) + [1] + Data(count: 254) + [1] + Data(count: 900)
      try await store.set(value, forKey: "b")
      let bytes = try Data(contentsOf: url)
      let whole = try ArchiveImage.parse(bytes)
      #expect(whole.damage.isEmpty && whole.image.entries.map(\.key) == ["a", "b"])
      let end = try #require(whole.appendPoint).offset
      #expect(end - start > 2000)
      var offset = start
      while offset < end {
        let sectorEnd = min((offset / 512 + 1) * 512, end)
        var torn = bytes
        torn.replaceSubrange(offset..<sectorEnd, with: Data(count: sectorEnd - offset))
        let found = try ArchiveImage.parse(torn)
        #expect(found.damage.isEmpty && found.image.entries.map(\.key) == ["a"], "without the sector at \(offset)")
        #expect(found.appendPoint == nil, "what is there has to be rewritten first")
        offset = sectorEnd
      }
    }
  }
}
