import CodingSupport

/// A decimal number as it is written: a sign, digits, a fraction, an exponent. The initializers of number types also
/// accept `nan`, hexadecimal numbers, or the digits at the start of any text; those of binary numbers round.
package struct DecimalNumeral {
  package let text: Substring

  package let isNegative: Bool
  /// The digits without the point, and without zeros at either end.
  package let digits: Substring.UTF8View
  /// The power of ten by which the digits are multiplied. An exponent of more than nine digits counts as one of nine.
  package let exponent: Int

  /// Reads a text, or returns `nil` if it is not a numeral. O(*n*) in its length.
  package init?(_ text: Substring) {
    self.text = text
    var rest = text.utf8[...]
    func drop(_ characters: String) -> UInt8? {
      guard let first = rest.first, characters.utf8.contains(first) else { return nil }
      rest = rest.dropFirst()
      return first
    }
    func dropDigits() -> Substring.UTF8View {
      let digits = rest.prefix { $0.isDigit }
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
      let written = dropDigits()
      guard !written.isEmpty else { return nil }
      let digits = written.drop { $0 == UInt8(ascii: "0") }
      let size = digits.count > 9 ? 999_999_999 : Int(Substring(digits)) ?? 0
      power = isSmall ? -size : size
    }
    guard rest.isEmpty else { return nil }
    var significant = fraction.isEmpty ? whole : Substring(Substring(whole) + Substring(fraction)).utf8
    power -= fraction.count
    while significant.last == UInt8(ascii: "0") {
      significant.removeLast()
      power += 1
    }
    digits = significant.drop { $0 == UInt8(ascii: "0") }
    exponent = digits.isEmpty ? 0 : power
  }

  /// Whether the text has neither a fraction nor an exponent.
  package var isWrittenAsInteger: Bool {
    text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
  }

  var shortText: String { text.utf8.count > 40 ? String(text.prefix(40)) + "…" : String(text) }

  /// Whether two numerals are the same number. Zero and negative zero are equal.
  package static func == (left: Self, right: Self) -> Bool {
    left.exponent == right.exponent && left.digits.elementsEqual(right.digits)
      && (left.isNegative == right.isNegative || left.digits.isEmpty)
  }

  /// Returns the integer that is exactly this number, or `nil` if the type has none.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    guard !digits.isEmpty else { return 0 }
    // No integer type of the library has more than 39 digits.
    guard (0...39).contains(exponent), digits.count + exponent <= 39 else { return nil }
    var integer: Integer? = 0
    for digit in digits { integer = integer?.appending(digit - UInt8(ascii: "0"), isNegative) }
    for _ in 0..<exponent { integer = integer?.appending(0, isNegative) }
    return integer
  }

  /// The digits of the greatest integer of 1,024 bytes, the longest that is written in digits; making one takes the
  /// square of its length.
  private static var longestInteger: Int { 2467 }

  /// The bytes of an integer's magnitude, the most significant first: those of *n* for *n*, and also for -1 - *n*.
  /// `nil` for a fraction, and for an integer of more than 2,467 digits; O(*n*²) in the number of digits.
  /// Source: RFC 8949, section 3.4.3.
  package func magnitude() -> [UInt8]? {
    guard exponent >= 0, digits.count + exponent <= DecimalNumeral.longestInteger else { return nil }
    var limbs: [UInt32] = []  // least significant first
    var rest = (Array(digits) + Array(repeating: UInt8(ascii: "0"), count: exponent))[...]
    while !rest.isEmpty {
      // As many digits at a time as fit into 32 bits.
      let part = rest.prefix(9)
      rest = rest.dropFirst(part.count)
      var (carry, scale): (UInt64, UInt64) = (0, 1)
      for digit in part {
        carry = carry * 10 + UInt64(digit - UInt8(ascii: "0"))
        scale *= 10
      }
      for index in limbs.indices {
        carry += UInt64(limbs[index]) * scale
        limbs[index] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      if carry > 0 { limbs.append(UInt32(truncatingIfNeeded: carry)) }
    }
    if isNegative {
      for index in limbs.indices {
        limbs[index] &-= 1
        if limbs[index] != .max { break }
      }
    }
    let bytes = limbs.reversed().flatMap { limb in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: limb >> $0) } }
    return Array(bytes.drop { $0 == 0 })
  }

  /// Returns the digits before and after the decimal point of the number divided by a power of ten, without zeros at
  /// either end.
  func decimalParts(movingPointBy places: Int, mostFractionDigits: Int) -> (whole: String, fraction: String) {
    let point = digits.count + exponent - places
    if digits.isEmpty || point <= -mostFractionDigits { return ("", "") }
    // A longer exponent is too large for any use of the digits.
    guard point <= 400 else { return (String(repeating: "9", count: 400), "") }
    let whole = digits.prefix(max(0, point))
    let fraction = digits.dropFirst(whole.count).prefix(mostFractionDigits + min(0, point))
    return (
      String(Substring(whole)) + String(repeating: "0", count: max(0, point - whole.count)),
      String(repeating: "0", count: max(0, -point)) + Substring(fraction)
    )
  }
}

extension FixedWidthInteger {
  /// Returns the number with one more decimal digit, or `nil` if that is out of range.
  func appending(_ digit: UInt8, _ isNegative: Bool) -> Self? {
    let (tens, hasOverflown) = multipliedReportingOverflow(by: 10)
    let digit = Self(truncatingIfNeeded: digit)
    let (sum, isTooMuch) = isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
    return hasOverflown || isTooMuch ? nil : sum
  }
}

extension DecimalNumeral {
  package init?(_ text: String) { self.init(Substring(text)) }
}
