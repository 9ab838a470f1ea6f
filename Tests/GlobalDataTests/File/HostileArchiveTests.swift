import Foundation
import KeyedArchive
import TestSupport
import Testing

@testable import GlobalData

/// Forged files with valid checksums that no store writes.
struct HostileArchiveTests {
  /// The bytes of an archive with any records and any claimed count of entries.
  private func archive(
    of records: [Data], count: [UInt8]? = nil, generation: UInt64 = 0, tail: Data = Data()
  ) -> Data {
    let count = count ?? [0xa0 | UInt8(records.count)]
    let length = count.count + records.reduce(0) { $0 + $1.count }
    var data = ArchiveHead(
      version: 1, identity: StoreIdentity(high: 0, low: 0), generation: generation,
      entriesLength: UInt64(length)
    ).encoded().takeData()
    data.append(contentsOf: count)
    var hash = XXHash64()
    data.withUnsafeBytes { hash.update($0) }
    for record in records {
      // After the key's head and text, the array, a length of one byte, and the head of the checksum.
      let checksum = record.dropFirst(1 + Int(record.first ?? 0) & 0x1f + 3).prefix(8)
      checksum.withUnsafeBytes { hash.update($0) }
      data.append(record)
    }
    withUnsafeBytes(of: hash.checksum.bigEndian) { data.append(contentsOf: [0x48] + Array($0)) }
    return data + tail
  }

  private func record(_ key: String, _ value: [UInt8] = [0xf6]) -> Data {
    StoredEntry(key: key, value: Data(value)).recordData
  }

  private func record(keyItem: [UInt8], value: [UInt8]) -> Data {
    let sum = keyItem.dropFirst().withUnsafeBytes { key in
      value.withUnsafeBytes { StepRecord.checksum(key: key, value: $0) }
    }
    let checksum = withUnsafeBytes(of: sum.bigEndian) { Array($0) }
    return Data(keyItem + [0x83, UInt8(value.count), 0x48] + checksum + value)
  }

  private func read(_ data: Data) throws -> ([String], [ArchiveDamage.Kind]) {
    let contents = try ArchiveImage.parse(data)
    return (contents.image.entries.map(\.key), contents.damage.map(\.kind))
  }

  @Test func theHelperCreatesValidArchives() throws {
    let (keys, damage) = try read(archive(of: [record("a"), record("b")]))
    #expect(keys == ["a", "b"])
    #expect(damage == [])
  }

  @Test func aDuplicateKeyIsDamage() throws {
    let (keys, damage) = try read(archive(of: [record("a", [0x01]), record("b"), record("a", [0x02])]))
    #expect(keys == ["a", "b"])
    #expect(damage == [.duplicateKey])
  }

  /// The kelvin sign is equivalent to a letter.
  private static let equivalentKeys = [("caf\u{e9}", "cafe\u{301}"), ("\u{212a}", "K"), ("K", "\u{212a}")]

  @Test(arguments: equivalentKeys)
  func canonicallyEquivalentKeysAreDuplicates(one: String, other: String) throws {
    let (keys, damage) = try read(archive(of: [record(one), record(other)]))
    #expect(keys.map { Array($0.utf8) } == [Array(one.utf8)])
    #expect(damage == [.duplicateKey])
  }

