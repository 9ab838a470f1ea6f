import Foundation
import KeyedArchive

// Values of Foundation's classes that contain no others, as Swift types.

extension UnarchivingSession {
  /// Returns a value that contains no others; `nil` for null, collections and objects of other classes.
  func leaf(of position: ArchivedPosition) throws -> (any Sendable)? {
    switch position.node.content {
    case .plain(let value): return leaf(value)
    case .object(let type, let fields):
      let record = ArchivedRecord(fields: fields, position: position, session: self)
      guard let kind = type.role.foundation, let value = try leaf(kind, record) else { return nil }
      noteSubstitute(of: type, position.node.id)
      return value
    }
  }

  private func leaf(_ value: PropertyListValue) -> (any Sendable)? {
    switch value {
    case .bool(let value): return value
    case .integer(let value):
      if let integer = Int(exactly: value) { return integer }
      if let integer = UInt64(exactly: value) { return integer }
      return value
    case .real(let value): return value
    case .date(let value): return value
    case .data(let value): return value
    case .string(let value): return value
    case .null, .uid, .array, .dictionary: return nil
    }
  }

  private func leaf(_ kind: FoundationClass, _ record: ArchivedRecord) throws -> (any Sendable)? {
    switch kind {
    case .string: return try record.text("NS.string", bytes: "NS.bytes")
    case .attributedString: return try record.text("NSString")
    case .number: return try number(record)
    case .decimalNumber: return try decimal(record)
    case .data: return try record.data("NS.data", or: "NS.bytes")
    case .date: return Date(timeIntervalSinceReferenceDate: try record.real("NS.time"))
    case .uuid: return try uuid(record)
    case .url: return try url(record)
    case .value: return try structure(record)
    case .timeZone: return try timeZone(record)
    case .locale: return Locale(identifier: try record.text("NS.identifier"))
    case .indexSet: return try indexSet(record)
    case .indexPath: return try indexPath(record)
    case .null, .array, .set, .orderedSet, .dictionary: return nil
    }
  }

  private func number(_ record: ArchivedRecord) throws -> any Sendable {
    for name in ["NS.number", "NS.boolval", "NS.intval", "NS.dblval"] {
      if let value = try record.value(name) { return value }
    }
    throw record.malformed
  }

