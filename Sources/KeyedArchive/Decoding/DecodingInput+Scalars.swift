import FoundationCore

extension DecodingInput {
  func bool(at cursor: CBORCursor) throws -> Bool {
    guard let value = try item(at: cursor).bool else { throw mismatch(at: cursor) }
    return value
  }

  /// Reads an integer of any width. Accepts a floating-point item if it is a whole number, because nothing is lost.
  @inline(__always)
  func integer<Integer: FixedWidthInteger>(_: Integer.Type, at cursor: CBORCursor) throws -> Integer {
    let head = try reader.head(at: cursor.offset)
    if head.major == .unsigned, let value = Integer(exactly: head.argument) { return value }
    // The value is -1 - n, the complement of n. Beyond Int64, it requires a wider type.
    if head.major == .negative, let argument = Int64(exactly: head.argument), let value = Integer(exactly: ~argument) {
      return value
    }
    return try unusualInteger(at: cursor)
  }

  @inline(never)
  private func unusualInteger<Integer: FixedWidthInteger>(at cursor: CBORCursor) throws -> Integer {
    let number = try number(at: cursor)
    guard let integer = number.integer, let value = Integer(exactly: integer) else { throw number.unrepresentable }
    return value
  }

  /// Reads a double. Accepts an integer item if a double can represent it exactly, because nothing is lost.
  @inline(__always)
  func double(at cursor: CBORCursor) throws -> Double {
    if let value = reader.plainDouble(at: cursor.offset) { return value }
    let item = try item(at: cursor)
    if let value = reader.float(item.head) { return value }
    return try unusualDouble(item, at: cursor)
  }

  private func unusualDouble(_ item: StoredItem, at cursor: CBORCursor) throws -> Double {
    // A whole number of at most 53 bits, such as most dates, converts exactly. The general conversion below takes ten
    // times as long.
    if item.head.argument < UInt64(1) &<< 53, !item.head.isIndefinite {
      if item.head.major == .unsigned { return Double(item.head.argument) }
      if item.head.major == .negative { return -1 - Double(item.head.argument) }
    }
    let number = try number(at: cursor)
    guard let value = number.double else { throw number.unrepresentable }
    return value
  }

  /// Reads a float. The stored number must be exact in single precision, including NaN payloads.
  func float(at cursor: CBORCursor) throws -> Float {
    let value = try double(at: cursor)
    if let bits = HalfPrecision.singleBits(exactly: value) { return Float(bitPattern: bits) }
    throw ItemError.unrepresentable(stored: "the number \(value)")
  }

  /// Reads the text of a value: its own text, the text of the string that it refers to, or the text of a URL or a UUID.
  @inline(never)
  func text(at cursor: CBORCursor) throws -> String {
    let head = try reader.head(at: cursor.offset)
    guard head.major == .text, !head.isIndefinite else { return try unusualText(head, at: cursor) }
    return try reader.text(head.end..<reader.payloadEnd(of: head))
  }

  @inline(never)
  private func unusualText(_ head: CBORHead, at cursor: CBORCursor) throws -> String {
    if head.isTag(CBORTag.stringReference), let text = try referencedText(reader.head(at: head.end), in: cursor) {
      return text
    }
    let item = try item(at: cursor)
    if let text = try textIfPresent(item) { return text }
    if item.hasTag(CBORTag.url), let text = try textIfPresent(self.item(at: content(of: item))) { return text }
    if item.hasTag(CBORTag.uuid) { return try UUID(at: item.cursor, in: self).uuidString }
    throw mismatch(at: cursor)
  }
}
