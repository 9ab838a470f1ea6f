// What is easily written and wrong, so that the compiler says what to write instead. All of these are unavailable: the compiler looks at
// them only where an expression has no other meaning, so no right program compiles to something else. They are few: with more than two
// subscripts of one place in a long expression, or three methods `object`, the compiler takes a thousand times as long, right or wrong.
//
// Only mistakes stand here for which the compiler has no helpful sentence of its own. That a value which is stored, registered or a
// default has to be Codable, it says with the name of the type. `.ci/compile_errors.py` sees what it says.

// `GlobalData["volume"]` and `GlobalData.value(for: "volume")`: "failed to produce diagnostic".

extension GlobalData {
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
  public static subscript<Name: StringProtocol>(name: Name) -> any Sendable { fatalError() }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "declare a key and write value(for: .volume), or read with object(_:forKey:)")
  public nonisolated func value<Name: StringProtocol>(for name: Name) throws -> any Sendable { fatalError() }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "declare a key and write value(for: .volume), or read with object(_:forKey:)")
  public static func value<Name: StringProtocol>(for name: Name) throws -> any Sendable { fatalError() }
}

// In an update: `let volume = data["volume"]` and `data[.volume] = "loud"`, the same.

extension GlobalData.Transaction {
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "declare a key and write data[.volume], or read with object(_:forKey:) and write with set(_:forKey:)"
  )
  public subscript<Name: StringProtocol>(name: Name) -> any Sendable { fatalError() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "the value of this key is of another type than is used here; an optional one needs ?? and a default"
  )
  public subscript<Value, Wanted: Codable>(key: GlobalData.Key<Value>) -> Wanted {
    get { fatalError() }
    set { fatalError() }
  }
}

// `Key<Int>("volume")`, and a collection of what is not Codable: "no exact matches in call", since each of them comes in two forms.

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
  @available(*, unavailable, message: "the elements of a collection have to conform to Codable and Identifiable")
  public nonisolated func collection<Element>(of type: Element.Type, named name: String? = nil) -> [Element] {
    fatalError()
  }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "the elements of a collection have to conform to Codable and Identifiable")
  public static func collection<Element>(of type: Element.Type, named name: String? = nil) -> [Element] { fatalError() }
}
