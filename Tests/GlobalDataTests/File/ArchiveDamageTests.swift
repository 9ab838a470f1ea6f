import Foundation
import KeyedArchive
import TestSupport
import Testing

@testable import GlobalData

struct ArchiveDamageTests {
  private let originals = GoldenImage.image.entries

  /// The result of reading some bytes.
  private enum Outcome: Equatable {
    case intact
    case damage([ArchiveDamage])
    case error(ArchiveImageError)
  }

  /// Reads bytes, and expects no entry that was not written.
  private func read(
    _ data: Data,
    limits: ArchiveLimits = ArchiveLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> (outcome: Outcome, keys: [String]) {
    do {
      let contents = try ArchiveImage.parse(data)
      for entry in contents.image.entries where !originals.contains(where: { $0.record == entry.record }) {
        Issue.record("an entry came up that was never stored: \(entry)", sourceLocation: sourceLocation)
      }
      let outcome = contents.damage.isEmpty ? Outcome.intact : .damage(contents.damage)
      return (outcome, contents.image.entries.map(\.key))
    } catch {
      return (.error(error), [])
    }
  }

  private static let descriptions: [(kind: ArchiveDamage.Kind, withKey: String, withoutKey: String)] = [
    (.truncated, "it ends in the middle of the entry \"a\"", "it ends too early"),
    (.malformed("a break"), "found a break in the entry \"a\"", "found a break"),
    (.expected("a map"), "expected a map in the entry \"a\"", "expected a map"),
    (.flippedBit("the key"), "a flipped bit in the key \"a\" was corrected", "a flipped bit in the key was corrected"),
    (.entryChecksum, "the checksum of the entry \"a\" does not match", "the checksum of an entry does not match"),
    (.duplicateKey, "the entry \"a\" appears twice", "an entry appears twice"),
    (.invalidKey("is empty"), "the entry \"a\" has a key that is empty", "an entry has a key that is empty"),
  ]

  @Test func damageIsDescribedWithItsKeyIfThatIsKnown() {
    for (kind, withKey, withoutKey) in Self.descriptions {
      #expect("\(ArchiveDamage(kind, key: "a", at: 7))" == "\(withKey), at byte 7")
      #expect("\(ArchiveDamage(kind, at: 7))" == "\(withoutKey), at byte 7")
    }
    #expect("\(ArchiveDamage(.archiveHead, at: 0))" == "the checksum of its head does not match, at byte 0")
  }

  // MARK: Every byte

  @Test func noBitCanFlipUnnoticed() {
    for offset in GoldenImage.data.indices {
      for bit in 0..<8 {
        var data = GoldenImage.data
        data[offset] ^= 1 << bit
        #expect(read(data).outcome != .intact, "bit \(bit) of byte \(offset)")
      }
    }
  }

  @Test func noByteCanChangeUnnoticed() {
    for offset in GoldenImage.data.indices {
      for byte in (UInt8.min...UInt8.max).oneIn(8, from: offset) where byte != GoldenImage.data[offset] {
        var data = GoldenImage.data
        data[offset] = byte
        if read(data).outcome == .intact { Issue.record("byte \(offset) became \(byte)") }
      }
    }
  }

  @Test func aFileCutOffAnywhereIsDamaged() {
    for length in GoldenImage.data.indices {
      switch read(GoldenImage.data.prefix(length)).outcome {
      case .intact: Issue.record("\(length) bytes are taken for a whole archive")
      case .error(.damaged(let damage)): #expect(damage.kind == (length == 0 ? .empty : .truncated), "\(length) bytes")
      case .damage(let damage): #expect(damage.map(\.kind) == [.truncated], "\(length) bytes")
      case .error(let error): Issue.record("\(length) bytes: \(error)")
      }
    }
  }

  @Test func noByteCanBeMissingOrTooMany() {
    for offset in GoldenImage.data.indices {
      var shorter = GoldenImage.data
      shorter.remove(at: offset)
      #expect(read(shorter).outcome != .intact, "without byte \(offset)")
      var longer = GoldenImage.data
      longer.insert(longer[offset], at: offset)
      #expect(read(longer).outcome != .intact, "byte \(offset) twice")
    }
  }

  @Test func aFileOfZerosIsDamaged() {
    #expect(read(Data(count: 4096)).outcome == .error(.damaged(ArchiveDamage(.zeros, at: 0))))
    #expect(read(Data(count: 3)).outcome == .error(.damaged(ArchiveDamage(.zeros, at: 0))))
  }

  // MARK: One entry

  @Test func damageToAValueAffectsOnlyItsEntry() {
    var data = GoldenImage.data
    data[GoldenImage.offset(of: "the value: text BMW!") + 2] ^= 0x20
    let (outcome, keys) = read(data)
    let start = GoldenImage.offset(of: "text of 3 bytes: a key")
    #expect(outcome == .damage([ArchiveDamage(.entryChecksum, key: "car", at: start)]))
    #expect(keys == ["é"])
  }

  @Test func aDamagedLastEntryLeavesTheFirst() {
    var data = GoldenImage.data
    data[GoldenImage.offset(of: "the value: [1, 2.5, null]")] ^= 1
    let (outcome, keys) = read(data)
    let start = GoldenImage.offset(of: "text of 2 bytes: a key")
    #expect(outcome == .damage([ArchiveDamage(.entryChecksum, key: "é", at: start)]))
    #expect(keys == ["car"])
  }

  @Test func aLengthBeyondTheEndEndsTheRead() {
    var data = GoldenImage.data
    data[GoldenImage.offset(of: "length of the value: 12")] = 23
    let (outcome, keys) = read(data)
    let value = GoldenImage.offset(of: "the value: [1, 2.5, null]")
    #expect(outcome == .damage([ArchiveDamage(.truncated, key: "é", at: value)]))
    #expect(keys == ["car"])
  }

  // MARK: One bit

  @Test func aFlippedBitOutsideOfValuesCostsNothing() throws {
    let values = ["the value: text BMW!", "the value: [1, 2.5, null]"].map { meaning in
      let start = GoldenImage.offset(of: meaning)
      return start..<start + (meaning.contains("BMW") ? 5 : 12)
    }
    for offset in GoldenImage.data.indices where !values.contains(where: { $0.contains(offset) }) {
      for bit in 0..<8 {
        var data = GoldenImage.data
        data[offset] ^= 1 << bit
        let contents = try ArchiveImage.parse(data)
        #expect(contents.damage.count == 1, "bit \(bit) of byte \(offset)")
        #expect(contents.losses == LostRecords.Result(), "bit \(bit) of byte \(offset)")
        #expect(contents.image.entries.map(\.key) == ["car", "é"], "bit \(bit) of byte \(offset)")
        #expect(contents.image.identity == StoreIdentity(GoldenImage.identity) && contents.image.generation == 42)
      }
    }
  }

  @Test func aHeadWithMoreThanOneWrongBitIsDamage() {
    var data = GoldenImage.data
    data[GoldenImage.offset(of: "generation 42") + 8] ^= 3
    #expect(read(data).outcome == .error(.damaged(ArchiveDamage(.archiveHead, at: 0))))
  }

  @Test func anEntryFromAnotherWriteIsNoticed() throws {
    // Intact, but not the entry that was written last.
    var other = GoldenImage.image
    let car = StoredEntry(key: "car", value: Data([0x64] + Array("Audi".utf8)))
    other.entries.set(car)
    let start = GoldenImage.offset(of: "text of 3 bytes: a key")
    let end = GoldenImage.offset(of: "text of 2 bytes: a key")
    let data = GoldenImage.data.prefix(start) + Data(car.record) + GoldenImage.data.dropFirst(end)
    #expect(data.count == GoldenImage.data.count)
    let contents = try ArchiveImage.parse(data)
    #expect(contents.damage.map(\.kind) == [.archiveChecksum])
  }

  // MARK: Foreign and newer files

  @Test(arguments: ["{\"car\": 1}", "bplist00", "GlobalData", "\u{0}\u{0}x"])
  func otherFormatsAreNotArchives(text: String) {
    #expect(read(Data(text.utf8)).outcome == .error(.foreignFormat))
  }

  @Test func otherCBORIsNotAnArchive() {
    #expect(read(Data([0xd9, 0xd9, 0xf7, 0xa0])).outcome == .error(.foreignFormat))
  }

  @Test(arguments: [2, 3, 23] as [UInt64])
  func newerVersionsAreDistinguishedFromDamage(version: UInt64) throws {
    let data = GoldenImage.image.encoded(version: version).pieces.reduce(into: Data()) { $0 += $1 }
    let contents = try ArchiveImage.parse(data)
    #expect(contents.version == version)
    // The parts in a known form are read.
    #expect(contents.image.entries.map(\.key) == ["car", "é"])
    #expect(contents.damage.isEmpty)
  }

  @Test func aNewerVersionWithAnotherHeadIsNotReportedAsDamage() {
    var data = GoldenImage.data
    data[GoldenImage.offset(of: "format version 1")] = 2
    #expect(read(data).outcome == .error(.newerFormat(version: 2)))
  }

  @Test func anImpossibleVersionIsDamage() {
    var data = GoldenImage.data
    data[GoldenImage.offset(of: "format version 1")] = 0
    let start = GoldenImage.offset(of: "generation 42")
    data[start + 8] ^= 1  // so that no single bit explains the damage
    #expect(read(data).outcome == .error(.damaged(ArchiveDamage(.archiveHead, at: 0))))
  }
}
