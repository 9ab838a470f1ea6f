import Foundation

extension ArchiveValue {
  /// The value as JSON text that keeps every number exact.
  ///
  /// JSON has fewer kinds than an archive: data becomes base64, dates ISO 8601 or their seconds since 2001 beyond the
  /// years 1 to 9999, UUIDs, URLs and non-finite numbers become text, and so does a key that is none, in diagnostic notation; tags and versions are left out. Integers and
  /// decimals are written with all their digits; only an integer of more than 1,024 bytes becomes text in CBOR diagnostic
  /// notation, since making its decimal digits takes the square of its length.
  ///
  /// - Parameter isPretty: Whether to write each element on a line of its own, indented by two spaces.
  /// - Returns: JSON text of RFC 8259.
  /// - Complexity: O(*n*) in the size of the value.
  public func json(isPretty: Bool = false) -> String {
    func write() -> String {
      var writer = JSONText(isPretty: isPretty)
      writer.write(self)
      return writer.text
    }
    return withDeepStack(write)
  }

  /// The greatest magnitude of an integer that is written in decimal digits, in bytes.
  static let longestDecimalInteger = 1024

  /// The decimal digits of a big integer.
  static func digits(isNegative: Bool, magnitude: Data) -> String {
    var digits: [UInt8] = [0]  // least significant first
    for byte in magnitude {
      var carry = Int(byte)
      for index in digits.indices {
        let value = Int(digits[index]) * 256 + carry
        digits[index] = UInt8(value % 10)
        carry = value / 10
      }
      while carry > 0 {
        digits.append(UInt8(carry % 10))
        carry /= 10
      }
    }
    if isNegative {
      // The value is -1 - magnitude, so the digits are those of magnitude + 1.
      var index = 0
      while index < digits.count, digits[index] == 9 {
        digits[index] = 0
        index += 1
      }
      if index == digits.count { digits.append(1) } else { digits[index] += 1 }
    }
    return (isNegative ? "-" : "") + digits.reversed().map(String.init).joined()
  }
}

/// Writes JSON text. Foundation's encoder is not used because it writes numbers as doubles and sorts fields or not,
/// but never keeps their order.
private struct JSONText {
  let isPretty: Bool
  var text = ""
  private var indentation = 0

  init(isPretty: Bool) {
    self.isPretty = isPretty
  }

  mutating func write(_ value: ArchiveValue) {
    switch value {
    case .null, .undefined, .simple: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .uint(let value): text += String(value)
    case .bigInteger(_, let magnitude) where magnitude.count > ArchiveValue.longestDecimalInteger:
      write(value.diagnostic)
    case .bigInteger(let isNegative, let magnitude):
      text += ArchiveValue.digits(isNegative: isNegative, magnitude: magnitude)
    case .double(let value): write(value)
    case .decimal(let value) where value.isNaN: write("NaN")
    case .decimal(let value): text += value.description
    case .string(let value): write(value)
    case .data(let value): write(value.base64EncodedString())
    case .date(let value): write(value)
    case .uuid(let value): write(value.uuidString)
    case .url(let value): write(value.absoluteString)
    case .array, .numbers, .set:
      let elements = value.array ?? []
      write(elements, between: ("[", "]")) { $0.write($1) }
    case .object(let object):
      write(object.fields, between: ("{", "}")) { writer, field in
        writer.write(field.name)
        writer.text += writer.isPretty ? ": " : ":"
        writer.write(field.value)
      }
    case .map(let pairs):
      write(pairs, between: ("{", "}")) { writer, pair in
        writer.write(pair.key.string ?? pair.key.diagnostic)
        writer.text += writer.isPretty ? ": " : ":"
        writer.write(pair.value)
      }
    case .named(_, _, let value), .tagged(_, let value): write(value)
    }
  }

  private mutating func write<Element>(
    _ elements: [Element], between brackets: (String, String), _ write: (inout JSONText, Element) -> Void
  ) {
    text += brackets.0
    indentation += 1
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      breakLine()
      write(&self, element)
    }
    indentation -= 1
    if !elements.isEmpty { breakLine() }
    text += brackets.1
  }

  private mutating func breakLine() {
    if isPretty { text += "\n" + String(repeating: "  ", count: indentation) }
  }

  private mutating func write(_ value: Double) {
    guard value.isFinite else { return write(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity") }
    text += value.description
  }

  private mutating func write(_ value: Date) {
    let seconds = value.timeIntervalSince1970
    guard -62_135_596_800.0...253_402_300_799 ~= seconds else {
      return write(value.timeIntervalSinceReferenceDate)
    }
    let hasFraction = seconds != seconds.rounded(.down)
    write(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction).format(value))
  }

  /// Writes a text in quotes, with the escapes that RFC 8259 asks for.
  private mutating func write(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..."\u{1f}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