  /// Returns a decimal number, whose digits are up to eight units of 16 bits, lowest first.
  private func decimal(_ record: ArchivedRecord) throws -> Decimal {
    let count = try record.integer("NS.length")
    let exponent = try record.integer("NS.exponent")
    let isNegative = try record.bool("NS.negative")
    if count == 0 { return isNegative ? .nan : 0 }
    let bytes = try record.data("NS.mantissa")
    // 1 is little-endian, 2 big-endian.
    let isBigEndian = try record.value("NS.mantissa.bo") as? Int == 2
    guard 1...8 ~= count, bytes.count >= 2 * count, -128...127 ~= exponent else { throw record.malformed }
    let mantissa = (0..<count).reversed().reduce(0 as UInt128) { sum, unit in
      let first = UInt128(bytes[bytes.startIndex + 2 * unit])
      let second = UInt128(bytes[bytes.startIndex + 2 * unit + 1])
      return sum << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
    }
    guard let magnitude = Decimal(string: String(mantissa)) else { throw record.malformed }
    let decimal = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: magnitude)
    // The result of the initializer for a number that is too large.
    guard !decimal.isNaN else {
      throw ImportFailure(
        message: "it holds a decimal number that is too large", path: record.path, isUnknownForm: true)
    }
    return decimal
  }

  private func uuid(_ record: ArchivedRecord) throws -> UUID {
    let bytes = try record.data("NS.uuidbytes")
    guard bytes.count == 16 else { throw record.malformed }
    return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }

  private func url(_ record: ArchivedRecord) throws -> URL {
    let text = try record.text("NS.relative")
    let base = try record.value("NS.base")
    guard base == nil || base is URL, let url = URL(string: text, relativeTo: base as? URL) else {
      throw record.malformed
    }
    return url
  }

  private func structure(_ record: ArchivedRecord) throws -> any Sendable {
    switch try record.integer("NS.special") {
    case 1: return try record.geometry("NS.pointval", CGPoint.self)
    case 2: return try record.geometry("NS.sizeval", CGSize.self)
    case 3: return try record.geometry("NS.rectval", CGRect.self)
    case 4:
      return NSRange(
        location: try record.integer("NS.rangeval.location"), length: try record.integer("NS.rangeval.length"))
    case let special:
      throw ImportFailure(
        message: "it holds an NSValue of the unknown kind \(special)", path: record.path, isUnknownForm: true)
    }
  }

  private func timeZone(_ record: ArchivedRecord) throws -> TimeZone {
    let name = try record.text("NS.name")
    guard let zone = TimeZone(identifier: name) else {
      throw ImportFailure(
        message: "it holds the unknown time zone \(name.prefix(80).quoted)", path: record.path, isUnknownForm: true)
    }
    return zone
  }

  private func indexSet(_ record: ArchivedRecord) throws -> IndexSet {
    switch try record.integer("NSRangeCount") {
    case 0: return IndexSet()
    case 1:
      return IndexSet(integersIn: try range(try record.integer("NSLocation"), try record.integer("NSLength"), record))
    case let count:
      let numbers = try packedNumbers("NSRangeData", record)
      guard numbers.count.isMultiple(of: 2), numbers.count / 2 == count else { throw record.malformed }
      let ranges = try stride(from: 0, to: numbers.count, by: 2).map { index in
        try range(numbers[index], numbers[index + 1], record)
      }
      // Inserting a range before others would move all of them.
      return ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: IndexSet()) { $0.insert(integersIn: $1) }
    }
  }

  private func indexPath(_ record: ArchivedRecord) throws -> IndexPath {
    switch try record.integer("NSIndexPathLength") {
    case 0: return IndexPath()
    case 1: return IndexPath(index: try record.integer("NSIndexPathValue"))
    case let count:
      let indices = try packedNumbers("NSIndexPathData", record)
      guard indices.count == count else { throw record.malformed }
      return IndexPath(indexes: indices)
    }
  }

  /// Reads consecutive numbers, each in as many groups of seven bits as it needs, lowest first.
  private func packedNumbers(_ name: String, _ record: ArchivedRecord) throws -> [Int] {
    var numbers: [Int] = []
    var number = 0 as UInt64
    var shift = 0
    let data = try record.data(name)
    // Numbers take more memory than their stored bytes.
    try pay(data.count * MemoryLayout<Range<Int>>.size, at: record.path)
    for byte in data {
      guard shift < 63 else { throw record.malformed }
      number |= UInt64(byte & 0x7f) << UInt64(shift)
      shift += 7
      if byte & 0x80 == 0 {
        // An index that this platform's `Int` cannot hold is refused, not truncated.
        guard let index = Int(exactly: number) else { throw record.malformed }
        numbers.append(index)
        (number, shift) = (0, 0)
      }
    }
    guard shift == 0 else { throw record.malformed }
    return numbers
  }

  private func range(_ location: Int, _ length: Int, _ record: ArchivedRecord) throws -> Range<Int> {
    let (end, isTooLarge) = location.addingReportingOverflow(length)
    guard location >= 0, length >= 0, !isTooLarge else { throw record.malformed }
    return location..<end
  }
}

/// Returns the point, size or rectangle in a text such as `{{1, 2}, {3, 4}}`, or `nil` for another type or text.
func geometricValue(_ type: Any.Type, in text: String) -> (any Sendable)? {
  let parts = text.split { "{}, ".contains($0) }
  let numbers = parts.compactMap { Double($0) }
  guard numbers.count == parts.count else { return nil }
  switch (type, numbers.count) {
  case (is CGPoint.Type, 2): return CGPoint(x: numbers[0], y: numbers[1])
  case (is CGSize.Type, 2): return CGSize(width: numbers[0], height: numbers[1])
  case (is CGRect.Type, 4):
    return CGRect(origin: CGPoint(x: numbers[0], y: numbers[1]), size: CGSize(width: numbers[2], height: numbers[3]))
  default: return nil
  }
}
