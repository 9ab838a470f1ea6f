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
    fileprivate let start: JSONCursor
    fileprivate let end: Int
    /// The first duplicate key of an object in the value.
    fileprivate let duplicate: JSONDuplicate?
  }

  private var cursor: JSONCursor
  private var duplicates: ArraySlice<JSONDuplicate>
  private var isFirst = true
  private let isObject: Bool
  /// The path from the member to the value that is being read.
  private var path: [AnyCodingKey] = []
  private var failure: ImportFailure?
  private(set) var findings = ImportFindings()

  /// Creates a reader of a text's top-level value. Throws ``ImportFailure`` if the text is not JSON.
  init(_ data: Data, maximumDepth: Int) throws {
    do {
      let text = try JSONText(data, maximumDepth: maximumDepth)
      cursor = JSONCursor(text.bytes)
      duplicates = text.duplicates[...]
    } catch {
      throw ImportFailure(error, maximumDepth: maximumDepth)
    }
    isObject = cursor.current == UInt8(ascii: "{")
  }

  /// Returns the next member of the object, without its value.
  mutating func nextMember() -> Member? {
    guard isObject ? cursor.enterNext(isFirst: isFirst) : isFirst else { return nil }
    isFirst = false
    let key = isObject ? cursor.takeKey() : ImportSource.rootKey
    let start = cursor
    cursor.skipValue()
    duplicates = duplicates.drop { $0.offset < start.position }
    let duplicate = duplicates.first.flatMap { $0.offset < cursor.position ? $0 : nil }
    return Member(key: key, start: start, end: cursor.position, duplicate: duplicate)
  }

  func data(of member: Member) -> Data {
    Data(cursor.bytes[member.start.position..<member.end])
  }

  func isNull(_ member: Member) -> Bool { member.start.current == UInt8(ascii: "n") }

  /// Refuses a member in which an object has a key twice, because every reader would leave out one of the two values.
  func check(_ member: Member) throws {
    guard let duplicate = member.duplicate else { return }
    throw ImportFailure.doubleKey(duplicate)
  }

  /// Returns the value of a member. Throws ``ImportFailure`` if it cannot be stored, although it is JSON.
  mutating func value(of member: Member) throws -> ArchiveValue {
    (failure, path) = (nil, [])
    var cursor = member.start
    let value = value(at: &cursor)
    if let failure { throw failure }
    return value
  }

  // MARK: Values

  private mutating func value(at cursor: inout JSONCursor) -> ArchiveValue {
    switch cursor.current {
    case UInt8(ascii: "{"): return object(at: &cursor)
    case UInt8(ascii: "["): return array(at: &cursor)
    case UInt8(ascii: "\""): return .string(cursor.takeText())
    default: break
    }
    let token = cursor.takeToken()
    switch token.first {
    case UInt8(ascii: "t"): return .bool(true)
    case UInt8(ascii: "f"): return .bool(false)
    case UInt8(ascii: "n"): return .null
    default: return number(token)
    }
  }

  private mutating func object(at cursor: inout JSONCursor) -> ArchiveValue {
    var object = ArchiveObject()
    var isFirst = true
    while cursor.enterNext(isFirst: isFirst) {
      isFirst = false
      let key = cursor.takeKey()
      path.append(AnyCodingKey(stringValue: key))
      object[key] = value(at: &cursor)
      path.removeLast()
    }
    return .object(object)
  }

  private mutating func array(at cursor: inout JSONCursor) -> ArchiveValue {
    var elements: [ArchiveValue] = []
    while cursor.enterNext(isFirst: elements.isEmpty) {
      path.append(AnyCodingKey(index: elements.count))
      elements.append(value(at: &cursor))
      path.removeLast()
    }
    return .array(elements)
  }

  private mutating func number(_ token: ArraySlice<UInt8>) -> ArchiveValue {
    let numeral = DecimalNumeral(String(decoding: token, as: UTF8.self))
    switch numeral.map(JSONNumber.init) {
    case .exact(let value): return value
    case .rounded(let value):
      let digits = counted(numeral?.digits.count ?? 0, "digit", "digits")
      findings.noteConversion(of: "number of \(digits)", to: "Double")
      return .double(value)
    case .tooLarge, nil:
      let text = String(decoding: token.prefix(40), as: UTF8.self)
      failure = failure ?? ImportFailure(message: "it holds a number that is too large: \(text)", path: path)
      return .null
    }
  }
}

extension ImportFailure {
  fileprivate init(_ error: ModelError, maximumDepth: Int) {
    let path = error.path.codingPath
    guard error.code != .limitReached else {
      self = .tooDeep(maximumDepth, at: path)
      return
    }
    let place = error.location.map { " at \($0)" } ?? ""
    let reason = error.message.prefix(1).lowercased() + error.message.dropFirst().dropLast()
    self = .malformed("it is not valid JSON\(place): \(reason)", at: path)
  }

  fileprivate static func doubleKey(_ key: JSONDuplicate) -> ImportFailure {
    ImportFailure(
      message: """
        an object has the key \(key.name.prefix(80).quoted) twice, possibly in another Unicode form; the second is at byte \
        \(key.offset)
        """, path: Array(key.path.codingPath.dropFirst()))
  }
}
