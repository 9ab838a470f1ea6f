import Foundation
import KeyedArchive
import ModelMapping

/// A binary property list, read in place. Foundation's own reader hides the references of `NSKeyedArchiver`.
///
///     62 70 6c 69 73 74 30 30     "bplist00"
///     d1 01 02                    object 0 at offset 8: a dictionary with one key, object 1, and its value, object 2
///     51 61                       object 1 at offset 11: ASCII text of one byte, "a"
///     10 07                       object 2 at offset 13: an integer of one byte
///     08 0b 0d                    the offsets of the objects
///     00 00 00 00 00 00           the trailer: unused
///     01 01                       the size of an offset, the size of a reference
///     00 00 00 00 00 00 00 03     the number of objects
///     00 00 00 00 00 00 00 00     the outermost object
///     00 00 00 00 00 00 00 0f     the offset of the offsets
///
/// Files are untrusted: each offset, count and size is checked against the length of the file before it is used.
/// Objects may overlap and may contain themselves; the caller that follows references has to handle that.
///
/// Source: CoreFoundation, `CFBinaryPList.c`.
struct BinaryPropertyList: PropertyListFormat {
  /// The prefix of every version; the last digit follows, which Foundation ignores.
  static let signature = Array("bplist0".utf8)
  private static let headerSize = 8
  private static let trailerSize = 32

  let root: PropertyListValue.Reference
  private let bytes: [UInt8]
  private let offsetTable: Int
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int

  init(_ bytes: [UInt8]) throws(PropertyListError) {
    let trailer = bytes.count - BinaryPropertyList.trailerSize
    guard bytes.starts(with: BinaryPropertyList.signature), trailer > BinaryPropertyList.headerSize else {
      throw PropertyListError("it is truncated")
    }
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    let numbers = (1...3).map { BinaryPropertyList.unsigned(bytes[(trailer + 8 * $0)...].prefix(8)) }
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
      let table = Int(exactly: numbers[2]), BinaryPropertyList.headerSize..<trailer ~= table,
      let count = Int(exactly: numbers[0]), count <= (trailer - table) / offsetSize,
      let root = Int(exactly: numbers[1]), root < count
    else { throw PropertyListError("its last 32 bytes are not those of a binary property list") }
    offsetTable = table
    objectCount = count
    self.root = root
  }

  func value(
    at reference: PropertyListValue.Reference, _ budget: inout PropertyListBudget
  ) throws(PropertyListError) -> PropertyListValue {
    var cursor = try cursor(at: reference)
    let marker = try cursor.byte()
    // A reference of `NSKeyedArchiver` costs almost nothing; its target is charged.
    try budget.pay(marker >> 4 == 0x8 ? 1 : PropertyListBudget.itemCost)
    let low = Int(marker & 0xf)
    switch marker >> 4 {
    case 0x0: return try constant(low)
    case 0x1: return .integer(try cursor.integer(sizeExponent: low))
    case 0x2: return .real(try cursor.real(sizeExponent: low))
    case 0x3 where low == 3: return .date(Date(timeIntervalSinceReferenceDate: try cursor.real(sizeExponent: low)))
    case 0x4:
      let bytes = try cursor.bytes(try cursor.count(low))
      try budget.pay(bytes.count)
      return .data(Data(bytes))
    case 0x5, 0x6: return .string(try cursor.text(marker, &budget))
    case 0x8:
      guard low < 8 else { throw PropertyListError("a reference has \(low + 1) bytes") }
      return .uid(BinaryPropertyList.unsigned(try cursor.bytes(low + 1)))
    // Ordered sets and sets have markers of their own, which no known writer uses.
    case 0xa, 0xb, 0xc: return .array(try references(try cursor.count(low), &cursor, &budget))
    case 0xd: return .dictionary(try dictionary(try cursor.count(low), &cursor, &budget))
    default: throw unknown(marker)
    }
  }

  private func cursor(at reference: PropertyListValue.Reference) throws(PropertyListError) -> BinaryPropertyListCursor {
    guard 0..<objectCount ~= reference else {
      throw PropertyListError("it refers to object \(reference), but has only \(objectCount)")
    }
    let entry = bytes[(offsetTable + reference * offsetSize)...].prefix(offsetSize)
    guard let offset = Int(exactly: BinaryPropertyList.unsigned(entry)),
      BinaryPropertyList.headerSize..<offsetTable ~= offset
    else { throw PropertyListError("object \(reference) lies outside the file") }
    return BinaryPropertyListCursor(rest: bytes[offset..<offsetTable])
  }

  private func constant(_ low: Int) throws(PropertyListError) -> PropertyListValue {
    switch low {
    case 0x0: .null
    case 0x8: .bool(false)
    case 0x9: .bool(true)
    default: throw unknown(UInt8(low))
    }
  }

