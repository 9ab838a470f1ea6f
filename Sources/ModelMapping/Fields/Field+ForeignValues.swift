// Fields whose values are not `Codable`, such as `NSSecureCoding` objects: only a converter can read and write them, in
// JSON and in storage alike.

extension Field {
  /// Creates a field with a default value that only a converter can read and write.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value if the key is missing or null.
  ///   - path: The keys that lead to the value, outermost first. By default, the property's name.
  ///   - converter: How the value is written, in JSON and in storage.
  ///   - json: Another path for JSON; `nil` leaves the field out of JSON.
  ///   - stored: Another path for storage; `nil` leaves the field out of storage.
  ///   - formerly: Paths to try, in order, if there is no value.
  ///   - options: Further options.
  @_disfavoredOverload @inlinable
  public init(
    wrappedValue: @autoclosure () -> Value, _ path: String..., as converter: @autoclosure () -> FieldConverter<Value>,
    json: FieldPath? = .asDeclared, stored: FieldPath? = .asDeclared, formerly: FieldPath..., options: FieldOptions = []
  ) {
    self.init(.make(wrappedValue) { Field.declareForeign(path, json, stored, formerly, options, converter()) })
  }

  /// Creates an optional field that only a converter can read and write.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value if the key is missing or null.
  ///   - path: The keys that lead to the value, outermost first. By default, the property's name.
  ///   - converter: How a value is written, in JSON and in storage.
  ///   - json: Another path for JSON; `nil` leaves the field out of JSON.
  ///   - stored: Another path for storage; `nil` leaves the field out of storage.
  ///   - formerly: Paths to try, in order, if there is no value.
  ///   - options: Further options.
  @_disfavoredOverload @inlinable
  public init<Wrapped>(
    wrappedValue: @autoclosure () -> Value = nil, _ path: String...,
    as converter: @autoclosure () -> FieldConverter<Wrapped>,
    json: FieldPath? = .asDeclared, stored: FieldPath? = .asDeclared, formerly: FieldPath..., options: FieldOptions = []
  ) where Value == Wrapped? {
    self.init(.make(wrappedValue) { Field.declareForeign(path, json, stored, formerly, options, converter().optional) })
  }

  @usableFromInline static func declareForeign(
    _ path: [String], _ json: FieldPath?, _ stored: FieldPath?, _ formerly: [FieldPath], _ options: FieldOptions,
    _ converter: FieldConverter<Value>
  ) -> AnyObject {
    FieldDeclaration<Value>(
      paths: FieldPaths(declared: path, json: json, stored: stored, former: formerly), options: options,
      converter: converter)
  }
}
