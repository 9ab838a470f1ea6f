/// A decimal number of any size, computed digit by digit, for comparison with numbers of any type.
struct ExactDecimal: Equatable {
  let isNegative: Bool
  /// The digits, highest first, without zeros at either end.
  let digits: [UInt8]
  let exponent: Int

  private init(_ isNegative: Bool, _ digits: [UInt8], _ exponent: Int) {
    let first = digits.firstIndex(where: { $0 != 0 }) ?? digits.endIndex
    let last = digits.lastIndex(where: { $0 != 0 }) ?? first - 1
    self.digits = first > last ? [] : Array(digits[first...last])
    self.isNegative = isNegative && !self.digits.isEmpty
    self.exponent = self.digits.isEmpty ? 0 : exponent + digits.count - 1 - last
  }

  /// - Returns: `nil` for a text that is not a JSON number.
  init?(_ text: String) {
    let parts = text.lowercased().split(separator: "e", omittingEmptySubsequences: false)
    guard let mantissa = parts.first, parts.count <= 2, let power = parts.count == 2 ? Int(parts[1]) : 0 else {
      return nil
    }
    let isNegative = mantissa.hasPrefix("-")
    let numbers = mantissa.drop { "+-".contains($0) }.split(separator: ".", omittingEmptySubsequences: false)
    let digits = numbers.joined().utf8.map { $0 &- 0x30 }
    guard !digits.isEmpty, digits.allSatisfy({ $0 < 10 }), numbers.count <= 2 else { return nil }
    self.init(isNegative, digits, power - (numbers.count == 2 ? numbers[1].count : 0))
  }

  /// All digits of a binary number.
  init(_ number: some BinaryFloatingPoint) {
    let double = Double(number)
    guard double.isFinite, !double.isZero else {
      self.init(false, [], 0)
      return
    }
    // The number is an integer times a power of two, and half a number is five tenths of it.
    let power = Int(double.exponent) - 52
    var digits = String(UInt64(double.significand.magnitude * 0x1p52)).utf8.map { $0 - 0x30 }
    for _ in 0..<abs(power) { digits = ExactDecimal.product(digits, power < 0 ? 5 : 2) }
    self.init(double < 0, digits, min(power, 0))
  }

  /// All digits of an integer that is not too long for any type; otherwise `nil`.
  var wholeNumber: String? {
    guard 0...40 ~= exponent else { return nil }
    let text = digits.map(String.init).joined() + String(repeating: "0", count: exponent)
    return (isNegative ? "-" : "") + (text.isEmpty ? "0" : text)
  }

  private static func product(_ digits: [UInt8], _ factor: UInt8) -> [UInt8] {
    var result: [UInt8] = []
    var carry: UInt8 = 0
    for digit in digits.reversed() {
      let sum = digit * factor + carry
      result.append(sum % 10)
      carry = sum / 10
    }
    if carry > 0 { result.append(carry) }
    return result.reversed()
  }
}
