import CodingSupport
import Foundation

/// An XML property list. Foundation's own readers are not used: they hide the references of `NSKeyedArchiver`, which in
/// XML are dictionaries with the one key `CF$UID`, or treat them differently from platform to platform. Elements are
/// read in one loop, however deeply they are nested.
struct XMLPropertyList: PropertyListFormat {
  private(set) var root: PropertyListValue.Reference = 0
  private var values: [PropertyListValue] = []

  /// An array or dictionary that has not ended yet.
  private struct Open {
    let element: String
    var elements: [PropertyListValue.Reference] = []
    var fields = PropertyListDictionary()
    var key: String?
  }

  private var open: [Open] = []
  private var hasRoot = false
  private var isArchive = false

  init(_ data: Data) throws(PropertyListError) {
    var scanner = try XMLScanner(data)
    do {
      try read(&scanner)
    } catch {
      throw PropertyListError("\(error), on line \(scanner.line)")
    }
    if case .dictionary(let fields) = values[root] { isArchive = fields.isArchive }
  }

  private mutating func read(_ scanner: inout XMLScanner) throws(PropertyListError) {
    // Like Foundation, accept a bare value as a property list.
    guard case .start(let name, let isEmpty) = try scanner.nextAfterSpace(), XMLPropertyList.elements.contains(name)
    else { throw PropertyListError("it is neither a binary nor an XML property list") }
    let hasFrame = name == "plist"
    if !hasFrame {
      try start(name, isEmpty, &scanner)
    } else if isEmpty {
      throw PropertyListError("it is empty")
    }
    while hasFrame || !hasRoot {
      switch try scanner.next() {
      case .start(let name, let isEmpty): try start(name, isEmpty, &scanner)
      case .end("plist") where hasFrame && open.isEmpty:
        guard hasRoot else { throw PropertyListError("it is empty") }
        return try expectEnd(&scanner)
      case .end(let name): try end(name)
      case .text(let text):
        guard text.allSatisfy(\.isWhitespace) else { throw PropertyListError("there is text between its elements") }
      case .endOfText: throw PropertyListError("it is truncated")
      }
    }
    try expectEnd(&scanner)
  }

  private static let elements: Set = [
    "plist", "dict", "array", "key", "string", "integer", "real", "true", "false", "date", "data",
  ]

  private func expectEnd(_ scanner: inout XMLScanner) throws(PropertyListError) {
    guard try scanner.nextAfterSpace() == .endOfText else { throw PropertyListError("there is data after its end") }
  }

  func value(
    at reference: PropertyListValue.Reference, _ budget: inout PropertyListBudget
  ) throws(PropertyListError) -> PropertyListValue {
    var value = values[reference]  // all references are created here
    if isArchive, case .dictionary(let fields) = value { value = uid(fields) ?? value }
    try budget.pay(value.cost)
    return value
  }

  private mutating func start(_ name: String, _ isEmpty: Bool, _ scanner: inout XMLScanner) throws(PropertyListError) {
    switch name {
    case "array", "dict":
      open.append(Open(element: name))
      if isEmpty { try end(name) }
    case "key":
      let key = isEmpty ? "" : try scanner.content(of: name)
      // Outside of dictionaries, a key is text, as in Foundation.
      guard let last = open.last, last.element == "dict" else { return try add(.string(key)) }
      guard last.key == nil else { throw PropertyListError("a key follows a key") }
      open[open.count - 1].key = key
    case _ where XMLPropertyList.elements.contains(name) && name != "plist":
      try add(try scalar(name, isEmpty ? "" : try scanner.content(of: name)))
    default: throw PropertyListError("it has an unknown element \(name.prefix(80).quoted)")
    }
  }

  private mutating func end(_ name: String) throws(PropertyListError) {
    guard let last = open.popLast(), last.element == name else {
      throw PropertyListError("unexpected closing tag \(name.prefix(80).quoted)")
    }
    if let key = last.key { throw PropertyListError("the key \(key.prefix(80).quoted) has no value") }
    try add(name == "dict" ? .dictionary(last.fields) : .array(last.elements))
  }

  /// Returns the reference that a dictionary represents, or `nil` if it is a plain dictionary.
  private func uid(_ fields: PropertyListDictionary) -> PropertyListValue? {
    guard fields.fields.count == 1, let number = fields["CF$UID"], case .integer(let value) = values[number] else {
      return nil
    }
    return UInt64(exactly: value).map { .uid($0) }
  }

