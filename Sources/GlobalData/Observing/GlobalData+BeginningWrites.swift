extension GlobalData {
  /// A write that is queued. It is made even if no task waits for it.
  struct BegunWrite: Sendable {
    let key: String
    /// `nil` for a removal.
    let entry: StoredEntry?
    /// Ends when the write is on stable storage, or has failed.
    let task: Task<Void, any Error>
  }

  /// Encodes a value on the caller's actor and queues it; `nil` is queued as a removal. Nothing is queued after an
  /// error.
  ///
  /// When this returns, the write is ordered: later requests come later, ``close()`` makes it first, and ``clear()``
  /// removes it. A running commit takes all that was queued meanwhile, so that only the newest value of a key is
  /// written.
  nonisolated func beginSet<Value: Codable>(_ value: Value, for key: Key<Value>) throws -> BegunWrite {
    noteDeclaration(key)
    let key = key.name
    // Before the value is encoded, as `set` does.
    let number = engine.queue.takeNumber()
    guard !isNil(value) else {
      try StoredEntry.check(key, configuration.limits)
      return BegunWrite(key: key, entry: nil, task: finishing(engine.queue.add(.remove(key), number: number)))
    }
    let entry = try StoredEntry(key: key, configuration, in: url) { try $0.encodeItem(value) }
    return BegunWrite(key: key, entry: entry, task: finishing(engine.queue.add(.set(entry), number: number)))
  }

  /// Whether readers see a write, and nothing that came after it.
  nonisolated func shows(_ write: BegunWrite) -> Bool {
    reporting(false) {
      try engine.memory.withContents { DraftedContents(contents: $0).holds(write.entry, forKey: write.key) }
    }
  }

  /// Makes a change's commit whatever the caller's actor does: other writers may wait for it.
  private nonisolated func finishing(_ queued: (ticket: StoreTicket, mustCommit: Bool)) -> Task<Void, any Error> {
    Task.detached { [self] in
      if queued.mustCommit { await commitOnStoresThread() }
      try await queued.ticket.wait()
    }
  }
}
