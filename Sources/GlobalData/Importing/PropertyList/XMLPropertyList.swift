import Foundation

/// An XML property list.
///
/// Foundation's own readers are not used: they hide the references of `NSKeyedArchiver`, which in XML are dictionaries
/// with the one key `CF$UID`, or treat them differently from platform to platform.
///
/// Elements are read in one loop, however deeply they are nested.
struct XMLPropertyList: PropertyListFormat {
  private(set) var root: PropertyListValue.Reference = 0
  private var values: [PropertyListValue] = []

  /// An array or dictionary whose end is not reached yet.
  private struct Open {
    let element: String
    var elements: [PropertyListValue.Reference] = []
    var fields = PropertyListDictionary()
    var key: String?
  }

  private var open: [Open] = []
  private var hasRoot = false

  init(_ data: Data) throws(PropertyListError) {
    var scanner = try XMLScanner(data)
    do {
      try read(&scanner)
    } catch {
      throw PropertyListError("\(error), in line \(scanner.line)")
    }
  }

  private mutating func read(_ scanner: inout XMLScanner) throws(PropertyListError) {
    guard case .start("plist", let isEmpty) = try scanner.nextBehindSpace(), !isEmpty else {
      throw PropertyListError("it is neither a binary nor an XML property list")
    }
    while true {
      switch try scanner.next() {
      case .start(let name, let isEmpty): try start(name, isEmpty, &scanner)
      case .end("plist") where open.isEmpty:
        guard hasRoot else { throw PropertyListError("it is empty") }
        guard try scanner.nextBehindSpace() == .endOfText else {
          throw PropertyListError("something stands behind its end")
        }
        return
      case .end(let name): try end(name)
      case .text(let text):
        guard text.allSatisfy(\.isWhitespace) else { throw PropertyListError("text stands between its elements") }
      case .endOfText: throw PropertyListError("it is cut short")
      }
    }
  }

  func value(
    at reference: PropertyListValue.Reference, _ budget: inout PropertyListBudget
  ) throws(PropertyListError) -> PropertyListValue {
    let value = values[reference]  // every reference is one that was made here
    try budget.pay(value.cost)
    return value
  }

  private mutating func start(
    _ name: String, _ isEmpty: Bool, _ scanner: inout XMLScanner
  ) throws(PropertyListError) {
    switch name {
    case "array", "dict":
      open.append(Open(element: name))
      if isEmpty { try end(name) }
    case "key":
      let key = isEmpty ? "" : try scanner.content(of: name)
      guard let last = open.last, last.element == "dict", last.key == nil else {
        throw PropertyListError("a key stands where there is none")
      }
      open[open.count - 1].key = key
    default:
      try add(try scalar(name, isEmpty ? "" : try scanner.content(of: name)))
    }
  }

  private mutating func end(_ name: String) throws(PropertyListError) {
    guard let last = open.popLast(), last.element == name, last.key == nil else {
      throw PropertyListError("the end of \(name.prefix(80).quoted) stands where there is none")
    }
    guard name == "dict" else { return try add(.array(last.elements)) }
    try add(uid(last.fields) ?? .dictionary(last.fields))
  }

  /// The reference that a dictionary stands for, or `nil` when it is a dictionary.
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
      guard !hasRoot else { throw PropertyListError("it has more than one outermost value") }
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
    default: throw PropertyListError("it has an unknown element \(name.prefix(80).quoted)")
    }
    guard let value else {
      throw PropertyListError("\(text.prefix(80).quoted) is none of the values of \(name.quoted)")
    }
    return value
  }

  private func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// An integer in decimal or, with `0x` before it, hexadecimal digits.
  private func integer(_ text: String) -> Int128? {
    let sign = text.prefix { $0 == "-" || $0 == "+" }
    let digits = text.dropFirst(sign.count)
    guard digits.lowercased().hasPrefix("0x") else { return Int128(text) }
    guard sign.count < 2, let magnitude = Int128(digits.dropFirst(2), radix: 16), magnitude >= 0 else { return nil }
    return sign == "-" ? -magnitude : magnitude
  }

  private func real(_ text: String) -> Double? {
    // Double takes "nan", "inf" and "infinity" in any case, with a sign; and hexadecimal digits, which are no property list.
    text.lowercased().contains("x") ? nil : Double(text)
  }

  /// A point in time in the one form that property lists have, which has no fractions of a second.
  private func date(_ text: String) -> Date? {
    let style = Date.ISO8601FormatStyle()
    // `nil` is its error. It takes the 30th of February for the 2nd of March, and passes over what stands behind a date.
    guard let date = try? style.parse(text), style.format(date) == text else { return nil }
    return date
  }
}
