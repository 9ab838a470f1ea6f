import Foundation

/// Writes JSON text in pieces.
///
/// Foundation's encoder is not used because it writes numbers as doubles, sorts fields or not but never keeps their order, and
/// has all of the text in memory.
package struct JSONWriter<Failure: Error> {
  package var stream: TextStream<Failure>
  private let style: JSONStyle
  private var indentation: Int

  /// A writer whose pieces of text a function gets, or without one a writer that collects them.
  package init(_ style: JSONStyle, write: (([UInt8]) throws(Failure) -> Void)? = nil) {
    stream = TextStream(write: write)
    self.style = style
    indentation = style.indentation
  }

  /// Appends a value, however deeply it is nested.
  package mutating func append(_ value: ArchiveValue) throws(Failure) {
    try value.withDeepStack { () throws(Failure) in try write(value) }
  }

  /// Appends a text in quotes.
  package mutating func append(text: String) throws(Failure) {
    try stream.appendQuoted(text, style.textEscapes)
  }

  /// Appends a name in quotes.
  package mutating func append(name: String) throws(Failure) {
    try stream.appendQuoted(name, style.nameEscapes)
  }

  /// Appends a key of a map whose keys are not all text.
  package mutating func append(nameOf key: ArchiveValue) throws(Failure) {
    if let name = key.string, !ArchiveValue.couldBeNotation(name) { return try append(name: name) }
    try stream.append("\"")
    stream.isInQuotes = true
    try stream.appendNotation(of: key, style.textEscapes)
    stream.isInQuotes = false
    try stream.append("\"")
  }

  // MARK: Values

  private mutating func write(_ value: ArchiveValue) throws(Failure) {
    switch value {
    case .array(let elements), .set(let elements): try write(elements)
    case .numbers: try write(value.array ?? [])
    case .object(let object): try write(object)
    case .map(let pairs): try write(pairs)
    case .named(_, _, let value), .tagged(_, let value): try write(value)
    default: try writeScalar(value)
    }
  }

  private mutating func write(_ elements: [ArchiveValue]) throws(Failure) {
    try stream.append("[")
    indentation += 1
    var isFirst = true
    for element in elements {
      try begin(isFirst)
      isFirst = false
      try write(element)
    }
    try end("]", isEmpty: isFirst)
  }

  private mutating func write(_ object: ArchiveObject) throws(Failure) {
    try stream.append("{")
    indentation += 1
    var isFirst = true
    for field in object.fields {
      try begin(isFirst)
      isFirst = false
      try append(name: field.name)
      try stream.append(style.isPretty ? ": " : ":")
      try write(field.value)
    }
    try end("}", isEmpty: isFirst)
  }

  private mutating func write(_ pairs: [ArchiveValue.Pair]) throws(Failure) {
    try stream.append("{")
    indentation += 1
    var isFirst = true
    for pair in pairs {
      try begin(isFirst)
      isFirst = false
      try append(nameOf: pair.key)
      try stream.append(style.isPretty ? ": " : ":")
      try write(pair.value)
    }
    try end("}", isEmpty: isFirst)
  }

  private mutating func begin(_ isFirst: Bool) throws(Failure) {
    if !isFirst { try stream.append(",") }
    try breakLine()
  }

  private mutating func end(_ bracket: String, isEmpty: Bool) throws(Failure) {
    indentation -= 1
    if !isEmpty { try breakLine() }
    try stream.append(bracket)
  }

  private mutating func breakLine() throws(Failure) {
    if style.isPretty { try stream.append("\n" + String(repeating: "  ", count: indentation)) }
  }

  // MARK: Scalars

  private mutating func writeScalar(_ value: ArchiveValue) throws(Failure) {
    switch value {
    case .bool(let value): try stream.append(value ? "true" : "false")
    case .int(let value): try stream.append(String(value))
    case .uint(let value): try stream.append(String(value))
    case .bigInteger(_, let magnitude) where magnitude.count > ArchiveValue.longestDecimalInteger:
      try append(text: value.diagnostic)
    case .bigInteger(let isNegative, let magnitude):
      try stream.append(ArchiveValue.digits(isNegative: isNegative, magnitude: magnitude))
    case .double(let value): try write(value)
    case .decimal(let value) where value.isNaN: try append(text: "NaN")
    case .decimal(let value): try stream.append(value.description)
    case .string(let value): try append(text: value)
    case .data(let value): try append(text: value.base64EncodedString())
    case .date(let value):
      if let text = value.exactText { try append(text: text) } else { try write(value.timeIntervalSinceReferenceDate) }
    case .uuid(let value): try append(text: value.uuidString)
    case .url(let value): try append(text: value.absoluteString)
    default: try stream.append("null")
    }
  }

  private mutating func write(_ value: Double) throws(Failure) {
    if value.isFinite {
      try stream.append(value.description)
    } else {
      try append(text: value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }
  }
}

extension ArchiveValue {
  /// Whether a text could be the diagnostic notation of a value that is no text, or of one.
  ///
  /// Beside keys that are no text, it is written in this notation itself, so that no two keys of a map look alike.
  static func couldBeNotation(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    return UInt8(ascii: "0")...UInt8(ascii: "9") ~= first || #"-[{""#.utf8.contains(first) || text.hasPrefix("h'")
      || text.hasPrefix("simple(") || ["true", "false", "null", "undefined", "NaN", "Infinity"].contains(text)
  }

  /// The name of a key of a map whose keys are not all text.
  static func name(ofKey key: ArchiveValue) -> String {
    if let name = key.string, !couldBeNotation(name) { return name }
    return key.diagnostic
  }
}
