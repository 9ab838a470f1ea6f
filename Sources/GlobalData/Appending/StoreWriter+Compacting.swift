// A file that is appended to has to be written anew before too much of it is out of date. The commit that would make it
// so does that, and its caller waits for the whole store to be written. So it is done ahead of time where there is
// time: once three quarters of the room for what is out of date are taken, after a commit whose callers have been
// answered.
//
// It is a commit without changes, by the same protocol. Writers and close() wait for it as for any commit.

extension StoreWriter {
  enum Compaction {
    case notExpected
    case expected
    /// It is left to the commit that cannot do without, whose caller then hears why it fails.
    case failed
  }

  /// Has the file written anew on the store's thread, if it is to be once this commit is over.
  func compactAheadOfTime(_ append: PreparedAppend) {
    guard append.isCompactionDue, compaction == .notExpected else { return }
    compaction = .expected
    schedule(nil) { $0.compact() }
  }

  fileprivate func compact() {
    // Those who wait are answered first.
    _ = commitQueue()
    compaction = .notExpected
    // A store that was closed is not opened for this, and one that was cleared gets no lock. A lock that is held is for
    // an update.
    guard let file, !isHoldingLock, let known = memory.knownContents, isCompactionDue(known) else { return }
    let session = beginSession(file)
    defer { endSession(session) }
    do {
      try compact(session)
    } catch let error as GlobalDataError where error.code == .busy {
      // The process that is writing may be doing the same. If not, the next commit asks again.
    } catch is MustBeginAgain {
      // The lock was lost. The next commit asks again.
    } catch let error as GlobalDataError where error.code == .durabilityUnknown {
      // The old file and the new one hold the same, so that nothing hangs on which of them a power failure leaves.
    } catch {
      compaction = .failed
      diagnostics.report(
        .compactionFailed, "the file could not be compacted and is unchanged", error)
    }
  }

  private func compact(_ session: FileSession) throws {
    try lock(session, creatingFolder: false, timeout: .zero)
    // Another process may have removed the file before the lock was taken.
    defer { if memory.isKnownToBeAbsent { removeLockFile(session) } }
    if let plan = try compactionPlan(session) { try writeAndPublish(plan, session) }
  }

  /// The contents are not held beyond this function: contents that are held are copied by the commit.
  private func compactionPlan(_ session: FileSession) throws -> CommitPlan? {
    let contents = try currentContents(session)
    return isCompactionDue(contents) ? CommitPlan(rewriting: contents) : nil
  }

  private func isCompactionDue(_ contents: StoreContents) -> Bool {
    guard contents.condition == .ready, let point = contents.appendPoint else { return false }
    return AppendPolicy.isCompactionDue(end: point.offset, liveBytes: contents.recordBytes)
  }

  func forgetFailedCompaction() {
    if compaction == .failed { compaction = .notExpected }
  }
}
