import CodingSupport

/// A JSON text and the state of reading it, shared by its decoders.
final class JSONSource {
  let text: JSONText
  let userInfo: [CodingUserInfoKey: Any]
  let context: DecodingContext
  /// The number that a type with its own `init(from:)` has tried to decode, and the counts of findings before and
  /// after.
  private var trial = (value: JSONText.absent, mark: 0, end: 0)
  /// The numbers of elements of arrays, which a type may request in a loop.
  private var counts: [Int: Int] = [:]

  init(_ text: JSONText, _ collector: ReportCollector?) {
    self.text = text
    var userInfo: [CodingUserInfoKey: Any] = [.modelKeys: ModelKeys.json]
    if let collector { userInfo[.reportCollector] = collector }
    self.userInfo = userInfo
    context = DecodingContext(keys: .json, collector: collector, isExactJSON: true)
  }

  func scalar(_ value: Int) -> RawScalar {
    switch text.kind(value) {
    case .text: .text(text.string(value))
    case .number:
      DecimalNumeral(String(decoding: text.token(value), as: UTF8.self)).map(RawScalar.numeral) ?? .composite
    case .bool: .bool(text.bool(value))
    case .null: .null
    case .object: .object
    case .array: .array
    }
  }

  func count(of array: Int) -> Int {
    if let count = counts[array] { return count }
    let count = text.children(of: array).count
    counts[array] = count
    return count
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
    if context.collector != nil { report(result, of: value, path, isConverted: false) }
    return result
  }

  /// Reads a scalar, or one of another type if nothing is lost. A conversion after a thrown error would take many times
  /// as long. Dynamic, so that it is compiled once for all types.
  dynamic func readLeniently<Scalar: FieldScalar>(_ value: Int, _ path: () -> PathNode?) throws -> Scalar {
    let exact = Scalar.read(value, in: self)
    guard let result = exact ?? Scalar.converted(from: scalar(value)) else {
      throw mismatch(Scalar.self, value, path())
    }
    if context.collector != nil { report(result, of: value, path, isConverted: exact == nil) }
    return result
  }

  /// Reports a scalar that is not exactly that of the text, or that has another type.
  private func report(_ result: any JSONScalar, of value: Int, _ path: () -> PathNode?, isConverted: Bool) {
    let difference = result.difference(from: scalar(value))
    guard let kind = difference ?? (isConverted ? DecodingReport.Kind.coercion : nil) else { return }
    context.report(kind, ValuePath(path()), found: scalar(value).description, made: String(reflecting: result))
  }

  func mismatch(_ type: Any.Type, _ value: Int, _ path: PathNode?) -> DecodingError {
    .mismatch(type, scalar(value), ValuePath(path).codingPath)
  }

  // MARK: Reports

  /// Removes what an earlier trial of the same number reported. A type that reads any JSON tries several types for a
  /// number, and only the last one can be the type of its value.
  func forgetTrial(of value: Int) {
    guard let collector = context.collector, text.kind(value) == .number else { return }
    if trial.value == value, trial.end == collector.count { collector.removeAll(after: trial.mark) }
    trial = (value, collector.count, collector.count)
  }

  func endTrial(of value: Int) {
    if trial.value == value { trial.end = context.mark }
  }

  /// Reports a value that a type with its own `init(from:)` has rounded.
  private func report<Value>(
    _ result: Value, of decoder: JSONValueDecoder, _ collector: ReportCollector, since mark: Int
  ) {
    // The wrapped value was decoded, and reported, separately.
    guard !(Value.self is any PossiblyNil.Type) else { return }
    let kind = text.kind(decoder.value)
    switch kind {
    case .number:
      // The requested type may be wider than the stored one.
      guard let number = result as? any BinaryFloatingPoint else { return }
      collector.removeAll(after: mark)
      let raw = decoder.scalar
      guard let numeral = raw.numeral, !numeral.isHeld(by: number) else { return }
      context.report(.rounding, ValuePath(decoder.path), found: raw.description, made: String(reflecting: result))
    case .object, .array:
      guard let collection = result as? any MergingCollection else { return }
      let parts = text.children(of: decoder.value).count
      let count = collection.isOfPairs && kind == .array ? parts / 2 : parts
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
