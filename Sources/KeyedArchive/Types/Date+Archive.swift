import FoundationCore

/// A `Date` is stored as tag 1 with the seconds since 1970, if these restore every bit. Otherwise it is stored under
/// the name `Date` with the seconds since 2001. A `Date` holds seconds since 2001 as a `Double`. Adding the 31 years
/// between the two epochs can lose the last bits of the fraction, so about half of all dates with fractions of a second
/// need the second form.
extension Date: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = true
  private static let tag: ArchiveTag = "Date"
  /// The years 1 to 9999, in seconds since 1970. Other readers of tag 1 fail for dates outside this range.
  private static let commonYears = -62_135_596_800.0...253_402_300_799

  /// The seconds since 1970, or `nil` if they are outside `commonYears` or do not restore every bit of the date.
  var exactUnixSeconds: Double? {
    let seconds = timeIntervalSinceReferenceDate
    let unixSeconds = seconds + Date.timeIntervalBetween1970AndReferenceDate
    let restored = unixSeconds - Date.timeIntervalBetween1970AndReferenceDate
    let isExact = Date.commonYears.contains(unixSeconds) && restored.bitPattern == seconds.bitPattern
    return isExact ? unixSeconds : nil
  }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    guard let unixSeconds = exactUnixSeconds else {
      return try session.write(typeName: Date.tag, version: 1) {
        session.buffer.appendFloat(timeIntervalSinceReferenceDate)
      }
    }
    try session.write(tag: CBORTag.date) {
      if let whole = Int64(exactly: unixSeconds) {
        session.buffer.appendInteger(whole)
      } else {
        session.buffer.appendFloat(unixSeconds)
      }
    }
  }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Date {
    let item = try session.input.item(at: cursor)
    if let date = try session.input.taggedDate(at: item.cursor) { return date }
    if item.hasTag(CBORTag.dateText) {
      return try date(of: session.input.plainText(at: session.input.content(of: item)))
    }
    guard let seconds = session.input.reader.float(item.head) else {
      throw session.input.mismatch(at: cursor)
    }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  @inline(never)
  private static func date(of text: String) throws -> Date {
    for hasFraction in [false, true] {
      do {
        return try Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction).parse(text)
      } catch { continue }  // the other style may fit
    }
    throw ItemError.malformed("\(text.quoted) is not an RFC 3339 date.")
  }
}

extension DecodingInput {
  /// Reads a date in the usual form, and returns `nil` for any other item.
  func taggedDate(at cursor: CBORCursor) throws -> Date? {
    let head = try reader.head(at: cursor.offset)
    guard head.isTag(CBORTag.date) else { return nil }
    let unixSeconds = try double(at: content(of: StoredItem(head: head, cursor: cursor)))
    return Date(timeIntervalSinceReferenceDate: unixSeconds - Date.timeIntervalBetween1970AndReferenceDate)
  }
}
