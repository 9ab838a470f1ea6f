// What is easily written and wrong, so that the compiler says what to write instead. All of these are unavailable: the
// compiler looks at them only where an expression has no other meaning, so no right program compiles to something else.
//
// There is one beside each right name, and no more: with two, the compiler took 3 s for `GlobalData[.a] + " " +
// GlobalData[.b] + "," + (GlobalData[.c] ?? "x") + GlobalData[.d]`, and takes 1 ms with one. One with an argument label
// does not count, since right calls, which have none, do not look at it. Only mistakes stand here for which the
// compiler has no helpful sentence of its own: that a value which is stored, registered or a default has to be Codable,
// it says with the name of the type. `.ci/compile_errors.py` sees what it says.

// `let text: String = GlobalData[.volume]`, and the same in updates: "failed to produce diagnostic".

extension GlobalData {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key has another type; an optional value needs ?? and a default"
  )
  public nonisolated subscript<Value, Wanted>(key: Key<Value>) -> Wanted { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key has another type; an optional value needs ?? and a default"
  )
  public static subscript<Value, Wanted>(key: Key<Value>) -> Wanted { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key has another type; an optional value needs ?? and a default"
  )
  public nonisolated func value<Value, Wanted>(for key: Key<Value>) throws -> Wanted { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key has another type; an optional value needs ?? and a default"
  )
  public static func value<Value, Wanted>(for key: Key<Value>) throws -> Wanted { fatalError() }
}

extension GlobalData.Transaction {
  // Disfavoured: one more that can be set would cost right code most of all.
  @_disfavoredOverload
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key has another type; an optional value needs ?? and a default"
  )
  public subscript<Value, Wanted>(key: GlobalData.Key<Value>) -> Wanted {
    get { fatalError() }
    set { fatalError() }
  }
}

// `GlobalData["volume"]` and `GlobalData.value(for: "volume")`: the same. The compiler says that the label is
// `objectForKey` or `forKey`, and with it what to write.

extension GlobalData {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "read a string key with object(_:forKey:) and write it with set(_:forKey:); a subscript takes a declared key, as in GlobalData[.volume]"
  )
  public nonisolated subscript(objectForKey name: String) -> any Sendable { fatalError() }

  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "read a string key with object(_:forKey:) and write it with set(_:forKey:); a subscript takes a declared key, as in GlobalData[.volume]"
  )
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
  @available(
    *, unavailable,
    message:
      "read a string key with object(_:forKey:) and write it with set(_:forKey:); a subscript takes a declared key, as in GlobalData[.volume]"
  )
  public subscript(objectForKey name: String) -> any Sendable {
    get { fatalError() }
    set { fatalError() }
  }
}

// `Key<Int>("volume")`, and a collection of what is not Codable: "no exact matches in call", since each of them comes
// in two forms.

extension GlobalData.Key {
  @_alwaysEmitIntoClient @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "a key whose value is not optional needs a default, as in Key(\"volume\", default: 0.5)"
  )
  // Generic, because the compiler makes an initializer with a String of its own, to override that of the base class.
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

  /// What the compiler names where a collection of another type is used at once.
  @_documentation(visibility: internal)
  public struct ElementHasToBeCodableAndIdentifiable: Identifiable, Codable {
    public var id: Never { fatalError() }
  }
}

// `object(Int.self, for: .visits)`, `removeObject(for: .visits)` and `clear(keeping: .visits)`: of labels and types
// that are not meant.

extension GlobalData {
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
}
