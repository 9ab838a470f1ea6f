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
  private func write(notation value: ArchiveValue) {
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
  private func append(endOfVersion version: Int) { append(version > 1 ? ", \(version)])" : "])") }
}

extension ArchiveValue {
  /// The greatest size, in bytes, of the magnitude of an integer that is written in decimal digits.
  fileprivate static var longestDecimalInteger: Int { 1024 }

  /// Returns whether a text could be diagnostic notation. As a key among keys that are not text, such a text is itself
  /// written as notation, so that no two keys of a map look alike.
  static func couldBeNotation(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    return first.isDigit || #"-[{""#.utf8.contains(first) || text.hasPrefix("h'")
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
    return "h'" + String(decoding: data.flatMap { [digits[Int($0 &>> 4)], digits[Int($0 & 0xf)]] }, as: UTF8.self) + "'"
  }

  fileprivate static func notation(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
    return value.description
  }

  private static func notation(_ date: Date) -> String {
    guard let seconds = date.exactUnixSeconds else {
      return "27([\"Date\", \(notation(date.timeIntervalSinceReferenceDate))])"
    }
    return "1(\(Int64(exactly: seconds).map(String.init) ?? notation(seconds)))"
  }

  /// Returns the value as JSON text that keeps every number exact.
  ///
  /// JSON has fewer kinds of values than an archive. Data becomes base64. A date becomes ISO 8601 text in UTC, with
  /// three, six or nine digits for a fraction of a second, as many as are needed to restore the same date. Foundation
  /// reads this text. As in Foundation, dates before 15 October 1582 are those of the Julian calendar. A date outside
  /// the years 1 to 9999 becomes the number of seconds since the beginning of 2001. So does a date that needs more
  /// digits, as some within 98 days of the beginning of 2001 do. UUIDs, URLs and numbers that are not finite become
  /// text. A key that is not text becomes text in diagnostic notation. Tags and versions are left out. Integers and
  /// decimals are written with all their digits. Only an integer of more than 1,024 bytes becomes text in CBOR
  /// diagnostic notation, because the time to compute its decimal digits grows with the square of its length.
  ///
  /// - Parameter isPretty: Whether to write each element on its own line, indented by two spaces.
  /// - Returns: JSON text as defined by RFC 8259.
  /// - Complexity: O(*n*) in the length of the text.
  public func json(isPretty: Bool = false) -> String {
    let writer = TextWriter(JSONStyle(isPretty: isPretty))
    writer.append(json: self)
    return writer.collected
  }
}

// No type is declared here, so that the linker can leave the file out of a program that writes no JSON.
extension TextWriter {
  /// Appends a value as JSON, however deeply it is nested.
  package func append(json value: ArchiveValue) { value.withDeepStack { write(json: value) } }

  package func append(text: String) { appendQuoted(text, style.textEscapes) }

  package func append(name: String) { appendQuoted(name, style.nameEscapes) }

  /// Appends a key of a map whose keys are not all text.
  package func append(nameOf key: ArchiveValue) {
    if let name = key.string, !ArchiveValue.couldBeNotation(name) { return append(name: name) }
    append("\"")
    isInQuotes = true
    write(notation: key)
    isInQuotes = false
    append("\"")
  }

  // MARK: Values

  private func write(json value: ArchiveValue) {
    switch value {
    case .array, .set, .numbers:
      let elements = value.array ?? []
      writeList("[", "]", count: elements.count) { write(json: elements[$0]) }
    case .object(let object):
      writeList("{", "}", count: object.fields.count) {
        append(name: object.fields[$0].name)
        append(style.isPretty ? ": " : ":")
        write(json: object.fields[$0].value)
      }
    case .map(let pairs):
      writeList("{", "}", count: pairs.count) {
        append(nameOf: pairs[$0].key)
        append(style.isPretty ? ": " : ":")
        write(json: pairs[$0].value)
      }
    case .named(_, _, let value), .tagged(_, let value): write(json: value)
    default: write(scalar: value)
    }
  }

  private func writeList(_ start: String, _ end: String, count: Int, _ writeElement: (Int) -> Void) {
    append(start)
    indentation += 1
    for index in 0..<count where !hasFailed {
      if index > 0 { append(",") }
      breakLine()
      writeElement(index)
    }
    indentation -= 1
    if count > 0 { breakLine() }
    append(end)
  }

  private func breakLine() {
    if style.isPretty { append("\n" + String(repeating: "  ", count: indentation)) }
  }

  private func write(scalar value: ArchiveValue) {
    switch value {
    case .bool(let value): append(value ? "true" : "false")
    case .int(let value): append(String(value))
    case .uint(let value): append(String(value))
    case .bigInteger(_, let magnitude) where magnitude.count > ArchiveValue.longestDecimalInteger:
      append(text: value.diagnostic)
    case .bigInteger(let isNegative, let magnitude):
      append(BigInteger(isNegative: isNegative, magnitude: magnitude).digits)
    case .double(let value): write(number: value)
    case .decimal(let value): value.isNaN ? append(text: "NaN") : append(value.description)
    case .string(let value): append(text: value)
    case .data(let value): append(text: value.base64EncodedString())
    case .date(let value):
      if let text = value.exactText { append(text: text) } else { write(number: value.timeIntervalSinceReferenceDate) }
    case .uuid(let value): append(text: value.uuidString)
    case .url(let value): append(text: value.absoluteString)
    default: append("null")
    }
  }

  private func write(number: Double) {
    let text = ArchiveValue.notation(number)
    number.isFinite ? append(text) : append(text: text)
  }
}
