import FoundationCore

extension ArchiveValue: CustomStringConvertible {
  /// The value in CBOR diagnostic notation, which shows every tag.
  ///
  /// Source: RFC 8949, section 8.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  public var diagnostic: String {
    let writer = TextWriter()
    writer.append(notation: self)
    return writer.collected
  }

  /// The value in CBOR diagnostic notation.
  public var description: String { diagnostic }
}

extension TextWriter {
  /// Appends a value in CBOR diagnostic notation, however deeply it is nested.
  package func append(notation value: ArchiveValue) {
    value.withDeepStack { write(notation: value) }
  }

  /// Appends a value in CBOR diagnostic notation; its caller sees to the stack.
  func write(notation value: ArchiveValue) {
    switch value {
    case .array(let elements): writeList("[", "]", count: elements.count) { write(notation: elements[$0]) }
    case .set(let elements):
      write(tag: 258) { writeList("[", "]", count: elements.count) { write(notation: elements[$0]) } }
    case .object(let object):
      guard let tag = object.tag else { return write(fieldsOf: object) }
      write(name: tag, version: object.version) { write(fieldsOf: object) }
    case .named(let tag, let version, let value): write(name: tag, version: version) { write(notation: value) }
    case .map(let pairs):
      writeList("{", "}", count: pairs.count) {
        write(notation: pairs[$0].key)
        append(": ")
        write(notation: pairs[$0].value)
      }
    case .tagged(let tag, let value): write(tag: tag) { write(notation: value) }
    case .string(let text): appendQuoted(text, style.textEscapes)
    case .url(let url): write(url)
    default: append(ArchiveValue.scalarNotation(value))
    }
  }

  private func write(fieldsOf object: ArchiveObject) {
    writeList("{", "}", count: object.fields.count) {
      appendQuoted(object.fields[$0].name, style.textEscapes)
      append(": ")
      write(notation: object.fields[$0].value)
    }
  }

  private func writeList(_ start: String, _ end: String, count: Int, _ writeElement: (Int) -> Void) {
    append(start)
    for index in 0..<count where !hasFailed {
      if index > 0 { append(", ") }
      writeElement(index)
    }
    append(end)
  }

  private func write(_ url: URL) {
    guard let base = url.baseURL else {
      return write(tag: CBORTag.url) { appendQuoted(url.relativeString, style.textEscapes) }
    }
    write(name: "URL", version: 1) {
      append("[")
      appendQuoted(url.relativeString, style.textEscapes)
      append(", ")
      write(base)
      append("]")
    }
  }

  private func write(tag: UInt64, _ writeContent: () -> Void) {
    append("\(tag)(")
    writeContent()
    append(")")
  }

  private func write(name: ArchiveTag, version: Int, _ writeContent: () -> Void) {
    append("27([")
    appendQuoted(name.name, style.textEscapes)
    append(", ")
    writeContent()
    append(version > 1 ? ", \(version)])" : "])")
  }
}

extension ArchiveValue {
  /// The greatest magnitude of an integer that is written in decimal digits, in bytes.
  static var longestDecimalInteger: Int { 1024 }

  /// Whether a text could be diagnostic notation. Beside keys that are no text it is then written as notation itself,
  /// so that no two keys of a map look alike.
  static func couldBeNotation(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    return UInt8(ascii: "0")...UInt8(ascii: "9") ~= first || #"-[{""#.utf8.contains(first) || text.hasPrefix("h'")
      || text.hasPrefix("simple(") || ["true", "false", "null", "undefined", "NaN", "Infinity"].contains(text)
  }

  fileprivate static func scalarNotation(_ value: ArchiveValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .bigInteger(let isNegative, let magnitude):
      magnitude.count > longestDecimalInteger
        ? "\(isNegative ? 3 : 2)(\(notation(magnitude)))"
        : BigInteger(isNegative: isNegative, magnitude: magnitude).digits
    case .double(let value): notation(value)
    case .decimal(let value):
      value.isNaN ? "27([\"Decimal\", \"NaN\"])" : "4([\(value.exponent), \(significand(value))])"
    case .data(let value): notation(value)
    case .date(let value): notation(value)
    case .uuid(let value): "37(\(notation(withUnsafeBytes(of: value.uuid) { Data($0) })))"
    case .numbers(let tag, let bytes): "\(tag)(\(notation(bytes)))"
    case .simple(let value): "simple(\(value))"
    default: "undefined"
    }
  }

  private static func significand(_ value: Decimal) -> String {
    (value.isSignMinus ? "-" : "") + value.significand.magnitude.description
  }

  private static func notation(_ data: Data) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return "h'" + String(decoding: data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }, as: UTF8.self) + "'"
  }

  static func notation(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
    return value.description
  }

  private static func notation(_ date: Date) -> String {
    guard let seconds = date.exactUnixSeconds else {
      return "27([\"Date\", \(notation(date.timeIntervalSinceReferenceDate))])"
    }
    return "1(\(Int64(exactly: seconds).map(String.init) ?? notation(seconds)))"
  }
}
