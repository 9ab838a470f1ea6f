// What is easily written and wrong, so that the compiler says what to write instead. All of these are unavailable: the compiler looks at
// them only where an expression has no other meaning, so no right program compiles more slowly or to something else.
//
// Only mistakes stand here for which the compiler has no helpful sentence of its own. That a value which is stored, registered or a
// default has to be Codable, it says with the name of the type. `.ci/compile_errors.py` sees what it says.

// `GlobalData["volume"]`: "failed to produce diagnostic". One subscript for where a type is wanted, one for where none is.
// They are generic, because the compiler would look for `.volum`, a key that is not declared, in String.

extension GlobalData {
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "declare a key and write store[.volume], or read with object(_:forKey:) and write with set(_:forKey:)"
  )
  public nonisolated subscript<Name: StringProtocol, Wanted>(name: Name) -> Wanted { fatalError() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "declare a key and write store[.volume], or read with object(_:forKey:) and write with set(_:forKey:)"
  )
  public nonisolated subscript<Name: StringProtocol>(name: Name) -> any Sendable { fatalError() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "declare a key and write GlobalData[.volume], or read with object(_:forKey:) and write with set(_:forKey:)"
  )
  public static subscript<Name: StringProtocol, Wanted>(name: Name) -> Wanted { fatalError() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "declare a key and write GlobalData[.volume], or read with object(_:forKey:) and write with set(_:forKey:)"
  )
  public static subscript<Name: StringProtocol>(name: Name) -> any Sendable { fatalError() }
}

extension GlobalData.Transaction {
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "declare a key and write data[.volume], or read with object(_:forKey:) and write with set(_:forKey:)"
  )
  public subscript<Name: StringProtocol, Wanted>(name: Name) -> Wanted {
    get { fatalError() }
    set { fatalError() }
  }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "declare a key and write data[.volume], or read with object(_:forKey:) and write with set(_:forKey:)"
  )
  public subscript<Name: StringProtocol>(name: Name) -> any Sendable { fatalError() }
}

// `let text: String = GlobalData[.volume]`: "failed to produce diagnostic".

extension GlobalData {
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key is of another type than is wanted here; an optional one needs ?? and a default"
  )
  public nonisolated subscript<Value, Wanted: Codable>(key: Key<Value>) -> Wanted { fatalError() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key is of another type than is wanted here; an optional one needs ?? and a default"
  )
  public nonisolated func value<Value, Wanted: Codable>(for key: Key<Value>) throws -> Wanted { fatalError() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key is of another type than is wanted here; an optional one needs ?? and a default"
  )
  public static subscript<Value, Wanted: Codable>(key: Key<Value>) -> Wanted { fatalError() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key is of another type than is wanted here; an optional one needs ?? and a default"
  )
  public static func value<Value, Wanted: Codable>(for key: Key<Value>) throws -> Wanted { fatalError() }
}

extension GlobalData.Transaction {
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key is of another type than is wanted here; an optional one needs ?? and a default"
  )
  public subscript<Value, Wanted: Codable>(key: GlobalData.Key<Value>) -> Wanted {
    get { fatalError() }
    set { fatalError() }
  }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key is of another type than is wanted here; an optional one needs ?? and a default"
  )
  public func value<Value, Wanted: Codable>(for key: GlobalData.Key<Value>) throws -> Wanted { fatalError() }
}

// `print(GlobalData[.volum])`, a key that is not declared: beside the subscripts above, the compiler would look for it in StringProtocol.

extension GlobalData {
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a key is read as Key, with the type of its value")
  public nonisolated subscript(key: Keys) -> any Sendable { fatalError() }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a key is read as Key, with the type of its value")
  public static subscript(key: Keys) -> any Sendable { fatalError() }
}

extension GlobalData.Transaction {
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "a key is read as Key, with the type of its value")
  public subscript(key: GlobalData.Keys) -> any Sendable { fatalError() }
}

// `Key<Int>("volume")`, and reading what is not Codable: "no exact matches in call", since there are two methods for what is.

extension GlobalData.Key {
  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "a key whose value is not optional needs a default, as in Key(\"volume\", default: 0.5)"
  )
  // Generic, because the compiler makes an initializer with a String of its own, to override that of the base class.
  public convenience init<Name: StringProtocol>(_ name: Name) { fatalError() }
}

extension GlobalData {
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "what is read from a store has to be of a type that conforms to Codable")
  public nonisolated func object<Value>(_ type: Value.Type, forKey key: String) throws -> Value? { fatalError() }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "what is read from a store has to be of a type that conforms to Codable")
  public static func object<Value>(_ type: Value.Type, forKey key: String) throws -> Value? { fatalError() }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "the elements of a collection have to conform to Codable and Identifiable")
  public nonisolated func collection<Element>(of type: Element.Type, named name: String? = nil) -> [Element] {
    fatalError()
  }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "the elements of a collection have to conform to Codable and Identifiable")
  public static func collection<Element>(of type: Element.Type, named name: String? = nil) -> [Element] { fatalError() }
}

extension GlobalData.Transaction {
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "what is read from a store has to be of a type that conforms to Codable")
  public func object<Value>(_ type: Value.Type, forKey key: String) throws -> Value? { fatalError() }
}
