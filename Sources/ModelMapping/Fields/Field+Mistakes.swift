// `@Field var name: String` without a value: the compiler would say that String has to conform to
// ExpressibleByNilLiteral. All of these are unavailable: the compiler uses them only where nothing else matches.

extension Field {
  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "a field needs a default value or an optional type; its type must be Codable and Sendable"
  )
  public init() { fatalError() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "a field needs a default value or an optional type; its type must be Codable and Sendable"
  )
  public init(
    _ path: String..., json: FieldPath? = .asDeclared, stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(), options: FieldOptions = []
  ) { fatalError() }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a field needs a default value or an optional type")
  public init(
    _ path: String..., as converter: @autoclosure () -> FieldConverter<Value>, json: FieldPath? = .asDeclared,
    stored: FieldPath? = .asDeclared, formerly: FieldPath...,
    ifInvalid: @autoclosure () throws -> Value = try Field.noReplacement(), options: FieldOptions = []
  ) { fatalError() }
}

extension Ignored {
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "an ignored property needs a default value or an optional type")
  public init() { fatalError() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "an ignored property needs a default value or an optional type; its type must be Codable and Sendable"
  )
  public init(_ scope: IgnoredScope) { fatalError() }
}