  @Test(arguments: GlobalData.Persistence.allCases)
  func aStoreContinuesAfterTheLargestGeneration(persistence: GlobalData.Persistence) async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      try archive(of: [record("a")], generation: .max).write(to: url)
      let store = GlobalData(at: url, configuration: .with { $0.persistence = persistence })
      for number in 1...3 { try await store.set(number, forKey: "b") }
      #expect(try GlobalData.contents(ofFileAt: url).generation == 2)
      #expect(try await store.recover() == nil)
      // One bit of the first entry's value, and the largest generation: `recover` writes a new file, too.
      var damaged = archive(of: [record("a", [0x18, 0x20]), record("b")], generation: .max)
      damaged[damaged.count - 9 - 15 - 1] ^= 1
      try damaged.write(to: url)
      #expect(try await store.recover()?.lostKeys == ["a"])
      #expect(try GlobalData.check(fileAt: url).isIntact)
    }
  }

  @Test func anEmptyKeyIsDamage() throws {
    let (keys, damage) = try read(archive(of: [record(""), record("b")]))
    #expect(keys == ["b"])
    #expect(damage == [.invalidKey("is empty")])
  }

  @Test func aTooLongKeyIsDamage() throws {
    let longest = String(repeating: "k", count: 1 << 16)
    let file = ForgedFile([
      .init(key: longest, value: [1]), .init(key: longest + "k", value: [1]), .init(key: "b", value: [1]),
    ])
    let (keys, damage) = try read(Data(file.bytes))
    #expect(keys == [longest, "b"])
    #expect(damage == [.invalidKey("is too long")])
  }

  @Test(arguments: [[0x61, 0xff], [0x62, 0xc0, 0x80], [0x63, 0xed, 0xa0, 0x80]] as [[UInt8]])
  func aKeyThatIsNotUTF8IsNotRepaired(keyItem: [UInt8]) throws {
    let (keys, damage) = try read(archive(of: [record(keyItem: keyItem, value: [0xf6]), record("b")]))
    #expect(keys == ["b"])
    #expect(damage == [.invalidKey("is not valid UTF-8")])
  }

  /// A record that results from a corrected bit is no more trustworthy than one that was stored that way.
  @Test(arguments: [("", [0x01]), ("a", []), (String(repeating: "\0", count: 255), [0x01])] as [(String, [UInt8])])
  func aRecordIsLostIfItsRepairWouldBeInvalid(key: String, value: [UInt8]) throws {
    for isChange in [false, true] {
      var wrong = ForgedFile.Record(key: key, value: value)
      wrong.bytes[wrong.bytes.count - value.count - 1] ^= 1
      var file = ForgedFile(isChange ? [] : [wrong, .init(key: "b", value: [1])])
      if isChange { file.append([wrong, .init(key: "b", value: [1])]) }
      let (keys, damage) = try read(Data(file.bytes))
      #expect(keys == ["b"])
      #expect(damage.count == 1 && damage != [.flippedBit(isChange ? "an entry of an appended change" : "the entry")])
    }
  }

  @Test func anEntryWithoutValueIsDamage() throws {
    let (keys, damage) = try read(archive(of: [record("a", []), record("b")]))
    #expect(keys == ["b"])
    #expect(damage == [.malformed("no value")])
  }

  @Test(
    arguments: [
      [0x78, 0x01, 0x61],  // a key with a head of two bytes instead of one
      [0x7f, 0x61, 0x61, 0xff],  // a key of indefinite length
      [0x01],  // a number as a key
      [0xc0, 0x61, 0x61],  // a tagged key
    ] as [[UInt8]]
  )
  func aKeyInAnyOtherFormIsDamage(keyItem: [UInt8]) throws {
    let (keys, damage) = try read(archive(of: [record(keyItem: keyItem, value: [0xf6])]))
    #expect(keys.isEmpty)
    #expect(damage.count == 1)
  }

  @Test(
    arguments: [
      [0xb8, 0x01],  // a head of two bytes instead of one
      [0xbf],  // indefinite
      [0x81],  // an array
    ] as [[UInt8]]
  )
  func aMapInAnyOtherFormIsDamage(count: [UInt8]) throws {
    let (keys, damage) = try read(archive(of: [record("a")], count: count))
    #expect(keys == ["a"])
    #expect(damage.count == 1)
  }

  @Test(
    arguments: [
      [0xa0],  // one entry too few
      [0xa2],  // one too many
      [0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],  // more than memory can hold
      [0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ] as [[UInt8]]
  )
  func aWrongCountIsDamage(count: [UInt8]) throws {
    let (keys, damage) = try read(archive(of: [record("a")], count: count))
    #expect(keys == ["a"])
    #expect(damage.count == 1)
  }

  @Test(
    arguments: [
      [0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0x1b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0x1a, 0xff, 0xff, 0xff, 0xff],
      [0x19, 0x00, 0x01],
    ] as [[UInt8]]
  )
  func anImpossibleLengthIsDamage(length: [UInt8]) throws {
    let data = archive(of: [Data([0x61, 0x61, 0x83] + length + [0x48, 1, 2, 3, 4, 5, 6, 7, 8, 0xf6])])
    let (keys, damage) = try read(data)
    #expect(keys.isEmpty)
    #expect(damage.count == 1)
  }

  @Test func bytesAfterTheArchiveAreDamage() throws {
    for tail in [
      Data([0x01]), Data([0x00, 0x01]), Data("GlobalData".utf8), Data([0x85, 0x00]), Data([0xd9, 0xd9, 0xf7]),
    ].map({ $0 + Data(repeating: 0x20, count: 64) }) {
      let (keys, damage) = try read(archive(of: [record("a")], tail: tail))
      #expect(keys == ["a"])
      #expect(damage == [.trailingBytes])
    }
  }

  @Test func zerosAfterTheArchiveAreRoomForChanges() throws {
    for count in [1, 511, 70_000] {
      let (keys, damage) = try read(archive(of: [record("a")], tail: Data(count: count)))
      #expect(keys == ["a"])
      #expect(damage.isEmpty)
    }
  }

  /// A simple fuzzer, with the same mutations in each run, of which the short one makes a quarter. None of them may trap
  /// or return a value that was never stored.
  @Test func randomMutationsNeverGiveAWrongValue() {
    var random = SeededGenerator(seed: 20_141_025)
    let originals = Dictionary(uniqueKeysWithValues: GoldenImage.image.entries.map { ($0.key, $0.value) })
    var readableCount = 0
    for _ in (0..<20_000).oneIn(4) {
      var data = GoldenImage.data
      for _ in 0...Int(random.next() % 4) {
        let offset = Int(random.next() % UInt64(data.count))
        switch random.next() % 3 {
        case 0: data[offset] = UInt8(truncatingIfNeeded: random.next())
        case 1: data.remove(at: offset)
        default: data.insert(UInt8(truncatingIfNeeded: random.next()), at: offset)
        }
      }
      let contents: ArchiveImage.Contents
      do {
        contents = try ArchiveImage.parse(data)
      } catch {
        continue  // Nothing was read.
      }
      for entry in contents.image.entries { #expect(originals[entry.key] == entry.value) }
      #expect(!contents.damage.isEmpty || data == GoldenImage.data)
      if contents.image.entries.count > 0 { readableCount += 1 }
    }
    #expect(readableCount >= 500, "\(readableCount)")
  }
}
