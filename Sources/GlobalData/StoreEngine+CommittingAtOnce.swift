// Commits that wait for nothing are made on the thread of whoever asks. Going to the store's own thread and back takes two
// wake-ups of threads, several times as long as such a commit itself.
//
// Nothing is waited for where nothing is synced, no more is read and written than some pages that the system has in memory, the lock is
// free, and nobody observes, who would have to be told. Where any of this is not so, nothing has been done, and the store's own
// thread does it all. On a network file system each call may take its time; those who have their store there have chosen that.

extension StoreEngine {
  /// What came of an attempt to commit at once.
  enum AttemptAtOnce {
    case done
    /// Others are being committed, or wait. Nothing has been done; together with them, it may be made at once.
    case othersCameFirst
    /// Nothing has been done; it is for the store's own thread.
    case notPossible
  }

  /// Commits a change on this thread without queueing it, if that waits for nothing and nothing is queued.
  ///
  /// - Throws: Why it could not be written.
  func commitAtOnce(_ change: StoreTicket.Change, number: UInt64) throws -> AttemptAtOnce {
    guard mayCommitAtOnce, change.size <= sizeLimit else { return .notPossible }
    return try executor.runAtOnce {
      // What is queued was asked for before, and may be a clear.
      guard queue.isEmpty else { return .othersCameFirst }
      return try commitAsKnown(maySync: false) { try apply(change, number: number, to: &$0) } ? .done : .notPossible
    } ?? .othersCameFirst
  }

  /// Commits all queued changes on this thread, if that waits for nothing.
  ///
  /// - Returns: Whether it did; where not, the changes are still queued.
  func commitAtOnce() -> Bool {
    guard mayCommitAtOnce else { return false }
    return executor.runAtOnce { commitQueueAsKnown(ofSize: sizeLimit, maySync: false) != nil } ?? false
  }

  private var mayCommitAtOnce: Bool {
    // Observers are told on the store's own thread, however many they are.
    guard observers.isEmpty else { return false }
    guard let file else { return true }
    return configuration.persistence == .appending && configuration.durability != .powerLoss && !file.mayNeedActivity
  }

  /// How many bytes may be written at once.
  private var sizeLimit: Int { file == nil ? .max : ArchiveFile.roomLength }
}
