import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// Damage of more than one bit to synced bytes is noticed, and its effect is reported.
@Suite struct LargerDamageTests {
  @TemporaryFolder private var folder

  private typealias Values = [String: Data]

  /// The kinds of damage.
  enum Damage: String, CaseIterable, CustomTestStringConvertible {
    case zeroedSector = "a sector of zeros"
    case garbledSector = "a sector of other bytes"
    case zeroedRange = "a range of zeros"
    case garbledRange = "a range of other bytes"
    case copiedRange = "a range of bytes from elsewhere in the file"
    case missingBytes = "bytes missing"
    case addedBytes = "bytes too many"
    case flippedBits = "two changed bits"

    var testDescription: String { rawValue }
  }

  private static let keys =
    (0..<12).map { "key \($0)" } + ["caf\u{e9}", "\u{1f697}", String(repeating: "long", count: 70)]

  private static func configuration(_ policy: GlobalData.RecoveryPolicy) -> GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.persistence = .appending
    configuration.recoveryPolicy = policy
    configuration.registry = TypeRegistry()
    return configuration
  }

  /// Values of zeros, of text that looks like heads, and of a copy of the file.
  private static func value(_ random: inout SeededGenerator, _ url: URL) throws -> Data {
    switch random.below(12) {
    case 0: Data(count: random.below(1500))
    case 1: Data(repeating: 0x61, count: random.below(600))
    case 2 where FileManager.default.fileExists(atPath: url.path): try Data(contentsOf: url).prefix(3000)
    case 3: Data()
    default: Data((0..<random.below(160)).map { _ in UInt8(random.below(256)) })
    }
  }

  /// Writes a file by random commits. Returns its bytes, with a little of the room at its end.
  private func writeFile(_ url: URL, seed: UInt64) async throws -> Data {
    var random = SeededGenerator(seed: seed)
    var configuration = Self.configuration(.keepIntactEntries)
    configuration.durability = seed % 2 == 0 ? .powerLoss : .ordered
    let store = GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
    let commits = 6 + random.below(26)
    for _ in 0..<commits {
      var steps: [(key: String, value: Data?)] = []
      for _ in 0..<1 + random.below(4) {
        let key = Self.keys[random.below(Self.keys.count)]
        switch random.below(6) {
        case 0: steps.append((key, nil))
        case 1:
          steps.append((key, nil))
          steps.append((key, try Self.value(&random, url)))
        default: steps.append((key, try Self.value(&random, url)))
        }
      }
      let changes = steps
      try await store.update { data in
        for (key, value) in changes {
          if let value { try data.set(value, forKey: key) } else { data.removeObject(forKey: key) }
        }
      }
    }
    try await store.close()
    let bytes = try Data(contentsOf: url)
    let written = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    return bytes.prefix((written / 512 + 2) * 512)
  }

  private func parse(_ bytes: Data) throws -> (values: Values, found: ArchiveImage.Contents) {
    let found = try ArchiveImage.parse(bytes)
    return (Dictionary(uniqueKeysWithValues: found.image.entries.map { ($0.key, $0.contentData) }), found)
  }

  /// Damages a part of the file.
  ///
  /// Zeros replace only bytes that the file itself says were on stable storage: elsewhere, they are what a power cut
  /// leaves.
  private func damage(
    _ bytes: inout Data, _ damage: Damage, synced: Int, _ random: inout SeededGenerator
  ) {
    func range(below end: Int) -> Range<Int> {
      let start = ArchiveHead.length + random.below(max(1, end - ArchiveHead.length))
      return start..<min(end, start + 1 + random.below(random.below(3) == 0 ? 2000 : 60))
    }
    func sector(below end: Int) -> Range<Int> {
      let start = random.below(max(1, end / 512)) * 512
      return max(start, ArchiveHead.length)..<min(start + 512, end)
    }
    func garble(_ range: Range<Int>) {
      for offset in range { bytes[offset] = UInt8(random.below(256)) }
    }
    let end = bytes.count
    let safe = max(ArchiveHead.length + 1, min(synced, end))
    switch damage {
    case .zeroedSector: bytes.resetBytes(in: sector(below: safe))
    case .garbledSector: garble(sector(below: end))
    case .zeroedRange: bytes.resetBytes(in: range(below: safe))
    case .garbledRange: garble(range(below: end))
    case .copiedRange:
      let target = range(below: safe)
      let source = random.below(end - target.count)
      bytes.replaceSubrange(target, with: Data(bytes[source..<source + target.count]))
    case .missingBytes: bytes.removeSubrange(range(below: safe))
    case .addedBytes:
      let place = range(below: safe)
      bytes.insert(contentsOf: place.map { _ in UInt8(random.below(256)) }, at: place.lowerBound)
    case .flippedBits:
      for _ in 0..<2 { bytes[ArchiveHead.length + random.below(safe - ArchiveHead.length)] ^= 1 << random.below(8) }
    }
  }

  /// The work for damage is limited, and one value may be nearly the whole file.
  @Test(arguments: [40_000, 200_000, 1_000_000], [1, 3])
  func aDamagedLargeValueCostsNoOtherEntry(size: Int, count: Int) async throws {
    let url = folder.file("store")
    var random = SeededGenerator(seed: UInt64(size))
    let large = Data((0..<size).map { _ in UInt8(random.below(256)) })
    let photos = (0..<count).map { "photo \($0)" }
    let configuration = Self.configuration(.keepIntactEntries)
    let store = GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
    try await store.update { data in
      for photo in photos { try data.set(large, forKey: photo) }
      try data.set(1, forKey: "caf\u{e9}")
      try data.set(large.prefix(70_000), forKey: "medium")
    }
    try await store.set(2, forKey: "a")
    try await store.set(3, forKey: "b")
    try await store.close()
    var bytes = try Data(contentsOf: url)
    var end = bytes.startIndex
    for _ in photos {
      let photo = try #require(bytes[end...].firstRange(of: large))
      bytes[photo.lowerBound + size / 2] ^= 0xff
      end = photo.upperBound
    }
    try bytes.write(to: url)
    let damaged = GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
    #expect(damaged.allKeys == ["caf\u{e9}", "medium", "a", "b"])
    #expect(damaged.recovery?.lostKeys == photos)
  }

  @Test func aRemovalWithADamagedKeyLeavesNoEarlierKeyUnsuspected() async throws {
    let url = folder.file("store")
    let store = GlobalData(at: url, configuration: Self.configuration(.keepIntactEntries))
    for key in ["token", "a", "b"] { try await store.set(key, forKey: key) }
    try await store.removeObject(forKey: "token")
    try await store.set(2, forKey: "b")
    try await store.close()
    var bytes = try Data(contentsOf: url)
    let removal = try #require(bytes.range(of: Data("etoken\u{81}".unicodeScalars.map { UInt8($0.value) })))
    for offset in [1, 3] { bytes[removal.lowerBound + offset] ^= 0x05 }
    let (values, found) = try parse(bytes)
    #expect(Set(values.keys) == ["token", "a", "b"])
    #expect(found.losses == LostRecords.Result(outdatedKeys: ["token", "a"]))
  }

  /// Without other damage, such a change would be one that a power cut left incomplete, and would not count.
  @Test func aDamagedFileThatEndsInTheMiddleOfAChangeLeavesNoEarlierKeyUnsuspected() async throws {
    let url = folder.file("store")
    let store = GlobalData(at: url, configuration: Self.configuration(.keepIntactEntries))
    for key in ["token", "a", "other"] { try await store.set(key, forKey: key) }
    try await store.removeObject(forKey: "token")
    try await store.close()
    var bytes = try Data(contentsOf: url)
    let removal = try #require(bytes.range(of: Data("etoken\u{81}".unicodeScalars.map { UInt8($0.value) })))
    bytes = bytes[..<(removal.upperBound + 20)]
    bytes[try #require(bytes.range(of: Data("other".utf8), options: .backwards)).lowerBound + 1] ^= 0x05
    let (_, found) = try parse(bytes)
    #expect(found.losses.lostKeys == ["other"])
    #expect(found.losses.outdatedKeys == ["token", "a"])
  }

  /// Compares what was read of a damaged file with what was acknowledged. Returns whether there was damage to compare.
  private func expectTruth(_ bytes: Data, _ whole: Values, _ place: String) -> Bool {
    let (values, found): (Values, ArchiveImage.Contents)
    do {
      (values, found) = try parse(bytes)
    } catch {
      return false  // Nothing was read, and that is reported.
    }
    guard !found.damage.isEmpty else {
      if values != whole { Issue.record("\(place): not noticed") }
      return false
    }
    let losses = found.losses
    let (lost, outdated) = (Set(losses.lostKeys), Set(losses.outdatedKeys))
    // A key that is overwritten with other text cannot be distinguished from another key.
    guard lost.isSubset(of: Self.keys) else { return false }
    var unnamed = 0
    for key in Set(whole.keys).union(values.keys) where whole[key] != values[key] && !lost.contains(key) {
      if values[key] == nil { unnamed += 1 }
      if values[key] != nil, !outdated.contains(key) {
        Issue.record("\(place): \(key) is not named: \(losses) \(found.damage)")
      }
    }
    // If nothing remains of a change, the number of its keys is unknown.
    if unnamed > 0, losses.lostCount == lost.count {
      Issue.record("\(place): \(unnamed) keys are not counted: \(losses)")
    }
    #expect(lost.isDisjoint(with: values.keys) && outdated.isSubset(of: values.keys), "\(place)")
    #expect(lost.count == losses.lostKeys.count && outdated.count == losses.outdatedKeys.count, "\(place)")
    return true
  }

  @Test(arguments: Damage.allCases, [false, true])
  func everyChangeByDamageIsReported(first: Damage, isTwice: Bool) async throws {
    var compared = 0
    for seed in (0..<UInt64(4)).oneIn(2) {
      let file = try await writeFile(folder.file("store \(seed)"), seed: seed)
      let (whole, found) = try parse(file)
      try #require(found.damage.isEmpty)
      let synced = try #require(found.appendPoint).syncedLength
      var random = SeededGenerator(seed: seed)
      for round in 0..<(isTwice ? 14 : 8) {
        var bytes = file
        damage(&bytes, first, synced: synced, &random)
        let second = Damage.allCases[random.below(Damage.allCases.count)]
        // After bytes have moved, zeros may cover bytes that were not on stable storage.
        if isTwice { damage(&bytes, second, synced: synced - 4000, &random) }
        let place = "\(first)\(isTwice ? " and \(second)" : ""), seed \(seed), round \(round)"
        if expectTruth(bytes, whole, place) { compared += 1 }
      }
    }
    #expect(compared > 5, "\(compared)")
  }

  /// With `refuse`, a damaged file is an error and stays unchanged. Otherwise, the store reports the same as the
  /// parser.
  @Test(arguments: Damage.allCases)
  func bothPoliciesHandleDamageAsDocumented(damage kind: Damage) async throws {
    let url = folder.file("store")
    let file = try await writeFile(url, seed: 7)
    let (_, found) = try parse(file)
    let synced = try #require(found.appendPoint).syncedLength
    var random = SeededGenerator(seed: 7)
    var damaged = 0
    for _ in (0..<8).oneIn(2) {
      var bytes = file
      damage(&bytes, kind, synced: synced, &random)
      let (values, found) = try parse(bytes)
      guard !found.damage.isEmpty else { continue }
      damaged += 1
      try bytes.write(to: url)
      let names = try folderContents(folder)

      let refusing = GlobalData(at: url, configuration: Self.configuration(.refuse), system: POSIXSystemCalls())
      #expect(refusing.stateOnceOpen == .damaged)
      let reading = expectError(GlobalDataError.self) { try refusing.object(Data.self, forKey: "key 0") }
      #expect(reading?.code == .damaged)
      let writing = await expectError(GlobalDataError.self) { try await refusing.set(1, forKey: "key 0") }
      #expect(writing?.code == .damaged)
      try await refusing.close()
      #expect(try Data(contentsOf: url) == bytes)
      #expect(try folderContents(folder) == names)

      let keeping = GlobalData(
        at: url, configuration: Self.configuration(.keepIntactEntries), system: POSIXSystemCalls())
      #expect(keeping.allKeys == found.image.entries.map(\.key))
      let recovery = try #require(keeping.recoveryOnceOpen)
      #expect(recovery.keptKeys == keeping.allKeys)
      #expect(recovery.lostKeys == found.losses.lostKeys && recovery.outdatedKeys == found.losses.outdatedKeys)
      #expect(recovery.lostEntryCount == found.losses.lostCount)
      for key in keeping.allKeys {
        let value = try keeping.object(Data.self, forKey: key)
        let expected = try values[key].map { try KeyedArchiveDecoder().decode(Data.self, from: $0) }
        #expect(value == expected)
      }
      try await keeping.set("new", forKey: "new")
      #expect(try GlobalData.check(fileAt: url).isIntact)
      #expect(try keeping.recoveryOnceOpen?.setAsideURL.map { try Data(contentsOf: $0) } == bytes)
      try await keeping.clear()
    }
    #expect(damaged > 0)
  }
}
