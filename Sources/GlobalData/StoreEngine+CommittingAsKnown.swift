// The short way of a commit, which is that of nearly each append, and of stores in memory. The change is made from what is known of the
// file; then the file is looked at, once, and if it still is what is known, it is written to. Where more is needed than that, nothing
// has been done, and the long way, in StoreEngine+Committing, does it all. It is taken on the store's own thread, and on that of
// whoever asks where nothing is waited for.

extension StoreEngine {
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
          guard let change = ticket.change else { continue }
          if case .update(let update) = change, try !update.isCurrent(in: next, self) {
            throw StoreTicket.MustRunAgain()
          }
          try apply(change, number: ticket.number, to: &next)
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

  /// - Returns: Whether it was committed.
  func commitAsKnown(
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
      guard let contents = visit == nil ? try withContents({ $0 }) : knownContents else { return nil }
      var next = DraftedContents(contents: contents)
      try change(&next)
      let draft = next.draft
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