  private mutating func add(_ value: PropertyListValue) throws(PropertyListError) {
    let reference = values.count
    values.append(value)
    guard !open.isEmpty else {
      guard !hasRoot else { throw PropertyListError("it has more than one top-level value") }
      hasRoot = true
      root = reference
      return
    }
    let index = open.count - 1
    if open[index].element == "array" {
      open[index].elements.append(reference)
    } else if let key = open[index].key {
      open[index].key = nil
      try open[index].fields.append(key, reference)
    } else {
      throw PropertyListError("a value in a dictionary has no key")
    }
  }

  private func scalar(_ name: String, _ text: String) throws(PropertyListError) -> PropertyListValue {
    let value: PropertyListValue?
    switch name {
    case "true": value = text.isEmpty ? .bool(true) : nil
    case "false": value = text.isEmpty ? .bool(false) : nil
    case "string": value = .string(text)
    case "integer": value = integer(trimmed(text)).map { .integer($0) }
    case "real": value = real(trimmed(text)).map { .real($0) }
    case "date": value = date(trimmed(text)).map { .date($0) }
    case "data": value = Data(base64Encoded: text.filter { !$0.isWhitespace }).map { .data($0) }
    default: value = nil
    }
    guard let value else {
      throw PropertyListError("\(text.prefix(80).quoted) is not a valid \(name.quoted) value")
    }
    return value
  }

  private func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Returns an integer in decimal digits or, with the prefix `0x`, in hexadecimal ones. A space may follow its sign.
  private func integer(_ text: String) -> Int128? {
    let sign = text.utf8.first == UInt8(ascii: "-") ? "-" : ""
    let unsigned = trimmed(String(text.drop { "+-".contains($0) }))
    guard text.prefix(while: { "+-".contains($0) }).utf8.count < 2 else { return nil }
    let isHexadecimal = unsigned.lowercased().hasPrefix("0x")
    let digits = isHexadecimal ? unsigned.dropFirst(2) : unsigned[...]
    // Swift would accept a second sign.
    guard let first = digits.utf8.first, first.hexadecimalValue != nil else { return nil }
    return Int128(sign + digits, radix: isHexadecimal ? 16 : 10)
  }

  private func real(_ text: String) -> Double? {
    // `Double` accepts "nan", "inf" and "infinity" in any case, as property lists do, but also hexadecimal digits.
    text.lowercased().contains("x") ? nil : Double(text)
  }

  /// Returns a date from the only form that property lists have, which has no fractions of a second.
  ///
  /// The date is read as by Foundation: in the Gregorian calendar, also before 1582, unlike in Foundation's ISO 8601
  /// styles; and days, hours, minutes and seconds that are too large continue into the next month, day and so on.
  /// Months beyond the 13th, which Foundation reads as January, are refused, and so are years that it misreads.
  private func date(_ text: String) -> Date? {
    var rest = text.utf8[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    func number(_ count: ClosedRange<Int>, before mark: Unicode.Scalar) -> Int64? {
      let digits = rest.prefix(while: \.isDigit)
      rest = rest.dropFirst(digits.count)
      guard count ~= digits.count, rest.popFirst() == UInt8(ascii: mark) else { return nil }
      return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    guard let year = number(1...9, before: "-"), let month = number(2...2, before: "-"), 1...13 ~= month,
      let day = number(2...2, before: "T"), let hour = number(2...2, before: ":"),
      let minute = number(2...2, before: ":"), let second = number(2...2, before: "Z"), rest.isEmpty
    else { return nil }
    let days = XMLPropertyList.days(beforeMonth: month, of: isNegative ? -year : year) + day - 1
    return Date(timeIntervalSinceReferenceDate: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
  }

  /// Returns the days from the beginning of 2001 to that of a month. The 13th month is the first of the next year.
  private static func days(beforeMonth month: Int64, of year: Int64) -> Int64 {
    func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
      number >= 0 ? number / divisor : (number + 1) / divisor - 1
    }
    // Years that begin in March have their leap day at their end.
    let marchYear = month > 2 ? year : year - 1
    let months = (month + 9) % 12
    let days = 365 * marchYear + quotient(marchYear, 4) - quotient(marchYear, 100) + quotient(marchYear, 400)
    let daysOfMonths = (153 * months + 2) / 5
    // There are 730,791 days from 1 March of the year 0 to the beginning of 2001.
    return days + daysOfMonths - 730_791
  }
}
