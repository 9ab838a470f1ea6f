import Foundation
import KeyedArchive

/// A number as it is written in JSON.
struct JSONNumber {
  enum Value {
    case exact(ArchiveValue)
    /// The nearest number, where no kind of number holds all digits.
    case rounded(Double)
    case tooLarge
  }

  /// The digits of an integer that fits into a thousand bytes; making one takes the square of its length.
  private static let longestInteger = 2400
  /// What `Decimal` is sure to hold.
  private static let longestDecimal = 38

  let text: String
  private let parts: Parts

  /// The number of digits from the first to the last that is not zero.
  var digitCount: Int { parts.digits.count }

  /// The number that some text is, by the grammar of RFC 8259, or `nil` where it is none.
  init?(_ bytes: ArraySlice<UInt8>) {
    text = String(decoding: bytes, as: UTF8.self)
    guard let parts = Parts(bytes) else { return nil }
    self.parts = parts
  }

  var value: Value {
    if parts.isInteger, !(parts.digits.isEmpty && parts.isNegative) { return integer }
    guard let double = Double(text), double.isFinite else {
      return decimal.map { .exact(.decimal($0)) } ?? .tooLarge
    }
    // The shortest text that reads as this number is the same number that stands in the file.
    if let shortest = Parts(double.description.utf8), shortest.isSameNumber(as: parts) {
      return .exact(.double(double))
    }
    return decimal.map { .exact(.decimal($0)) } ?? .rounded(double)
  }

  private var integer: Value {
    if let value = Int(text) { return .exact(.int(value)) }
    if let value = UInt64(text) { return .exact(.uint(value)) }
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
    guard digits.count <= JSONNumber.longestInteger else { return .tooLarge }
    return .exact(
      .bigInteger(isNegative: parts.isNegative, magnitude: Data(magnitude(digits, minusOne: parts.isNegative))))
  }

  /// The bytes of a great number, the greatest first. A negative one is stored as the magnitude n of -1 - n.
  private func magnitude(_ digits: Substring.UTF8View, minusOne: Bool) -> [UInt8] {
    var limbs: [UInt32] = []  // least significant first
    var rest = digits
    while !rest.isEmpty {
      // As many digits at once as fit into 32 bits.
      let part = rest.prefix(9)
      rest = rest.dropFirst(part.count)
      let (first, scale) = part.reduce((0, 1) as (UInt64, UInt64)) { sum, digit in
        (sum.0 * 10 + UInt64(digit - UInt8(ascii: "0")), sum.1 * 10)
      }
      var carry = first
      for index in limbs.indices {
        carry += UInt64(limbs[index]) * scale
        limbs[index] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      if carry > 0 { limbs.append(UInt32(carry)) }
    }
    if minusOne {
      for index in limbs.indices {
        limbs[index] &-= 1
        if limbs[index] != .max { break }
      }
    }
    let bytes = limbs.reversed().flatMap { limb in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: limb >> $0) } }
    return Array(bytes.drop { $0 == 0 })
  }

  private var decimal: Decimal? {
    guard parts.digits.count <= JSONNumber.longestDecimal, -127...127 ~= parts.exponent,
      let significand = Decimal(string: String(decoding: parts.digits, as: UTF8.self))
    else { return nil }
    return Decimal(sign: parts.isNegative ? .minus : .plus, exponent: parts.exponent, significand: significand)
  }

  /// The parts of a number's text, in the one form that equal numbers share: digits without zeros at either end, and the
  /// power of ten that they are multiplied with.
  private struct Parts {
    let isNegative: Bool
    let isInteger: Bool
    private(set) var digits: [UInt8]
    private(set) var exponent = 0

    init?(_ text: some Collection<UInt8>) {
      var rest = text[...]
      isNegative = rest.first == UInt8(ascii: "-")
      if isNegative { rest = rest.dropFirst() }
      digits = Array(Parts.takeDigits(from: &rest))
      guard digits.count == 1 || (digits.count > 1 && digits[0] != UInt8(ascii: "0")) else { return nil }
      var isInteger = true
      if rest.first == UInt8(ascii: ".") {
        rest = rest.dropFirst()
        let fraction = Parts.takeDigits(from: &rest)
        guard !fraction.isEmpty else { return nil }
        digits += fraction
        exponent = -fraction.count
        isInteger = false
      }
      if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
        guard let power = Parts.power(rest.dropFirst()) else { return nil }
        exponent += power
        isInteger = false
      } else if !rest.isEmpty {
        return nil
      }
      self.isInteger = isInteger
      while digits.last == UInt8(ascii: "0") {
        digits.removeLast()
        exponent += 1
      }
      digits.removeFirst(digits.prefix { $0 == UInt8(ascii: "0") }.count)
      if digits.isEmpty { exponent = 0 }
    }

    private static func takeDigits<Bytes: Collection<UInt8>>(from rest: inout Bytes) -> Bytes
    where Bytes.SubSequence == Bytes {
      let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      rest = rest.dropFirst(digits.count)
      return digits
    }

    /// The number behind an "e"; a billion stands for all that are greater.
    private static func power(_ text: some Collection<UInt8>) -> Int? {
      var rest = text[...]
      let isNegative = rest.first == UInt8(ascii: "-")
      if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
      guard !rest.isEmpty, rest.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
      // Of 64 bits, where an `Int` may have 32: ten times a billion is more than those hold.
      let magnitude = rest.reduce(0 as Int64) { min($0 * 10 + Int64($1 - UInt8(ascii: "0")), 1_000_000_000) }
      return Int(isNegative ? -magnitude : magnitude)
    }

    func isSameNumber(as other: Parts) -> Bool {
      isNegative == other.isNegative && digits == other.digits && exponent == other.exponent
    }
  }
}
