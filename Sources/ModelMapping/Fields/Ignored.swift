/// A property of a ``Model`` that is ignored everywhere, or only in JSON, in storage, when reading or when writing.
///
/// ```swift
/// @Ignored var selected = false
/// @Ignored(.storage) var token = ""        // in JSON only
/// @Ignored(.json) var loadedAt = Date()    // in storage only
/// @Ignored(.writing) var serverTime = 0    // read, and never written
/// ```
///
/// Where it is not ignored, its key is the property's name. ``Field`` has options for all of this, too.
@propertyWrapper
@frozen public struct Ignored<Value> {
  @usableFromInline var field: Field<Value>

  /// The property's value.
  public var wrappedValue: Value {
    get { field.wrappedValue }
    set { field.wrappedValue = newValue }
    _modify { yield &field.wrappedValue }
  }

  /// Creates a property that is neither read nor written.
  ///
  /// - Parameter wrappedValue: The value of the property in a model that was read.
  @inlinable public init(wrappedValue: @autoclosure () -> Value) {
    field = Field(.make(wrappedValue) { Ignored.declare() })
  }

  /// Creates an optional property that is neither read nor written.
  @inlinable public init() where Value: ExpressibleByNilLiteral { self.init(wrappedValue: nil) }

  /// Creates a property that is ignored in JSON, in storage, when reading, or when writing.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value if none is read.
  ///   - scope: Where the property is ignored.
  @inlinable
  public init(wrappedValue: @autoclosure () -> Value, _ scope: IgnoredScope) where Value: Codable & Sendable {
    field = Field(.make(wrappedValue) { Ignored.declare(scope) })
  }

  /// Creates an optional property that is ignored in JSON, in storage, when reading, or when writing.
  ///
  /// - Parameter scope: Where the property is ignored.
  @inlinable public init(_ scope: IgnoredScope) where Value: Codable & Sendable & ExpressibleByNilLiteral {
    self.init(wrappedValue: nil, scope)
  }

  @usableFromInline static func declare() -> AnyObject {
    FieldDeclaration<Value>(paths: FieldPaths(declared: [], json: nil, stored: nil, former: []))
  }

  @usableFromInline static func declare(_ scope: IgnoredScope) -> AnyObject where Value: Codable & Sendable {
    FieldDeclaration<Value>(
      paths: FieldPaths(declared: [], json: scope.json, stored: scope.stored, former: []), options: scope.options,
      codec: CodecFactory.codec(for: Value.self, []))
  }
}

/// The scope in which a property is ignored; see ``Ignored``.
public struct IgnoredScope: Hashable, Sendable {
  let json: FieldPath?
  let stored: FieldPath?
  let options: FieldOptions

  /// In JSON: the property is in storage only.
  public static let json = Self(json: nil, stored: .asDeclared, options: [])
  /// In storage: the property is in JSON only.
  public static let storage = Self(json: .asDeclared, stored: nil, options: [])
  /// When a model is read: the property is only written.
  public static let reading = Self(json: .asDeclared, stored: .asDeclared, options: .writeOnly)
  /// When a model is written: the property is only read.
  public static let writing = Self(json: .asDeclared, stored: .asDeclared, options: .readOnly)
}

extension Ignored: FieldStorage {
  var anyBox: AnyObject { field.anyBox }

  var offsetOfBox: Int? { field.offsetOfBox }
}

extension Ignored: Sendable where Value: Sendable {}
extension Ignored: Equatable where Value: Equatable {}
extension Ignored: Hashable where Value: Hashable {}

extension Ignored: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { field.description }

  public var debugDescription: String { field.debugDescription }
}
