public import FoundationCore

/// A global store for an app's objects: a dictionary in memory, and an archive file with the same contents.
///
/// ```swift
/// try await GlobalData.set(car, forKey: "car")
/// let same = try GlobalData.object(CarInfo.self, forKey: "car")
/// ```
///
/// The static calls use ``shared``, unless ``withStore(_:isolation:operation:)`` replaces it with another store. An
/// instance has the same calls as members.
///
/// **Reading** is synchronous, works on any thread, and does not access the disk after the first use. **Writing**
/// returns when the value is on stable storage. A reader never sees a value that could not be written. Writes that are
/// requested while another write is in progress share the next one. All values are in memory. Each write replaces the
/// whole file, or appends only the changes if the configuration specifies `.appending`.
///
/// **The last call wins.** Calls that one actor makes, such as the main actor, take effect in the order in which they
/// are made. This includes calls from tasks that run on the actor, and calls that do not wait for the previous call.
/// Calls from different actors, or from tasks without an actor, have no defined order unless one waits for the other.
///
/// **Isolation.** Values only need to be `Codable`. They are encoded and decoded in the caller's isolation. Only the
/// encoded bytes leave it.
///
/// The first use opens the file. If the file does not exist, the store is empty. If the file is damaged, its intact
/// entries are kept. If the file cannot be read or has another format, each use throws a ``GlobalDataError``. The store
/// never overwrites a damaged or unreadable file, a file in another format, or a file of a newer version.
public actor GlobalData {
  /// The store of the app, in the file `GlobalData.archive` in the platform's folder for app data.
  ///
  /// On Apple platforms, this folder is named after the bundle identifier and is in Application Support, or in Caches
  /// on tvOS, where no other folder is writable. On Linux, the folder is named after the process and is in
  /// `$XDG_DATA_HOME` or `~/.local/share`.
  ///
  /// To choose another location, call ``configure(_:)`` before the first use.
  public static let shared = sharedStore.make()

  /// The configuration that is in effect for this store.
  ///
  /// Stores at the same location use the configuration of the first of them, but each has its own registry. A later
  /// store that is created with a different configuration reports a diagnostic.
  public nonisolated let configuration: Configuration
  nonisolated let engine: StoreEngine

  /// Creates a store with a file at the given location.
  ///
  /// Two stores at the same location share their contents, even if one of them uses a symbolic link. The first use or
  /// ``open()`` opens the file. The first write creates the file and its folder.
  ///
  /// - Parameters:
  ///   - url: The location of the file.
  ///   - configuration: The configuration of the store. The first store at a location determines how the file is
  ///     written.
  @_alwaysEmitIntoClient
  public init(at url: URL, configuration: Configuration = Configuration()) {
    self.init(configuration.located(at: .file(url)))
  }

  /// Creates a store beside the default store, in the file `NAME.archive` in the same folder.
  ///
  /// - Parameters:
  ///   - name: A name of 1 to 200 bytes, without a slash and without a dot at the start. If the name is invalid, each
  ///     use of the store throws.
  ///   - configuration: The configuration of the store. The first store at a location determines how the file is
  ///     written.
  @_alwaysEmitIntoClient
  public init(named name: String, configuration: Configuration = Configuration()) {
    self.init(configuration.located(at: .named(name)))
  }

  /// Creates a store that an app shares with its extensions and with other apps in its group.
  ///
  /// The file is `NAME.archive` in Application Support in the group's container, or in Caches on tvOS. On Linux, the
  /// file is in a folder that has the group's name and is beside the folders of other programs. Processes that write
  /// the file concurrently do not lose each other's changes.
  ///
  /// - Parameters:
  ///   - group: The identifier of a group in the app's entitlements. If the entitlements do not include the group, each
  ///     use of the store throws; on macOS, only in a sandboxed app.
  ///   - name: A name of 1 to 200 bytes, without a slash and without a dot at the start. If the name is invalid, each
  ///     use of the store throws.
  ///   - configuration: The configuration of the store. The first store at a location determines how the file is
  ///     written.
  @_alwaysEmitIntoClient
  public init(
    inAppGroup group: String, named name: String = "GlobalData", configuration: Configuration = Configuration()
  ) {
    self.init(configuration.located(at: .appGroup(group, named: name)))
  }

  /// Creates a store with the location and behavior of a configuration.
  ///
  /// - Parameter configuration: The location and behavior of the store. The first store at a location determines how
  ///   the file is written.
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
      "\(engine.location.url?.path ?? "a file") already has a store with another configuration, which stays in effect; "
        + "it differs in " + others.joined(separator: ", "))
  }

  /// Creates a store that uses the given system calls.
  ///
  /// As in another process, the store does not share its contents with any other store.
  package init(
    at url: URL, configuration: Configuration = Configuration(), system: any SystemCalls,
    activitySource: ExpiringActivity.Source? = nil
  ) {
    let configuration = configuration.located(at: .file(url))
    self.configuration = configuration
    engine = StoreEngine(.file(url), configuration, system: system, activitySource: activitySource)
  }

  /// Returns a new store without a file, for tests and previews. Its contents exist only as long as the store.
  @_alwaysEmitIntoClient
  public static func inMemory(configuration: Configuration = Configuration()) -> GlobalData {
    GlobalData(configuration.located(at: .memory))
  }

  /// The executor for commits that wait for the disk, so that commits do not block threads of the cooperative pool.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    engine.executor.asUnownedSerialExecutor()
  }

  /// The location of the store's file, whether or not the file exists. `nil` for a store in memory.
  public nonisolated var url: URL? { engine.location.url }

  // MARK: Opening and closing

  /// Reads the file on the store's own thread, and returns when ``state`` and ``recovery`` are known.
  ///
  /// Without this call, the first use of a value reads the file on the calling thread.
  ///
  /// - Throws: ``GlobalDataError`` if the file cannot be read. The file remains unchanged, and the next use tries
  ///   again.
  /// - Complexity: O(*n*) in the size of the file. O(1) if the store is open.
  public func open() async throws { try engine.memory.withContents { _ in } }

  /// Finishes all requested writes and releases the contents in memory, unless the store is observed.
  ///
  /// The next use opens the file again. A new observer is a use, but an observer that shows or returns an earlier
  /// change is not. Until then, the store does not access its file and keeps no file open. A store in memory keeps its
  /// contents. An observed store keeps them until the next use, which then notifies the observers of what other
  /// processes have changed.
  ///
  /// - Throws: ``GlobalDataError`` if queued writes could not be committed. Their callers receive the same error. The
  ///   store is closed anyway.
  public func close() async throws {
    try await inTurn(self) { writer, _, failure in
      writer.close()
      if let failure { throw failure }
    }
  }

  /// Reads the file again if another process has changed it since it was read.
  ///
  /// Every write also does this. Until then, readers see the earlier contents.
  ///
  /// - Throws: ``GlobalDataError`` if the file cannot be read. The earlier contents remain available.
  /// - Complexity: O(*n*) in the size of the file if the file has changed; otherwise O(1).
  public func refresh() throws {
    try engine.withWriter(self) { writer in
      defer { writer.retryWatching() }
      try writer.refresh()
    }
  }

  /// The state of the store, as found when it last read or wrote its file. This property does not access the disk.
  /// While a task opens the store, the state is ``State/notOpened``.
  public nonisolated var state: State { engine.memory.condition }

  /// The entries that were kept and lost because the file was damaged. `nil` if the file was not damaged or the store
  /// has not been opened. This property does not access the disk.
  ///
  /// The value remains available after a write has repaired the file, until `clear()` or a restoration from a file.
  public nonisolated var recovery: Recovery? { engine.memory.recovery }

  /// Sets a damaged file aside and replaces it with a file of its intact entries, now rather than at the next write.
  ///
  /// Also use this method to continue with a file whose beginning is damaged or that the configuration refuses.
  ///
  /// - Returns: The entries that were kept and lost, or `nil` if the file does not exist or is not damaged.
  /// - Throws: ``GlobalDataError`` if the file has another format or a newer version, or if it cannot be read, set
  ///   aside or replaced. The file then remains unchanged, except with code `durabilityUnknown`: then it was replaced,
  ///   but a power cut may bring back the damaged file.
  @discardableResult
  public func recover() throws -> Recovery? { try engine.withWriter(self) { try $0.recover() } }

  /// A stream of the diagnostics that the store reports from now on. Each access creates a new stream.
  ///
  /// The store reports problems as diagnostics if it has no way to throw. ``Configuration/diagnosticHandler`` receives
  /// the same diagnostics. Without a handler, the diagnostics go to the system log on Apple platforms (subsystem and
  /// category `GlobalData`), and elsewhere to standard error, one line each. The store reports each failed write, each
  /// older copy and each file of another store. It reports any other diagnostic only once. Of these others, it reports
  /// no failed read after the first 1,000, and none at all after the first 2,000. A stream keeps the newest 100 that
  /// were not read yet.
  public nonisolated var diagnostics: AsyncStream<Diagnostic> { engine.diagnostics.stream() }

  // MARK: Reading

  /// Returns the value under a key, with the type that it was set with.
  ///
  /// Types of the standard library and Foundation are known. Other types must be registered with `register`. An array
  /// or dictionary of mixed elements is returned as `[any Sendable]` or `[String: any Sendable]`.
  ///
  /// - Returns: The value, or `nil` if there is no value.
  /// - Throws: ``GlobalDataError`` with code `unregisteredType`, `newerVersion`, `migrationFailed` or `decodingFailed`
  ///   if the value cannot be created, or `invalidKey` if no value can have the key. If the store cannot be read, the
  ///   error gives the reason. The stored value remains unchanged.
  /// - Complexity: O(*n*) in the size of the value.
  public nonisolated func object(forKey key: String) throws -> (any Sendable)? {
    try checkKey(key)
    return try engine.memory.withContents { $0[key] }?.object(configuration, in: url)
  }

  /// Returns the value under a key, as a type that the caller names.
  ///
  /// The value is decoded on the caller's thread. On the main thread, a value without class instances is decoded once
  /// and then returned to all later readers on that thread. On other threads, each call decodes the value.
  ///
  /// - Returns: The value, or `nil` if there is no value.
  /// - Throws: ``GlobalDataError`` with code `typeMismatch` or `decodingFailed` if the value has another type,
  ///   `newerVersion` or `migrationFailed` if its version cannot be read, or `invalidKey` if no value can have the key.
  ///   If the store cannot be read, the error gives the reason. The stored value remains unchanged.
  /// - Complexity: O(*n*) in the size of the value. O(1) if the value was read as this type before on the main thread
  ///   and has not changed.
  public nonisolated func object<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try object(type, forKey: key, .onMainThread)
  }

  /// Returns the value under a key, as a type that the caller names.
  ///
  /// A value of a `Sendable` type is decoded once and then returned to readers on all threads.
  ///
  /// - Returns: The value, or `nil` if there is no value.
  /// - Throws: ``GlobalDataError`` with code `typeMismatch` or `decodingFailed` if the value has another type,
  ///   `newerVersion` or `migrationFailed` if its version cannot be read, or `invalidKey` if no value can have the key.
  ///   If the store cannot be read, the error gives the reason. The stored value remains unchanged.
  /// - Complexity: O(*n*) in the size of the value. O(1) if the value was read as this type before and has not changed.
  ///   Always O(*n*) if the value contains class instances or polymorphic values, because each reader gets its own
  ///   instances.
  public nonisolated func object<Value: Codable & Sendable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try object(type, forKey: key, .anywhere)
  }

  nonisolated func object<Value: Codable>(_ type: Value.Type, forKey key: String, _ reuse: Reuse) throws -> Value? {
    // A key with a cached value is known to be valid.
    if let decoded = engine.memory.decodedValue(type, forKey: key) { return decoded.value }
    try checkKey(key)
    return try engine.memory.value(type, forKey: key, configuration, reuse)
  }

  /// Returns whether there is a value under a key.
  ///
  /// The result is also `false` if the store cannot be read. ``open()`` throws the reason.
  public nonisolated func contains(_ key: String) -> Bool {
    reporting(false) { try engine.memory.withContents { $0.contains(key) } }
  }

  /// The keys that have a value, in the order in which they were first set. A key that is removed and set again comes
  /// after all others.
  ///
  /// The array is also empty if the store cannot be read. ``open()`` throws the reason.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public nonisolated var allKeys: [String] {
    reporting([]) { try engine.memory.withContents { $0.keys } }
  }

  /// Returns the types and sizes of all entries, in the order in which their keys were first set.
  ///
  /// This method decodes no values.
  ///
  /// - Throws: ``GlobalDataError`` if the store cannot be read.
  /// - Complexity: O(*n*) in the number of entries.
  public nonisolated func entries() throws -> [EntryInfo] {
    try storedEntries().map { EntryInfo($0, registry: configuration.registry) }
  }

  /// Runs a read for a call that cannot throw. If the read fails, reports the error and returns the fallback.
  nonisolated func reporting<Result>(_ fallback: Result, _ read: () throws -> Result) -> Result {
    do {
      return try read()
    } catch {
      engine.diagnostics.report(.readFailed, "a value could not be read by a call that cannot throw", error)
      return fallback
    }
  }

  nonisolated var observers: StoreObservers { engine.observers }

  /// Returns the entries in the order in which their keys were first set.
  nonisolated func storedEntries() throws -> [StoredEntry] {
    try engine.memory.withContents { $0.entries.list() }
  }

  // MARK: Types

  /// Registers types, so that their values can be read without naming a type.
  ///
  /// Call this method at launch, before the first read. If a type has the same tag as another type, reading a value of
  /// either type without naming the type throws. The registry's warning handler is called. By default, the warning goes
  /// to the system log or to standard error.
  public nonisolated func register<each Value: Codable & Sendable>(_ types: repeat (each Value).Type) {
    configuration.registry.registerOrWarn(TypeRegistry.list(repeat each types))
  }

  /// Registers types that conform to `Codable` on an actor, such as all types of a module whose code is on the main
  /// actor by default.
  ///
  /// If you call this method on the main actor, values of the types are created only on the main actor. Elsewhere,
  /// reading such a value without naming its type throws. Declare types that other actors read as `nonisolated`, and
  /// register them in a separate call.
  @_disfavoredOverload
  public nonisolated func register(_ types: any (Codable & Sendable).Type...) {
    configuration.registry.registerOrWarn(types, areOnMainActor: MainQueue.isWorking)
  }

  /// Throws an error if the key may not be stored, unless a store with other limits has stored it.
  nonisolated func checkKey(_ key: String) throws {
    do {
      try StoredEntry.check(key, configuration.limits)
    } catch {
      guard try engine.memory.withContents({ $0.contains(key) }) else { throw error }
    }
  }
}
