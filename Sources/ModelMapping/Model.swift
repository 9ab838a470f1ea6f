import CodingSupport

/// A value that is defined once and read from JSON, stored, and written as JSON again.
///
/// Each property that is to be read and written is a ``Field``, each other one is ``Ignored``:
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
/// The conformance to `Codable` comes with it and works with every coder. Class hierarchies read and write the fields
/// of all their classes; a class is marked `@unchecked Sendable` if it is one that can change, and says
/// `required init()`.
///
/// What is wrong with a model's declarations, such as two fields with one key, is a ``ModelError`` at its first use.
public protocol Model: Codable, Sendable {
  /// A model with its default values.
  ///
  /// It is called for each model that is read, before the fields are filled, and twice more at the type's first use. It
  /// has to make the same properties in the same order each time. A copy of the model that it hands to something else
  /// is not a copy of the defaults: it may be filled too.
  init()
}

extension Model {
  /// Reads a model from any decoder.
  ///
  /// What is missing or null takes its default, and scalars of another kind are converted where nothing is lost.
  ///
  /// - Throws: `DecodingError` for a value that does not fit its field, ``ModelError`` for mistakes in the declaration.
  /// - Complexity: O(*n*) in the size of the model.
  public init(from decoder: any Decoder) throws {
    self = try NestingDepth.nested { try Self.read(from: decoder) }
  }

  /// Writes the model's fields to any encoder. A field that is `nil` is left out, unless it has
  /// ``FieldOptions/writesNull``.
  ///
  /// - Throws: What the encoder throws, and ``ModelError`` for mistakes in the declaration.
  /// - Complexity: O(*n*) in the size of the model.
  public func encode(to encoder: any Encoder) throws {
    try NestingDepth.nested { try write(to: encoder) }
  }

  private static func read(from decoder: any Decoder) throws -> Self {
    try ModelLayout.of(Self.self).read(Self.self, from: decoder)
  }

  private func write(to encoder: any Encoder) throws {
    try ModelLayout.of(type(of: self)).write(self, to: encoder)
  }
}