  private func references(
    _ count: Int, _ cursor: inout BinaryPropertyListCursor, _ budget: inout PropertyListBudget
  ) throws(PropertyListError) -> [PropertyListValue.Reference] {
    let all = try cursor.bytes(count, of: referenceSize)
    try budget.pay(count * MemoryLayout<PropertyListValue.Reference>.size)
    var references: [PropertyListValue.Reference] = []
    references.reserveCapacity(count)
    for start in stride(from: all.startIndex, to: all.endIndex, by: referenceSize) {
      let number = BinaryPropertyList.unsigned(all[start..<start + referenceSize])
      guard let reference = Int(exactly: number), reference < objectCount else {
        throw PropertyListError("it refers to object \(number), but has only \(objectCount)")
      }
      references.append(reference)
    }
    return references
  }

  private func dictionary(
    _ count: Int, _ cursor: inout BinaryPropertyListCursor, _ budget: inout PropertyListBudget
  ) throws(PropertyListError) -> PropertyListDictionary {
    let keys = try references(count, &cursor, &budget)
    let values = try references(count, &cursor, &budget)
    var dictionary = PropertyListDictionary()
    for (key, value) in zip(keys, values) {
      // Only text is read here, so that this function is not recursive.
      var keyCursor = try self.cursor(at: key)
      let marker = try keyCursor.byte()
      guard 0x5...0x6 ~= marker >> 4 else { throw PropertyListError("the key of a dictionary is not text") }
      try budget.pay(2 * PropertyListBudget.itemCost)
      try dictionary.append(try keyCursor.text(marker, &budget), value)
    }
    return dictionary
  }

  private func unknown(_ marker: UInt8) -> PropertyListError {
    PropertyListError("an object begins with the unknown byte 0x\(String(marker, radix: 16))")
  }

  /// Returns a number of at most eight bytes in network byte order.
  fileprivate static func unsigned(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// A position inside an object of a binary property list, and the bytes after it.
private struct BinaryPropertyListCursor {
  fileprivate var rest: ArraySlice<UInt8>

  mutating func byte() throws(PropertyListError) -> UInt8 {
    guard let byte = rest.popFirst() else { throw PropertyListError("it is truncated") }
    return byte
  }

  mutating func bytes(_ count: Int, of size: Int = 1) throws(PropertyListError) -> ArraySlice<UInt8> {
    guard count <= rest.count / size else {
      throw PropertyListError("an object is longer than the rest of the file")
    }
    let bytes = rest.prefix(count * size)
    rest = rest.dropFirst(count * size)
    return bytes
  }

  /// Reads the number of parts of an object: the low half of its first byte, or an integer after that.
  mutating func count(_ low: Int) throws(PropertyListError) -> Int {
    guard low == 0xf else { return low }
    let marker = try byte()
    guard marker >> 4 == 0x1, let count = Int(exactly: try integer(sizeExponent: Int(marker & 0xf))), count >= 0 else {
      throw PropertyListError("an object has an invalid number of parts")
    }
    return count
  }

  /// Reads an integer, which has a sign if it has eight or sixteen bytes.
  mutating func integer(sizeExponent: Int) throws(PropertyListError) -> Int128 {
    guard sizeExponent <= 4 else { throw PropertyListError("an integer has more than 16 bytes") }
    let bits = try bytes(1 << sizeExponent).reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
    return sizeExponent == 3 ? Int128(Int64(truncatingIfNeeded: bits)) : Int128(truncatingIfNeeded: bits)
  }

  mutating func real(sizeExponent: Int) throws(PropertyListError) -> Double {
    switch sizeExponent {
    case 2:
      return Double(Float(bitPattern: UInt32(truncatingIfNeeded: BinaryPropertyList.unsigned(try bytes(4)))))
    case 3: return Double(bitPattern: BinaryPropertyList.unsigned(try bytes(8)))
    default: throw PropertyListError("a floating-point number has neither 4 nor 8 bytes")
    }
  }

  /// Reads a string after its marker, in ASCII or UTF-16.
  mutating func text(_ marker: UInt8, _ budget: inout PropertyListBudget) throws(PropertyListError) -> String {
    let count = try count(Int(marker & 0xf))
    let isWide = marker >> 4 == 0x6
    let bytes = try bytes(count, of: isWide ? 2 : 1)
    // In UTF-8 two bytes may become three.
    try budget.pay(bytes.count + bytes.count / 2)
    let text =
      isWide
      ? UnicodeText.text(of: bytes, unitSize: 2, isBigEndian: true)
      : bytes.allSatisfy { $0 < 0x80 } ? String(validating: bytes, as: UTF8.self) : nil
    guard let text else { throw PropertyListError("a string is not valid \(isWide ? "UTF-16" : "ASCII")") }
    return text
  }
}
