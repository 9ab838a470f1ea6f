package import Foundation

extension DecimalNumeral {
  /// Returns this number as a `Decimal`, or `nil` if a `Decimal` cannot hold it exactly.
  package func decimal() -> Decimal? {
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
}
