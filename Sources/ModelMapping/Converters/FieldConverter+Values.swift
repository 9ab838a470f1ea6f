import CodingSupport
public import Foundation

extension FieldConverter where Value == URL {
  /// A URL as text.
  ///
  /// Writes a relative URL as an absolute one. The report lists a text whose characters had to be escaped.
  public static var url: FieldConverter {
    FieldConverter(TextConversion(form: "a URL", reading: { URL(string: $0) }, writing: { $0.absoluteString }))
  }
}

extension FieldConverter where Value == Decimal {
  /// A decimal number as text, so that no digit is lost. Also reads numbers.
  public static var decimalString: FieldConverter {
    FieldConverter(
      TextConversion(
        form: "a decimal number, or has more digits than one can hold",
        reading: { Decimal.converted(from: .text($0)) },
        writing: { decimal in
          guard !decimal.isNaN else { throw ConversionError(description: "The value is not a number.") }
          return "\(decimal)"
        }))
  }
}

extension FieldConverter where Value == Data {
  /// Bytes as text with two lowercase hexadecimal digits each.
  public static var hex: FieldConverter {
    FieldConverter(
      reading: { (text: String) in
        guard let data = Data(hexadecimal: text) else {
          throw ConversionError(description: "The text must consist of pairs of hexadecimal digits.")
        }
        return data
      }, writing: { data in data.map(\.hexadecimalDigits).joined() })
  }

  /// Bytes as text in Base64.
  ///
  /// The report lists a text with bits after the last byte.
  public static var base64: FieldConverter {
    FieldConverter(
      TextConversion(form: "valid Base64", reading: { Data(base64Encoded: $0) }, writing: { $0.base64EncodedString() }))
  }
}

extension Data {
  fileprivate init?(hexadecimal text: String) {
    let digits = text.utf8.map(\.hexadecimalValue)
    guard digits.count.isMultiple(of: 2) else { return nil }
    self.init(capacity: digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      append(high << 4 | low)
    }
  }
}
