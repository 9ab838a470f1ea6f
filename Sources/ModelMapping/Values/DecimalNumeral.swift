/// A decimal number as it is written: a sign, digits, a fraction, an exponent.
///
/// The initializers of number types take more than that, such as `nan`, hexadecimal numbers, or the digits at the start of any
/// text; and those of binary numbers round.
struct DecimalNumeral {
  /// All of the text.
  let text: Substring

  private let isNegative: Bool
  /// The digits without the point, and without zeros at either end.
  private let digits: Substring.UTF8View
  /// The power of ten that the digits are to be multiplied with.
  private let exponent: Int

  /// - Returns: `nil` for a text that is no numeral, or one of more than 400 characters or an exponent of more than four digits.
  init?(_ text: Substring) {
    guard text.utf8.count <= 400 else { return nil }
    self.text = text
    var rest = text.utf8[...]
    func drop(_ characters: String) -> UInt8? {
      guard let first = rest.first, characters.utf8.contains(first) else { return nil }
      rest = rest.dropFirst()
      return first
    }
    func dropDigits() -> Substring.UTF8View {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      rest = rest.dropFirst(digits.count)
      return digits
    }
    isNegative = drop("+-") == UInt8(ascii: "-")
    let whole = dropDigits()
    let fraction = drop(".") == nil ? rest.prefix(0) : dropDigits()
    guard !whole.isEmpty || !fraction.isEmpty else { return nil }
    var power = 0
    if drop("eE") != nil {
      let isSmall = drop("+-") == UInt8(ascii: "-")
      let digits = dropDigits()
      guard (1...4).contains(digits.count), let size = Int(Substring(digits)) else { return nil }
      power = isSmall ? -size : size
    }
    guard rest.isEmpty else { return nil }
    var written = Substring(Substring(whole) + Substring(fraction)).utf8
    power -= fraction.count
    while written.last == UInt8(ascii: "0") {
      written.removeLast()
      power += 1
    }
    digits = written.drop { $0 == UInt8(ascii: "0") }
    exponent = digits.isEmpty ? 0 : power
  }

  /// The number of digits from the first to the last one that is not zero.
  var significantDigits: Int { digits.count }

  /// The integer that is exactly this number, or `nil` where there is none of the type.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    guard !digits.isEmpty else { return 0 }
    // No integer type of the library has more than 39 digits.
    guard (0...39).contains(exponent), digits.count + exponent <= 39 else { return nil }
    return Integer((isNegative ? "-" : "") + Substring(digits) + String(repeating: "0", count: exponent))
  }
}
