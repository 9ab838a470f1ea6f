// The short way of a commit, which is that of nearly each append, and of stores in memory. The change is made from what is known of the
// file; then the file is looked at, once, and if it still is what is known, it is written to. Where more is needed than that, nothing
// has been done, and the long way, in StoreWriter+Committing, does it all. It is taken on the store's own thread, and on that of
// the caller where nothing is waited for.

extension StoreWriter {
  /// Commits all queued changes, if the file still is what is known, if they can be appended to it, and if none of them fails.
  ///
  /// - Parameters:
  ///   - limit: How large they may be together.
  ///   - maySync: Whether the file may be synced.
  /// - Returns: How it ended; `nil` where the changes are still queued.
  func commitQueueAsKnown(ofSize limit: Int, maySync: Bool) -> Result<Void, any Error>? {
    guard let tickets = queue.takeReady(ofSize: limit) else { return nil }
    guard !tickets.isEmpty else { return .success(()) }
    do {
      let isDone = try commitAsKnown(maySync: maySync) { next in
        for ticket in tickets {
          guard let change = ticket.request else { continue }
          if case .update(let update) = change, try !update.isCurrent(in: next, memory) {
            throw StoreTicket.MustRunAgain()
          }
          try next.apply(change, number: ticket.number, queue, in: location.url)
        }
      }
      guard isDone else {
        queue.putBack(tickets)
        return nil
      }
      finish(tickets[...], nil)
      queue.endCommit()
      return .success(())
    } catch {
      finish(tickets[...], error)
      queue.endCommit()
      return .failure(error)
    }
  }

  /// Commits one change that is not queued, if the file still is what is known, and nothing has to be synced.
  ///
  /// - Returns: Whether it was committed.
  func commitAsKnown(_ change: StoreTicket.Request, number: UInt64) throws -> Bool {
    try commitAsKnown(maySync: false) { try $0.apply(change, number: number, queue, in: location.url) }
  }

  /// - Returns: Whether it was committed.
  private func commitAsKnown(
    maySync: Bool, _ change: (inout DraftedContents) throws -> Void
  ) throws -> Bool {
    guard !isHoldingLock else { return false }
    let visit = file.map(beginVisit)
    defer { visit.map(endVisit) }
    guard let commit = prepareAsKnown(change, maySync: maySync, visit) else { return false }
    do {
      try self.commit(commit, visit)
      return true
    } catch {
      guard let visit, visit.mustBeginAgain else { throw error }
      return false  // Nothing was written.
    }
  }

  /// The commit of a change; `nil` where more is needed than this. The contents are not held beyond this: they are changed in place.
  ///
  /// It is made from what is known, and then the file is looked at: nothing else is done before it is written to.
  private func prepareAsKnown(
    _ change: (inout DraftedContents) throws -> Void, maySync: Bool, _ visit: ArchiveVisit?
  ) -> PreparedCommit? {
    do {
      guard let contents = visit == nil ? try memory.withContents({ $0 }) : memory.knownContents else { return nil }
      var next = DraftedContents(contents: contents)
      try change(&next)
      let draft = next.draft
      let changes = draft.changes(to: contents)
      var output = PreparedCommit.Output.nothing
      if visit != nil, !changes.isEmpty {
        guard var append = append(of: draft, changes, on: contents), maySync || !append.syncsBefore else {
          return nil
        }
        append.wasMadeBefore = true
        output = .append(append)
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
