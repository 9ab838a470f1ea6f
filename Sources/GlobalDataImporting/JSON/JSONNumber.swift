import CodingSupport
import Foundation
import GlobalData
import KeyedArchive
import ModelMapping

/// A JSON number in its form for a store.
enum JSONNumber {
  case exact(ArchiveValue)
  /// The nearest number, if no type of number holds all digits.
  case rounded(Double)
  case tooLarge

  init(_ numeral: DecimalNumeral) {
    // Negative zero is not an integer.
    if numeral.isWrittenAsInteger, !(numeral.isNegative && numeral.digits.isEmpty) {
      self = JSONNumber(integer: numeral)
    } else if let double = Double(numeral.text), double.isFinite {
      // The shortest text for this double is the number in the file.
      if let shortest = DecimalNumeral(double.description), shortest == numeral {
        self = .exact(.double(double))
      } else {
        self = numeral.decimal().map { .exact(.decimal($0)) } ?? .rounded(double)
      }
    } else {
      self = numeral.decimal().map { .exact(.decimal($0)) } ?? .tooLarge
    }
  }

  private init(integer numeral: DecimalNumeral) {
    if let value = Int(numeral.text) {
      self = .exact(.int(value))
    } else if let value = UInt64(numeral.text) {
      self = .exact(.uint(value))
    } else if let magnitude = numeral.magnitude() {
      self = .exact(.bigInteger(isNegative: numeral.isNegative, magnitude: Data(magnitude)))
    } else {
      self = .tooLarge
    }
  }
}
