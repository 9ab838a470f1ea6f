import FoundationCore

extension Date {
  /// The date as ISO 8601 text with as many digits as it needs, or `nil` if no text of that form represents the same
  /// date. Foundation reads nine fraction digits in the years 1 to 9999, but writes only three.
  var exactText: String? {
    let seconds = timeIntervalSinceReferenceDate
    guard Date.writtenYears.contains(seconds) else { return nil }
    let whole = seconds.rounded(.down)
    let text = Date.ISO8601FormatStyle().format(Date(timeIntervalSinceReferenceDate: whole))
    // The text of zero seconds has no sign, so it cannot represent negative zero.
    if whole == seconds { return seconds == 0 && seconds.sign == .minus ? nil : text }
    for scale in [1e3, 1e6, 1e9] {
      let fraction = ((seconds - whole) * scale).rounded()
      guard fraction < scale, (whole + fraction / scale).bitPattern == seconds.bitPattern else { continue }
      // The leading one keeps the leading zeros of the fraction.
      return text.dropLast() + "." + String(Int64(scale + fraction)).dropFirst() + "Z"
    }
    return nil
  }

  /// The years 1 to 9999 of Foundation's calendar, which begin with `distantPast`, in seconds since 2001.
  private static let writtenYears = distantPast.timeIntervalSinceReferenceDate..<252_423_993_600
}
