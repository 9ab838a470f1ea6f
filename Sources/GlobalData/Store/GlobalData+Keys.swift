// Access to the values of declared keys.

extension GlobalData {
  /// Accesses the value of a declared key, or its default if no value is set.
  ///
  /// The value comes from memory, so the access does not wait for the disk. If the value cannot be read, the subscript
  /// returns the default. ``diagnostics-property`` reports the reason once for each key, and `value(for:)` throws it.
  ///
  /// - Complexity: As `object(_:forKey:)`.
  public nonisolated subscript<Value>(key: Key<Value>) -> Value {
    do {
      noteDeclaration(key)
      // This path avoids an intermediate optional, whose type would have to be looked up at each read.
      if let decoded = engine.memory.decodedValue(Value.self, forKey: key.name) { return decoded.value }
      return try value(for: key)
    } catch {
      reportUnreadable(key.name, error)
      return key.defaultValue
    }
  }

  /// Returns the value of a declared key, or its default if no value is set.
  ///
  /// - Throws: ``GlobalDataError`` if the value or the store cannot be read. The value remains unchanged.
  /// - Complexity: As `object(_:forKey:)`.
  public nonisolated func value<Value>(for key: Key<Value>) throws -> Value {
    noteDeclaration(key)
    return try object(Value.self, forKey: key.name, key.reuse) ?? key.defaultValue
  }

  /// Stores the value of a declared key, and returns when the value is on stable storage.
  ///
  /// Setting `nil` removes the value.
  ///
  /// - Throws: ``GlobalDataError``, as `set(_:forKey:)` does.
  public func set<Value>(
    _ value: Value, for key: Key<Value>, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    noteDeclaration(key)
    try await set(value, forKey: key.name, isolation: isolation)
  }

  /// Removes the value of a declared key, so that reading the key returns its default again.
  ///
  /// - Throws: ``GlobalDataError``, as `removeObject(forKey:)` does.
  @_alwaysEmitIntoClient
  public func reset<Value>(_ key: Key<Value>, isolation: isolated (any Actor)? = #isolation) async throws {
    try await removeObject(forKey: key.name, isolation: isolation)
  }

  /// Returns whether a value is set for a declared key.
  ///
  /// The result is also `false` if the store cannot be read.
  @_alwaysEmitIntoClient
  public nonisolated func contains<Value>(_ key: Key<Value>) -> Bool { contains(key.name) }

  // MARK: The current store

  /// Accesses the value of a declared key in the current store, or its default. See the instance subscript.
  @_alwaysEmitIntoClient
  public static subscript<Value>(key: Key<Value>) -> Value { current[key] }

  /// Returns the value of a declared key in the current store, or its default.
  ///
  /// See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func value<Value>(for key: Key<Value>) throws -> Value {
    try current.value(for: key)
  }

  /// Stores the value of a declared key in the current store. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func set<Value>(
    _ value: Value, for key: Key<Value>, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(value, for: key, isolation: isolation)
  }

  /// Removes the value of a declared key from the current store. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func reset<Value>(_ key: Key<Value>, isolation: isolated (any Actor)? = #isolation) async throws {
    try await current.reset(key, isolation: isolation)
  }

  /// Returns whether a value is set for a declared key in the current store.
  @_alwaysEmitIntoClient
  public static func contains<Value>(_ key: Key<Value>) -> Bool { current.contains(key) }

  /// Reports a value that a nonthrowing read could not return, once for each key.
  nonisolated func reportUnreadable(_ key: String, _ error: any Error) {
    engine.diagnostics.report(.readFailed, "the value under the key \(key.quoted) could not be read", error, key: key)
  }

  /// Reports a name that is declared with two types, in debug builds only.
  nonisolated func noteDeclaration<Value>(_ key: Key<Value>) {
    assert(engine.declarations.notes(key.name, as: Value.self, engine.diagnostics))
  }
}

extension GlobalData.Transaction {
  /// Accesses the value of a declared key, or its default if no value is set.
  ///
  /// If a value cannot be read or encoded, the whole update fails when its closure returns. A result that was computed
  /// from a default therefore never overwrites the stored value. An instance of a class may be changed in place, as in
  /// `data[.account].name = "Kim"`.
  // Disfavored, so that reads use the subscript below if possible.
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

  // Without a read-only subscript, the compiler gives up on `data[.a] * 2 + data[.b] - 3 + data[.c]`. It does not know
  // the type of a settable expression until it has tried all operators.
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

  /// Returns the value of a declared key, or its default if no value is set.
  ///
  /// - Throws: ``GlobalDataError`` if the value cannot be read.
  public func value<Value>(for key: GlobalData.Key<Value>) throws -> Value {
    try object(Value.self, forKey: key.name, key.reuse) ?? key.defaultValue
  }

  /// Stores the value of a declared key. Setting `nil` removes the value.
  ///
  /// - Throws: ``GlobalDataError`` with code `invalidKey` or `encodingFailed`.
  @_alwaysEmitIntoClient
  public mutating func set<Value>(_ value: Value, for key: GlobalData.Key<Value>) throws {
    try set(value, forKey: key.name)
  }

  /// Removes the value of a declared key, so that reading the key returns its default again.
  @_alwaysEmitIntoClient
  public mutating func reset<Value>(_ key: GlobalData.Key<Value>) { removeObject(forKey: key.name) }

  /// Returns whether a value is set for a declared key.
  @_alwaysEmitIntoClient
  public func contains<Value>(_ key: GlobalData.Key<Value>) -> Bool { contains(key.name) }
}
