import CodingSupport
public import Foundation

extension FieldConverter where Value == Date {
  /// Seconds since 1970, as a number, with a fraction where there is one.
  public static var unixSeconds: FieldConverter {
    FieldConverter(
      reading: { (seconds: Double) in Date(timeIntervalSince1970: seconds) }, writing: { $0.timeIntervalSince1970 })
  }

  /// Milliseconds since 1970, as a number.
  public static var unixMilliseconds: FieldConverter {
    FieldConverter(
      reading: { (milliseconds: Double) in Date(timeIntervalSince1970: milliseconds / 1000) },
      writing: { ($0.timeIntervalSince1970 * 1000).rounded() })
  }

  /// ISO 8601 in UTC with whole seconds, `2026-03-02T08:41:17Z`; read with and without fractions, and in any zone.
  public static var iso8601: FieldConverter {
    FieldConverter(reading: { try parseISO8601($0) }, writing: { $0.formatted(.iso8601) })
  }

  /// ISO 8601 in UTC with milliseconds, `2026-03-02T08:41:17.250Z`; read with and without fractions, and in any zone.
  public static var iso8601WithFractions: FieldConverter {
    FieldConverter(
      reading: { try parseISO8601($0) },
      writing: { $0.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) })
  }

  /// A date in a fixed format, such as `yyyy-MM-dd HH:mm:ss`, read and written strictly.
  ///
  /// - Parameters:
  ///   - format: The format, in the pattern language of Unicode Technical Standard #35.
  ///   - timeZone: The zone that the texts are in.
  ///   - locale: Whose names of months and days are used.
  /// - Returns: The converter. Its formatter is made once, and used by one thread at a time.
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
      reading: { (text: String) in
        guard let date = locked.withLock({ $0.date(from: text) }) else {
          throw ConversionError(description: "\(String(reflecting: text)) is no date of the format \(format).")
        }
        return date
      }, writing: { date in locked.withLock { $0.string(from: date) } })
  }

  private static func parseISO8601(_ text: String) throws -> Date {
    do {
      return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")))
    } catch {
      throw ConversionError(description: "\(String(reflecting: text)) is no date of ISO 8601.")
    }
  }
}
