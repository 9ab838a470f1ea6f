import Foundation

/// A decimal number as it is written: a sign, digits, a fraction, an exponent.
///
/// The initializers of number types take more than that, such as `nan`, hexadecimal numbers, or the digits at the start of any
/// text; and those of binary numbers round.
struct DecimalNumeral {
  /// All of the text.
  let text: Substring

  let isNegative: Bool
  /// The digits without the point, and without zeros at either end.
  private let digits: Substring.UTF8View
  /// The power of ten that the digits are to be multiplied with. One of more than nine digits is as good as one of nine.
  private let exponent: Int

  /// - Returns: `nil` for a text that is not a numeral.
  /// - Complexity: O(*n*) in the length of the text.
  init?(_ text: Substring) {
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

  /// The text, shortened for messages.
  var shortText: String { text.utf8.count > 40 ? String(text.prefix(40)) + "…" : String(text) }

  /// Whether two texts stand for one number. There is one zero.
  static func == (left: Self, right: Self) -> Bool {
    left.exponent == right.exponent && left.digits.elementsEqual(right.digits)
      && (left.isNegative == right.isNegative || left.digits.isEmpty)
  }

  /// The integer that is exactly this number, or `nil` where there is none of the type.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    guard !digits.isEmpty else { return 0 }
    // No integer type of the library has more than 39 digits.
    guard (0...39).contains(exponent), digits.count + exponent <= 39 else { return nil }
    return Integer((isNegative ? "-" : "") + Substring(digits) + String(repeating: "0", count: exponent))
  }

  /// The decimal number that is exactly this one, or `nil` where there is none.
  func decimal() -> Decimal? {
    guard !digits.isEmpty else { return 0 }
    guard digits.count <= 39, (-128...166).contains(exponent),
      let decimal = Decimal(
        string: "\(isNegative ? "-" : "")\(Substring(digits))e\(exponent)", locale: Locale(identifier: "en_US_POSIX")),
      !decimal.isNaN
    else { return nil }
    if digits.count <= 18, (-100...100).contains(exponent) { return decimal }
    // At the limits of the type, Foundation rounds.
    return DecimalNumeral("\(decimal)").flatMap { $0 == self ? decimal : nil }
  }

  /// The digits before and after the point of the number divided by a power of ten, without zeros at the beginning and at the end.
  func decimalParts(movingPointBy places: Int, mostFractionDigits: Int) -> (whole: String, fraction: String) {
    let digits = String(Substring(digits))
    let point = digits.utf8.count + exponent - places
    if digits.isEmpty || point <= -mostFractionDigits { return ("", "") }
    if point <= 0 {
      return ("", String((String(repeating: "0", count: -point) + digits).prefix(mostFractionDigits)))
    }
    // What is longer is too great for any use of the digits.
    guard point <= 400 else { return (String(repeating: "9", count: 400), "") }
    let whole = digits.prefix(point)
    return (
      whole + String(repeating: "0", count: point - whole.utf8.count),
      String(digits.dropFirst(point).prefix(mostFractionDigits))
    )
  }

  /// Whether no digit was lost when a binary number was read from this numeral.
  ///
  /// A binary number holds the numerals that it is printed as, which are the shortest ones that it is nearest to, as any type
  /// that holds it; and the one with all digits of its value. A server may have printed the value of a narrow type as one of a
  /// wider type. The number given is the one of its type that is nearest to this numeral.
  func isHeld(by number: some BinaryFloatingPoint) -> Bool {
    func precision<Number: BinaryFloatingPoint>(of _: Number) -> Int {
      Int(Double(Number.significandBitCount) * 0.30102)
    }
    guard number.isFinite else { return false }
    if digits.isEmpty || number.isZero { return digits.isEmpty && number.isZero }
    // Each numeral of so few digits has a binary number of its own.
    if number.isNormal, digits.count <= precision(of: number) { return true }
    func isPrinted(as number: some BinaryFloatingPoint) -> Bool {
      DecimalNumeral("\(number)").map { $0 == self } ?? false
    }
    let double = Double(number)
    return isPrinted(as: number) || isPrinted(as: double)
      || Double(Float(number)) == double && isPrinted(as: Float(number))
      || isAllDigits(of: double)
  }

  private func isAllDigits(of double: Double) -> Bool {
    // The number is an odd multiple of this power of two. If that is a fraction, the last digit of the number is at the same
    // power of ten; if not, no more than 22 zeros are at its end. So few texts are compared, and none is much longer than this.
    let lowest = Int(double.exponent) - double.significandWidth
    guard lowest < 0 ? exponent == lowest : (0...22).contains(exponent) else { return false }
    return DecimalNumeral(Substring(String(format: "%.\(max(0, -lowest))f", double))).map { $0 == self } ?? false
  }
}

extension DecimalNumeral {
  init?(_ text: String) { self.init(Substring(text)) }
}
