import KeyedArchive

/// One line of the tree: a value with its type and its text or number of values.
struct ValueNode {
  /// The stored name of the type, or else the type that the stored form represents.
  var type = ""
  /// The version of the type, which is 1 if none is stored.
  var version: Int64 = 1
  /// The number of the value as a shared instance.
  var instance: Int?
  var content: Content

  enum Content {
    case text(String)
    /// The beginning of a long text or of long data, and its total number of bytes.
    case beginning(String, byteCount: Int, Place)
    case parts(count: Int, Place)
  }

  /// The place that a line opens.
  enum Place {
    /// An array or a map, by the cursor of its head.
    case container(CBORCursor)
    /// A typed array, by the cursor of its tag.
    case numbers(CBORCursor)
    /// A string, by the cursor of its head, or of the tag of a reference.
    case string(CBORCursor)
  }

  /// The length in bytes above which only the beginning of a text or of data is shown.
  static let longString = 2_000
  /// The number of nested tags above which a value is not shown.
  private static let mostTags = 10_000

  init(_ values: inout ValueReader, at cursor: CBORCursor) throws(ValueFailure) {
    var names = Names()
    var item = try values.item(at: cursor)
    // The outermost name is the type that the program uses.
    for _ in 0..<ValueNode.mostTags {
      names.instance = names.instance ?? item.instance
      if let leaf = try ValueNode.leaf(item, &values) {
        self.init(leaf, names)
        return
      }
      if let named = try values.named(item) {
        if names.type == nil { (names.type, names.version) = (named.name, named.version) }
        item = try values.item(at: named.content)
      } else {
        if names.type == nil { names.type = "tag \(item.head.argument)" }
        item = try values.item(at: values.content(of: item))
      }
    }
    throw ValueFailure("more than \(ValueNode.mostTags) tags around one value")
  }

  private struct Names {
    var type: String?
    var version: Int64 = 1
    var instance: Int?
  }

  private struct Leaf {
    var type: String
    var content: Content
  }

  private init(_ leaf: Leaf, _ names: Names) {
    type = names.type ?? leaf.type
    version = names.version
    instance = names.instance
    content = leaf.content
  }

  /// Returns `nil` for a tag that contains another value.
  private static func leaf(_ item: FoundItem, _ values: inout ValueReader) throws(ValueFailure) -> Leaf? {
    switch item.head.major {
    case .unsigned, .negative:
      let isInt = item.head.argument <= UInt64(Int64.max)
      let type = isInt ? "Int" : item.head.major == .unsigned ? "UInt" : "integer"
      return Leaf(type: type, content: .text(try values.integerDigits(item) ?? ""))
    case .bytes, .text: return try string(item, &values)
    case .array, .map:
      let count = Int(try values.container(at: item.cursor, item.head).count)
      return Leaf(
        type: item.head.major == .map ? "Dictionary" : "Array",
        content: .parts(count: count, .container(item.cursor)))
    case .simple:
      let text = ValueText.simple(item.head, values.reader)
      return Leaf(type: simpleType(item.head, values.reader), content: .text(text))
    case .tag: return try tagged(item, &values)
    }
  }

  private static func simpleType(_ head: CBORHead, _ reader: CBORReader) -> String {
    if reader.float(head) != nil { return "Double" }
    switch head.argument {
    case CBORSimple.falseValue where head.info < 24, CBORSimple.trueValue where head.info < 24: return "Bool"
    case CBORSimple.null where head.info < 24: return "nil"
    default: return "simple value"
    }
  }

  private static func string(_ item: FoundItem, _ values: inout ValueReader) throws(ValueFailure) -> Leaf? {
    guard let (isText, bytes) = try values.string(item) else { return nil }
    let content: Content = values.withBytes(bytes) { bytes in
      let text = ValueText.string(bytes.prefix(longString), isText: isText)
      return bytes.count <= longString
        ? .text(text) : .beginning(text, byteCount: bytes.count, .string(item.cursor))
    }
    return Leaf(type: isText ? "String" : "Data", content: content)
  }

