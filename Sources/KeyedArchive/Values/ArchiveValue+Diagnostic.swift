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

  // No function here takes a closure. For each closure the compiler would copy the function and all that it calls.

  /// Appends a value in CBOR diagnostic notation. The caller must provide a large enough stack.
  @inline(never)
  func write(notation value: ArchiveValue) {
    switch value {
    case .array(let elements): write(list: elements)
    case .set(let elements):
      append("258(")
      write(list: elements)
      append(")")
    case .object(let object):
      if let tag = object.tag { append(startOf: tag) }
      write(fieldsOf: object)
      if object.tag != nil { append(endOfVersion: object.version) }
    case .named(let tag, let version, let value):
      append(startOf: tag)
      write(notation: value)
      append(endOfVersion: version)
    case .map(let pairs):
      append("{")
      for index in pairs.indices where !hasFailed {
        if index > 0 { append(", ") }
        write(notation: pairs[index].key)
        append(": ")
        write(notation: pairs[index].value)
      }
      append("}")
    case .tagged(let tag, let value):
      append("\(tag)(")
      write(notation: value)
      append(")")
    case .string(let text): appendQuoted(text, style.textEscapes)
    case .url(let url): write(url)
    default: append(ArchiveValue.scalarNotation(value))
    }
  }

  @inline(never)
  private func write(list elements: [ArchiveValue]) {
    append("[")
    for index in elements.indices where !hasFailed {
      if index > 0 { append(", ") }
      write(notation: elements[index])
    }
    append("]")
  }

  @inline(never)
  private func write(fieldsOf object: ArchiveObject) {
    let fields = object.fields
    append("{")
    for index in fields.indices where !hasFailed {
      if index > 0 { append(", ") }
      appendQuoted(fields[index].name, style.textEscapes)
      append(": ")
      write(notation: fields[index].value)
    }
    append("}")
  }

  @inline(never)
  private func write(_ url: URL) {
    guard let base = url.baseURL else {
      append("\(CBORTag.url)(")
      appendQuoted(url.relativeString, style.textEscapes)
      return append(")")
    }
    append(startOf: "URL")
    append("[")
    appendQuoted(url.relativeString, style.textEscapes)
    append(", ")
    write(base)
    append("]")
    append(endOfVersion: 1)
  }

  @inline(never)
  private func append(startOf name: ArchiveTag) {
    append("27([")
    appendQuoted(name.name, style.textEscapes)
    append(", ")
  }

  @inline(never)
  private func append(endOfVersion version: Int) {
    append(version > 1 ? ", \(version)])" : "])")
  }
}

extension ArchiveValue {
  /// The greatest size, in bytes, of the magnitude of an integer that is written in decimal digits.
  static var longestDecimalInteger: Int { 1024 }

  /// Returns whether a text could be diagnostic notation. As a key among keys that are not text, such a text is itself
  /// written as notation, so that no two keys of a map look alike.
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
