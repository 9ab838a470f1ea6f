/// Makes a file with correct checksums for contents that the input selects, and may then damage it.
struct Forge {
  private var bytes: ArraySlice<UInt8>
  private(set) var file: [UInt8] = []
  /// The offset of the first change, as long as nothing has been inserted or removed.
  private var archiveEnd = 0
  /// The entries that the file contains, in order; `nil` once it contains something that no store writes.
  private(set) var entries: [(key: String, value: [UInt8])]? = []

  init(_ input: [UInt8]) {
    bytes = input[...]
    let breaks = byte()
    var forged = archive()
    archiveEnd = forged.bytes.count
    for _ in 0..<byte() % 6 { change(&forged) }
    if breaks & 0x80 == 0 { forged.append(raw: [UInt8](repeating: 0, count: number(below: 1200))) }
    file = forged.bytes
    if breaks & 3 != 0 {
      for _ in 0..<(breaks & 3) { damage() }
    }
  }

  // MARK: Choices

  private mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  private mutating func number(below bound: Int) -> Int {
    (Int(byte()) << 8 | Int(byte())) % max(1, bound)
  }

  /// Returns a wrong number for some inputs, and otherwise `nil`.
  private mutating func otherNumber() -> UInt64? {
    switch byte() {
    case 0xf0: .max
    case 0xf1: 0
    case 0xf2: 1 << 63
    case 0xf3: UInt64(number(below: 1 << 16))
    case 0xf4: .max - UInt64(byte())
    case 0xf5: 1 << 32
    default: nil
    }
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }

  // MARK: Records

  private mutating func key() -> [UInt8] {
    let choice = byte()
    switch choice {
    case 0xe0: entries = nil
    case 0xe1: return Array("caf\u{e9}".utf8)
    case 0xe2: return Array("cafe\u{301}".utf8)
    case 0xe3: return Array("\u{212a}".utf8)
    case 0xe4: return [UInt8](repeating: 0x6c, count: 1020 + Int(byte() % 8))
    case 0xe5: return [UInt8](repeating: 0, count: 250 + Int(byte() % 10))
    case 0xe6: return [0xc0, 0x80] + take(1)
    case 0xe7: return take(Int(byte()))
    default: return [0x61 + choice % 8]
    }
    return []
  }

  private mutating func value() -> [UInt8] {
    let choice = byte()
    switch choice {
    case 0xd0: return take(Int(byte()))
    case 0xd1: return []
    case 0xd2: return file  // still empty, so not a value
    case 0xd3: return string([UInt8](repeating: 0, count: number(below: 2000)))
    case 0xd4: return [0xd8, 0x18] + string(take(Int(byte())))
    case 0xd5, 0xd6:
      // A string in chunks; the last chunk or the end of the string may be missing.
      let chunks = (0..<Int(byte() % 5)).flatMap { _ in string(take(Int(byte()))) }
      return [0xd8, 0x18, 0x5f] + chunks + (choice == 0xd5 ? [0xff] : [])
    case 0xd7, 0xd8:
      // A standard type with a tree from the input as its value.
      let name = Self.names[Int(byte()) % Self.names.count]
      return [0xd8, 0x1b, 0x82] + ForgedFile.head(3, UInt64(name.utf8.count)) + Array(name.utf8) + tree()
    case 0xd9: return tree()
    case 0xda: return string(nested().bytes)
    default: return [0x18, 0x18 + choice % 0x80]
    }
  }

  private func string(_ content: [UInt8]) -> [UInt8] { ForgedFile.head(2, UInt64(content.count)) + content }

  private mutating func tree(depth: Int = 0) -> [UInt8] {
    let choice = byte()
    let count = Int(choice >> 3) % 4
    switch choice & 7 {
    case 0: return ForgedFile.head(0, UInt64(byte()) << (8 * UInt64(byte() % 8)))
    case 1: return ForgedFile.head(1, UInt64(byte()) << (8 * UInt64(byte() % 8)))
    case 2: return string(take(Int(byte() % 16)))
    case 3,
      4 where depth > 5:
      let text = Self.words[Int(byte()) % Self.words.count]
      return ForgedFile.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
    case 4: return ForgedFile.head(4, UInt64(count)) + (0..<count).flatMap { _ in tree(depth: depth + 1) }
    case 5:
      guard depth <= 5 else { return [0xf6] }
      var items = ForgedFile.head(5, UInt64(count))
      for _ in 0..<count {
        let text = Self.words[Int(byte()) % Self.words.count]
        items += ForgedFile.head(3, UInt64(text.utf8.count)) + Array(text.utf8) + tree(depth: depth + 1)
      }
      return items
    case 6: return [0xfb] + (take(8) + [UInt8](repeating: 0, count: 8)).prefix(8)
    default: return [[0xf4, 0xf5, 0xf6, 0xf7][count]]
    }
  }

  /// A small file as a value, with correct heads and changes.
  private mutating func nested() -> ForgedFile {
    var inner = ForgedFile([ForgedFile.Record(key: "inner", value: [1])], generation: UInt64(byte()))
    for _ in 0..<byte() % 3 { inner.append([ForgedFile.Record(key: "inner", value: [2])]) }
    return inner
  }

