import Foundation
import TestSupport
import Testing

@testable import GlobalData

@Suite("Entry tables")
struct EntryTableTests {
  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private func bytes(of table: EntryTable) -> Data {
    table.pieces().reduce(into: Data()) { $0 += $1 }
  }

  private func entry(_ key: String, _ size: Int, _ filling: UInt8 = 0, _ memory: RecordMemory? = nil) -> StoredEntry {
    StoredEntry(key: key, value: Data(repeating: filling, count: size), memory)
  }

  /// Returns the table as it is after a file was read.
  private func reopened(_ table: EntryTable) throws -> EntryTable {
    let image = ArchiveImage(identity: UUID(), generation: 1, entries: table)
    return try ArchiveImage.parse(image.data).image.entries
  }

  /// Keys of all lengths, some of them not ASCII.
  private static let keys = (0..<300).map { number in
    String(repeating: "k", count: number % 40) + (number % 7 == 0 ? "é\(number)" : "\(number)")
  }

  /// Another program may write a change that gives a key another spelling: the kelvin sign instead of the letter.
  @Test(arguments: [["\u{212a}", "K"], ["K", "\u{212a}"], ["e\u{301}", "\u{e9}"]])
  func aKeyThatIsSetInAnotherSpellingIsOneKey(spellings: [String]) {
    var table = EntryTable([entry("a", 1), entry(spellings[0], 2), entry("z", 3)])
    table.set(entry(spellings[1], 4))
    #expect(table.count == 3)
    for spelling in spellings { #expect(table[spelling]?.content.count == 4) }
    #expect(table.keys.map { Array($0.utf8) } == ["a", spellings[1], "z"].map { Array($0.utf8) })
    #expect(table.hasOtherSpelling(of: spellings[0]) && !table.hasOtherSpelling(of: spellings[1]))
    table.remove(spellings[0])
    #expect(table.count == 2)
    for spelling in spellings { #expect(table[spelling] == nil && !table.contains(spelling)) }
    table.set(entry(spellings[0], 5))
    for spelling in spellings { #expect(table[spelling]?.content.count == 5) }
  }

  @Test(arguments: (1...6 as ClosedRange<UInt64>).oneIn(3))
  func aTableBehavesLikeAnArrayOfEntries(seed: UInt64) throws {
    var random = Random(state: seed)
    var table = EntryTable()
    var model: [StoredEntry] = []
    // The memory of a transaction, which several consecutive entries share.
    var memory: RecordMemory?
    for step in 0..<3000 {
      let key = Self.keys.randomElement(using: &random) ?? ""
      switch UInt8.random(in: 0..<100, using: &random) {
      case 0..<60:
        if step % 20 == 0 { memory = Bool.random(using: &random) ? RecordMemory() : nil }
        let new = entry(key, Int.random(in: 1..<400, using: &random), UInt8(truncatingIfNeeded: step), memory)
        table.set(new)
        if let index = model.firstIndex(where: { $0.key == key }) { model[index] = new } else { model.append(new) }
      case 60..<94:
        table.remove(key)
        model.removeAll { $0.key == key }
      case 94..<97: table.gatherIfScattered()
      default: table = try reopened(table)
      }
      let found = table[key]
      let expected = model.first { $0.key == key }
      #expect(found?.record == expected?.record && found?.value == expected?.value && found?.key == expected?.key)
      #expect(table.contains(key) == (expected != nil))
      guard step % 50 == 0 else { continue }
      #expect(table.map(\.key) == model.map(\.key))
      #expect(table.map(\.checksum) == model.map(\.checksum))
      #expect(table.count == model.count)
      #expect(table.byteCount == model.reduce(0) { $0 + $1.record.count })
      #expect(bytes(of: table) == model.reduce(into: Data()) { $0 += $1.record })
      for key in Self.keys { #expect(table.contains(key) == model.contains { $0.key == key }) }
    }
  }

  @Test func aChangeOfACopyDoesNotChangeTheOriginal() {
    var table = EntryTable([entry("a", 10), entry("b", 10)])
    let copy = table
    table.set(entry("a", 20))
    table.remove("b")
    #expect(copy.map(\.record.count) == [entry("a", 10), entry("b", 10)].map(\.record.count))
    #expect(table.map(\.key) == ["a"])
  }

  @Test func entriesWithOneChecksumAreCompared() {
    let (one, other) = (entry("a", 10, 1), entry("a", 10, 2))
    let forged = StoredEntry(
      key: "a", record: other.record, valueOffset: other.valueOffset, checksum: one.checksum)
    #expect(EntryTable([one]).holds(one))
    #expect(EntryTable([one]).holds(forged) == false)
  }

  @Test func aTextIsFoundInEitherUnicodeForm() {
    let composed = EntryTable([entry("caf\u{e9}", 1), entry("300 K", 1), entry(";", 1)])
    #expect(composed["cafe\u{301}"]?.key == "caf\u{e9}")
    // The kelvin sign and the Greek question mark are canonically equivalent to ASCII characters.
    #expect(composed["300 \u{212a}"]?.key == "300 K")
    #expect(composed["\u{37e}"]?.key == ";")
    let signs = EntryTable([entry("300 \u{212a}", 1)])
    #expect(signs.contains("300 K"))
    #expect(!signs.contains("300 k") && !signs.contains("\u{212a}"))
  }

  /// Foundation knows the whole Unicode Character Database.
  @Test func onlyThreeCharactersAreEquivalentToASCII() {
    for value in (0x80 as UInt32)...0x10ffff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(scalar)
      let mapped = Array(text.precomposedStringWithCanonicalMapping.utf8)
      let expected = mapped.allSatisfy { $0 < 0x80 } ? mapped : nil
      if EntryTable.equivalentASCII(of: text) != expected { Issue.record("U+\(String(value, radix: 16))") }
    }
    #expect(
      EntryTable.equivalentASCII(of: "300 \u{212a}\u{37e}\u{1fef}").map { String(decoding: $0, as: UTF8.self) }
        == "300 K;`")
    #expect(EntryTable.equivalentASCII(of: "300 \u{212a}\u{301}") == nil)
  }

  @Test func entriesOfATransactionAreWrittenAsFewPieces() {
    let memory = RecordMemory()
    let entries = (0..<10_000).map { entry("\($0)", 200, UInt8(truncatingIfNeeded: $0), memory) }
    var table = EntryTable()
    table.reserve(entries.count)
    for entry in entries { table.set(entry) }
    #expect(table.pieces().count < 40, "blocks grow up to 128 KiB")
    #expect(bytes(of: table) == entries.reduce(into: Data()) { $0 += $1.record })
    for entry in entries { #expect(table.holds(entry)) }
    let pieces = table.pieces()
    table.gatherIfScattered()
    #expect(table.pieces() == pieces, "they need not be moved together")
    for entry in entries.dropLast() { table.remove(entry.key) }
    #expect(table.map(\.record) == [entries[9999].record])
  }

  @Test func readEntriesAreWrittenAsOnePiece() throws {
    let table = try reopened(EntryTable((0..<1000).map { entry("\($0)", 200) }))
    #expect(table.pieces().count == 1)
    var changed = table
    changed.set(entry("500", 200, 1))
    #expect(changed.pieces().count == 3)
    #expect(changed.pieces().map(\.count).reduce(0, +) == table.byteCount)
  }

  @Test func scatteredEntriesAreGathered() throws {
    var table = try reopened(EntryTable((0..<1000).map { entry("\($0)", 200) }))
    for round in 0..<3000 {
      table.set(entry("\(round % 1000)", 200, UInt8(truncatingIfNeeded: round)))
      table.gatherIfScattered()
      #expect(table.pieces().count < 60)
    }
    #expect(table["999"]?.valueData == Data(repeating: UInt8(truncatingIfNeeded: 2999), count: 200))
  }

  @Test func keysWithOneHashAreAllFound() {
    // So many that every cell of the index is used once, and many of them twice.
    var table = EntryTable()
    for number in 0..<5000 { table.set(entry(String(number, radix: 2), 1)) }
    for number in 0..<5000 { #expect(table.contains(String(number, radix: 2))) }
    #expect(!table.contains("2"))
  }
}
