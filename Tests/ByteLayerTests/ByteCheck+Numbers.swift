@testable import CodingSupport
@testable import GlobalDataImporting
@testable import ModelMapping

extension ByteCheck {
  /// Numbers as written in JSON, hexadecimal digits, and budgets.
  static let numbers = [
    ByteCheck("a numeral is the integer that it says, or none") { findings in
      func integer<Integer: FixedWidthInteger>(_ text: String, _: Integer.Type) -> Integer? {
        DecimalNumeral(text)?.integer(Integer.self)
      }
      findings.expectEqual(integer("9223372036854775807", Int64.self), .max, "the greatest of 64 bits")
      findings.expectEqual(integer("-9223372036854775808", Int64.self), .min, "the least of 64 bits")
      findings.expectEqual(integer("18446744073709551615", UInt64.self), .max, "the greatest without a sign")
      findings.expectEqual(integer("18446744073709551616", UInt64.self), nil, "2^64")
      findings.expectEqual(integer("2147483648", Int32.self), nil, "2^31")
      findings.expectEqual(integer("4294967297", Int32.self), nil, "2^32 + 1")
      findings.expectEqual(integer("12.5e1", Int32.self), 125, "12.5e1")
      findings.expectEqual(integer("1200e-2", Int32.self), 12, "1200e-2")
      findings.expectEqual(integer("1e-1", Int32.self), nil, "1e-1")
      findings.expectEqual(integer("-0", UInt8.self), 0, "-0")
      for text in ["", "-", "nan", "0x10", "1e", "1 ", "1.2.3", "e5"] {
        findings.expect(DecimalNumeral(text) == nil, "\"\(text)\" is a numeral")
      }
    },
    ByteCheck("an exponent beyond 32 bits does not come round") { findings in
      for power in ["4294967296", "4294967297", "18446744073709551617", "99999999999999999999999999"] {
        for sign in ["", "-"] {
          guard let numeral = DecimalNumeral("1e\(sign)\(power)") else {
            findings.expect(false, "1e\(sign)\(power) is no numeral")
            continue
          }
          findings.expectEqual(numeral.integer(Int64.self), nil, "1e\(sign)\(power)")
          findings.expect(
            numeral.exponent.magnitude > 100_000_000, "1e\(sign)\(power) has the exponent \(numeral.exponent)")
          findings.expectEqual(numeral.magnitude() == nil, true, "1e\(sign)\(power) has a magnitude")
        }
      }
      findings.expect(areSame("0e99999999999", "0.0"), "zero with a great exponent is not zero")
    },
    ByteCheck("numerals are equal where their numbers are") { findings in
      let equal = [
        ("1", "1.0"), ("100", "1e2"), ("0.001", "1e-3"), ("-0", "0.000"), ("12.30", "1230e-2"), ("0e5", "0"),
      ]
      for (left, right) in equal { findings.expect(areSame(left, right), "\(left) is not \(right)") }
      let different = [("1", "-1"), ("1", "1.0000000000000000000001"), ("1e2", "1e3"), ("12", "21")]
      for (left, right) in different { findings.expect(!areSame(left, right), "\(left) is \(right)") }
    },
    ByteCheck("a great integer has the bytes of its magnitude") { findings in
      let examples = [
        ("0", ""), ("1", "01"), ("255", "ff"), ("256", "0100"), ("4294967296", "0100000000"),
        ("18446744073709551616", "010000000000000000"), ("-18446744073709551617", "010000000000000000"),
        ("-1", ""), ("-256", "ff"), ("1e20", "056bc75e2d63100000"),
        ("340282366920938463463374607431768211456", "0100000000000000000000000000000000"),
      ]
      for (text, digits) in examples {
        findings.expectEqual(DecimalNumeral(text)?.magnitude(), bytes(digits), text)
      }
      findings.expectEqual(DecimalNumeral("1.5")?.magnitude(), nil, "1.5")
      findings.expectEqual(
        DecimalNumeral(String(repeating: "9", count: 2467))?.magnitude()?.count, 1025, "2,467 digits")
      findings.expectEqual(DecimalNumeral(String(repeating: "9", count: 2468))?.magnitude(), nil, "2,468 digits")
    },
    ByteCheck("a numeral is cut at its point wherever that is moved") { findings in
      let examples: [(String, Int, String, String)] = [
        ("1772440877123", 3, "1772440877", "123"), ("1.5", 0, "1", "5"), ("0.001", 3, "", "000001"),
        ("12e3", 2, "120", ""),
        ("5e-400", 0, "", ""), ("1e999999999999", 0, String(repeating: "9", count: 400), ""),
      ]
      for (text, places, whole, fraction) in examples {
        let parts = DecimalNumeral(text)?.decimalParts(movingPointBy: places, mostFractionDigits: 20)
        findings.expectEqual(parts?.whole, whole, "\(text): before the point")
        findings.expectEqual(parts?.fraction, fraction, "\(text): after the point")
      }
    },
    ByteCheck("hexadecimal digits are read and written") { findings in
      for byte in UInt8.min ... .max {
        findings.expectEqual(bytes(byte.hexadecimalDigits), [byte], "\(byte)")
      }
      for character: UInt8 in [0x2f, 0x3a, 0x40, 0x47, 0x60, 0x67, 0xff] {
        findings.expectEqual(character.hexadecimalValue, nil, "\(character)")
      }
    },
    ByteCheck("a budget grows with the file, and saturates") { findings in
      func canPay(_ bytes: Int, ofFile size: Int, _ items: Int = 10_000_000) -> Bool {
        var budget = PropertyListBudget(fileSize: size, maximumItems: items)
        do throws(PropertyListError) {
          try budget.pay(bytes)
          return true
        } catch {
          return false
        }
      }
      findings.expect(canPay(64 << 20, ofFile: 0), "an empty file has nothing to spend")
      findings.expect(!canPay(64 << 20 + 1, ofFile: 0), "an empty file has more to spend than there is")
      // 48 times 100 MB exceed 32 bits.
      findings.expect(canPay(1 << 30, ofFile: 100_000_000), "a large file has too little to spend")
      findings.expect(canPay(.max, ofFile: .max), "the largest file has too little to spend")
      findings.expect(canPay(.max, ofFile: 0, .max), "the greatest limit leaves too little to spend")
    },
  ]
}

private func areSame(_ left: String, _ right: String) -> Bool {
  guard let left = DecimalNumeral(left), let right = DecimalNumeral(right) else { return false }
  return left == right
}