  private mutating func record(isChange: Bool) -> ForgedFile.Record {
    let key = key()
    if isChange, byte() & 3 == 0 {
      note(key, nil)
      return ForgedFile.Record(removalOf: key)
    }
    let value = value()
    let length = otherNumber()
    if length != nil || value.isEmpty { entries = nil }
    note(key, value, isChange: isChange)
    return ForgedFile.Record(key: key, value: value, length: length)
  }

  /// Updates the entries for a record, if a store could have written it.
  private mutating func note(_ bytes: [UInt8], _ value: [UInt8]?, isChange: Bool = true) {
    guard var known = entries else { return }
    entries = nil
    guard 1...1024 ~= bytes.count, let key = String(validating: bytes, as: UTF8.self),
      !bytes.split(whereSeparator: { $0 != 0 }).contains(where: { $0.count >= 255 })
    else { return }
    let index = known.firstIndex { $0.key == key }
    if let index, !known[index].key.utf8.elementsEqual(bytes) { return }
    switch (index, value) {
    case (let index?, nil): known.remove(at: index)
    case (let index?, let value?):
      guard isChange else { return }
      known[index].value = value
    case (nil, let value?): known.append((key, value))
    case (nil, nil): break
    }
    entries = known
  }

  // MARK: Items

  private mutating func archive() -> ForgedFile {
    let records = (0..<byte() % 8).map { _ in record(isChange: false) }
    let version = byte() >= 0xf0 ? byte() % 24 : 1
    let (length, count) = (otherNumber(), otherNumber())
    if version != 1 || length != nil || count != nil { entries = nil }
    return ForgedFile(
      records, version: version, generation: otherNumber() ?? UInt64(byte()), entriesLength: length, count: count)
  }

  private mutating func change(_ forged: inout ForgedFile) {
    file = forged.bytes
    let records = (0..<byte() % 5).map { _ in record(isChange: true) }
    let (generation, length, count, previous) = (otherNumber(), otherNumber(), otherNumber(), otherNumber())
    let synced = byte() >= 0xf0 ? 1 << UInt64(byte() % 64) : UInt64(number(below: forged.bytes.count + 1))
    let hasZeros = records.contains { $0.bytes.split(whereSeparator: { $0 != 0 }).contains { $0.count >= 255 } }
    if generation != nil || length != nil || count != nil || previous != nil || hasZeros
      || synced > UInt64(forged.bytes.count)
    {
      entries = nil
    }
    forged.append(records, generation: generation, synced: synced, length: length, count: count, previous: previous)
  }

  // MARK: Damage

  private mutating func damage() {
    entries = nil
    let start = number(below: file.count)
    let end = min(file.count, start + 1 + Int(byte()))
    switch byte() % 10 {
    case 0: file[start] ^= 1 << (byte() & 7)
    case 1: for _ in 0..<1 + byte() % 8 { file[number(below: file.count)] ^= 1 << (byte() & 7) }
    case 2: file.replaceSubrange(start..<end, with: [UInt8](repeating: 0, count: end - start))
    case 3:
      let sector = start / 512 * 512
      let sectorEnd = min(sector + 512, file.count)
      file.replaceSubrange(sector..<sectorEnd, with: [UInt8](repeating: 0, count: sectorEnd - sector))
    case 4: file.removeSubrange(start...)
    case 5: file.removeSubrange(start..<end)
    case 6: file.insert(contentsOf: take(end - start), at: start)
    case 7:
      let end = min(archiveEnd, file.count)
      for offset in max(0, end - 8)..<end { file[offset] ^= byte() }
    case 8: file += take(Int(byte()))
    default: file.insert(contentsOf: file[start..<end], at: start)
    }
    if file.isEmpty { file = [0] }
  }

  // MARK: Words

  private static let names = [
    "IndexSet", "CharacterSet", "URLComponents", "Calendar", "TimeZone", "DateComponents", "DateInterval", "IndexPath",
    "Locale", "Date", "UUID", "URL", "Decimal", "Data", "NSRange", "CGRect", "Duration", "Int128", "UInt8", "Float16",
    "Range<Int>", "ClosedRange<Int>", "SIMD4<Float>", "Array<Int>", "Set<String>", "Dictionary<String, Int>",
    "Optional<Int>", "Measurement<Unit>", "PersonNameComponents", "AttributedString", "Locale.Components",
    "Calendar.RecurrenceRule", "Date.FormatStyle", "Duration.UnitsFormatStyle", "AffineTransform", "Never",
  ]

  private static let words = [
    "", "a", "indexes", "location", "length", "bitmap", "port", "scheme", "identifier", "firstWeekday", "timeZone",
    "start", "duration", "x", "y", "GMT", "gregorian", "en_US", "http", "9 9", "lower", "upper", "seconds", "value",
    "unit", "symbol", "calendar", "locale", "minimumDaysInFirstWeek", "frequency",
  ]
}
