// Unavailable declarations for common mistakes. Their messages say what to write instead. The compiler considers an
// unavailable declaration only if an expression has no other meaning, so they do not change the meaning of any correct
// program.
//
// Each correct name has only one unavailable counterpart. With two, the compiler takes 3 s for
// `GlobalData[.a] + " " + GlobalData[.b] + "," + (GlobalData[.c] ?? "x") + GlobalData[.d]`; with one, 1 ms. A
// counterpart with an argument label does not count, because the compiler does not consider it for correct calls, which
// have no label. This file covers only mistakes for which the compiler has no helpful message of its own. For example,
// if the type of a stored, registered or default value is not Codable, the compiler already says so and names the type.
// `.ci/compile_errors.py` checks the compiler's messages.

// Without these declarations, `let text: String = GlobalData[.volume]` and the same expression in an update fail with
// "failed to produce diagnostic".

extension GlobalData {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "the value of this key has another type; an optional needs ?? and a default")
  public nonisolated subscript<Value, Wanted>(key: Key<Value>) -> Wanted { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "the value of this key has another type; an optional needs ?? and a default")
  public static subscript<Value, Wanted>(key: Key<Value>) -> Wanted { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "the value of this key has another type; an optional needs ?? and a default")
  public nonisolated func value<Value, Wanted>(for key: Key<Value>) throws -> Wanted { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "the value of this key has another type; an optional needs ?? and a default")
  public static func value<Value, Wanted>(for key: Key<Value>) throws -> Wanted { fatalError() }
}

extension GlobalData.Transaction {
  // Disfavored, because another settable subscript would add the most to the time for compiling correct code. If the
  // value has no such member, or an argument has another type, as in `data[.car].plte = "x"`, the compiler only says
  // that it cannot infer the second type. The name of that type hints at the cause.
  @_disfavoredOverload
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "the value of this key has another type; an optional needs ?? and a default")
  public subscript<Value, ValueThatAllowsThis>(key: GlobalData.Key<Value>) -> ValueThatAllowsThis {
    get { fatalError() }
    set { fatalError() }
  }
}

// The same applies to `GlobalData["volume"]` and `GlobalData.value(for: "volume")`. With these declarations, the
// compiler says that the label is `objectForKey` or `forKey`, and also what to write.

extension GlobalData {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "read with object(_:forKey:), or declare a key and write GlobalData[.volume]")
  public nonisolated subscript(objectForKey name: String) -> any Sendable { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "read with object(_:forKey:), or declare a key and write GlobalData[.volume]")
  public static subscript(objectForKey name: String) -> any Sendable { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "read with object(_:forKey:), or declare a key and write value(for: .volume)")
  public nonisolated func value(forKey name: String) throws -> any Sendable { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "read with object(_:forKey:), or declare a key and write value(for: .volume)")
  public static func value(forKey name: String) throws -> any Sendable { fatalError() }
}

extension GlobalData.Transaction {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "read a string key with object(_:forKey:) and write it with set(_:forKey:)")
  public subscript(objectForKey name: String) -> any Sendable {
    get { fatalError() }
    set { fatalError() }
  }
}

// Without these declarations, `Key<Int>("volume")` and a collection of a type that is not Codable fail with "no exact
// matches in call", because each of them has two overloads.

extension GlobalData.Key {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "a key whose value is not optional needs a default: Key(\"visits\", default: 0)")
  // Generic, because the compiler synthesizes an initializer with a String to override the initializer of the base
  // class.
  public convenience init<Name: StringProtocol>(_ name: Name) { fatalError() }
}

extension GlobalData {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "the elements of a collection must conform to Codable and Identifiable")
  public nonisolated func collection<Element>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<ElementHasToBeCodableAndIdentifiable> { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "the elements of a collection must conform to Codable and Identifiable")
  public static func collection<Element>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<ElementHasToBeCodableAndIdentifiable> { fatalError() }

  /// The type that the compiler names if a collection with an unsuitable element type is used immediately.
  @_documentation(visibility: internal)
  public struct ElementHasToBeCodableAndIdentifiable: Identifiable, Codable {
    public var id: Never { fatalError() }
  }

  // Without these declarations, the compiler's messages for `object(Int.self, for: .visits)`,
  // `removeObject(for: .visits)`, `clear(keeping: .visits)` and `changes(of: .visits)` are about labels, types and
  // members that the caller did not mean.

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "read a declared key with value(for:) or GlobalData[.volume]")
  public nonisolated func object<Value>(_ type: Value.Type, for key: Keys) throws -> Value? { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "read a declared key with value(for:) or GlobalData[.volume]")
  public static func object<Value>(_ type: Value.Type, for key: Keys) throws -> Value? { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "remove the value of a declared key with reset(_:)")
  public func removeObject(for key: Keys) async throws { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "remove the value of a declared key with reset(_:)")
  public static func removeObject(for key: Keys) async throws { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "put the keys to keep in brackets, as in clear(keeping: [.volume])")
  public func clear(keeping key: Keys) async throws { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "put the keys to keep in brackets, as in clear(keeping: [.volume])")
  public static func clear(keeping key: Keys) async throws { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "put the keys in brackets, as in changes(of: [.volume])")
  public nonisolated func changes(of key: Keys) -> AsyncStream<Change> { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "put the keys in brackets, as in changes(of: [.volume])")
  public static func changes(of key: Keys) -> AsyncStream<Change> { fatalError() }
}

// As with UserDefaults, where a nil removes the value. Without these declarations, the compiler says that nil is not an
// array of mixed elements. Only nil itself has this type of the standard library.

extension GlobalData {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "remove a value with removeObject(forKey:)")
  public func set(_ value: _OptionalNilComparisonType, forKey key: String) async throws { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "remove a value with removeObject(forKey:)")
  public static func set(_ value: _OptionalNilComparisonType, forKey key: String) async throws { fatalError() }
}

extension GlobalData.Transaction {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(*, unavailable, message: "remove a value with removeObject(forKey:)")
  public mutating func set(_ value: _OptionalNilComparisonType, forKey key: String) throws { fatalError() }
}
