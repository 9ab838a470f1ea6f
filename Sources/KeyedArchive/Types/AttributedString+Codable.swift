// On other platforms Foundation has this type, but does not make it Codable.
#if !canImport(Darwin)
public import FoundationCore

/// An `AttributedString` is stored in the same form as on Apple's platforms, in archives and in other formats.
///
/// Text without attributes is stored as text. Otherwise the text of each run is followed by its attributes: by name, or
/// if there are more than ten runs, by their index in a table. Only Foundation's attributes are stored. A value with an
/// attribute that would be lost is refused.
extension AttributedString: @retroactive Encodable, @retroactive Decodable {
  /// The greatest number of runs that are stored with their attributes next to them.
  private static let shortRunCount = 10

  /// Encodes the text and Foundation's attributes.
  ///
  /// - Throws: `EncodingError.invalidValue` if there is an attribute that is not one of Foundation's.
  public func encode(to encoder: any Encoder) throws {
    let runs = try runs.map { (text: text(of: $0), attributes: try StoredAttributes($0.attributes, encoder)) }
    guard runs.contains(where: { !$0.attributes.isEmpty }) else {
      var container = encoder.singleValueContainer()
      return try container.encode(runs.map(\.text).joined())
    }
    guard runs.count > AttributedString.shortRunCount else {
      var container = encoder.unkeyedContainer()
      for run in runs {
        try container.encode(run.text)
        try container.encode(run.attributes)
      }
      return
    }
    var container = encoder.container(keyedBy: AnyCodingKey.self)
    var table: [StoredAttributes] = []
    var numbers = SharedCodeDictionary<AttributeContainer, Int>()
    var list = container.nestedUnkeyedContainer(forKey: .runs)
    for run in runs {
      try list.encode(run.text)
      guard !run.attributes.isEmpty else {
        try list.encode(run.attributes)
        continue
      }
      let number = numbers[run.attributes.container] ?? table.count
      if number == table.count {
        table.append(run.attributes)
        numbers[run.attributes.container] = number
      }
      try list.encode(number)
    }
    try container.encode(table, forKey: .attributeTable)
  }

  private func text(of run: Runs.Run) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: unicodeScalars[run.range])
    return String(scalars)
  }

  /// Decodes the text and Foundation's attributes. Other attributes, which a program on another platform may have, are
  /// left out.
  ///
  /// - Throws: `DecodingError` if the stored value is not an attributed string.
  public init(from decoder: any Decoder) throws {
    self.init()
    if let text = try? decoder.singleValueContainer().decode(String.self) {  // a decoder has no other way to check
      self = AttributedString(text)
      return
    }
    var table: [StoredAttributes] = []
    var list: any UnkeyedDecodingContainer
    if let runs = try? decoder.unkeyedContainer() {  // likewise
      list = runs
    } else {
      let container = try decoder.container(keyedBy: AnyCodingKey.self)
      table = try container.decode([StoredAttributes].self, forKey: .attributeTable)
      list = try container.nestedUnkeyedContainer(forKey: .runs)
    }
    while !list.isAtEnd {
      let text = try list.decode(String.self)
      let attributes: StoredAttributes
      if let number = try? list.decode(Int.self) {  // likewise
        guard table.indices.contains(number) else {
          throw DecodingError.dataCorruptedError(in: list, debugDescription: "There is no attribute set \(number).")
        }
        attributes = table[number]
      } else {
        attributes = try list.decode(StoredAttributes.self)
      }
      append(AttributedString(text, attributes: attributes.container))
    }
  }
}

extension AnyCodingKey {
  fileprivate static var runs: AnyCodingKey { AnyCodingKey(stringValue: "runs") }
  fileprivate static var attributeTable: AnyCodingKey { AnyCodingKey(stringValue: "attributeTable") }
}

/// The attributes of a run: a map from their names to their values.
private struct StoredAttributes: Codable {
  let container: AttributeContainer

  var isEmpty: Bool { container == AttributeContainer() }

  /// Creates the stored form of a run's attributes. Throws if one of them cannot be stored.
  init(_ container: AttributeContainer, _ encoder: any Encoder) throws {
    var storable = AttributeContainer()
    for attribute in storableAttributes { attribute.copy(container, &storable) }
    guard storable == container else {
      throw EncodingError.invalidValue(
        container,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "Only Foundation's attributes can be stored, but a run has these: \(container)."))
    }
    self.container = container
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: AnyCodingKey.self)
    var container = AttributeContainer()
    for attribute in storableAttributes where fields.contains(attribute.key) {
      try attribute.decode(fields.superDecoder(forKey: attribute.key), &container)
    }
    self.container = container
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: AnyCodingKey.self)
    for attribute in storableAttributes {
      try attribute.encode(container) { fields.superEncoder(forKey: attribute.key) }
    }
  }
}

/// An attribute whose name and type of value are known.
private protocol StorableAttribute: Sendable {
  var key: AnyCodingKey { get }
  func copy(_ source: AttributeContainer, _ target: inout AttributeContainer)
  func encode(_ container: AttributeContainer, _ encoder: () -> any Encoder) throws
  func decode(_ decoder: any Decoder, _ container: inout AttributeContainer) throws
}

private struct Attribute<Key: CodableAttributedStringKey>: StorableAttribute where Key.Value: Sendable {
  var key: AnyCodingKey { AnyCodingKey(stringValue: Key.name) }

  func copy(_ source: AttributeContainer, _ target: inout AttributeContainer) {
    target[Key.self] = source[Key.self]
  }

  func encode(_ container: AttributeContainer, _ encoder: () -> any Encoder) throws {
    if let value = container[Key.self] { try Key.encode(value, to: encoder()) }
  }

  func decode(_ decoder: any Decoder, _ container: inout AttributeContainer) throws {
    container[Key.self] = try Key.decode(from: decoder)
  }
}

private typealias Scope = AttributeScopes.FoundationAttributes

private let storableAttributes: [any StorableAttribute] = [
  Attribute<Scope.LinkAttribute>(), Attribute<Scope.LanguageIdentifierAttribute>(),
  Attribute<Scope.PersonNameComponentAttribute>(), Attribute<Scope.NumberFormatAttributes.NumberPartAttribute>(),
  Attribute<Scope.NumberFormatAttributes.SymbolAttribute>(), Attribute<Scope.DateFieldAttribute>(),
  Attribute<Scope.DurationFieldAttribute>(), Attribute<Scope.AlternateDescriptionAttribute>(),
  Attribute<Scope.ImageURLAttribute>(), Attribute<Scope.ReplacementIndexAttribute>(),
  Attribute<Scope.MeasurementAttribute>(), Attribute<Scope.ByteCountAttribute>(),
]
#endif
