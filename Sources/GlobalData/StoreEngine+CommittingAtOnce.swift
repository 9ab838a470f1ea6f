// Commits that wait for nothing are made on the thread of whoever asks. Going to the store's own thread and back takes two
// wake-ups of threads, several times as long as such a commit itself.
//
// Nothing is waited for where nothing is synced, no more is read and written than some pages that the system has in memory, the lock is
// free, and nobody observes, who would have to be told. Where any of this is not so, nothing has been done, and the store's own
// thread does it all. On a network file system each call may take its time; those who have their store there have chosen that.

extension StoreEngine {
  /// Commits an entry on this thread without queueing it, if that waits for nothing and nothing is queued.
  ///
  /// - Returns: Whether it did; where not, nothing has been done.
  /// - Throws: Why it could not be written.
  func commitAtOnce(_ entry: StoredEntry, number: UInt64) throws -> Bool {
    try commitAtOnce(ofSize: entry.record.count) { draft, contents in
      try set(entry, number: number, in: &draft, on: contents)
    }
  }

  /// Commits a change on this thread without queueing it, if that waits for nothing and nothing is queued. The change runs none of
  /// the app's code.
  func commitAtOnce(ofSize size: Int, _ change: (inout StoreDraft, StoreContents) throws -> Void) throws -> Bool {
    guard mayCommitAtOnce, size <= sizeLimit else { return false }
    // What is queued was asked for before, and may be a clear.
    return try executor.runAtOnce { try isNothingQueued && commitAsKnown(maySync: false, change) } ?? false
  }

  /// Commits all queued changes on this thread, if that waits for nothing.
  ///
  /// - Returns: Whether it did; where not, the changes are still queued.
  func commitAtOnce() -> Bool {
    guard mayCommitAtOnce else { return false }
    return executor.runAtOnce { commitQueueAsKnown(ofSize: sizeLimit, maySync: false) != nil } ?? false
  }

  private var mayCommitAtOnce: Bool {
    // Telling observers decodes values, by the app's code.
    guard observers.isEmpty else { return false }
    return file == nil || configuration.persistence == .appending && configuration.durability != .powerLoss
  }

  /// How many bytes may be written at once.
  private var sizeLimit: Int { file == nil ? .max : ArchiveFile.roomLength }

  /// Commits all queued changes, if the file still is what is known, if they can be appended to it, and if none of them fails.
  ///
  /// - Parameters:
  ///   - limit: How large they may be together.
  ///   - maySync: Whether the file may be synced.
  /// - Returns: How it ended; `nil` where the changes are still queued.
  func commitQueueAsKnown(ofSize limit: Int, maySync: Bool) -> Result<Void, any Error>? {
    guard let tickets = takeQueueOfPlainChanges(ofSize: limit) else { return nil }
    guard !tickets.isEmpty else { return .success(()) }
    do {
      let isDone = try commitAsKnown(maySync: maySync) { draft, contents in
        for ticket in tickets { try ticket.change(&draft, contents) }
      }
      guard isDone else {
        putBack(tickets)
        return nil
      }
      finish(tickets, nil)
      return .success(())
    } catch {
      finish(tickets, error)
      return .failure(error)
    }
  }

  /// - Returns: Whether it was committed.
  private func commitAsKnown(
    maySync: Bool, _ change: (inout StoreDraft, StoreContents) throws -> Void
  ) throws -> Bool {
    let visit = file.map(beginVisit)
    defer { visit.map(endVisit) }
    guard let commit = prepareAsKnown(change, maySync: maySync, visit) else { return false }
    try self.commit(commit, visit)
    return true
  }

  /// The commit of a change; `nil` where more is needed than this. The contents are not held beyond this: they are changed in place.
  ///
  /// It is made from what is known, and then the file is looked at: nothing else is done before it is written to.
  private func prepareAsKnown(
    _ change: (inout StoreDraft, StoreContents) throws -> Void, maySync: Bool, _ visit: ArchiveVisit?
  ) -> PreparedCommit? {
    do {
      guard let contents = visit == nil ? try withContents({ $0 }) : knownContents else { return nil }
      var draft = StoreDraft()
      try change(&draft, contents)
      let changes = draft.changes(to: contents)
      var output = PreparedCommit.Output.nothing
      if visit != nil, !changes.isEmpty {
        guard var change = self.change(of: draft, changes, on: contents), maySync || !change.syncsBefore else {
          return nil
        }
        change.wasMadeBefore = true
        output = .change(change)
      }
      if let visit {
        guard contents.appendPoint != nil, try visit.lockAtOnce(isShared: configuration.isShared),
          try !isOutdated(contents, visit)
        else { return nil }
      }
      return PreparedCommit(draft: draft, changes: changes, output: output, setsAside: false)
    } catch {
      // Whether a change fails depends on what the file holds now. What else it may be, the longer way meets it again, and waits for
      // it or tells of it.
      return nil
    }
  }
}
