import Foundation

extension DecimalNumeral {
  /// Returns whether no digit was lost when a binary number was read from this numeral.
  ///
  /// A binary number holds the numeral with all digits of its value. It also holds the shortest numeral that a type
  /// prints for this value, for each type that can hold it: a server may have printed a value of a narrow type as one
  /// of a wider type. The number must be the nearest one of its type to this numeral.
  func isHeld(by number: some BinaryFloatingPoint) -> Bool {
    func precision<Number: BinaryFloatingPoint>(of _: Number) -> Int {
      Int(Double(Number.significandBitCount) * 0.30102)
    }
    guard number.isFinite else { return false }
    if digits.isEmpty || number.isZero { return digits.isEmpty && number.isZero }
    // Each numeral with so few digits has a binary number of its own.
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
    // The number is an odd multiple of this power of two. If that is a fraction, the last digit of the number is at the
    // same power of ten; if not, no more than 22 zeros are at its end. So few numerals are compared, and none is much
    // longer than this one.
    let lowest = Int(double.exponent) - double.significandWidth
    guard lowest < 0 ? exponent == lowest : (0...22).contains(exponent) else { return false }
    return DecimalNumeral(Substring(String(format: "%.\(max(0, -lowest))f", double))).map { $0 == self } ?? false
  }
}
