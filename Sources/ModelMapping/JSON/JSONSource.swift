import CodingSupport

/// The bytes of a JSON text and the extent of each value, shared by its decoders.
final class JSONSource {
  /// The index of an absent value, which reads as null.
  static let absent = -1

  enum Kind {
    case object, array, text, number, bool, null
  }

  let bytes: [UInt8]
  let extents: ContiguousArray<JSONExtent>
  let userInfo: [CodingUserInfoKey: Any]
  let context: DecodingContext
  /// The number that a type with its own `init(from:)` has tried to decode, and the number of findings before that.
  private var trial = (value: JSONSource.absent, mark: 0)

  init(_ text: JSONText, _ collector: ReportCollector?) {
    bytes = text.bytes
    extents = text.values
    var userInfo: [CodingUserInfoKey: Any] = [.modelKeys: ModelKeys.json]
    if let collector { userInfo[.reportCollector] = collector }
    self.userInfo = userInfo
    context = DecodingContext(keys: .json, collector: collector, isExactJSON: true)
  }

  func kind(_ value: Int) -> Kind {
    guard value >= 0 else { return .null }
    switch bytes[extents[value].start] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .text
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: return .number
    }
  }

  /// Returns the index of the next value in an array, or of the next key in an object.
  func next(after value: Int) -> Int {
    switch bytes[extents[value].start] {
    case UInt8(ascii: "{"), UInt8(ascii: "["): extents[value].next
    default: value + 1
    }
  }

  func text(_ value: Int) -> String {
    let extent = extents[value]
    let content = bytes[extent.range].dropFirst().dropLast()
    return extent.isPlain ? String(decoding: content, as: UTF8.self) : JSONString.unescaped(content)
  }

  func token(_ value: Int) -> ArraySlice<UInt8> {
    bytes[extents[value].range]
  }

  /// Returns the indices of the keys of an object, or of the elements of an array.
  func children(of value: Int) -> [Int] {
    let isObject = kind(value) == .object
    var children: [Int] = []
    var child = value + 1
    while child < extents[value].next {
      children.append(child)
      child = next(after: isObject ? child + 1 : child)
    }
    return children
  }

  func scalar(_ value: Int) -> RawScalar {
    switch kind(value) {
    case .text: .text(text(value))
    case .number: DecimalNumeral(String(decoding: token(value), as: UTF8.self)).map(RawScalar.numeral) ?? .composite
    case .bool: .bool(bytes[extents[value].start] == UInt8(ascii: "t"))
    case .null: .null
    case .object: .object
    case .array: .array
    }
  }

  // MARK: Values

  /// Decodes a value of any type. Its path is created only if it is needed.
  func decode<Value: Decodable>(_ type: Value.Type, _ value: Int, _ path: () -> PathNode?) throws -> Value {
    if let scalar = type as? any JSONScalar.Type {
      func open<Scalar: JSONScalar>(_ scalar: Scalar.Type) throws -> Value? {
        try read(scalar, value, path) as? Value
      }
      if let result = try open(scalar) { return result }
    }
    let decoder = JSONValueDecoder(source: self, value: value, path: path())
    guard let collector = context.collector else { return try Value(from: decoder) }
    let mark = collector.count
    let result = try Value(from: decoder)
    report(result, of: decoder, collector, since: mark)
    return result
  }

  @inline(__always)
  func read<Scalar: JSONScalar>(_ type: Scalar.Type, _ value: Int, _ path: () -> PathNode?) throws -> Scalar {
    guard let result = Scalar.read(value, in: self) else { throw mismatch(type, value, path()) }
    if context.collector != nil, let difference = Scalar.difference {
      let text = scalar(value)
      if !result.isExact(text) {
        context.report(difference, ValuePath(path()), found: text.description, made: String(reflecting: result))
      }
    }
    return result
  }

  func mismatch(_ type: Any.Type, _ value: Int, _ path: PathNode?) -> DecodingError {
    .mismatch(type, scalar(value), ValuePath(path).codingPath)
  }

  // MARK: Reports

  /// Removes what an earlier trial of the same number reported. A type that reads any JSON tries several types for a
  /// number, and only the last one can be the type of its value.
  func forgetTrial(of value: Int) {
    guard let collector = context.collector, kind(value) == .number else { return }
    if trial.value == value { collector.removeAll(after: trial.mark) }
    trial = (value, collector.count)
  }

  /// Reports a value that a type with its own `init(from:)` has rounded.
  private func report<Value>(
    _ result: Value, of decoder: JSONValueDecoder, _ collector: ReportCollector, since mark: Int
  ) {
    // The wrapped value was decoded, and reported, separately.
    guard !(Value.self is any PossiblyNil.Type) else { return }
    switch kind(decoder.value) {
    case .number:
      // The requested type may be wider than the stored one.
      guard let number = result as? any BinaryFloatingPoint else { return }
      collector.removeAll(after: mark)
      let text = decoder.scalar
      guard let numeral = text.numeral, !numeral.isHeld(by: number) else { return }
      context.report(
        .rounding, ValuePath(decoder.path), found: text.description, made: String(reflecting: result))
    case .object, .array:
      guard let collection = result as? any MergingCollection else { return }
      let parts = children(of: decoder.value).count
      let count = collection.isOfPairs && kind(decoder.value) == .array ? parts / 2 : parts
      context.reportMerging(count, into: collection.count, ValuePath(decoder.path))
    case .text, .bool, .null: break
    }
  }
}

/// A collection that merges equal elements or keys.
private protocol MergingCollection {
  var count: Int { get }
  /// Whether an array contains a key and a value for each element.
  var isOfPairs: Bool { get }
}

extension Set: MergingCollection {
  fileprivate var isOfPairs: Bool { false }
}

extension Dictionary: MergingCollection {
  fileprivate var isOfPairs: Bool { true }
}
