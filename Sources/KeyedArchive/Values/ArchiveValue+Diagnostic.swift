import Foundation

extension ArchiveValue: CustomStringConvertible {
  /// The value in CBOR diagnostic notation, which shows every tag.
  ///
  /// Source: RFC 8949, section 8.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  public var diagnostic: String {
    var stream = TextStream<Never>()
    withDeepStack { stream.appendNotation(of: self, .required) }
    return stream.collected
  }

  /// The value in CBOR diagnostic notation.
  public var description: String { diagnostic }

  /// Writes the value in CBOR diagnostic notation, in pieces.
  package func writeDiagnostic<Failure: Error>(
    _ escapes: JSONStyle.Escapes, to write: @escaping ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var stream = TextStream(write: write)
    try withDeepStack { () throws(Failure) in try stream.appendNotation(of: self, escapes) }
    try stream.finish()
  }
}

extension TextStream {
  /// Appends a value in CBOR diagnostic notation; its caller sees to the stack.
  mutating func appendNotation(of value: ArchiveValue, _ escapes: JSONStyle.Escapes) throws(Failure) {
    switch value {
    case .array(let elements): try append(elements, escapes)
    case .set(let elements):
      try append("258(")
      try append(elements, escapes)
      try append(")")
    case .object(let object): try append(object, escapes)
    case .named(let tag, let version, let value):
      try begin(tag, escapes)
      try appendNotation(of: value, escapes)
      try end(version)
    case .map(let pairs): try append(pairs, escapes)
    case .tagged(let tag, let value):
      try append("\(tag)(")
      try appendNotation(of: value, escapes)
      try append(")")
    case .string(let text): try appendQuoted(text, escapes)
    case .url(let url): try append(url, escapes)
    default: try append(ArchiveValue.scalarNotation(value))
    }
  }

  private mutating func append(_ elements: [ArchiveValue], _ escapes: JSONStyle.Escapes) throws(Failure) {
    try append("[")
    var isFirst = true
    for element in elements {
      if !isFirst { try append(", ") }
      isFirst = false
      try appendNotation(of: element, escapes)
    }
    try append("]")
  }

  private mutating func append(_ object: ArchiveObject, _ escapes: JSONStyle.Escapes) throws(Failure) {
    if let tag = object.tag { try begin(tag, escapes) }
    try append("{")
    var isFirst = true
    for field in object.fields {
      if !isFirst { try append(", ") }
      isFirst = false
      try appendQuoted(field.name, escapes)
      try append(": ")
      try appendNotation(of: field.value, escapes)
    }
    try append("}")
    if object.tag != nil { try end(object.version) }
  }

  private mutating func append(_ pairs: [ArchiveValue.Pair], _ escapes: JSONStyle.Escapes) throws(Failure) {
    try append("{")
    var isFirst = true
    for pair in pairs {
      if !isFirst { try append(", ") }
      isFirst = false
      try appendNotation(of: pair.key, escapes)
      try append(": ")
      try appendNotation(of: pair.value, escapes)
    }
    try append("}")
  }

  private mutating func append(_ url: URL, _ escapes: JSONStyle.Escapes) throws(Failure) {
    guard let base = url.baseURL else {
      try append("32(")
      try appendQuoted(url.relativeString, escapes)
      return try append(")")
    }
    try begin("URL", escapes)
    try append("[")
    try appendQuoted(url.relativeString, escapes)
    try append(", ")
    try append(base, escapes)
    try append("]")
    try end(1)
  }

  private mutating func begin(_ tag: ArchiveTag, _ escapes: JSONStyle.Escapes) throws(Failure) {
    try append("27([")
    try appendQuoted(tag.name, escapes)
    try append(", ")
  }

  private mutating func end(_ version: Int) throws(Failure) {
    try append(version > 1 ? ", \(version)])" : "])")
  }
}

extension ArchiveValue {
  /// The notation of a value that holds no others.
  fileprivate static func scalarNotation(_ value: ArchiveValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .bigInteger(let isNegative, let magnitude):
      magnitude.count > longestDecimalInteger
        ? "\(isNegative ? 3 : 2)(\(notation(magnitude)))" : digits(isNegative: isNegative, magnitude: magnitude)
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

  private static func notation(_ value: Double) -> String {
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
