enum JSONString {
  /// Returns the characters of the bytes between two quotation marks. Malformed parts become replacement characters. If
  /// that matters, a ``JSONScanner`` has checked the bytes before.
  static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
    var units: [UInt16] = []
    var rest = bytes
    while let slash = rest.firstIndex(of: UInt8(ascii: "\\")) {
      units += String(decoding: rest[..<slash], as: UTF8.self).utf16
      rest = rest[slash...].dropFirst()
      guard let escape = rest.popFirst() else { break }
      switch escape {
      case UInt8(ascii: "u"):
        let digits = String(decoding: rest.prefix(4), as: UTF8.self)
        units.append(UInt16(digits, radix: 16) ?? 0xfffd)
        rest = rest.dropFirst(4)
      case UInt8(ascii: "b"): units.append(8)
      case UInt8(ascii: "f"): units.append(12)
      case UInt8(ascii: "n"): units.append(10)
      case UInt8(ascii: "r"): units.append(13)
      case UInt8(ascii: "t"): units.append(9)
      default: units.append(UInt16(escape))
      }
    }
    units += String(decoding: rest, as: UTF8.self).utf16
    return String(decoding: units, as: UTF16.self)
  }
}
