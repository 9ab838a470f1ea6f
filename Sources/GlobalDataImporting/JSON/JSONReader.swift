import CodingSupport
import Foundation
import GlobalData
import KeyedArchive
import ModelMapping

/// Reads the members of a JSON object as they are written: numbers with all their digits, fields in their order. Any
/// other value is read as a single member, `root`. Foundation's readers round numbers silently, and lose the order.
///
/// Each nested value takes one call, so the caller must provide the stack for the allowed depth.
struct JSONReader {
  struct Member {
    let key: String
    fileprivate let value: Int
    /// The bytes from the value up to the next member, or to the end of the text.
    fileprivate let range: Range<Int>
    /// The first duplicate key of an object in the value.
    fileprivate let duplicate: JSONDuplicate?
  }

  private let text: JSONText
  private let isObject: Bool
  /// The keys of the members that follow.
  private var keys: ArraySlice<Int>
  private var duplicates: ArraySlice<JSONDuplicate>
  /// The path from the member to the value that is being read.
  private var path: [AnyCodingKey] = []
  private(set) var findings = ImportFindings()

  /// Creates a reader of a text's top-level value. Throws ``ImportFailure`` if the text is not JSON.
  init(_ data: Data, maximumDepth: Int) throws {
    do {
      text = try JSONText(data, maximumDepth: maximumDepth)
    } catch {
      throw ImportFailure(error, maximumDepth: maximumDepth)
    }
    isObject = text.kind(0) == .object
    keys = isObject ? text.children(of: 0)[...] : [0]
    duplicates = text.duplicates[...]
  }

  /// Returns the next member of the object, without its value.
  mutating func nextMember() -> Member? {
    guard let key = keys.popFirst() else { return nil }
    let value = isObject ? key + 1 : key
    let range = text.start(value)..<(keys.first.map(text.start) ?? text.bytes.count)
    duplicates = duplicates.drop { $0.offset < range.lowerBound }
    return Member(
      key: isObject ? text.string(key) : ImportSource.rootKey, value: value, range: range,
      duplicate: duplicates.first.flatMap { range.contains($0.offset) ? $0 : nil })
  }

  func data(of member: Member) -> Data {
    guard isObject else { return Data(text.bytes) }
    // Only spaces, and a comma or the bracket of the object, follow the value.
    let end = text.bytes[member.range].lastIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
    return Data(text.bytes[member.range].prefix(upTo: end ?? member.range.upperBound))
  }

  func isNull(_ member: Member) -> Bool { text.kind(member.value) == .null }

  /// Refuses a member in which an object has a key twice, because every reader would leave out one of the two values.
  func check(_ member: Member) throws {
    guard let key = member.duplicate else { return }
    throw ImportFailure(
      message: """
        an object has the key \(key.name.prefix(80).quoted) twice, possibly in another Unicode form; the second is at byte \
        \(key.offset)
        """, advice: GlobalDataError.doubleKeyAdvice, path: Array(key.path.codingPath.dropFirst(isObject ? 1 : 0)))
  }

  /// Returns the value of a member. Throws ``ImportFailure`` if it cannot be stored, although it is JSON.
  mutating func value(of member: Member) throws -> ArchiveValue { try value(member.value) }

  // MARK: Values

  private mutating func value(_ value: Int) throws -> ArchiveValue {
    switch text.kind(value) {
    case .null: return .null
    case .bool: return .bool(text.bool(value))
    case .number: return try number(text.token(value))
    case .text: return .string(text.string(value))
    case .array:
      return .array(try text.children(of: value).enumerated().map { try self.value($1, at: AnyCodingKey(index: $0)) })
    case .object:
      var object = ArchiveObject()
      for key in text.children(of: value) {
        let name = text.string(key)
        object[name] = try self.value(key + 1, at: AnyCodingKey(stringValue: name))
      }
      return .object(object)
    }
  }

  private mutating func value(_ value: Int, at key: AnyCodingKey) throws -> ArchiveValue {
    path.append(key)
    defer { path.removeLast() }
    return try self.value(value)
  }

  private mutating func number(_ token: ArraySlice<UInt8>) throws -> ArchiveValue {
    let text = String(decoding: token, as: UTF8.self)
    guard let numeral = DecimalNumeral(text) else { throw tooLarge(text) }
    // Negative zero is not an integer.
    if numeral.isWrittenAsInteger, !(numeral.isNegative && numeral.digits.isEmpty) {
      if let value = Int(text) { return .int(value) }
      guard let magnitude = numeral.magnitude() else { throw tooLarge(text) }
      return .bigInteger(isNegative: numeral.isNegative, magnitude: Data(magnitude))
    }
    let double = Double(text).flatMap { $0.isFinite ? $0 : nil }
    // The shortest text for this double is the number in the file.
    if let double, let shortest = DecimalNumeral(double.description), shortest == numeral { return .double(double) }
    if let decimal = numeral.decimal() { return .decimal(decimal) }
    guard let double else { throw tooLarge(text) }
    // No type of number holds all digits.
    findings.noteConversion(of: "number of \(counted(numeral.digits.count, "digit", "digits"))", to: "Double")
    return .double(double)
  }

  private func tooLarge(_ number: String) -> ImportFailure {
    ImportFailure(message: "it holds a number that is too large: \(number.prefix(40))", path: path)
  }
}

extension ImportFailure {
  fileprivate init(_ error: ModelError, maximumDepth: Int) {
    let path = error.path.codingPath
    guard error.code != .limitReached else {
      self = .tooDeep(maximumDepth, at: path)
      return
    }
    let position = error.location.map { " at \($0)" } ?? ""
    let reason = error.message.prefix(1).lowercased() + error.message.dropFirst().dropLast()
    self = .malformed("it is not valid JSON\(position): \(reason)", at: path)
  }
}
