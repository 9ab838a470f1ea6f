// Values of declared keys.

extension GlobalData {
  /// The value of a declared key, or its default where none is set. At once, from memory.
  ///
  /// The default also where the value cannot be read: ``diagnostics-property`` tells why, once for each key, and
  /// `value(for:)` throws.
  ///
  /// - Complexity: O(*n*) in the size of the value.
  public nonisolated subscript<Value>(key: Key<Value>) -> Value {
    do {
      noteDeclaration(key)
      // Without an optional in between, whose type would have to be looked up at each read.
      if let decoded = engine.memory.decodedValue(Value.self, forKey: key.name) { return decoded.value }
      return try value(for: key)
    } catch {
      reportUnreadable(key.name, error)
      return key.defaultValue
    }
  }

  /// The value of a declared key, or its default where none is set.
  ///
  /// - Throws: ``GlobalDataError`` when there is a value that cannot be read, or the store cannot. The value stays as
  ///   it is.
  /// - Complexity: O(*n*) in the size of the value.
  public nonisolated func value<Value>(for key: Key<Value>) throws -> Value {
    noteDeclaration(key)
    return try object(Value.self, forKey: key.name, key.reuse) ?? key.defaultValue
  }

  /// Stores the value of a declared key, and returns when it is on stable storage. `nil` removes it.
  ///
  /// - Throws: ``GlobalDataError`` as `set(_:forKey:)` does. The store then keeps the earlier value.
  public func set<Value>(
    _ value: Value, for key: Key<Value>, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    noteDeclaration(key)
    try await set(value, forKey: key.name, isolation: isolation)
  }

  /// Removes the value of a declared key, so that it has its default again.
  ///
  /// - Throws: ``GlobalDataError`` as `removeObject(forKey:)` does.
  public func reset<Value>(_ key: Key<Value>, isolation: isolated (any Actor)? = #isolation) async throws {
    try await removeObject(forKey: key.name, isolation: isolation)
  }

  /// Whether a value is set for a declared key; `false` also when the store cannot be read.
  @_alwaysEmitIntoClient
  public nonisolated func contains<Value>(_ key: Key<Value>) -> Bool {
    contains(key.name)
  }

  // MARK: The current store

  /// The value of a declared key in the current store, or its default; see the instance's subscript.
  @_alwaysEmitIntoClient
  public static subscript<Value>(key: Key<Value>) -> Value { current[key] }

  /// The value of a declared key in the current store, or its default; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func value<Value>(for key: Key<Value>) throws -> Value {
    try current.value(for: key)
  }

  /// Stores the value of a declared key in the current store; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func set<Value>(
    _ value: Value, for key: Key<Value>, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(value, for: key, isolation: isolation)
  }

  /// Removes the value of a declared key from the current store; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func reset<Value>(_ key: Key<Value>, isolation: isolated (any Actor)? = #isolation) async throws {
    try await current.reset(key, isolation: isolation)
  }

  /// Whether a value is set for a declared key in the current store.
  @_alwaysEmitIntoClient
  public static func contains<Value>(_ key: Key<Value>) -> Bool { current.contains(key) }

  /// Reports, once for each key, a value that a nonthrowing read could not deliver.
  nonisolated func reportUnreadable(_ key: String, _ error: any Error) {
    engine.diagnostics.report(.readFailed, "the value under the key \(key.quoted) could not be read", error, key: key)
  }

  /// Reports, in debug builds, a name that is declared with two types.
  nonisolated func noteDeclaration<Value>(_ key: Key<Value>) {
    assert(engine.declarations.notes(key.name, as: Value.self, engine.diagnostics))
  }
}

extension GlobalData.Transaction {
  /// The value of a declared key, or its default where none is set.
  ///
  /// A value that cannot be read or encoded fails the update as a whole, when its closure returns: nothing is
  /// overwritten with what was computed from a default. An instance of a class may be changed in place, as in
  /// `data[.account].name = "Kim"`.
  // Disfavoured, so that reads take the subscript below where they can.
  @_disfavoredOverload
  public subscript<Value>(key: GlobalData.Key<Value>) -> Value {
    mutating get { valueOrDefault(of: key) }
    set {
      do {
        try set(newValue, forKey: key.name)
      } catch {
        failure = failure ?? error
      }
    }
  }

  // Without a subscript that only reads, the compiler gave up on `data[.a] * 2 + data[.b] - 3 + data[.c]`: it does not
  // know the type of what can be set until it has tried all operators.
  @_documentation(visibility: internal)
  public subscript<Value: Equatable>(key: GlobalData.Key<Value>) -> Value {
    mutating get { valueOrDefault(of: key) }
  }

  private mutating func valueOrDefault<Value>(of key: GlobalData.Key<Value>) -> Value {
    do {
      if let value: Value = handedOut(forKey: key.name) { return value }
      guard let (value, isRepeatable) = try read(Value.self, forKey: key.name, key.reuse) else {
        let value = key.defaultValue
        if key.copiesDefault { try handOut(value, forKey: key.name) }
        return value
      }
      if !isRepeatable { try handOut(value, forKey: key.name) }
      return value
    } catch {
      failure = failure ?? error
      return key.defaultValue
    }
  }

  /// The value of a declared key, or its default where none is set.
  ///
  /// - Throws: ``GlobalDataError`` when there is a value that cannot be read.
  public func value<Value>(for key: GlobalData.Key<Value>) throws -> Value {
    try object(Value.self, forKey: key.name, key.reuse) ?? key.defaultValue
  }

  /// Stores the value of a declared key. `nil` removes it.
  ///
  /// - Throws: ``GlobalDataError`` with code `encodingFailed`.
  @_alwaysEmitIntoClient
  public mutating func set<Value>(_ value: Value, for key: GlobalData.Key<Value>) throws {
    try set(value, forKey: key.name)
  }

  /// Removes the value of a declared key, so that it has its default again.
  @_alwaysEmitIntoClient
  public mutating func reset<Value>(_ key: GlobalData.Key<Value>) {
    removeObject(forKey: key.name)
  }
}
