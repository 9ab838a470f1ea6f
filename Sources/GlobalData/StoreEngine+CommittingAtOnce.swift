// Commits that wait for nothing are made on the thread of whoever asks. Going to the store's own thread and back takes two
// wake-ups of threads, several times as long as such a commit itself.
//
// It waits for nothing where nothing is synced, nothing is read or written but the page of the file that was written last, and
// the lock is free. Where any of this turns out otherwise, nothing has been done, and the store's thread does it all.

extension StoreEngine {
  /// Commits all queued changes on this thread, if that waits for nothing.
  ///
  /// - Returns: Whether it did; where not, the changes are still queued.
  func commitAtOnce() -> Bool {
    guard mayCommitAtOnce else { return false }
    return executor.runAtOnce { file == nil ? commitInMemory() : appendAtOnce() } ?? false
  }

  private var mayCommitAtOnce: Bool {
    if file == nil { return true }
    return configuration.persistence == .appending && configuration.durability != .powerLoss
  }

  private func commitInMemory() -> Bool {
    guard let tickets = takeQueueOfPlainChanges() else { return false }
    finish(tickets, failure(of: { try commit(tickets[...], nil) }))
    return true
  }

  private func appendAtOnce() -> Bool {
    guard let file else { return false }
    let visit = beginVisit(file)
    guard let (tickets, commit) = prepareToAppendAtOnce(visit) else {
      endVisit(visit)
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

  /// What is to be appended, and for whom. The contents are not held beyond this: they are changed in place.
  private func prepareToAppendAtOnce(_ visit: ArchiveVisit) -> ([StoreTicket], PreparedCommit)? {
    guard let contents = knownContents, contents.appendPoint != nil else { return nil }
    do {
      if configuration.isShared { try visit.lock(timeout: .zero, makingFolder: false, configuration.durability) }
      guard try !isOutdated(contents, visit) else { return nil }
    } catch {
      return nil  // Whatever it is, the store's thread meets it again, and can wait for it or tell of it.
    }
    guard let tickets = takeQueueOfPlainChanges() else { return nil }
    let commit = prepare(tickets[...], on: contents)
    switch commit.output {
    case .change(let change) where !change.syncsBefore: return (tickets, commit)
    case .nothing where commit.changes.isEmpty && !commit.draft.clearsOthers: return (tickets, commit)
    default:
      putBack(tickets)
      return nil
    }
  }
}
