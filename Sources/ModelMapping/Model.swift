/// A model that is defined once, for JSON and for storage.
///
/// Declare each property as a ``Field`` to read and write it, or as ``Ignored``:
///
/// ```swift
/// struct Member: Model {
///   @Field("level") var vipLevel = 1
///   @Field("profile", "nick_name") var nickName = ""
///   @Field var accountID: Int? = nil
///   @Ignored var selected = false
/// }
/// ```
///
/// The conformance to `Codable` is included and works with every coder. Class hierarchies read and write the fields of
/// all their classes. A mutable class needs `@unchecked Sendable` and a `required init()`.
///
/// A mistake in the declaration, such as two fields with the same key, throws a ``ModelError`` at the first use.
public protocol Model: Codable, Sendable {
  /// Creates a model with its default values.
  ///
  /// Called before each model is read, and twice more at the type's first use. Create the same properties in the same
  /// order each time. Do not pass a copy of the model to other code: its fields may be filled later.
  init()
}

extension Model {
  /// Reads a model from any decoder.
  ///
  /// Missing and null values keep their defaults, except that null in storage sets an optional to `nil`. Scalars of
  /// another type are converted if nothing is lost.
  ///
  /// - Throws: `DecodingError` for a value that does not fit its field, ``ModelError`` for mistakes in the declaration.
  /// - Complexity: O(*n*) in the size of the model.
  public init(from decoder: any Decoder) throws {
    self = try NestingDepth.nested { try ModelLayout.of(Self.self).read(Self.self, from: decoder) }
  }

  /// Writes the model's fields to any encoder. A field that is `nil` is left out, unless it has
  /// ``FieldOptions/writesNull``.
  ///
  /// - Throws: Errors of the encoder, and ``ModelError`` for mistakes in the declaration.
  /// - Complexity: O(*n*) in the size of the model.
  public func encode(to encoder: any Encoder) throws {
    try NestingDepth.nested { try ModelLayout.of(type(of: self)).write(self, to: encoder) }
  }
}
