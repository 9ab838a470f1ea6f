import CodingSupport

/// The paths that a field declares, before the property's name is known.
struct FieldPaths: Sendable {
  let declared: [String]
  let json: FieldPath?
  let stored: FieldPath?
  let former: [FieldPath]

  /// Returns the path for JSON or for storage, or `nil` if the field is not used there.
  func path(_ keys: ModelKeys, ofProperty name: String) -> [String]? {
    guard let path = keys == .json ? json : stored else { return nil }
    guard path.isInherited else { return path.components }
    return declared.isEmpty ? [name] : declared
  }
}

/// Declares a field, and fills and reads it in instances. All instances of a model share it.
protocol FieldAccess: AnyObject, Sendable {
  var paths: FieldPaths { get }
  var options: FieldOptions { get }

  /// Whether a codec can read or write the field.
  func canRead(_ keys: ModelKeys) -> Bool
  func canWrite(_ keys: ModelKeys) -> Bool

  /// The type of the values, or `nil` if storage has them in a converter's form.
  var storedType: Any.Type? { get }

  /// Whether the field holds the unknown fields of the model.
  var keepsUnknownFields: Bool { get }

  func fillUnknown(
    _ location: FieldLocation, from container: Fields, _ key: FieldKey, exceptFor known: KnownFields) throws

  func unknownFields(_ location: FieldLocation) -> (any KeepsUnknownFields)?

  /// Returns the reader and writer of values that are scalars, optional or not, and need no conversion.
  func scalar(_ keys: ModelKeys) -> ScalarField?

  /// Reads the value for a key into a location. Returns whether there is one that is not null.
  func fill(
    _ location: FieldLocation, from container: Fields, _ key: FieldKey, _ context: DecodingContext
  ) throws -> Bool

  /// Reads the null under a key, if there is one and the values can be null; returns whether they can.
  func fillNull(
    _ location: FieldLocation, from container: Fields, _ key: FieldKey, _ context: DecodingContext
  ) throws -> Bool

  /// Sets the value for invalid input; throws the error if there is none, or if it would replace a stored value.
  func recover(
    _ location: FieldLocation, from error: any Error, _ path: @autoclosure () -> ValuePath, _ context: DecodingContext
  ) throws

  /// Describes the default at a location that received no value, or returns `nil` if the default is `nil`.
  func defaultDescription(_ location: FieldLocation) -> String?

  func isNil(_ location: FieldLocation) -> Bool

  var mayBeNil: Bool { get }

  func write(_ location: FieldLocation, into container: inout NewFields, _ key: FieldKey, _ keys: ModelKeys) throws
}

final class FieldDeclaration<Value>: FieldAccess {
  let paths: FieldPaths
  let options: FieldOptions
  private let ifInvalid: (@Sendable () -> Value)?
  private let jsonCodec: (any ValueCodec<Value>)?
  private let storedCodec: (any ValueCodec<Value>)?
  let storedType: Any.Type?
  private let jsonScalar: ScalarField?
  private let storedScalar: ScalarField?
  private let boxType = ObjectIdentifier(FieldBox<Value>.self)

  /// The codec reads and writes `Codable` values unchanged, the converter in another form. Storage uses no converter if
  /// possible: only unconverted values read back exactly.
  init(
    paths: FieldPaths, options: FieldOptions = [], ifInvalid: (@Sendable () -> Value)? = nil,
    codec: (any ValueCodec<Value>)? = nil, converter: FieldConverter<Value>? = nil
  ) {
    self.paths = paths
    self.options = options
    self.ifInvalid = ifInvalid
    let converted = converter.map { ConvertedCodec(converter: $0, options: options) }
    jsonCodec = converted ?? codec
    storedCodec = codec ?? converted
    storedType = codec == nil ? nil : Value.self
    let scalar = codec == nil ? nil : ScalarField(Value.self)
    jsonScalar = converter == nil ? scalar : nil
    storedScalar = scalar
  }

  private func codec(_ keys: ModelKeys) -> (any ValueCodec<Value>)? {
    keys == .json ? jsonCodec : storedCodec
  }

  private func converter(_ keys: ModelKeys) -> FieldConverter<Value>? {
    (codec(keys) as? ConvertedCodec<Value>)?.converter
  }

  func canRead(_ keys: ModelKeys) -> Bool { converter(keys)?.canRead ?? (codec(keys) != nil) }

  func canWrite(_ keys: ModelKeys) -> Bool { converter(keys)?.canWrite ?? (codec(keys) != nil) }

  func scalar(_ keys: ModelKeys) -> ScalarField? { keys == .json ? jsonScalar : storedScalar }

  var keepsUnknownFields: Bool { Value.self is any KeepsUnknownFields.Type }

  func fillUnknown(
    _ location: FieldLocation, from container: Fields, _ key: FieldKey, exceptFor known: KnownFields
  ) throws {
    guard let type = Value.self as? any KeepsUnknownFields.Type else { return }
    if let fields = try type.decode(from: container, forKey: key, exceptFor: known) as? Value {
      put(fields, in: location)
    }
  }

  func unknownFields(_ location: FieldLocation) -> (any KeepsUnknownFields)? {
    value(in: location) as? any KeepsUnknownFields
  }

  private func check(_ location: FieldLocation) {
    guard case .box(let box) = location else { return }
    precondition(ObjectIdentifier(type(of: box)) == boxType, "each field receives its own box")
  }

  private func value(in location: FieldLocation) -> Value {
    check(location)
    return location.value(as: Value.self)
  }

  private func put(_ value: Value, in location: FieldLocation) {
    check(location)
    location.put(value)
  }

  func fill(
    _ location: FieldLocation, from container: Fields, _ key: FieldKey, _ context: DecodingContext
  ) throws -> Bool {
    guard let codec = codec(context.keys) else { return true }
    let mark = context.mark
    do {
      guard let value = try codec.readIfPresent(from: container, key, context) else { return false }
      put(value, in: location)
    } catch  where ifInvalid != nil && context.allowsLoss(over: error) {
      context.forget(since: mark)
      let decoder = try container.superDecoder(forKey: key)
      try recover(location, from: error, ValuePath(context.node(of: decoder)), context)
    }
    return true
  }

  func fillNull(
    _ location: FieldLocation, from container: Fields, _ key: FieldKey, _ context: DecodingContext
  ) throws -> Bool {
    guard let codec = codec(context.keys), container.contains(key) else { return false }
    do {
      put(try codec.read(from: container.superDecoder(forKey: key), context), in: location)
      return true
    } catch is DecodingError {
      return false  // null counts as missing if the type has no null
    }
  }

  func recover(
    _ location: FieldLocation, from error: any Error, _ path: @autoclosure () -> ValuePath, _ context: DecodingContext
  ) throws {
    guard let ifInvalid, context.allowsLoss(over: error) else { throw error }
    let value = ifInvalid()
    put(value, in: location)
    context.report(
      .invalid, path(), found: (error as? DecodingError)?.reason ?? "\(error)",
      made: String(reflecting: printable(value)))
  }

  func defaultDescription(_ location: FieldLocation) -> String? {
    isNil(location) ? nil : String(reflecting: printable(value(in: location)))
  }

  var mayBeNil: Bool { Value.self is any PossiblyNil.Type }

  func isNil(_ location: FieldLocation) -> Bool { (value(in: location) as? any PossiblyNil)?.isNil ?? false }

  func write(_ location: FieldLocation, into container: inout NewFields, _ key: FieldKey, _ keys: ModelKeys) throws {
    try codec(keys)?.write(value(in: location), into: &container, key)
  }
}
