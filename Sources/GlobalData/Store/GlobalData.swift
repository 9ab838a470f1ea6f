public import FoundationCore

/// An app's objects in one global place: a dictionary in memory, and one archive file that holds the same.
///
/// ```swift
/// try await GlobalData.set(car, forKey: "car")
/// let same = try GlobalData.object(CarInfo.self, forKey: "car")
/// ```
///
/// The static calls go to ``shared``, unless ``withStore(_:isolation:operation:)`` put another store in its place. An
/// instance has the same calls as members.
///
/// **Reading** is synchronous, from any thread, and does not touch the disk after the first use. **Writing** returns
/// when the value is on stable storage; a value that could not be written is never seen by a reader. Writes that are
/// asked for while one is under way share the next one. All values are in memory; each write writes the whole file, or
/// what changed where the configuration says `.appending`.
///
/// **The last call wins.** Calls that one actor makes, such as the main actor, take effect in the order in which they
/// are made, also in tasks that run on the actor and when none waits for the one before. Calls of different actors, or
/// of tasks without an actor, have no order between them, unless one waits for the other.
///
/// **Isolation.** Values need only be `Codable`. They are encoded and decoded in the isolation of the caller; only
/// bytes travel.
///
/// The first use opens the file. An absent file is an empty store. Of a damaged file the intact entries are kept. One
/// that cannot be read or is of another format throws a ``GlobalDataError`` at each use. Neither is written over, nor
/// is one of a newer version.
public actor GlobalData {
  /// The store of the app: the file `GlobalData.archive` in the platform's folder for an app's data.
  ///
  /// That is Application Support with the bundle's identifier on Apple's platforms (Caches on tvOS, where nothing else
  /// is writable), and `$XDG_DATA_HOME` or `~/.local/share` with the process's name on Linux.
  ///
  /// ``configure(_:)`` says otherwise where it is called before the first use.
  public static let shared = sharedStore.make()

  /// How this store behaves.
  ///
  /// Stores at one place behave as the first of them was told to, but for their registries: this is what is in force. A
  /// second store that was to behave otherwise reports a diagnostic.
  public nonisolated let configuration: Configuration
  nonisolated let engine: StoreEngine

  /// A store in a file of the caller's choice.
  ///
  /// Two stores at one place, also through a symbolic link, share their contents. The file is opened at the first use,
  /// or by ``open()``, and is created by the first write, with its folder.
  ///
  /// - Parameters:
  ///   - url: The place of the file.
  ///   - configuration: How the store behaves. The first store at a place decides how its file is written.
  public init(at url: URL, configuration: Configuration = Configuration()) {
    self.init(configuration, at: .file(url))
  }

  /// A store beside the default one: the file `NAME.archive` in the same folder.
  ///
  /// - Parameters:
  ///   - name: 1 to 200 bytes without a slash or a dot at the start; each use throws where it is not.
  ///   - configuration: How the store behaves. The first store at a place decides how its file is written.
  public init(named name: String, configuration: Configuration = Configuration()) {
    self.init(configuration, at: .named(name))
  }

  /// A store that an app shares with its extensions and with other apps of its group.
  ///
  /// The file is `NAME.archive` in Application Support of the group's container, and on Linux in a folder with the
  /// group's name beside the folders of other programs. Processes that write it concurrently do not lose each other's
  /// changes.
  ///
  /// - Parameters:
  ///   - group: The group's identifier, which the app's entitlements name; each use throws where they do not.
  ///   - name: 1 to 200 bytes without a slash or a dot at the start; each use throws where it is not.
  ///   - configuration: How the store behaves. The first store at a place decides how its file is written.
  public init(
    inAppGroup group: String, named name: String = "GlobalData", configuration: Configuration = Configuration()
  ) {
    self.init(configuration, at: .appGroup(group, named: name))
  }

  /// A store that is where its configuration says, and behaves as it says.
  ///
  /// - Parameter configuration: Where the store is and how it behaves. The first store at a place decides how its file
  ///   is written.
  public init(_ configuration: Configuration) {
    let engine = StoreEngine.engine(for: StoreLocation(configuration.location), configuration)
    self.engine = engine
    var inForce = engine.configuration
    inForce.location = configuration.location
    inForce.registry = configuration.registry
    self.configuration = inForce
    let others = configuration.differences(to: inForce)
    guard !others.isEmpty else { return }
    engine.diagnostics.report(
      .configuration,
      "\(engine.location.url?.path ?? "a store") is already open with another configuration, which stays in effect: "
        + others.joined(separator: ", "))
  }

  private init(_ configuration: Configuration, at location: Location) {
    var configuration = configuration
    configuration.location = location
    self.init(configuration)
  }

  /// Creates a store with other system calls, which shares its contents with no other store, as in another process.
  package init(
    at url: URL, configuration: Configuration = Configuration(), system: any SystemCalls,
    activitySource: ExpiringActivity.Source? = nil
  ) {
    var configuration = configuration
    configuration.location = .file(url)
    self.configuration = configuration
    engine = StoreEngine(.file(url), configuration, system: system, activitySource: activitySource)
  }

  /// A store without a file, for tests and previews. Its contents go with it.
  public static func inMemory(configuration: Configuration = Configuration()) -> GlobalData {
    GlobalData(configuration, at: .memory)
  }

  /// Commits that wait for the disk run here, so that none of them blocks a cooperative thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    engine.executor.asUnownedSerialExecutor()
  }

  /// The place of the store's file, whether it exists or not; `nil` for a store in memory.
  public nonisolated var url: URL? { engine.location.url }

  // MARK: Opening and closing

  /// Reads the file, on the store's own thread, and returns when ``state`` and ``recovery`` are known.
  ///
  /// Without this call, the first use of a value reads the file, on the thread that uses it.
  ///
  /// - Throws: ``GlobalDataError`` when the file cannot be read; the file stays as it is, and the next use tries again.
  /// - Complexity: O(*n*) in the size of the file; O(1) when the store is open.
  public func open() async throws {
    try engine.memory.withContents { _ in }
  }

  /// Finishes the writes that were asked for, and forgets what is in memory. The next use opens the file again. Until
  /// then the store does nothing with its file, and holds nothing open.
  ///
  /// A store in memory keeps its contents.
  ///
  /// - Throws: ``GlobalDataError`` when a write that was still queued failed; its caller gets the same error. The store
  ///   is closed all the same.
  public func close() async throws {
    // Updates that wait for their turn were asked for, too.
    await finishUpdates()
    try engine.withWriter(self) { try $0.close() }
  }

  /// Reads the file again if another process has replaced it since it was read.
  ///
  /// Every write does so as well. Readers go on seeing what was read until then.
  ///
  /// - Throws: ``GlobalDataError`` when the file cannot be read; what was read before stays at hand.
  public func refresh() throws {
    try engine.withWriter(self) { writer in
      defer { writer.retryWatching() }
      try writer.refresh()
    }
  }

  /// What the store found when it opened its file. This reads no disk.
  public nonisolated var state: State { engine.memory.condition }

  /// What was kept and lost when the file was found damaged; `nil` when it was not, and before the store was opened.
  /// This reads no disk.
  ///
  /// It stays when a write has repaired the file, until the store is gone.
  public nonisolated var recovery: Recovery? { engine.memory.recovery }

  /// Sets a damaged file aside and puts its intact entries in its place, now rather than at the next write.
  ///
  /// This is also the way to go on with a file of which nothing could be read, or which the configuration refuses.
  ///
  /// - Returns: What was kept and what was lost; `nil` when there is no file or it is not damaged.
  /// - Throws: ``GlobalDataError`` when the file cannot be read, set aside or replaced. It then stays as it is.
  @discardableResult
  public func recover() throws -> Recovery? {
    try engine.withWriter(self) { try $0.recover() }
  }

  /// What the store notices from now on where it has no way to throw. Each access gives a new stream.
  ///
  /// The same goes to the ``Configuration/diagnosticHandler``, and without one to the system's log on Apple's systems
  /// (subsystem and category `GlobalData`), or elsewhere to standard error, one line for each. What is noticed twice is
  /// told once.
  public nonisolated var diagnostics: AsyncStream<Diagnostic> {
    engine.diagnostics.stream()
  }

  // MARK: Reading

  /// The value under a key as what it was when it was set.
  ///
  /// Types of the standard library and Foundation are known; other types have to be registered, see `register`.
  /// An array or dictionary of mixed elements comes back as `[any Sendable]` or `[String: any Sendable]`.
  ///
  /// - Returns: The value, or `nil` when there is none.
  /// - Throws: ``GlobalDataError`` with code `unregisteredType` or `decodingFailed` when there is a value that cannot
  ///   be made, or the reason why the store cannot be read. The stored value stays as it is.
  /// - Complexity: O(*n*) in the size of the value.
  public nonisolated func object(forKey key: String) throws -> (any Sendable)? {
    try checkKey(key)
    return try engine.memory.withContents { $0[key] }?.object(configuration, in: url)
  }

  /// The value under a key, as a type that the caller names.
  ///
  /// The value is decoded on the caller's thread. On the main thread, a value without instances of classes is decoded
  /// once and then given to each reader there; elsewhere each call decodes it.
  ///
  /// - Returns: The value, or `nil` when there is none.
  /// - Throws: ``GlobalDataError`` with code `typeMismatch` or `decodingFailed` when there is a value of another type,
  ///   or the reason why the store cannot be read. The stored value stays as it is.
  /// - Complexity: O(*n*) in the size of the value, and O(1) when it was read as this type before on the main thread
  ///   and has not changed.
  public nonisolated func object<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try object(type, forKey: key, .onMainThread)
  }

  /// The value under a key, as a type that the caller names.
  ///
  /// A value of a `Sendable` type is decoded once, and then given to readers on all threads.
  ///
  /// - Returns: The value, or `nil` when there is none.
  /// - Throws: ``GlobalDataError`` with code `typeMismatch` or `decodingFailed` when there is a value of another type,
  ///   or the reason why the store cannot be read. The stored value stays as it is.
  /// - Complexity: O(*n*) in the size of the value, and O(1) when it was read as this type before and has not changed;
  ///   with classes or polymorphic values in it always O(*n*), because each reader gets instances of its own.
  public nonisolated func object<Value: Codable & Sendable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try object(type, forKey: key, .anywhere)
  }

  nonisolated func object<Value: Codable>(_ type: Value.Type, forKey key: String, _ reuse: Reuse) throws -> Value? {
    // What was read before was under a key that can be one.
    if let decoded = engine.memory.decodedValue(type, forKey: key) { return decoded.value }
    try checkKey(key)
    return try engine.memory.value(type, forKey: key, configuration, reuse)
  }

  /// Whether there is a value under a key.
  ///
  /// `false` also when the store cannot be read; ``open()`` tells why.
  public nonisolated func contains(_ key: String) -> Bool {
    reporting(false) { try engine.memory.withContents { $0.contains(key) } }
  }

  /// The keys that have a value, in the order in which they were first set.
  ///
  /// Empty also when the store cannot be read; ``open()`` tells why.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public nonisolated var allKeys: [String] {
    reporting([]) { try engine.memory.withContents { $0.keys } }
  }

  /// The types and sizes of all entries, in the order in which their keys were first set. No value is decoded.
  ///
  /// - Throws: ``GlobalDataError`` when the store cannot be read.
  /// - Complexity: O(*n*) in the number of entries.
  public nonisolated func entries() throws -> [EntryInfo] {
    try storedEntries().map { EntryInfo($0, registry: configuration.registry) }
  }

  /// Runs a nonthrowing read; logs what it could not deliver.
  nonisolated func reporting<Result>(_ fallback: Result, _ read: () throws -> Result) -> Result {
    do {
      return try read()
    } catch {
      engine.diagnostics.report(.readFailed, "a value could not be read by a call that cannot throw", error)
      return fallback
    }
  }

  nonisolated var observers: StoreObservers { engine.observers }

  /// In the order in which their keys were first set.
  nonisolated func storedEntries() throws -> [StoredEntry] {
    try engine.memory.withContents { $0.image.entries.list() }
  }

  // MARK: Types

  /// Makes types known, so that their values can be read without being named.
  ///
  /// Call it at launch, before the first read. A type whose tag another type has is not registered: the registry's
  /// handler for warnings is told, by default the system's log or standard error, and reading such a value without
  /// naming its type throws.
  public nonisolated func register<each Value: Codable & Sendable>(_ types: repeat (each Value).Type) {
    configuration.registry.registerOrWarn(TypeRegistry.list(repeat each types))
  }

  /// Makes types known that conform to `Codable` on an actor, such as all types of a module whose code is on the main
  /// actor by default.
  ///
  /// Called on the main actor, it makes types known that are created on the main actor only: elsewhere, reading such a
  /// value without naming its type throws. Types that other actors read are `nonisolated`, and registered by a call of
  /// their own.
  @_disfavoredOverload
  public nonisolated func register(_ types: any (Codable & Sendable).Type...) {
    configuration.registry.registerOrWarn(types, areOnMainActor: MainQueue.isWorking)
  }

  nonisolated func checkKey(_ key: String) throws {
    try StoredEntry.check(key, configuration.limits)
  }
}