  private static func tagged(_ item: FoundItem, _ values: inout ValueReader) throws(ValueFailure) -> Leaf? {
    switch item.head.argument {
    case CBORTag.stringReference: return try string(item, &values)
    case CBORTag.positiveBigInteger, CBORTag.negativeBigInteger:
      return try values.integerDigits(item).map { Leaf(type: "integer", content: .text($0)) }
    case CBORTag.decimalFraction:
      return try values.decimal(item).map {
        Leaf(type: "Decimal", content: .text(ValueText.decimal($0.digits, exponent: $0.exponent)))
      }
    case CBORTag.date:
      return try values.unixSeconds(item).map { Leaf(type: "Date", content: .text(ValueText.date($0))) }
    case CBORTag.url:
      let content = try values.item(at: values.content(of: item))
      guard let leaf = try string(content, &values), leaf.type == "String" else { return nil }
      return Leaf(type: "URL", content: leaf.content)
    case CBORTag.uuid:
      guard let bytes = try values.byteString(values.item(at: values.content(of: item))) else { return nil }
      let text = values.withBytes(bytes) { $0.count == 16 ? ValueText.uuid($0) : nil }
      return text.map { Leaf(type: "UUID", content: .text($0)) }
    case CBORTag.set:
      guard let array = try values.set(item) else { return nil }
      let count = Int(try values.container(at: array.cursor, array.head).count)
      return Leaf(type: "Set", content: .parts(count: count, .container(array.cursor)))
    default:
      guard let (format, bytes) = try values.numbers(item) else { return nil }
      let count = values.withBytes(bytes) { $0.count / format.width }
      return Leaf(type: "[\(format.elementName)]", content: .parts(count: count, .numbers(item.cursor)))
    }
  }
}

extension ValueText {
  /// Returns text, or hexadecimal digits for other bytes. If a text ends within a character, the rest of the character
  /// is replaced.
  static func string(_ bytes: some Collection<UInt8>, isText: Bool) -> String {
    if isText { return String(decoding: bytes, as: UTF8.self) }
    let digits = ByteBuffer(capacity: 2 * bytes.count)
    Array(bytes).withUnsafeBytes { digits.appendHexadecimal($0) }
    return digits.text
  }

  static func uuid(_ bytes: UnsafeRawBufferPointer) -> String {
    let text = ByteBuffer(capacity: 36)
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
      text.appendHexadecimal(byte, letters: UInt8(ascii: "A"))
    }
    return text.text
  }

  /// Returns a decimal number with all its digits, or with an exponent instead of many zeros.
  static func decimal(_ digits: String, exponent: Int) -> String {
    guard (-40...40).contains(exponent) else { return "\(digits)e\(exponent)" }
    let isNegative = digits.utf8.first == UInt8(ascii: "-")
    var magnitude = Array(digits.utf8.dropFirst(isNegative ? 1 : 0))
    let zero = UInt8(ascii: "0")
    if exponent >= 0 {
      if magnitude != [zero] { magnitude += [UInt8](repeating: zero, count: exponent) }
    } else {
      let missing = max(0, 1 - exponent - magnitude.count)
      magnitude = [UInt8](repeating: zero, count: missing) + magnitude
      magnitude.insert(UInt8(ascii: "."), at: magnitude.count + exponent)
    }
    return (isNegative ? "-" : "") + String(decoding: magnitude, as: UTF8.self)
  }

  /// Returns a date of the years 1 to 9999 in the form of ISO 8601, in UTC, with up to nine digits after the seconds.
  /// The calendar is Gregorian for all years.
  static func date(_ seconds: Double) -> String {
    var whole = Int64(seconds.rounded(.down))
    var nanoseconds = Int64(((seconds - Double(whole)) * 1e9 + 0.5).rounded(.down))
    if nanoseconds == 1_000_000_000 { (whole, nanoseconds) = (whole + 1, 0) }
    let dayOfEpoch = (whole >= 0 ? whole : whole - 86_399) / 86_400
    let second = whole - dayOfEpoch * 86_400
    let (year, month, day) = civilDate(dayOfEpoch)
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
    text += "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if nanoseconds > 0 {
      var (fraction, width) = (nanoseconds, 9)
      while fraction.isMultiple(of: 10) { (fraction, width) = (fraction / 10, width - 1) }
      text += ".\(padded(fraction, width))"
    }
    return text + "Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
  private static func civilDate(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
