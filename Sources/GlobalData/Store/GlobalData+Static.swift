/// Static counterparts of the instance members, which use the current store.
extension GlobalData {
  /// The store that ``withStore(_:isolation:operation:)`` makes current.
  @TaskLocal static var replacement: GlobalData?

  /// The store that the static members use: ``shared``, unless ``withStore(_:isolation:operation:)`` replaces it.
  public static var current: GlobalData { replacement ?? shared }

  /// Makes a store the current store for the duration of an operation and in the tasks that the operation creates.
  ///
  /// Use this method to give each parallel test its own store, so that tests do not affect each other. Detached tasks,
  /// dispatch queues and threads that the operation starts do not inherit the store. They use ``shared``.
  ///
  /// - Returns: The return value of the operation.
  /// - Throws: Any error that the operation throws.
  public static func withStore<Result>(
    _ store: GlobalData, isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await $replacement.withValue(store, operation: operation)
  }

  /// Returns the value under a key, with the type that it was set with. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func object(forKey key: String) throws -> (any Sendable)? {
    try current.object(forKey: key)
  }

  /// Returns the value under a key, as a type that the caller names. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func object<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try current.object(type, forKey: key)
  }

  /// Returns the value under a key, as a `Sendable` type that the caller names.
  ///
  /// See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func object<Value: Codable & Sendable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try current.object(type, forKey: key)
  }

  /// Returns whether there is a value under a key.
  ///
  /// See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func contains(_ key: String) -> Bool { current.contains(key) }

  /// The keys that have a value, in the order in which they were first set.
  @_alwaysEmitIntoClient
  public static var allKeys: [String] { current.allKeys }

  /// Stores a value under a key, and returns when the value is on stable storage.
  ///
  /// See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func set<Value: Codable>(
    _ value: Value, forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(value, forKey: key, isolation: isolation)
  }

  /// Stores an array. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func set<Element: Codable>(
    _ elements: [Element], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(elements, forKey: key, isolation: isolation)
  }

  /// Stores a dictionary. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func set<Element: Codable>(
    _ elements: [String: Element], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(elements, forKey: key, isolation: isolation)
  }

  /// Stores an array of mixed elements. See the instance method of the same name.
  @_disfavoredOverload @_alwaysEmitIntoClient
  public static func set(
    _ elements: [any Sendable], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(elements, forKey: key, isolation: isolation)
  }

  /// Stores a dictionary of mixed values. See the instance method of the same name.
  @_disfavoredOverload @_alwaysEmitIntoClient
  public static func set(
    _ elements: [String: any Sendable], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(elements, forKey: key, isolation: isolation)
  }

  /// Removes the value under a key. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func removeObject(forKey key: String, isolation: isolated (any Actor)? = #isolation) async throws {
    try await current.removeObject(forKey: key, isolation: isolation)
  }

  /// Removes all values and the file, for example on logout. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func clear(isolation: isolated (any Actor)? = #isolation) async throws {
    try await current.clear(isolation: isolation)
  }

  /// Removes all values except those under the given keys. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func clear(
    keeping keys: some Collection<String> & Sendable, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.clear(keeping: keys, isolation: isolation)
  }

  /// Removes all values except those of the given declared keys. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func clear(keeping keys: [Keys], isolation: isolated (any Actor)? = #isolation) async throws {
    try await current.clear(keeping: keys, isolation: isolation)
  }

  /// Registers types, so that their values can be read without naming a type. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func register<each Value: Codable & Sendable>(_ types: repeat (each Value).Type) {
    current.register(repeat each types)
  }

  /// Registers types that conform to `Codable` on an actor. See the instance method of the same name.
  @_disfavoredOverload
  public static func register(_ types: any (Codable & Sendable).Type...) {
    current.configuration.registry.registerOrWarn(types, areOnMainActor: MainQueue.isWorking)
  }

  /// Makes several changes as one, either all of them or none. See the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func update<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (inout Transaction) throws -> Result
  ) async throws -> Result {
    try await current.update(isolation: isolation, body)
  }

  /// Reads the file again if another process has changed it. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func refresh() async throws { try await current.refresh() }

  /// A stream of the diagnostics that the current store reports from now on.
  ///
  /// See the instance property of the same name.
  @_alwaysEmitIntoClient
  public static var diagnostics: AsyncStream<Diagnostic> { current.diagnostics }
}
