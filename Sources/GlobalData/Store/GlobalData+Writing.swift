// Writing calls, which run in the caller's isolation until the change is queued, and then on the store's thread.

extension GlobalData {
  /// Stores a value under a key, and returns when the value is on stable storage.
  ///
  /// The value is encoded on the caller's thread, in the caller's isolation. Only the encoded bytes are passed on. An
  /// existing value is replaced, whatever its type. Setting an optional that is `nil` removes the value. If nothing
  /// would change, nothing is written.
  ///
  /// The order of writes is determined before a call first suspends. If one actor makes two calls, the later call wins.
  ///
  /// - Throws: ``GlobalDataError`` with code `invalidKey` if the key is empty, longer than the store's limit, or equal
  ///   to an existing key whose bytes differ; `encodingFailed` if the value cannot be encoded; `writeFailed` if the
  ///   file cannot be written; `fileTooLarge` if the file would exceed its limit; or `busy` if another process is
  ///   writing for too long. If the file could not be read, the error gives the reason. After an error, the store keeps
  ///   the earlier value, in memory and in the file, with one exception: with code `durabilityUnknown`, the new value
  ///   is stored but may not survive a power cut.
  /// - Complexity: O(*n*) in the size of all values or, with ``Persistence/appending``, of the changed ones if no other
  ///   process has written in between.
  public func set<Value: Codable>(
    _ value: Value, forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: isNil(value), isolation) { try $0.encodeItem(value, $1) }
  }

  /// Stores an array, in the same way as the method for any value.
  ///
  /// Without this method, an array literal would be treated as an array of mixed elements.
  public func set<Element: Codable>(
    _ elements: [Element], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: false, isolation) { try $0.encodeItem(elements, $1) }
  }

  /// Stores a dictionary, in the same way as the method for any value.
  ///
  /// Without this method, a dictionary literal would be treated as a dictionary of mixed values.
  public func set<Element: Codable>(
    _ elements: [String: Element], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: false, isolation) { try $0.encodeItem(elements, $1) }
  }

  /// Stores an array of mixed elements.
  ///
  /// - Throws: ``GlobalDataError``, as the method for any value does. The code is also `encodingFailed` if an element,
  ///   at any depth of nested collections, is not `Codable`.
  @_disfavoredOverload
  public func set(
    _ elements: [any Sendable], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: false, isolation) { try $0.encodeItem(elements as any Sendable, $1) }
  }

  /// Stores a dictionary of mixed values.
  ///
  /// - Throws: ``GlobalDataError``, as the method for any value does. The code is also `encodingFailed` if a value, at
  ///   any depth of nested collections, is not `Codable`.
  @_disfavoredOverload
  public func set(
    _ elements: [String: any Sendable], forKey key: String, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await set(forKey: key, isNil: false, isolation) { try $0.encodeItem(elements as any Sendable, $1) }
  }

  /// Returns the number that orders a call among the others, for a call that makes its changes later.
  package nonisolated func takeCallNumber() -> UInt64 { engine.queue.takeNumber() }

  // Writing calls run in the caller's isolation until they are queued. If they left it earlier, two calls from the same
  // actor could be queued in the wrong order.

  private dynamic func set(
    forKey key: String, isNil: Bool, _ isolation: isolated (any Actor)?,
    encode: (KeyedArchiveEncoder, KeyedArchiveEncoder.ItemReceiver) throws -> Void
  ) async throws {
    // Take the number first, so that a clear that is requested while the value is being encoded is ordered after this
    // call.
    let number = engine.queue.takeNumber()
    guard !isNil else { return try await removeObject(forKey: key, number: number, isolation) }
    try await commit(.set(StoredEntry(key: key, configuration, in: url, encode: encode)), number: number, isolation)
  }

  /// Removes the value under a key, and returns when the file no longer contains the value.
  ///
  /// If there is no value under the key, nothing happens.
  ///
  /// - Throws: ``GlobalDataError``, as `set` does.
  /// - Complexity: O(*n*) in the size of all values or, with ``Persistence/appending``, of the changed ones if no other
  ///   process has written in between.
  public func removeObject(forKey key: String, isolation: isolated (any Actor)? = #isolation) async throws {
    try await removeObject(forKey: key, number: engine.queue.takeNumber(), isolation)
  }

  private func removeObject(forKey key: String, number: UInt64, _ isolation: isolated (any Actor)?) async throws {
    try checkKey(key)
    try await commit(.remove(key), number: number, isolation)
  }

  /// Removes all values and the file, for example on logout, and returns when they are gone.
  ///
  /// A clear is ordered with all other writes, so values from earlier writes do not reappear after the clear. The files
  /// that a recovery or a restoration has kept beside the store's file are removed, too. If the store's path is a
  /// symbolic link, the link and a file without values remain.
  ///
  /// A file that is damaged or of a newer version is also removed. If the file has another format, or the system cannot
  /// read it, this method throws, and the file remains.
  ///
  /// - Throws: ``GlobalDataError`` with code `removeFailed` if the file cannot be removed. The store then keeps its
  ///   values. The code is the same if the values are gone but another file beside the store's could not be removed;
  ///   another clear tries again. With code `durabilityUnknown`, the values are gone, but a power cut may bring them
  ///   back unless another clear succeeds. Otherwise as `set` does; the store then keeps its values.
  public func clear(isolation: isolated (any Actor)? = #isolation) async throws {
    try await commitQueued(engine.queue.add(.clear(keeping: [])), isolation)
  }

  /// Removes all values except those under the given keys, in a single write.
  ///
  /// Files that a recovery or a restoration has kept beside the store's file remain, unless no keys are given.
  ///
  /// - Throws: ``GlobalDataError``, as `set` does.
  /// - Complexity: O(*n*) in the size of the kept values.
  public func clear(
    keeping keys: some Collection<String> & Sendable, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await commitQueued(engine.queue.add(.clear(keeping: Set(keys))), isolation)
  }

  /// Removes all values except those of the given declared keys, in a single write.
  ///
  /// Files that a recovery or a restoration has kept beside the store's file remain, unless no keys are given.
  ///
  /// - Throws: ``GlobalDataError``, as `set` does.
  /// - Complexity: O(*n*) in the size of the kept values.
  @_alwaysEmitIntoClient
  public func clear(keeping keys: [Keys], isolation: isolated (any Actor)? = #isolation) async throws {
    try await clear(keeping: keys.map(\.name), isolation: isolation)
  }

  /// Commits a change immediately if that does not block, and otherwise together with all queued changes.
  private func commit(_ change: StoreTicket.Request, number: UInt64, _ isolation: isolated (any Actor)?) async throws {
    guard engine.mayCommitImmediately else {
      return try await commitQueued(engine.queue.add(change, number: number), isolation)
    }
    let isDone = try engine.commitImmediately(change, number: number)
    if isDone == true { return }
    try await commitQueued(engine.queue.add(change, number: number), tryingImmediately: isDone == nil, isolation)
  }

  /// Commits the queue if this caller must do so, and waits for the outcome of one change.
  func commitQueued(
    _ queued: (ticket: StoreTicket, mustCommit: Bool), tryingImmediately: Bool = false,
    _ isolation: isolated (any Actor)?
  ) async throws {
    let isDone = tryingImmediately && engine.commitQueueImmediately()
    if !isDone, queued.mustCommit { await commitOnStoresThread() }
    try await queued.ticket.wait(isolation: isolation)
  }

  /// Commits the queue on the store's thread, because the actor's executor is the ``StoreExecutor``.
  func commitOnStoresThread() { engine.withWriter(self) { _ = $0.commitQueue() } }
}
