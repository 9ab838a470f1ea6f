extension Field where Value: Codable & Sendable {
  /// Creates a field with a default value.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value if the key is missing or null.
  ///   - path: The keys that lead to the value, outermost first. By default, the property's name.
  ///   - json: Another path for JSON; `nil` leaves the field out of JSON.
  ///   - stored: Another path for storage; `nil` leaves the field out of storage.
  ///   - formerly: Paths to try, in order, if there is no value.
  ///   - ifInvalid: The value to use if the one in JSON cannot be read. Without it, and in storage, this is an error.
  ///   - options: Further options.
  @inlinable public init(
    wrappedValue: @autoclosure () -> Value, _ path: String..., json: FieldPath? = .asDeclared,
    stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(), options: FieldOptions = []
  ) {
    self.init(.make(wrappedValue) { Field.declare(path, json, stored, formerly, ifInvalid, options, nil) })
  }

  /// Creates a field with a default value and a converter.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value if the key is missing or null.
  ///   - path: The keys that lead to the value, outermost first. By default, the property's name.
  ///   - converter: Converts the value to and from JSON. Storage keeps the value unconverted.
  ///   - json: Another path for JSON; `nil` leaves the field out of JSON.
  ///   - stored: Another path for storage; `nil` leaves the field out of storage.
  ///   - formerly: Paths to try, in order, if there is no value.
  ///   - ifInvalid: The value to use if the one in JSON cannot be read. Without it, and in storage, this is an error.
  ///   - options: Further options.
  @inlinable public init(
    wrappedValue: @autoclosure () -> Value, _ path: String..., as converter: @autoclosure () -> FieldConverter<Value>,
    json: FieldPath? = .asDeclared, stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(), options: FieldOptions = []
  ) {
    self.init(.make(wrappedValue) { Field.declare(path, json, stored, formerly, ifInvalid, options, converter()) })
  }

  /// Creates an optional field with a default value, and a converter for values that are not `nil`.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value if the key is missing or null.
  ///   - path: The keys that lead to the value, outermost first. By default, the property's name.
  ///   - converter: Converts a value to and from JSON. Storage keeps the value unconverted.
  ///   - json: Another path for JSON; `nil` leaves the field out of JSON.
  ///   - stored: Another path for storage; `nil` leaves the field out of storage.
  ///   - formerly: Paths to try, in order, if there is no value.
  ///   - ifInvalid: The value to use if the one in JSON cannot be read. Without it, and in storage, this is an error.
  ///   - options: Further options.
  @inlinable public init<Wrapped: Sendable>(
    wrappedValue: @autoclosure () -> Value = nil, _ path: String...,
    as converter: @autoclosure () -> FieldConverter<Wrapped>,
    json: FieldPath? = .asDeclared, stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(), options: FieldOptions = []
  ) where Value == Wrapped? {
    self.init(
      .make(wrappedValue) {
        Field.declare(path, json, stored, formerly, ifInvalid, options, converter().optional)
      })
  }
}

extension Field where Value: Codable & Sendable & ExpressibleByNilLiteral {
  /// Creates an optional field.
  ///
  /// - Parameters:
  ///   - path: The keys that lead to the value, outermost first. By default, the property's name.
  ///   - json: Another path for JSON; `nil` leaves the field out of JSON.
  ///   - stored: Another path for storage; `nil` leaves the field out of storage.
  ///   - formerly: Paths to try, in order, if there is no value.
  ///   - ifInvalid: The value to use if the one in JSON cannot be read, such as `nil`. Without it, and in storage, this
  ///     is an error.
  ///   - options: Further options.
  @inlinable public init(
    _ path: String..., json: FieldPath? = .asDeclared, stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(), options: FieldOptions = []
  ) {
    self.init(.make({ nil }) { Field.declare(path, json, stored, formerly, ifInvalid, options, nil) })
  }
}

extension Field {
  /// Marks a field without a value for invalid input. An optional would not do, since `nil` is a valid value.
  @usableFromInline static func noReplacement() throws -> Value { throw NoReplacement() }
}

private struct NoReplacement: Error {}

// Out of line, so that the declarations are compiled once for each type.

extension Field where Value: Codable & Sendable {
  @usableFromInline static func declare(
    _ path: [String], _ json: FieldPath?, _ stored: FieldPath?, _ formerly: [FieldPath],
    _ ifInvalid: () throws -> Value, _ options: FieldOptions, _ converter: FieldConverter<Value>?
  ) -> AnyObject {
    let replacement: (@Sendable () -> Value)?
    do {
      let value = try ifInvalid()
      replacement = { value }
    } catch {
      replacement = nil
    }
    return FieldDeclaration<Value>(
      paths: FieldPaths(declared: path, json: json, stored: stored, former: formerly), options: options,
      ifInvalid: replacement, codec: CodecFactory.codec(for: Value.self, options), converter: converter)
  }
}
