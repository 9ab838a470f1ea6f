import Foundation
import ModelMapping
import TestSupport
import Testing

/// A model with one value for each way of reading.
private struct Holder<Value: Codable & Sendable>: Model {
  @Field var field: Value?
  @Field var list: [Value]?
  @Field var named: [String: Value]?
  @Field var plain: Plain<Value>?
  @Field("deep", "er") var nested: [[Value]]?
}

/// Decodes itself, without the help of a model.
private struct Plain<Value: Codable & Sendable>: Codable, Sendable {
  var value: Value
}

private let forms: [@Sendable (String) -> (text: String, path: String)] = [
  { (#"{"field": \#($0)}"#, "field") },
  { (#"{"list": [\#($0)]}"#, "list[0]") },
  { (#"{"named": {"a": \#($0)}}"#, "named.a") },
  { (#"{"plain": {"value": \#($0)}}"#, "plain.value") },
  { (#"{"deep": {"er": [[\#($0)]]}}"#, "deep.er[0][0]") },
]

extension Holder {
  fileprivate var value: Value? { field ?? list?.first ?? named?["a"] ?? plain?.value ?? nested?.first?.first }
}

@Suite struct NumberExactnessTests {
  static let numerals: [String] =
    [
      "1.0000000000000001", "16777217", "9007199254740993", "9007199254740993.0", "1e2", "1.0", "-0", "-0.0", "0e5",
      "0.1",
      "0.10000000000000001", "0.1000000000000000055511151231257827021181583404541015625", "1e-400", "5e-324",
      "1.1e-323", "1.1e-45", "1e400",
      "1e99999999999", "0e99999999999", "1e-99999999999", "18446744073709551615", "18446744073709551616",
      "-9223372036854775808", "-9223372036854775809", "9.223372036854775807e18",
      "340282366920938463463374607431768211455",
      "340282366920938463463374607431768211456", "0.30000000000000004", "0.10000000149011612", "72057594037927936",
      "1180591620717411303424", "65504", "65520", "2049", "0.099975586", "127", "128", "255", "256", "1e127", "12e127",
      "1e-127", "1e-128", "3.4028234663852886e38", "1.7976931348623157e308", "1e23", "123456789012345678901234567890",
      "0.999999999999999999999999999999999999999", "0.00000000000000000000000000000000000000000000000000001",
    ] + randomNumerals().oneIn(3)

  private static func randomNumerals() -> [String] {
    var random = SeededGenerator(seed: 14)
    return (0..<100).map { _ in
      let digits = (0..<Int.random(in: 1...(Bool.random(using: &random) ? 8 : 45), using: &random)).map { _ in
        String(Int.random(in: 0...9, using: &random))
      }
      let point = Int.random(in: 0...digits.count, using: &random)
      let whole = String(digits[..<point].joined().drop { $0 == "0" })
      let fraction = digits[point...].joined()
      let exponent = Int.random(in: 0...3, using: &random) == 0 ? "e\(Int.random(in: -330...330, using: &random))" : ""
      return (Bool.random(using: &random) ? "-" : "") + (whole.isEmpty ? "0" : whole)
        + (fraction.isEmpty ? "" : "." + fraction) + exponent
    }
  }

  /// Reads each numeral as a type in each way. Expects that the value is exactly the number, or that the report lists
  /// it, or that both modes refuse it. A number that the type holds must not be refused.
  private func check<Value: Codable & Sendable>(
    _ type: Value.Type, refusesOthers: Bool = false, _ isExact: (Value, String) -> Bool, isHeld: (String) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var (exact, inexact) = (0, 0)
    for numeral in Self.numerals {
      for form in forms {
        let (text, path) = form(numeral)
        let note: Comment = "\(numeral) as \(type) at \(path)"
        let result = try? Holder<Value>.decode(json: text)
        let strict = try? Holder<Value>(json: text, mode: .strict)
        let losses = result?.report.entries ?? []
        if let value = result?.value.value {
          let isSame = isExact(value, numeral)
          (exact, inexact) = (exact + (isSame ? 1 : 0), inexact + (isSame ? 0 : 1))
          #expect(isSame || losses.map(\.path.description) == [path], note, sourceLocation: sourceLocation)
          #expect(isSame || !refusesOthers, note, sourceLocation: sourceLocation)
          // If the value is the number, only a conversion of another scalar type is reported, and no rounding.
          #expect(!isSame || losses.allSatisfy { $0.kind == .coercion }, note, sourceLocation: sourceLocation)
        } else {
          inexact += 1
          #expect(!isHeld(numeral), note, sourceLocation: sourceLocation)
        }
        #expect((strict != nil) == (result != nil && losses.isEmpty), note, sourceLocation: sourceLocation)
      }
    }
    // Both must happen, otherwise nothing is tested.
    #expect(exact > 0 && inexact > 0, "\(type): \(exact) exact, \(inexact) not", sourceLocation: sourceLocation)
  }

  private func isInteger<Value: FixedWidthInteger>(_ value: Value, _ numeral: String) -> Bool {
    ExactDecimal("\(value)") == ExactDecimal(numeral)
  }

  private func check<Value: FixedWidthInteger & Codable & Sendable>(
    integer type: Value.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    check(
      type, refusesOthers: true, isInteger,
      isHeld: { numeral in
        ExactDecimal(numeral)?.wholeNumber.map { Value($0) != nil } ?? false
      }, sourceLocation: sourceLocation)
  }

  private func check<Value: BinaryFloatingPoint & Codable & Sendable>(
    binary type: Value.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    check(type, isBinary, isHeld: { Double($0).map { Value($0).isFinite } ?? false }, sourceLocation: sourceLocation)
  }

  /// Whether the value is the number itself, or its printed form.
  private func isBinary<Value: BinaryFloatingPoint>(_ value: Value, _ numeral: String) -> Bool {
    let number = ExactDecimal(numeral)
    return ExactDecimal("\(value)") == number || ExactDecimal("\(Double(value))") == number
      || Double(Float(value)) == Double(value) && ExactDecimal("\(Float(value))") == number
      || (number?.digits.count ?? 0) > 16 && ExactDecimal(value) == number
  }

  @Test func integersAreTheNumberInTheTextOrRefused() {
    check(integer: Int.self)
    check(integer: Int8.self)
    check(integer: Int16.self)
    check(integer: Int32.self)
    check(integer: Int64.self)
    check(integer: Int128.self)
  }

  @Test func digitsBeforeAnExponentMayExceedTheType() throws {
    struct Plain: Codable, Equatable, Sendable {
      var byte: UInt8
      var int: Int
    }
    struct Holder: Model, Equatable {
      @Field var byte: Int8 = 0
      @Field var bytes: [Int8] = []
      @Field var plain: Plain?
    }
    let text =
      #"{"byte": -1280e-1, "bytes": [300e-1], "plain": {"byte": 2560.0e-1, "int": 100000000000000000000e-2}}"#
    #expect(throws: DecodingError.self) { try Holder(json: text) }  // 256 is no byte
    let (holder, report) = try Holder.decode(json: text.replacing("2560.0", with: "2550.0"))
    #expect(holder.byte == -128 && holder.bytes == [30])
    #expect(holder.plain == Plain(byte: 255, int: 1_000_000_000_000_000_000))
    #expect(report.isEmpty)
  }

  /// Has members of these concrete types, for which a container's own methods are called.
  private struct Wide: Codable, Equatable, Sendable {
    var signed: Int128
    var unsigned: UInt128
    var missing: Int128?

    init(signed: Int128, unsigned: UInt128) { (self.signed, self.unsigned) = (signed, unsigned) }
  }

  private struct WidePair: Codable, Equatable, Sendable {
    var first: Int128
    var second: UInt128

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      (first, second) = (try list.decode(Int128.self), try list.decode(UInt128.self))
    }
  }

  @Test func membersOf128BitsAreRead() throws {
    struct Holder: Model {
      @Field var wide: Wide?
      @Field var pair: WidePair?
    }
    let holder = try Holder(
      json: #"{"wide": {"signed": -170141183460469231731687303715884105728, "unsigned": 1}, "pair": [2, 3]}"#)
    #expect(holder.wide == Wide(signed: .min, unsigned: 1))
    #expect(holder.pair?.first == 2 && holder.pair?.second == 3)
  }

  @Test func integersOf128BitsAreReadFromText() throws {
    struct Wide: Model {
      @Field var signed: Int128 = 0
      @Field var unsigned: UInt128?
      @Field var list: [Int128] = []
    }
    let text = #"{"signed": "-170141183460469231731687303715884105728", "unsigned": "7", "list": ["1", 2.0, 3]}"#
    let (wide, report) = try Wide.decode(json: text)
    #expect(wide.signed == .min && wide.unsigned == 7 && wide.list == [1, 2, 3])
    #expect(report.entries(.coercion).map(\.path.description) == ["signed", "unsigned", "list[0]"])
    #expect(throws: DecodingError.self) { try Wide(json: #"{"unsigned": "-1"}"#) }
  }

  @Test func unsignedIntegersAreTheNumberInTheTextOrRefused() {
    check(integer: UInt.self)
    check(integer: UInt8.self)
    check(integer: UInt16.self)
    check(integer: UInt32.self)
    check(integer: UInt64.self)
    check(integer: UInt128.self)
  }

  @Test func binaryNumbersAreTheNumberInTheTextOrReported() {
    check(binary: Double.self)
    check(binary: Float.self)
    check(binary: CGFloat.self)
  }

  #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))  // the type does not exist there
  @Test func halfPrecisionNumbersAreTheNumberInTheTextOrReported() {
    check(binary: Float16.self)
  }
  #endif

  @Test func decimalNumbersAreTheNumberInTheTextOrRefused() {
    check(
      Decimal.self, refusesOthers: true, { ExactDecimal("\($0)") == ExactDecimal($1) },
      isHeld: { numeral in
        ExactDecimal(numeral).map { $0.digits.count <= 38 && -127...90 ~= $0.exponent } ?? false
      })
  }

  @Test func aNumberAsTextHasAllOfItsDigits() throws {
    for numeral in Self.numerals {
      #expect(try Holder<String>(json: #"{"field": \#(numeral)}"#).value == numeral)
    }
  }

  @Test func onlyOneAndZeroAreFlags() throws {
    for numeral in Self.numerals {
      let number = ExactDecimal(numeral)
      let flag = number == ExactDecimal("1") ? true : number == ExactDecimal("0") ? false : nil
      #expect((try? Holder<Bool>(json: #"{"field": \#(numeral)}"#))?.value == flag, "\(numeral)")
    }
  }

  @Test func textsAreTheNumberOrReportedAsRounded() throws {
    for numeral in Self.numerals {
      let text = #"{"field": "\#(numeral)"}"#
      if let integer = (try? Holder<Int>(json: text))?.value { #expect(isInteger(integer, numeral)) }
      if let decimal = (try? Holder<Decimal>(json: text))?.value {
        #expect(ExactDecimal("\(decimal)") == ExactDecimal(numeral))
      }
      guard let (holder, report) = try? Holder<Double>.decode(json: text), let double = holder.value else { continue }
      #expect(report.entries(.rounding).isEmpty == isBinary(double, numeral), "\(numeral)")
      #expect(report.entries(.rounding).count + report.entries(.coercion).count == 1, "\(numeral)")
    }
  }

  /// A type that tries one type after another, like a type for any JSON.
  private struct Tried: Codable, Equatable, Sendable {
    var number = 0.0
    var decimal: Decimal?

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      number = try container.decode(Double.self)
      if let exact = try? container.decode(Decimal.self), "\(exact)" != "\(number)" {
        decimal = exact
      } else {
        number = try container.decode(Double.self)
      }
    }
  }

  @Test func onlyTheLastTypeTriedForANumberIsReported() throws {
    struct Holder: Model {
      @Field var value: Tried?
      @Field var list: [Tried] = []
    }
    func rounded(_ text: String) throws -> [String] {
      try Holder.decode(json: text).report.entries(.rounding).map(\.path.description)
    }
    #expect(try rounded(#"{"value": 1.5, "list": [0.1, 2]}"#).isEmpty)
    #expect(try rounded(#"{"value": 1.00000000000000000001}"#).isEmpty, "The decimal number has all digits.")
    let digits = "1." + String(repeating: "7", count: 60)
    #expect(try rounded(#"{"value": \#(digits), "list": [1, \#(digits)]}"#) == ["value", "list[1]"])
  }

  @Test func aNumberThatIsReadAgainLaterRemovesNoOtherFinding() throws {
    /// An object that is read through a single-value container, as a number is.
    struct Wrapped: Codable, Sendable {
      var numbers = ["number": 0.0]

      init() {}

      init(from decoder: any Decoder) throws {
        numbers = try decoder.singleValueContainer().decode([String: Double].self)
      }
    }
    struct Twice: Codable, Sendable {
      var value = Tried()
      var other = 0.0
      var wrapped = Wrapped()
      enum CodingKeys: CodingKey { case value, other, wrapped }

      init() {}

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        _ = try container.decode(Tried.self, forKey: .value)
        other = try container.decode(Double.self, forKey: .other)
        _ = try container.decode(Tried.self, forKey: .value)
        wrapped = try container.decode(Wrapped.self, forKey: .wrapped)
        value = try container.decode(Tried.self, forKey: .value)
      }
    }
    struct Holder: Model {
      @Field var twice = Twice()
    }
    let long = "1.0000000000000001"
    let report = try Holder.decode(
      json: #"{"twice": {"value": 1.5, "other": \#(long), "wrapped": {"number": \#(long)}}}"#
    ).report
    #expect(report.entries.map(\.path.description) == ["twice.other", "twice.wrapped.number"])
  }

  @Test func aRoundedNumberIsInTheReportWithItsDigits() throws {
    struct Price: Model {
      @Field var price = 0.0
    }
    let text = #"{"price": 1.0000000000000001}"#
    #expect(try Price.decode(json: text).report.description == "price: rounded number 1.0000000000000001 to 1.0")
    #expect(throws: ModelError.self) { try Price(json: text, mode: .strict) }
    #expect(try Price(json: #"{"price": 1.000000000000001}"#, mode: .strict).price == 1.000000000000001)
    #expect(try Price(json: text).price == 1)
  }

  @Test(arguments: [0.1, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.0 / 3, 16_777_217, 1e23])
  func aModelReadsItsOwnOutputInStrictMode(number: Double) throws {
    struct Numbers: Model, Equatable {
      @Field var double = 0.0
      @Field var float: Float = 0
      @Field var decimal = Decimal(0)
      @Field var date = Date(timeIntervalSinceReferenceDate: 0)
    }
    var numbers = Numbers()
    (numbers.double, numbers.float) = (number, Float(number).isFinite ? Float(number) : 0)
    numbers.decimal = Decimal(string: "12345678901234567890.123456789") ?? 0
    numbers.date = Date(timeIntervalSinceReferenceDate: abs(number) < 1e10 ? number : 0)
    #expect(try Numbers(json: numbers.json(), mode: .strict) == numbers)
  }
}
