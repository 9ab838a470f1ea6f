package import Foundation

/// Text as found in files: in UTF-8 or, rarely, in another encoding of Unicode, with or without a byte order mark.
package enum UnicodeText {
  /// U+FEFF, in UTF-8.
  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Returns a text in UTF-8 without its byte order mark, or `nil` if the bytes are not valid in their encoding.
  ///
  /// The first bytes determine the encoding of a text that begins with an ASCII character, as JSON and XML do. The
  /// caller checks whether bytes in UTF-8 are valid, because it can report the position of the first invalid one.
  package static func inUTF8(_ data: Data) -> Data? {
    if data.starts(with: byteOrderMark) { return data.dropFirst(byteOrderMark.count) }
    switch Array(data.prefix(4)) {
    case [0x00, 0x00, 0xfe, 0xff], [0xff, 0xfe, 0x00, 0x00]: return inUTF8(data, unitSize: 4, markSize: 4)
    case let start where start.count == 4 && (start.prefix(2) == [0, 0] || start.suffix(3) == [0, 0, 0]):
      return inUTF8(data, unitSize: 4)
    case let start where start.starts(with: [0xfe, 0xff]) || start.starts(with: [0xff, 0xfe]):
      return inUTF8(data, unitSize: 2, markSize: 2)
    case let start where start.prefix(2).contains(0): return inUTF8(data, unitSize: 2)
    default: return data
    }
  }

  private static func inUTF8(_ data: Data, unitSize: Int, markSize: Int = 0) -> Data? {
    guard data.count.isMultiple(of: unitSize), let first = data.first else { return nil }
    // The first character has zeros, or the mark its greater byte, at the most significant end.
    let isBigEndian = first == 0 || first == 0xfe
    return text(of: Array(data)[markSize...], unitSize: unitSize, isBigEndian: isBigEndian).map { Data($0.utf8) }
  }

  /// Returns the text of code units of two or four bytes, or `nil` if they are not valid.
  package static func text(of bytes: ArraySlice<UInt8>, unitSize: Int, isBigEndian: Bool) -> String? {
    let units = CodeUnits(bytes: bytes, size: unitSize, isBigEndian: isBigEndian)
    return unitSize == 4
      ? String(validating: units, as: UTF32.self)
      : String(validating: units.lazy.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
  }

  /// Numbers of a few bytes each.
  private struct CodeUnits: Sequence, IteratorProtocol {
    var bytes: ArraySlice<UInt8>
    let size: Int
    let isBigEndian: Bool

    mutating func next() -> UInt32? {
      guard !bytes.isEmpty else { return nil }
      let unit = bytes.prefix(size)
      bytes = bytes.dropFirst(size)
      return isBigEndian ? unit.reduce(0) { $0 << 8 | UInt32($1) } : unit.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
