import GlobalData
import KeyedArchive

/// An open archive: the properties of its file, and its entries.
///
/// It uses the byte layer, with which the library reads files, too. Values are only read when the page asks for them.
final class Inspection {
  private let parsed: ParsedArchive
  private let entries: [StoredEntry]
  private let byteCount: Int
  /// The generation of the archive, without the changes after it.
  private let firstGeneration: UInt64?
  private let limits: ArchiveLimits
  /// The values that are open, at the positions of their entries.
  private var opened: [StoredValue?]

  /// The largest number of damages to list.
  private static let mostDamages = 1_000

  init(_ file: SharedBytes, limits: ArchiveLimits = ArchiveLimits()) {
    self.limits = limits
    byteCount = file.count
    parsed = ArchiveImage.parsing(file)
    entries = parsed.contents.map { $0.image.entries.list() } ?? []
    opened = [StoredValue?](repeating: nil, count: entries.count)
    firstGeneration = file.withUnsafeBytes { ArchiveHead.read($0)?.head.generation }
  }

  // MARK: Summary

  /// Writes the properties of the file as an object.
  func writeSummary(_ json: inout JSONText) {
    json.object { json in
      json.field("verdict", parsed.word)
      json.field("byteCount", byteCount)
      if case .newer(let version, nil) = parsed { json.field("version", Int(clamping: version)) }
      if case .unreadable(let damage) = parsed { json.field("damage", [damage.description]) }
      if let contents = parsed.contents { write(contents, &json) }
    }
  }

  private func write(_ contents: ArchiveImage.Contents, _ json: inout JSONText) {
    let image = contents.image
    json.field("version", Int(clamping: contents.version))
    json.field("identity", image.identity.text)
    json.field("generation", String(image.generation))
    if let firstGeneration { json.field("changes", String(image.generation &- firstGeneration)) }
    json.field("liveBytes", Inspection.byteCount(of: image))
    json.field("damage", contents.damage.prefix(Inspection.mostDamages).map { $0.description })
    json.field("damageCount", contents.damage.count)
    json.field("lost", contents.losses.lostKeys)
    json.field("lostCount", contents.losses.lostCount)
    json.field("outdated", contents.losses.outdatedKeys)
    json.name("entries")
    json.array { json in
      for entry in entries { write(entry, &json) }
    }
  }

  private func write(_ entry: StoredEntry, _ json: inout JSONText) {
    let content = entry.content
    let type = content.withUnsafeBytes { CBORReader($0).storedTypeName }
    json.array { json in
      json.text(entry.key)
      json.text(type)
      json.number(content.count)
    }
  }

  /// Returns the number of bytes of a file that contains only these entries.
  private static func byteCount(of image: ArchiveImage) -> Int {
    ArchiveHead.length + CBORHead.length(of: UInt64(image.entries.count)) + image.entries.byteCount + 9
  }

  // MARK: Values

  private func value(of entry: Int) throws(ValueFailure) -> StoredValue {
    guard entries.indices.contains(entry) else { throw ValueFailure("there is no such entry") }
    if let value = opened[entry] { return value }
    return try StoredValue(entries[entry].content, limits: limits)
  }

  func writeRoot(of entry: Int, _ json: inout JSONText) throws(ValueFailure) {
    let value = try value(of: entry)
    try value.writeRoot(&json)
    opened[entry] = value
  }

  func writeNotation(of entry: Int, _ json: inout JSONText) throws(ValueFailure) {
    try value(of: entry).writeNotation(&json)
  }

  /// Writes the encoded bytes of a value, malformed or not, in hexadecimal.
  func writeBytes(of entry: Int, _ json: inout JSONText) throws(ValueFailure) {
    guard entries.indices.contains(entry) else { throw ValueFailure("there is no such entry") }
    let content = entries[entry].content
    guard content.count <= StoredValue.longestText else {
      throw ValueFailure("the value has more than \(StoredValue.longestText) bytes")
    }
    content.withUnsafeBytes { json.text(ValueText.string($0, isText: false)) }
  }

  func writeParts(of entry: Int, place: Int, from start: Int, _ json: inout JSONText) throws(ValueFailure) {
    try value(of: entry).writeParts(of: place, from: start, &json)
  }

  func writeText(of entry: Int, place: Int, _ json: inout JSONText) throws(ValueFailure) {
    try value(of: entry).writeText(of: place, &json)
  }

  // MARK: Search

  /// Writes the positions of the entries whose values contain a text, without regard to the case of ASCII letters.
  ///
  /// It searches the stored bytes, in which text is unchanged. This is fast, but does not find numbers.
  func writeMatches(of text: UnsafeRawBufferPointer, _ json: inout JSONText) {
    let wanted = text.map { $0.lowercasedASCII }
    json.array { json in
      for (position, entry) in entries.enumerated() {
        if entry.content.withUnsafeBytes({ Inspection.contains(wanted, in: $0) }) { json.number(position) }
      }
    }
  }

  private static func contains(_ wanted: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = wanted.first else { return true }
    guard bytes.count >= wanted.count else { return false }
    for start in 0...bytes.count - wanted.count where bytes[start].lowercasedASCII == first {
      var length = 1
      while length < wanted.count, bytes[start + length].lowercasedASCII == wanted[length] { length += 1 }
      if length == wanted.count { return true }
    }
    return false
  }
}

extension UInt8 {
  fileprivate var lowercasedASCII: UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
  }
}

extension ParsedArchive {
  /// The result of parsing, as one word.
  var word: String {
    switch self {
    case .intact: "intact"
    case .damaged: "damaged"
    case .newer: "newer"
    case .unreadable: "unreadable"
    case .foreign: "foreign"
    }
  }
}

extension StoreIdentity {
  /// The UUID as text.
  var text: String {
    var words = (high.bigEndian, low.bigEndian)
    return withUnsafeBytes(of: &words) { ValueText.uuid($0) }
  }
}

extension String {
  /// The text in quotation marks. The page shows invisible characters in it.
  var quoted: String { "\"" + self + "\"" }
}
