extension Array: CodecProviding where Element: Codable {
  static func codec(_ options: FieldOptions) -> any ValueCodec<Self> {
    ArrayCodec(element: CodecFactory.codec(for: Element.self, options), options: options)
  }
}

extension Set: CodecProviding where Element: Codable {
  static func codec(_ options: FieldOptions) -> any ValueCodec<Self> {
    SetCodec(elements: ArrayCodec(element: CodecFactory.codec(for: Element.self, options), options: options))
  }
}

extension Dictionary: CodecProviding where Key: Codable, Value: Codable {
  static func codec(_ options: FieldOptions) -> any ValueCodec<Self> {
    DictionaryCodec<Key, Value>(value: CodecFactory.codec(for: Value.self, options), options: options)
  }
}

/// The codec of arrays: reads them as a whole, or element by element if some may be converted or left out.
struct ArrayCodec<Element: Codable>: ValueCodec {
  let element: any ValueCodec<Element>
  let options: FieldOptions

  var isReadableInParts: Bool { element.isReadableInParts }
  fileprivate var isReadSeparately: Bool { !options.isDisjoint(with: [.lossy, .orSingle]) }

  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> [Element]? {
    try isReadSeparately
      ? readSeparately(from: container, key, context) : readWholeOrInParts(from: container, key, context)
  }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> [Element] {
    try readElements(by: element, from: decoder, context, options)
  }
}

struct SetCodec<Element: Codable & Hashable>: ValueCodec {
  let elements: ArrayCodec<Element>

  var isReadableInParts: Bool { elements.isReadableInParts }

  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Set<Element>? {
    try elements.isReadSeparately || context.hasToFindEqualElements
      ? readSeparately(from: container, key, context) : readWholeOrInParts(from: container, key, context)
  }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Set<Element> {
    let elements = try elements.read(from: decoder, context)
    let set = Set(elements)
    context.reportMerging(elements.count, into: set.count, ValuePath(context.node(of: decoder)))
    return set
  }
}

/// The codec of dictionaries: reads them as a whole, or value by value if they are stored as objects.
struct DictionaryCodec<Key: Codable & Hashable, Element: Codable>: ValueCodec {
  let value: any ValueCodec<Element>
  let options: FieldOptions

  private var hasObjectKeys: Bool { Key.self is any CodingKeyRepresentable.Type }
  /// Whether the keys are names in storage, too. There, a key of another type has the form of its own `encode(to:)`.
  private var hasStoredNames: Bool {
    Key.self == String.self || Key.self == Int.self || Key.self is any RawRepresentable.Type
  }
  var isReadableInParts: Bool { hasObjectKeys && value.isReadableInParts }

  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> [Key: Element]? {
    let mayHaveEqualKeys = Key.self != String.self && context.hasToFindEqualElements
    let isLossy = options.contains(.lossy) && context.keys == .json
    // Other values are read in parts once the decoder has refused them.
    let isReadSeparately = isLossy || options.contains(.orSingle) && !value.isReadableInParts
    guard hasObjectKeys else {
      do {
        return try readWholeOrInParts(from: container, key, context)
      } catch DecodingError.typeMismatch(let type, let mismatch)
        where type == [Any].self && mismatch.codingPath.count == container.codingPath.count + 1
      {
        let advice =
          " The keys of an object can be of the type \(Key.self) only if it conforms to CodingKeyRepresentable."
        throw DecodingError.typeMismatch(
          type,
          DecodingError.Context(
            codingPath: mismatch.codingPath, debugDescription: mismatch.debugDescription + advice,
            underlyingError: mismatch.underlyingError))
      }
    }
    guard isReadSeparately || mayHaveEqualKeys else { return try readWholeOrInParts(from: container, key, context) }
    return try readSeparately(from: container, key, context)
  }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> [Key: Element] {
    guard let type = Key.self as? any CodingKeyRepresentable.Type, context.keys == .json || hasStoredNames else {
      return try decoder.singleValueContainer().decode([Key: Element].self)
    }
    return try readPairs(by: value, from: decoder, context, options) { type.init(codingKey: $0) as? Key }
  }
}

/// Reads the elements of an array by a codec. No other function reads them; reading them twice would double the time at
/// each level.
func readElements<Element>(
  by codec: any ValueCodec<Element>, from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions
) throws -> [Element] {
  var container: any UnkeyedDecodingContainer
  do {
    container = try decoder.unkeyedContainer()
  } catch  where options.contains(.orSingle) {
    guard let single = try readElement(from: decoder, context, options, codec.read) else { return [] }
    context.report(.single, at: decoder)
    return [single]
  }
  var elements: [Element] = []
  while !container.isAtEnd {
    if let element = try readElement(from: container.superDecoder(), context, options, codec.read) {
      elements.append(element)
    }
  }
  return elements
}

/// Reads an element by a function. Returns `nil` if it cannot be read and may be left out.
private func readElement<Element>(
  from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions,
  _ read: (any Decoder, DecodingContext) throws -> Element
) throws -> Element? {
  let mark = context.mark
  do {
    return try read(decoder, context)
  } catch  where options.contains(.lossy) && context.allowsLoss(over: error) {
    context.forget(since: mark)
    context.report(.dropped, at: decoder, found: reasonWithPath(error, below: decoder.codingPath))
    return nil
  }
}

/// Reads the values of an object by a codec.
func readPairs<Key: Hashable, Element>(
  by codec: any ValueCodec<Element>, from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions,
  _ makeKey: (any CodingKey) -> Key?
) throws -> [Key: Element] {
  let container = try decoder.container(keyedBy: DictionaryKey.self)
  var values: [Key: Element] = [:]
  var count = 0
  for name in container.allKeys {
    let pair = try readElement(from: container.superDecoder(forKey: name), context, options) { decoder, context in
      guard let key = makeKey(name) else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "The key cannot be read as \(Key.self)."))
      }
      return (key: key, value: try codec.read(from: decoder, context))
    }
    guard let pair else { continue }
    // The next write would lose one of the values.
    guard context.keys == .json || values[pair.key] == nil else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath + [name], debugDescription: "Another key is equal to this key."))
    }
    values[pair.key] = pair.value
    count += 1
  }
  context.reportMerging(count, into: values.count, ValuePath(context.node(of: decoder)))
  return values
}

extension DecodingContext {
  /// Whether this codec must find equal elements of a set or dictionary, because the decoder does not report them.
  fileprivate var hasToFindEqualElements: Bool { collector != nil && keys == .json && !isExactJSON }
}

/// A key of a dictionary, which may be a number.
private struct DictionaryKey: CodingKey {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(stringValue: String) { self.stringValue = stringValue }

  init(intValue: Int) { stringValue = String(intValue) }
}

/// Returns the text of an error, with the rest of its path.
func reasonWithPath(_ error: any Error, below path: [any CodingKey]) -> String {
  guard let error = error as? DecodingError else { return "\(error)" }
  let rest = error.path.dropFirst(path.count)
  return rest.isEmpty ? error.reason : "\(ValuePath(Array(rest))): \(error.reason)"
}
