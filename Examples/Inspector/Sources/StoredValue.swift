import KeyedArchive

/// The value of one entry, and the index over its structure.
final class StoredValue {
  private let content: SharedBytes
  private let index: StructureIndex
  private let limits: ArchiveLimits
  /// The places that lines of the tree open, by number.
  private var places: [ValueNode.Place] = []

  /// The largest number of parts in one answer.
  static let step = 200
  /// The greatest length of a text in an answer, in bytes.
  static let longestText = 16 << 20

  init(_ content: SharedBytes, limits: ArchiveLimits) throws(ValueFailure) {
    self.content = content
    self.limits = limits
    index = try ValueFailure.wrapping { () throws(CBORError) in
      try content.withUnsafeBytes { (bytes) throws(CBORError) in
        let index = try StructureIndex(CBORReader(bytes), limits: limits)
        guard index.end == bytes.count else { throw CBORError(.trailingBytes, at: index.end) }
        return index
      }
    }
  }

  private func read<Result>(
    _ body: (inout ValueReader) throws(ValueFailure) -> Result
  ) throws(ValueFailure) -> Result {
    try content.withUnsafeBytes { (bytes) throws(ValueFailure) in
      var values = ValueReader(CBORReader(bytes), index, limits: limits)
      return try body(&values)
    }
  }

  // MARK: Answers

  /// Writes the value in diagnostic notation.
  func writeNotation(_ json: inout JSONText) throws(ValueFailure) {
    let text = try read { (values) throws(ValueFailure) in
      var notation = ValueNotation(values, limit: StoredValue.longestText)
      return try notation.text(at: .start)
    }
    text.withUnsafeBytes { json.text($0) }
  }

  /// Writes the line of the value itself.
  func writeRoot(_ json: inout JSONText) throws(ValueFailure) {
    let node = try read { (values) throws(ValueFailure) in try ValueNode(&values, at: .start) }
    json.object { json in write(node, &json) }
  }

  /// Writes the lines of the values in a place, from a position on.
  func writeParts(of number: Int, from start: Int, _ json: inout JSONText) throws(ValueFailure) {
    guard places.indices.contains(number), start >= 0 else { throw ValueFailure("there is no such place") }
    switch places[number] {
    case .container(let cursor):
      let parts = try read { (values) throws(ValueFailure) in try StoredValue.parts(of: cursor, from: start, &values) }
      for part in parts { json.object { json in write(part, &json) } }
    case .numbers(let cursor):
      let texts = try read { (values) throws(ValueFailure) in
        try StoredValue.numbers(at: cursor, from: start, &values)
      }
      for (offset, text) in texts.texts.enumerated() {
        json.object { json in
          json.field("position", start + offset)
          json.field("type", texts.type)
          json.field("text", text)
        }
      }
    case .string: throw ValueFailure("a string has no parts")
    }
  }

  /// Writes the whole text of a long string.
  func writeText(of number: Int, _ json: inout JSONText) throws(ValueFailure) {
    guard places.indices.contains(number), case .string(let cursor) = places[number] else {
      throw ValueFailure("there is no such text")
    }
    let text = try read { (values) throws(ValueFailure) in
      guard let (isText, bytes) = try values.string(values.item(at: cursor)) else { return "" }
      guard values.withBytes(bytes, { $0.count }) <= StoredValue.longestText else {
        throw ValueFailure("the text has more than \(StoredValue.longestText) bytes")
      }
      return values.withBytes(bytes) { ValueText.string($0, isText: isText) }
    }
    json.text(text)
  }

  // MARK: Parts

  private struct Part {
    var name: Name
    var node: ValueNode?
    var error: String?

    enum Name {
      case position(Int)
      case text(String)
      case notation(String)
    }

    init(_ name: Name, at cursor: CBORCursor, _ values: inout ValueReader) {
      self.name = name
      do throws(ValueFailure) {
        node = try ValueNode(&values, at: cursor)
      } catch {
        self.error = error.text
      }
    }
  }

  private static func parts(
    of cursor: CBORCursor, from start: Int, _ values: inout ValueReader
  ) throws(ValueFailure) -> [Part] {
    let item = try values.item(at: cursor)
    let count = Int(try values.container(at: item.cursor, item.head).count)
    var next = values.firstElement(of: item)
    var parts: [Part] = []
    for position in 0..<min(count, start + step) {
      var name = Part.Name.position(position)
      if item.head.major == .map {
        if position >= start { name = try key(at: next, values) }
        next = try values.skip(next)
      }
      if position >= start { parts.append(Part(name, at: next, &values)) }
      next = try values.skip(next)
    }
    return parts
  }

  /// Returns the name of a field: a text key, or any other key in diagnostic notation.
  private static func key(at cursor: CBORCursor, _ values: ValueReader) throws(ValueFailure) -> Part.Name {
    var reader = values
    if let text = try reader.text(reader.item(at: cursor)) { return .text(text) }
    var notation = ValueNotation(values, limit: ValueNode.longString)
    return .notation(try notation.text(at: cursor).text)
  }

  private static func numbers(
    at cursor: CBORCursor, from start: Int, _ values: inout ValueReader
  ) throws(ValueFailure) -> (type: String, texts: [String]) {
    guard let (format, bytes) = try values.numbers(values.item(at: cursor)) else { return ("", []) }
    let texts = values.withBytes(bytes) { bytes in
      let count = bytes.count / format.width
      return (min(start, count)..<min(count, start + step)).map { format.text(at: $0, in: bytes) }
    }
    return (format.elementName, texts)
  }

  // MARK: JSON

  private func write(_ part: Part, _ json: inout JSONText) {
    switch part.name {
    case .position(let position): json.field("position", position)
    case .text(let text): json.field("name", text)
    case .notation(let notation): json.field("key", notation)
    }
    if let node = part.node { write(node, &json) }
    if let error = part.error { json.field("error", error) }
  }

  private func write(_ node: ValueNode, _ json: inout JSONText) {
    json.field("type", node.type)
    if node.version > 1 { json.field("version", String(node.version)) }
    if let instance = node.instance { json.field("instance", instance) }
    switch node.content {
    case .text(let text): json.field("text", text)
    case .beginning(let text, let byteCount, let place):
      json.field("text", text)
      json.field("byteCount", byteCount)
      json.field("place", places.count)
      places.append(place)
    case .parts(let count, let place):
      json.field("count", count)
      json.field("place", places.count)
      places.append(place)
    }
  }
}
