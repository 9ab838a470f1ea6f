import CodingSupport
import Foundation

/// An ISO 8601 date and time as text, read and written exactly. Foundation's own style keeps at most milliseconds, and
/// truncates the rest. Dates before 15 October 1582 are those of the Julian calendar, as in Foundation.
struct ISO8601Text {
  /// The nearest date.
  let date: Date

  private let fraction: String
  private let isLeapSecond: Bool

  /// Whether the date is written back as the same text, except for the zone and zeros at the end of the fraction. Takes
  /// as long as reading the text.
  var isExact: Bool { !isLeapSecond && date.exactSeconds.map { $0.fraction == fraction } ?? false }

  /// Reads `2026-03-02T08:41:17Z`, with a fraction of any number of digits, and in any zone. A leap second is read as
  /// the second after it. Returns `nil` for any other text, and for a date that no calendar has.
  init?(_ text: String) {
    var rest = text.utf8[...]
    func take(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }
    func digits(_ count: Int) -> Int? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
      rest = rest.dropFirst(count)
      return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    guard let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2), take("T"),
      let hour = digits(2), take(":"), let minute = digits(2), take(":"), let second = digits(2)
    else { return nil }
    var fraction = ""
    if take(".") {
      let digits = rest.prefix(while: \.isDigit)
      guard !digits.isEmpty else { return nil }
      fraction = String(Substring(digits))
      while fraction.last == "0" { fraction.removeLast() }
      rest = rest.dropFirst(digits.count)
    }
    var offset = 0
    if !take("Z") {
      let isWest = take("-")
      guard isWest || take("+"), let hours = digits(2), hours < 24 else { return nil }
      _ = take(":")
      guard let minutes = rest.isEmpty ? 0 : digits(2), minutes < 60 else { return nil }
      offset = (hours * 60 + minutes) * (isWest ? -60 : 60)
    }
    guard rest.isEmpty, hour < 24, minute < 60, let days = CivilDay(year: year, month: month, day: day)?.number else {
      return nil
    }
    let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
    let isLeapSecond = second == 60 && seconds % 86_400 == 0
    guard second < 60 || isLeapSecond else { return nil }
    guard let date = Date(secondsSince2001: seconds - ISO8601Text.unixSeconds2001, fraction: fraction) else {
      return nil
    }
    (self.date, self.fraction, self.isLeapSecond) = (date, fraction, isLeapSecond)
  }

  /// Writes a date in UTC, with as many fractional digits as are needed to read the same date again, and at least the
  /// given number. Returns `nil` for a date outside the years 0 to 9999.
  static func text(of date: Date, minimumFractionDigits: Int = 0) -> String? {
    guard let (seconds, fraction) = date.exactSeconds else { return nil }
    let unixSeconds = seconds + unixSeconds2001
    let second = Int((unixSeconds % 86_400 + 86_400) % 86_400)
    guard let number = Int(exactly: (unixSeconds - Int64(second)) / 86_400),
      number.magnitude < 10_000 * 366, let day = CivilDay(number: number)
    else { return nil }
    var text = Array("0000-00-00T00:00:00".utf8)
    let numbers = [
      (day.year / 100, 0), (day.year % 100, 2), (day.month, 5), (day.day, 8), (second / 3600, 11),
      (second / 60 % 60, 14), (second % 60, 17),
    ]
    for (number, offset) in numbers {
      text[offset] += UInt8(number / 10)
      text[offset + 1] += UInt8(number % 10)
    }
    let digits = fraction + String(repeating: "0", count: max(0, minimumFractionDigits - fraction.utf8.count))
    return String(decoding: text, as: UTF8.self) + (digits.isEmpty ? "Z" : ".\(digits)Z")
  }

  /// The seconds from 1970 to 2001.
  static let unixSeconds2001: Int64 = 978_307_200
}

extension Date {
  /// Creates the date nearest to a number of seconds and the digits of a fraction to add, also before 2001.
  init?(secondsSince2001 seconds: Int64, fraction: String) {
    guard let interval = fraction.isEmpty ? Double(seconds) : Double(decimalText(seconds, plus: fraction)) else {
      return nil
    }
    self.init(timeIntervalSinceReferenceDate: interval)
  }

  /// The whole seconds since 2001, and the fewest digits of the fraction after them that identify this date; `nil` for
  /// dates beyond the years of any calendar.
  var exactSeconds: (seconds: Int64, fraction: String)? {
    let interval = timeIntervalSinceReferenceDate
    guard interval.magnitude < 1e15 else { return nil }
    let whole = interval.rounded(.towardZero)
    guard whole != interval, let seconds = Int64(exactly: whole) else {
      return Int64(exactly: interval).map { ($0, "") }
    }
    let fraction = interval.magnitude.fractionDigits
    return interval < 0 ? (seconds - 1, fraction.complement) : (seconds, fraction)
  }
}

/// Returns the digits of an integer to which a fraction with the given digits is added.
func decimalText(_ integer: Int64, plus fraction: String) -> String {
  integer < 0 && fraction.contains { $0 != "0" }
    ? "-\(-(integer + 1)).\(fraction.complement)" : "\(integer).\(fraction)0"
}

extension Double {
  /// The digits after the decimal point. Small numbers print with an exponent.
  fileprivate var fractionDigits: String {
    // The smallest number has 324 digits, most of them zeros.
    DecimalNumeral("\(self)")?.decimalParts(movingPointBy: 0, mostFractionDigits: 400).fraction ?? ""
  }
}

extension String {
  /// The digits of one minus the fraction with these digits.
  var complement: String {
    let digits = utf8.map { $0 - 0x30 }
    guard let last = digits.lastIndex(where: { $0 != 0 }) else { return self }
    let complement = digits.indices.map { $0 < last ? 9 - digits[$0] : $0 == last ? 10 - digits[$0] : 0 }
    return String(decoding: complement.map { $0 + 0x30 }, as: UTF8.self)
  }
}

/// A day of the calendar, in the years 0 to 9999.
private struct CivilDay {
  let year: Int
  let month: Int
  let day: Int

  /// The first day of the Gregorian calendar, in days since 1970.
  private static let firstGregorian = -141_427

  /// - Returns: `nil` if there is no such day.
  init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    guard let same = CivilDay(number: number), same.month == month, same.day == day else { return nil }
  }

  init?(number: Int) {
    // Years are counted from March 1 of year 0, so that the leap day is the last one of a year.
    let isGregorian = number >= CivilDay.firstGregorian
    let days = number + (isGregorian ? 719_468 : 719_470)
    let century = isGregorian ? CivilDay.floor(4 * days + 3, 146_097) : 0
    let inCentury = isGregorian ? days - CivilDay.floor(146_097 * century, 4) : days
    let yearInCentury = CivilDay.floor(4 * inCentury + 3, 1461)
    let dayOfYear = inCentury - CivilDay.floor(1461 * yearInCentury, 4)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = 100 * century + yearInCentury + (month <= 2 ? 1 : 0)
    guard (0...9999).contains(year) else { return nil }
  }

  /// The number of days since 1970.
  var number: Int {
    let year = month <= 2 ? self.year - 1 : self.year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = 365 * year + CivilDay.floor(year, 4) + dayOfYear
    let gregorian = days - CivilDay.floor(year, 100) + CivilDay.floor(year, 400) - 719_468
    return gregorian >= CivilDay.firstGregorian ? gregorian : days - 719_470
  }

  private static func floor(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }
}
