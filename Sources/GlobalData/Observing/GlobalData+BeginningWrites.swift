extension GlobalData {
  /// A queued write. The write is performed even if no task waits for it.
  final class BegunWrite: Sendable {
    let key: String
    /// `nil` for a removal.
    let entry: StoredEntry?
    /// A task that ends when the write is on stable storage or has failed.
    let task: Task<Void, any Error>

    init(key: String, entry: StoredEntry?, task: Task<Void, any Error>) {
      (self.key, self.entry, self.task) = (key, entry, task)
    }
  }

  /// Encodes a value on the caller's actor and queues the write. The value `nil` is queued as a removal. If an error is
  /// thrown, nothing is queued.
  ///
  /// When this method returns, the position of the write is fixed: later requests come after it, ``close()`` performs
  /// it first, and ``clear()`` removes it. All writes that are queued during a running commit are committed together,
  /// so that only the newest value of a key is written.
  nonisolated func beginSet<Value: Codable>(_ value: Value, for key: Key<Value>) throws -> BegunWrite {
    noteDeclaration(key)
    let key = key.name
    // The number is taken before the value is encoded, as in `set`.
    let number = engine.queue.takeNumber()
    guard !isNil(value) else {
      try StoredEntry.check(key, configuration.limits)
      return BegunWrite(key: key, entry: nil, task: finishing(engine.queue.add(.remove(key), number: number)))
    }
    let entry = try StoredEntry(key: key, configuration, in: url) { try $0.encodeItem(value) }
    return BegunWrite(key: key, entry: entry, task: finishing(engine.queue.add(.set(entry), number: number)))
  }

  /// Returns whether readers see a write and no later change of the same key.
  nonisolated func shows(_ write: BegunWrite) -> Bool {
    reporting(false) {
      try engine.memory.withContents { DraftedContents(contents: $0).holds(write.entry, forKey: write.key) }
    }
  }

  /// Commits a change regardless of the work of the caller's actor, because other writers may wait for the commit.
  private nonisolated func finishing(_ queued: (ticket: StoreTicket, mustCommit: Bool)) -> Task<Void, any Error> {
    Task.detached { [self] in
      if queued.mustCommit { await commitOnStoresThread() }
      try await queued.ticket.wait()
    }
  }
}
