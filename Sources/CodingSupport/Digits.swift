extension UInt8 {
  /// Whether this byte is a decimal digit in ASCII.
  @inlinable package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  /// The value of the hexadecimal digit that this byte is in ASCII, or `nil` if the byte is not a hexadecimal digit.
  package var hexadecimalValue: UInt8? {
    switch self {
    case _ where isDigit: self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  package var hexadecimalDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
