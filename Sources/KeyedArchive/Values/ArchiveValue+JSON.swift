import FoundationCore

extension ArchiveValue {
  /// The value as JSON text that keeps every number exact.
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
  package func append(json value: ArchiveValue) {
    value.withDeepStack { write(json: value) }
  }

  package func append(text: String) {
    appendQuoted(text, style.textEscapes)
  }

  package func append(name: String) {
    appendQuoted(name, style.nameEscapes)
  }

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
