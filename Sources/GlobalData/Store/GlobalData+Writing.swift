// Writing: in the isolation of the caller until the change is queued, then on the store's thread.

extension GlobalData {
  /// Stores a value under a key, and returns when it is on stable storage.
  ///
  /// The value is encoded on the caller's thread, in the caller's isolation; only the bytes travel. A value that is
  /// there already is replaced, whatever its type. Setting an optional that is `nil` removes the value. If nothing
  /// would change, nothing is written.
  ///
  /// The call takes its place among all writes before it first suspends: of two calls that one actor makes, the later
  /// one wins.
  ///
  /// - Throws: ``GlobalDataError`` with code `invalidKey` for a key that is empty or over 1,024 bytes; `encodingFailed`
  ///   for a value that cannot be encoded; `writeFailed` when the file cannot be replaced, and the reason when it could
  ///   not be read. The store then keeps the earlier value, in memory and in the file. Only with `durabilityUnknown`
  ///   the new value is there, but may not survive a power cut.
  /// - Complexity: O(*n*) in the size of all values, which are written to the file.
  public func set<Value: Codable>(
    _ value: Value, forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: isNil(value), isolation) { try $0.encodeItem(value) }
  }

  /// Stores an array, as the method for any value does. Without this method, a literal would be taken for an array of
  /// mixed elements.
  public func set<Element: Codable>(
    _ elements: [Element], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: false, isolation) { try $0.encodeItem(elements) }
  }

  /// Stores a dictionary, as the method for any value does. Without this method, a literal would be taken for one of
  /// mixed values.
  public func set<Element: Codable>(
    _ elements: [String: Element], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: false, isolation) { try $0.encodeItem(elements) }
  }

  /// Stores an array of mixed elements.
  ///
  /// - Throws: As the method for any value; also with code `encodingFailed` where an element, however deep in a
  ///   collection, is not `Codable`.
  @_disfavoredOverload
  public func set(
    _ elements: [any Sendable], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: false, isolation) { try $0.encodeItem(elements as any Sendable) }
  }

  /// Stores a dictionary of mixed values.
  ///
  /// - Throws: As the method for any value; also with code `encodingFailed` where a value, however deep in a
  ///   collection, is not `Codable`.
  @_disfavoredOverload
  public func set(
    _ elements: [String: any Sendable], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: false, isolation) { try $0.encodeItem(elements as any Sendable) }
  }

  // Writing calls run in the isolation of their caller until they are queued. Were they to leave it before, two calls
  // that one actor makes in order could change places on the way.

  private dynamic func set(
    forKey key: String, isNil: Bool, _ isolation: isolated (any Actor)?,
    encode: (KeyedArchiveEncoder) throws -> KeyedArchiveEncoder.Item
  ) async throws {
    // The number comes first: a clear that is asked for while the value is being encoded comes after this call.
    let number = engine.queue.takeNumber()
    guard !isNil else { return try await removeObject(forKey: key, number: number, isolation) }
    try await commit(.set(StoredEntry(key: key, configuration, in: url, encode: encode)), number: number, isolation)
  }

  /// Removes the value under a key, and returns when the file no longer holds it. Without a value nothing happens.
  ///
  /// - Throws: ``GlobalDataError`` as `set` does.
  /// - Complexity: O(*n*) in the size of all values, which are written to the file.
  public func removeObject(forKey key: String, isolation: isolated (any Actor)? = #isolation) async throws {
    try await removeObject(forKey: key, number: engine.queue.takeNumber(), isolation)
  }

  private func removeObject(forKey key: String, number: UInt64, _ isolation: isolated (any Actor)?) async throws {
    try checkKey(key)
    try await commit(.remove(key), number: number, isolation)
  }

  /// Removes all values and the file, as on logout, and returns when they are gone.
  ///
  /// It is ordered with all other writes: what was asked for before does not come back after it.
  ///
  /// - Throws: ``GlobalDataError`` with code `removeFailed` when the file cannot be removed; the store then keeps its
  ///   values. With the same code when the values are gone but something beside the file could not be removed, which
  ///   the message names; a further clear tries again. Else the reason why the file could not be read.
  public func clear(isolation: isolated (any Actor)? = #isolation) async throws {
    try await commitQueued(engine.queue.add(.clear(keeping: [])), isolation)
  }

  /// Removes all values but those under the keys given, in one write.
  ///
  /// - Throws: ``GlobalDataError`` as `set` does; the store then keeps its values.
  /// - Complexity: O(*n*) in the size of the values that are kept.
  public func clear(
    keeping keys: some Collection<String> & Sendable, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await commitQueued(engine.queue.add(.clear(keeping: Set(keys))), isolation)
  }

  /// Removes all values but those of the declared keys given, in one write.
  ///
  /// - Throws: ``GlobalDataError`` as `set` does; the store then keeps its values.
  /// - Complexity: O(*n*) in the size of the values that are kept.
  @_alwaysEmitIntoClient
  public func clear(keeping keys: [Keys], isolation: isolated (any Actor)? = #isolation) async throws {
    try await clear(keeping: keys.map(\.name), isolation: isolation)
  }

  /// Commits a change: here, if that does not block, else with all others that are queued.
  private func commit(_ change: StoreTicket.Request, number: UInt64, _ isolation: isolated (any Actor)?) async throws {
    guard engine.mayCommitAtOnce else {
      return try await commitQueued(engine.queue.add(change, number: number), isolation)
    }
    let isDone = try engine.commitAtOnce(change, number: number)
    if isDone == true { return }
    try await commitQueued(engine.queue.add(change, number: number), tryingAtOnce: isDone == nil, isolation)
  }

  /// Commits the queue if this caller must, and waits for the outcome of one change.
  func commitQueued(
    _ queued: (ticket: StoreTicket, mustCommit: Bool), tryingAtOnce: Bool = false, _ isolation: isolated (any Actor)?
  ) async throws {
    let isDone = tryingAtOnce && engine.commitQueueAtOnce()
    if !isDone, queued.mustCommit { await commitOnStoresThread() }
    try await queued.ticket.wait(isolation: isolation)
  }

  /// Commits the queue on the store's thread: the actor's executor is the ``StoreExecutor``.
  func commitOnStoresThread() {
    engine.withWriter(self) { _ = $0.commitQueue() }
  }
}
