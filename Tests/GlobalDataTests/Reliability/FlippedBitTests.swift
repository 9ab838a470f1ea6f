import Foundation
import GlobalDataTesting
import KeyedArchive
import TestSupport
import Testing

@testable import GlobalData

/// Every flipped bit of a synced file is noticed, and its effect is reported.
@Suite struct FlippedBitTests {
  @TemporaryFolder private var folder

  private typealias Contents = [String: Data]
  private typealias Change = @Sendable (inout GlobalData.Transaction) throws -> Void

  /// The commits that create a file, in order.
  private struct History: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var persistence: GlobalData.Persistence
    var changes: [Change]
  }

  private static func set(_ key: String, _ data: Data) -> Change {
    { try $0.set(data, forKey: key) }
  }

  private static let histories: [History] = [
    History(
      testDescription: "values that are all zeros, rewritten", persistence: .rewriting,
      changes: [set("a", Data(count: 700)), set("b", Data(count: 1)), set("c", Data([1, 2, 3]))]),
    History(
      testDescription: "a last change with long runs of zeros", persistence: .appending,
      changes: [set("a", Data([1])), set("a", Data([7])), set("a", Data(count: 1100))]),
    History(
      testDescription: "a last change with one bit in many zeros", persistence: .appending,
      changes: [set("a", Data([1])), set("b", Data(count: 600) + [1] + Data(count: 600))]),
    History(
      testDescription: "values just below the limit of zeros", persistence: .appending,
      changes: [
        set("a", Data([1])), set("b", Data(count: 254) + [1] + Data(count: 254) + [1] + Data(count: 254)),
      ]),
    History(
      testDescription: "removals, and a logout of a kind", persistence: .appending,
      changes: [
        { try $0.set("secret", forKey: "token") }, { try $0.set(1, forKey: "a") }, { try $0.set(2, forKey: "a") },
        { $0.removeObject(forKey: "token") }, { try $0.set(3, forKey: "c") }, { try $0.set(4, forKey: "d") },
      ]),
    History(
      testDescription: "a removal as the last change", persistence: .appending,
      changes: [{ try $0.set("secret", forKey: "token") }, { $0.removeObject(forKey: "token") }]),
    History(
      testDescription: "several steps in one change, a key of many bytes, and one moved to the end",
      persistence: .appending,
      changes: [
        {
          try $0.set("one", forKey: "e\u{301}")
          try $0.set("two", forKey: String(repeating: "k", count: 300))
        },
        {
          try $0.set("new", forKey: "n")
          try $0.set("three", forKey: String(repeating: "k", count: 300))
          $0.removeObject(forKey: "e\u{301}")
          try $0.set("again", forKey: "e\u{301}")
        },
      ]),
  ]

  private static func configuration(
    _ history: History, _ policy: GlobalData.RecoveryPolicy = .keepIntactEntries
  ) -> GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.persistence = history.persistence
    configuration.recoveryPolicy = policy
    configuration.registry = TypeRegistry()
    return configuration
  }

  private func store(_ url: URL, _ configuration: GlobalData.Configuration) -> GlobalData {
    GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
  }

  /// Writes the file. Returns its bytes up to a little after its end, and its contents.
  private func write(_ history: History, _ url: URL) async throws -> (bytes: Data, contents: Contents) {
    let store = store(url, Self.configuration(history))
    for change in history.changes { try await store.update(change) }
    try await store.close()
    let bytes = try Data(contentsOf: url)
    let written = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    return (bytes.prefix((written / 512 + 1) * 512), try contents(bytes).values)
  }

  /// The result of parsing some bytes: the encoded values, and the reported damage.
  private func contents(_ bytes: Data) throws -> (values: Contents, parsed: ArchiveImage.Contents) {
    let parsed = try ArchiveImage.parse(bytes)
    return (Dictionary(uniqueKeysWithValues: parsed.image.entries.map { ($0.key, $0.contentData) }), parsed)
  }

  @Test(arguments: histories.indices)
  func everyFlippedBitIsDamageOrChangesNothing(index: Int) async throws {
    let history = Self.histories[index]
    let (bytes, whole) = try await write(history, folder.file("store"))
    let original = try contents(bytes)
    try #require(original.values == whole && original.parsed.damage.isEmpty)
    var (noticed, unharmed) = (0, 0)
    for offset in bytes.indices.oneIn(3, from: index) {
      for bit in (0..<8).oneIn(8, from: offset) {
        var flipped = bytes
        flipped[offset] ^= 1 << bit
        let (values, parsed) = try contents(flipped)
        let losses = parsed.losses
        let place: Comment = "\(history.testDescription): bit \(bit) of byte \(offset)"
        guard !parsed.damage.isEmpty else {
          unharmed += 1
          #expect(values == whole, place)
          continue
        }
        noticed += 1
        for key in Set(whole.keys).union(values.keys) where whole[key] != values[key] {
          let isNamed = losses.lostKeys.contains(key) || losses.outdatedKeys.contains(key)
          if !isNamed { Issue.record("\(place): \(key) is not named: \(losses)") }
        }
        #expect(losses.lostKeys.allSatisfy { values[$0] == nil && whole[$0] != nil }, place)
        #expect(losses.lostCount == losses.lostKeys.count, place)
      }
    }
    #expect(noticed >= 30)
  }

  /// Both policies, in a store: one keeps the intact entries and reports the lost ones, the other one refuses the file.
  @Test(arguments: [0, 4]) func bothPoliciesNoticeFlippedBits(index: Int) async throws {
    let history = Self.histories[index]
    let url = folder.file("store")
    let (bytes, whole) = try await write(history, url)
    for offset in bytes.indices.oneIn(9) {
      var flipped = bytes
      flipped[offset] ^= 1 << (offset % 8)
      let isDamaged = try !contents(flipped).parsed.damage.isEmpty
      try flipped.write(to: url)
      let (keeping, refusing) = (
        store(url, Self.configuration(history)), store(url, Self.configuration(history, .refuse))
      )
      #expect(keeping.stateOnceOpen == (isDamaged ? .damaged : .ready), "byte \(offset)")
      #expect((keeping.recoveryOnceOpen != nil) == isDamaged, "byte \(offset)")
      #expect(refusing.stateOnceOpen == (isDamaged ? .damaged : .ready), "byte \(offset)")
      let key = try #require(whole.keys.first)
      if isDamaged {
        #expect(throws: GlobalDataError.self) { try refusing.object(ArchiveValue.self, forKey: key) }
      } else {
        #expect(Set(refusing.allKeys) == Set(whole.keys), "byte \(offset)")
      }
      #expect(try Data(contentsOf: url) == flipped, "opening changes nothing")
    }
  }

  /// The last change begins and ends at each position around the end of a sector.
  @Test func aLastChangeIsNeitherLostNorInventedAtAnySectorPosition() throws {
    for start in ((512 - 100)...(512 + 2)).oneIn(3) {
      var archive = ArchiveImage(identity: UUID(), generation: 1, entries: [])
      let empty = archive.data.count
      archive.entries.set(StoredEntry(key: "a", value: Data(repeating: 0x20, count: start - empty - 15)))
      let (pieces, checksum) = archive.encoded()
      let file = pieces.reduce(Data(), +)
      try #require(file.count == start || file.count == start - 1)
      let change = ArchiveChange(
        generation: 2, syncedLength: file.count, previousChecksum: checksum,
        steps: [.set(StoredEntry(key: "b", value: Data([0x18, 0x20])))])
      let bytes = file + change.encoded(archiveChecksum: checksum).bytes.takeData()
      let whole = bytes + Data(count: 1536 - bytes.count)
      #expect(try contents(whole).parsed.damage.isEmpty)
      for offset in file.count..<bytes.count {
        var flipped = whole
        flipped[offset] ^= 1 << (offset % 8)
        let (values, parsed) = try contents(flipped)
        #expect(!parsed.damage.isEmpty, "byte \(offset) of a change at \(file.count)")
        #expect(values["b"] != nil || parsed.losses.lostKeys == ["b"], "byte \(offset) of a change at \(file.count)")
      }
      // Each of its sectors in turn is missing.
      for sector in [min(file.count, 512)..<512, max(file.count, 512)..<1024]
      where sector.lowerBound < sector.upperBound && sector.lowerBound < bytes.count {
        var torn = whole
        torn.replaceSubrange(sector, with: Data(count: sector.count))
        let (values, parsed) = try contents(torn)
        #expect(parsed.damage.isEmpty && values["b"] == nil, "a change at \(file.count) without \(sector)")
      }
    }
  }
}
