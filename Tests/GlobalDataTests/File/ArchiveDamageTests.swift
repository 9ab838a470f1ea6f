import Foundation
import KeyedArchive
import Testing

@testable import GlobalData

struct ArchiveDamageTests {
  private let originals = GoldenImage.image.entries

  /// What a reader of some bytes gets to know.
  private enum Outcome: Equatable {
    case intact
    case damage([ArchiveDamage])
    case error(ArchiveImageError)
  }

  /// Reads bytes, and expects that no entry comes out that did not go in.
  private func read(
    _ data: Data,
    limits: ArchiveLimits = ArchiveLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> (outcome: Outcome, keys: [String]) {
    do {
      let contents = try ArchiveImage.parse(data, limits: limits)
      for entry in contents.image.entries where !originals.contains(where: { $0.record == entry.record }) {
        Issue.record("an entry came up that was never stored: \(entry)", sourceLocation: sourceLocation)
      }
      let outcome = contents.damage.isEmpty ? Outcome.intact : .damage(contents.damage)
      return (outcome, contents.image.entries.map(\.key))
    } catch {
      return (.error(error), [])
    }
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
      for byte in UInt8.min...UInt8.max where byte != GoldenImage.data[offset] {
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
      case .error(.damaged(let damage)): #expect(damage.kind == (length == 0 ? .empty : .truncated))
      case .damage(let damage): #expect(damage.map(\.kind) == [.truncated])
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

  @Test func aDamagedValueCostsItsEntryOnly() {
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

  @Test func aLengthBeyondTheEndEndsTheReading() {
    var data = GoldenImage.data
    data[GoldenImage.offset(of: "length of the value: 12")] = 23
    let (outcome, keys) = read(data)
    let value = GoldenImage.offset(of: "the value: [1, 2.5, null]")
    #expect(outcome == .damage([ArchiveDamage(.truncated, key: "é", at: value)]))
    #expect(keys == ["car"])
  }

  @Test func aDamagedGenerationLeavesAllEntries() {
    var data = GoldenImage.data
    data[GoldenImage.offset(of: "generation 42") + 1] += 1
    let (outcome, keys) = read(data)
    let tail = GoldenImage.offset(of: "8 bytes: checksum of the whole")
    #expect(outcome == .damage([ArchiveDamage(.archiveChecksum, at: tail)]))
    #expect(keys == ["car", "é"])
  }

  @Test func anEntryFromAnotherWriteIsNoticed() throws {
    // Intact in itself, but not the one that was written last.
    var other = GoldenImage.image
    let car = StoredEntry(key: "car", value: Data([0x64] + Array("Audi".utf8)))
    other.entries.set(car)
    let start = GoldenImage.offset(of: "text of 3 bytes: a key")
    let end = GoldenImage.offset(of: "text of 2 bytes: a key")
    let data = GoldenImage.data.prefix(start) + car.record + GoldenImage.data.dropFirst(end)
    #expect(data.count == GoldenImage.data.count)
    let contents = try ArchiveImage.parse(data, limits: ArchiveLimits())
    #expect(contents.damage.map(\.kind) == [.archiveChecksum])
  }

  // MARK: Not ours

  @Test(arguments: ["{\"car\": 1}", "bplist00", "GlobalData", "\u{0}\u{0}x"])
  func otherFormatsAreNoArchives(text: String) {
    #expect(read(Data(text.utf8)).outcome == .error(.foreignFormat))
  }

  @Test func otherCBORIsNoArchive() {
    #expect(read(Data([0xd9, 0xd9, 0xf7, 0xa0])).outcome == .error(.foreignFormat))
  }

  @Test(
    arguments: [
      ([0x02], 2),
      ([0x17], 23),
      ([0x18, 0x18], 24),
      ([0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .max),
    ] as [([UInt8], UInt64)]
  )
  func newerVersionsAreToldApartFromDamage(head: [UInt8], version: UInt64) throws {
    let start = GoldenImage.offset(of: "format version 1")
    let data = GoldenImage.data.prefix(start) + Data(head) + GoldenImage.data.suffix(from: start + 1)
    let contents = try ArchiveImage.parse(data, limits: ArchiveLimits())
    #expect(contents.version == version)
    // What has the form that is known is read, and what the version stands in is part of the checksum of the whole.
    #expect(contents.image.entries.map(\.key) == read(GoldenImage.data).keys)
    #expect(contents.damage.map(\.kind) == [.archiveChecksum])
  }

  @Test func aVersionThatNeverWasIsDamage() {
    var data = GoldenImage.data
    data[GoldenImage.offset(of: "format version 1")] = 0
    guard case .error(.damaged) = read(data).outcome else {
      Issue.record("version 0 was accepted")
      return
    }
  }
}
