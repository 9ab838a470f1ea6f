extension Field where Value: Codable & Sendable {
  /// A field with a default value.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value where the key is missing or null.
  ///   - path: The keys that lead to the value, from the outermost one inwards; the property's name if there is none.
  ///   - json: Another path for JSON; `nil` keeps the field out of it.
  ///   - stored: Another path for storage; `nil` keeps the field out of it.
  ///   - formerly: Paths that are tried, in their order, where there is no value.
  ///   - ifInvalid: The value in place of one that cannot be read from JSON. Without it, and in storage, that is an
  ///     error.
  ///   - options: What else the field does.
  @inlinable
  public init(
    wrappedValue: @autoclosure () -> Value, _ path: String..., json: FieldPath? = .asDeclared,
    stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(), options: FieldOptions = []
  ) {
    self.init(
      box: FieldBox.make(wrappedValue) {
        Field.declare(path, json, stored, formerly, ifInvalid, options, nil)
      })
  }

  /// A field with a default value and a converter.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value where the key is missing or null.
  ///   - path: The keys that lead to the value, from the outermost one inwards; the property's name if there is none.
  ///   - converter: How the value is written in JSON. Storage has the value as it is.
  ///   - json: Another path for JSON; `nil` keeps the field out of it.
  ///   - stored: Another path for storage; `nil` keeps the field out of it.
  ///   - formerly: Paths that are tried, in their order, where there is no value.
  ///   - ifInvalid: The value in place of one that cannot be read from JSON. Without it, and in storage, that is an
  ///     error.
  ///   - options: What else the field does.
  @inlinable
  public init(
    wrappedValue: @autoclosure () -> Value, _ path: String..., as converter: FieldConverter<Value>,
    json: FieldPath? = .asDeclared, stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(),
    options: FieldOptions = []
  ) {
    self.init(
      box: FieldBox.make(wrappedValue) {
        Field.declare(path, json, stored, formerly, ifInvalid, options, converter)
      })
  }

  /// An optional field with a default value and a converter for what is not `nil`.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value where the key is missing or null.
  ///   - path: The keys that lead to the value, from the outermost one inwards; the property's name if there is none.
  ///   - converter: How a value is written in JSON. Storage has the value as it is.
  ///   - json: Another path for JSON; `nil` keeps the field out of it.
  ///   - stored: Another path for storage; `nil` keeps the field out of it.
  ///   - formerly: Paths that are tried, in their order, where there is no value.
  ///   - ifInvalid: The value in place of one that cannot be read from JSON. Without it, and in storage, that is an
  ///     error.
  ///   - options: What else the field does.
  @inlinable
  public init<Wrapped: Sendable>(
    wrappedValue: @autoclosure () -> Value = nil, _ path: String..., as converter: FieldConverter<Wrapped>,
    json: FieldPath? = .asDeclared, stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(), options: FieldOptions = []
  ) where Value == Wrapped? {
    self.init(
      box: FieldBox.make(wrappedValue) {
        Field.declareOptional(path, json, stored, formerly, ifInvalid, options, converter)
      })
  }
}

extension Field where Value: Codable & Sendable & ExpressibleByNilLiteral {
  /// An optional field.
  ///
  /// - Parameters:
  ///   - path: The keys that lead to the value, from the outermost one inwards; the property's name if there is none.
  ///   - json: Another path for JSON; `nil` keeps the field out of it.
  ///   - stored: Another path for storage; `nil` keeps the field out of it.
  ///   - formerly: Paths that are tried, in their order, where there is no value.
  ///   - ifInvalid: The value in place of one that cannot be read from JSON, such as `nil`. Without it, and in storage,
  ///     that is an error.
  ///   - options: What else the field does.
  @inlinable
  public init(
    _ path: String..., json: FieldPath? = .asDeclared, stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(), options: FieldOptions = []
  ) {
    self.init(
      box: FieldBox.make({ nil }) {
        Field.declare(path, json, stored, formerly, ifInvalid, options, nil)
      })
  }
}

extension Field {
  /// What a field without a value for invalid input has in its place. Not an optional: `nil` is such a value too.
  @usableFromInline
  static func noReplacement() throws -> Value { throw NoReplacement() }
}

private struct NoReplacement: Error {}

// What the initializers declare is made once for each type, and out of line.

extension Field where Value: Codable & Sendable {
  @usableFromInline
  static func declare(
    _ path: [String], _ json: FieldPath?, _ stored: FieldPath?, _ formerly: [FieldPath],
    _ ifInvalid: () throws -> Value,
    _ options: FieldOptions, _ converter: FieldConverter<Value>?
  ) -> AnyObject {
    let replacement: (@Sendable () -> Value)?
    do {
      let value = try ifInvalid()
      replacement = { value }
    } catch {
      replacement = nil
    }
    return FieldDeclaration<Value>(
      paths: FieldPaths(path, json, stored, formerly), options: options, ifInvalid: replacement,
      codec: CodecFactory.codec(for: Value.self, options), converter: converter)
  }

  @usableFromInline
  static func declareOptional<Wrapped>(
    _ path: [String], _ json: FieldPath?, _ stored: FieldPath?, _ formerly: [FieldPath],
    _ ifInvalid: () throws -> Value,
    _ options: FieldOptions, _ converter: FieldConverter<Wrapped>
  ) -> AnyObject where Value == Wrapped? {
    declare(path, json, stored, formerly, ifInvalid, options, converter.optional)
  }
}
