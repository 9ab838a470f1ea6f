/// The static calls: the same as on an instance, for the current store.
extension GlobalData {
  @TaskLocal private static var replacement: GlobalData?

  /// The store that the static calls go to: ``shared``, unless ``withStore(_:isolation:operation:)`` replaced it.
  public static var current: GlobalData { replacement ?? shared }

  /// Makes a store the current one for the duration of an operation and the tasks that it creates.
  ///
  /// Parallel tests, each with a store of its own, do not meet. Detached tasks, dispatch queues and threads that the
  /// operation starts do not inherit the store; they see ``shared``.
  public static func withStore<Result>(
    _ store: GlobalData, isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await $replacement.withValue(store, operation: operation)
  }

  /// The value under a key as what it was when it was set; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func object(forKey key: String) throws -> (any Sendable)? {
    try current.object(forKey: key)
  }

  /// The value under a key, as a type that the caller names; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func object<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try current.object(type, forKey: key)
  }

  /// The value under a key, as a `Sendable` type that the caller names; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func object<Value: Codable & Sendable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try current.object(type, forKey: key)
  }

  /// Whether there is a value under a key; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func contains(_ key: String) -> Bool {
    current.contains(key)
  }

  /// The keys that have a value, in the order in which they were first set.
  @_alwaysEmitIntoClient
  public static var allKeys: [String] { current.allKeys }

  /// Stores a value under a key, and returns when it is on stable storage; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func set<Value: Codable>(
    _ value: Value, forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(value, forKey: key, isolation: isolation)
  }

  /// Stores an array; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func set<Element: Codable>(
    _ elements: [Element], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(elements, forKey: key, isolation: isolation)
  }

  /// Stores a dictionary; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func set<Element: Codable>(
    _ elements: [String: Element], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(elements, forKey: key, isolation: isolation)
  }

  /// Stores an array of mixed elements; see the instance's method of the same name.
  @_disfavoredOverload
  @_alwaysEmitIntoClient
  public static func set(
    _ elements: [any Sendable], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(elements, forKey: key, isolation: isolation)
  }

  /// Stores a dictionary of mixed values; see the instance's method of the same name.
  @_disfavoredOverload
  @_alwaysEmitIntoClient
  public static func set(
    _ elements: [String: any Sendable], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.set(elements, forKey: key, isolation: isolation)
  }

  /// Removes the value under a key; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func removeObject(forKey key: String, isolation: isolated (any Actor)? = #isolation) async throws {
    try await current.removeObject(forKey: key, isolation: isolation)
  }

  /// Removes all values and the file, as on logout; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func clear(isolation: isolated (any Actor)? = #isolation) async throws {
    try await current.clear(isolation: isolation)
  }

  /// Removes all values but those under the keys given; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func clear(
    keeping keys: some Collection<String> & Sendable, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await current.clear(keeping: keys, isolation: isolation)
  }

  /// Removes all values but those of the declared keys given; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func clear(keeping keys: [Keys], isolation: isolated (any Actor)? = #isolation) async throws {
    try await current.clear(keeping: keys, isolation: isolation)
  }

  /// Makes types known, so that their values can be read without being named; see the instance's method.
  @_alwaysEmitIntoClient
  public static func register<each Value: Codable & Sendable>(_ types: repeat (each Value).Type) {
    current.register(repeat each types)
  }

  /// Makes types known that conform to `Codable` on an actor; see the instance's method.
  @_disfavoredOverload
  public static func register(_ types: any (Codable & Sendable).Type...) {
    current.configuration.registry.registerOrWarn(types, areOnMainActor: MainQueue.isWorking)
  }

  /// Makes several changes as one, all of them or none; see the instance's method of the same name.
  @discardableResult
  @_alwaysEmitIntoClient
  public static func update<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (inout Transaction) throws -> Result
  ) async throws -> Result {
    try await current.update(isolation: isolation, body)
  }

  /// Reads the file again if another process has replaced it; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func refresh() async throws {
    try await current.refresh()
  }

  /// What the current store notices from now on where it has no way to throw; see the instance's property.
  @_alwaysEmitIntoClient
  public static var diagnostics: AsyncStream<Diagnostic> { current.diagnostics }
}
