import CodingSupport
public import Foundation

extension FieldConverter where Value == Date {
  /// Seconds since 1970, as a number, with a fraction if needed.
  ///
  /// The number has enough digits to read the same date again.
  public static var unixSeconds: FieldConverter { FieldConverter(UnixTimeConversion(decimals: 0)) }

  /// Milliseconds since 1970, as a number, with a fraction if needed.
  ///
  /// The number has enough digits to read the same date again, and is an integer for a date of whole milliseconds. The
  /// current date rarely is: round it for a server that only accepts integers.
  public static var unixMilliseconds: FieldConverter { FieldConverter(UnixTimeConversion(decimals: 3)) }

  /// ISO 8601 in UTC, `2026-03-02T08:41:17Z`, with a fraction if needed; read in any time zone.
  ///
  /// The fraction has enough digits to read the same date again. Round dates for a server that only accepts whole
  /// seconds.
  public static var iso8601: FieldConverter { FieldConverter(ISO8601Conversion(minimumFractionDigits: 0)) }

  /// ISO 8601 in UTC with a fraction, `2026-03-02T08:41:17.250Z`; read with and without fractions, and in any time
  /// zone.
  ///
  /// The fraction has at least milliseconds, and enough digits to read the same date again.
  public static var iso8601WithFractions: FieldConverter {
    FieldConverter(ISO8601Conversion(minimumFractionDigits: 3))
  }

  /// Returns a converter for dates in a fixed format, such as `yyyy-MM-dd HH:mm:ss`.
  ///
  /// A date that does not exist, such as the 30th of February, is an error. Writes only the components of the format:
  /// `yyyy-MM-dd` keeps only the day. The report lists a text if its date would be written as another text, as that of
  /// `2026-3-2` would.
  ///
  /// - Parameters:
  ///   - format: The format, in the pattern language of Unicode Technical Standard #35.
  ///   - timeZone: The time zone of the text.
  ///   - locale: The locale for names of months and days.
  /// - Returns: The converter. Its formatter is created once, and used by one thread at a time.
  public static func date(
    _ format: String, timeZone: TimeZone = .gmt, locale: Locale = Locale(identifier: "en_US_POSIX")
  ) -> FieldConverter {
    let formatter = DateFormatter()
    formatter.locale = locale
    formatter.timeZone = timeZone
    formatter.dateFormat = format
    formatter.isLenient = false
    let locked = Locked(formatter)
    return FieldConverter(
      TextConversion(
        form: "a date in the format \(format)",
        reading: { text in locked.withLock { $0.date(from: text) } },
        writing: { date in
          // No calendar has later dates: Foundation's text for them is empty.
          guard date.timeIntervalSinceReferenceDate.magnitude < 1e14 else { throw ConversionError.dateOutOfRange }
          return locked.withLock { $0.string(from: date) }
        }))
  }
}

extension ConversionError {
  fileprivate static var dateOutOfRange: Self { Self(description: "The date is out of range, or is not a number.") }
}

private struct ISO8601Conversion: Conversion {
  let minimumFractionDigits: Int

  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> Date {
    let text = try ScalarCodec<String>().read(from: decoder, context)
    guard let read = ISO8601Text(text) else {
      throw ConversionError(description: "\(String(reflecting: text)) is not an ISO 8601 date.")
    }
    if context.collector != nil, !read.isExact {
      context.report(
        .rounding, at: decoder, found: RawScalar.text(text).description, made: String(reflecting: read.date))
    }
    return read.date
  }

  func form(of value: Date) throws -> any Encodable {
    guard let text = ISO8601Text.text(of: value, minimumFractionDigits: minimumFractionDigits) else {
      throw ConversionError(description: "Only the years 0 to 9999 can be written in ISO 8601.")
    }
    return text
  }
}

/// Numbers of seconds since 1970, or of a decimal part of a second.
private struct UnixTimeConversion: Conversion {
  /// The power of ten by which the number is greater than that of seconds.
  let decimals: Int

  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> Date {
    let raw = try RawScalar(from: decoder, context.keys)
    guard let numeral = raw.numeral else { throw DecodingError.mismatch(Double.self, raw, decoder.codingPath) }
    guard let (seconds, fraction) = numeral.parts(movingPointBy: decimals),
      let date = Date(secondsSince2001: seconds - ISO8601Text.unixSeconds2001, fraction: fraction)
    else { throw ConversionError(description: "The \(raw) is out of the range of dates.") }
    guard context.collector != nil else { return date }
    let isExact = UnixTimeConversion.numeral(of: date, decimals).map { $0 == numeral } ?? false
    if !isExact {
      context.report(.rounding, at: decoder, found: raw.description, made: String(reflecting: date))
    } else if case .text = raw {
      context.report(.coercion, at: decoder, found: raw.description, made: String(reflecting: date))
    }
    return date
  }

  func form(of value: Date) throws -> any Encodable {
    guard let numeral = UnixTimeConversion.numeral(of: value, decimals) else {
      throw ConversionError.dateOutOfRange
    }
    if let integer = numeral.integer(Int64.self) { return integer }
    guard let number = numeral.decimal() else {
      throw ConversionError(description: "The date has more digits than a decimal number can hold.")
    }
    return number
  }

  private static func numeral(of date: Date, _ decimals: Int) -> DecimalNumeral? {
    guard let (since2001, fraction) = date.exactSeconds else { return nil }
    return DecimalNumeral("\(decimalText(since2001 + ISO8601Text.unixSeconds2001, plus: fraction))e\(decimals)")
  }
}

extension DecimalNumeral {
  /// The number of digits of a fraction that are used. The smallest number has 1,074.
  private static let mostFractionDigits = 1100

  /// Returns the number divided by a power of ten, rounded down, and the digits of the remaining fraction; `nil` if the
  /// integer is too large.
  fileprivate func parts(movingPointBy places: Int) -> (integer: Int64, fraction: String)? {
    let (whole, fraction) = decimalParts(movingPointBy: places, mostFractionDigits: DecimalNumeral.mostFractionDigits)
    guard whole.utf8.count < 16, let magnitude = Int64(whole.isEmpty ? "0" : whole) else { return nil }
    guard isNegative else { return (magnitude, fraction) }
    return fraction.isEmpty ? (-magnitude, "") : (-magnitude - 1, fraction.complement)
  }
}
