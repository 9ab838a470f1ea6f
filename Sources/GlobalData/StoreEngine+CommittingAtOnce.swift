// Commits that wait for nothing are made on the thread of whoever asks. Going to the store's own thread and back takes two
// wake-ups of threads, several times as long as such a commit itself.
//
// Nothing is waited for where nothing is synced, no more is read and written than some pages that the system has in memory, the lock is
// free, and nobody observes, who would have to be told. Where any of this is not so, nothing has been done, and the store's own
// thread does it all. On a network file system each call may take its time; those who have their store there have chosen that.

extension StoreEngine {
  /// Commits all queued changes on this thread, if that waits for nothing.
  ///
  /// - Returns: Whether it did; where not, the changes are still queued.
  func commitAtOnce() -> Bool {
    guard mayCommitAtOnce else { return false }
    return executor.runAtOnce { file == nil ? commitInMemory() : appendAtOnce() } ?? false
  }

  private var mayCommitAtOnce: Bool {
    // Telling observers decodes values, by the app's code.
    guard observers.isEmpty else { return false }
    return file == nil || configuration.persistence == .appending && configuration.durability != .powerLoss
  }

  private func commitInMemory() -> Bool {
    guard let tickets = takeQueueOfPlainChanges(ofSize: .max) else { return false }
    finish(tickets, failure(of: { try commit(tickets[...], nil) }))
    return true
  }

  private func appendAtOnce() -> Bool {
    guard let file, let tickets = takeQueueOfPlainChanges(ofSize: ArchiveFile.roomLength) else { return false }
    let visit = beginVisit(file)
    guard let commit = prepareToAppendAtOnce(tickets, visit) else {
      endVisit(visit)
      putBack(tickets)
      return false
    }
    let failure = failure(of: { try self.commit(commit, visit) })
    endVisit(visit)
    finish(tickets, failure)
    return true
  }

  private func failure(of commit: () throws -> Void) -> (any Error)? {
    do {
      try commit()
      return nil
    } catch {
      return error
    }
  }

  /// What is to be appended; `nil` where that is for the store's own thread to find out. The contents are not held beyond this: they
  /// are changed in place.
  ///
  /// It is made from what is known, and then the file is looked at: nothing else is done before it is written to.
  private func prepareToAppendAtOnce(_ tickets: [StoreTicket], _ visit: ArchiveVisit) -> PreparedCommit? {
    guard let contents = knownContents, contents.appendPoint != nil else { return nil }
    var draft = StoreDraft()
    do {
      for ticket in tickets { try ticket.change(&draft, contents) }
    } catch {
      return nil  // Whether a change fails depends on what the file holds now.
    }
    let changes = draft.changes(to: contents)
    var output = PreparedCommit.Output.nothing
    if !changes.isEmpty {
      guard var change = change(of: draft, changes, on: contents), !change.syncsBefore else { return nil }
      change.wasMadeBefore = true
      output = .change(change)
    }
    do {
      guard try visit.lockAtOnce(isShared: configuration.isShared), try !isOutdated(contents, visit) else { return nil }
    } catch {
      return nil  // Whatever it is, the store's thread meets it again, and can wait for it or tell of it.
    }
    return PreparedCommit(draft: draft, changes: changes, output: output, setsAside: false)
  }
}
