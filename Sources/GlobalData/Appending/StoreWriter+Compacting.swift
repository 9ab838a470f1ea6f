// A file that is appended to must be rewritten before too much of it is outdated. The commit that would exceed the
// limit rewrites the file, and its caller waits until the whole store is written. To avoid this wait, the store
// rewrites the file ahead of time: once three quarters of the room for outdated bytes are used, after a commit whose
// callers have been answered.
//
// This compaction is a commit without changes, by the same protocol. Writers and close() wait for it as for any commit.

extension StoreWriter {
  enum Compaction {
    case notExpected
    case expected
    /// A later commit that requires the rewrite tries again. Its caller gets the error.
    case failed
  }

  /// Schedules a rewrite of the file on the store's thread, if one is due after this commit.
  func compactAheadOfTime(_ append: PreparedAppend) {
    guard append.isCompactionDue, compaction == .notExpected else { return }
    compaction = .expected
    schedule(nil) { $0.compact() }
  }

  fileprivate func compact() {
    // Commit for waiting callers first.
    _ = commitQueue()
    compaction = .notExpected
    // A closed store is not reopened for this, and a cleared store is not locked. A lock that is already held belongs
    // to an update.
    guard let file, !isHoldingLock, let known = memory.knownContents, isCompactionDue(known) else { return }
    let session = beginSession(file)
    defer { endSession(session) }
    do {
      try compact(session)
    } catch let error as GlobalDataError where error.code == .busy {
      // The process that is writing may be doing the same. If not, the next commit checks again.
    } catch is MustBeginAgain {
      // The lock was lost. The next commit checks again.
    } catch let error as GlobalDataError where error.code == .durabilityUnknown {
      // The old file and the new one have the same contents, so it does not matter which of them a power cut leaves.
    } catch {
      compaction = .failed
      diagnostics.report(.compactionFailed, "the file could not be compacted and is unchanged", error)
    }
  }

  private func compact(_ session: FileSession) throws {
    try lock(session, creatingFolder: false, timeout: .zero)
    // Another process may have removed the file before the lock was taken.
    defer { if memory.isKnownToBeAbsent { removeLockFile(session) } }
    if let plan = try compactionPlan(session) { try writeAndPublish(plan, session) }
  }

  /// The contents must not be referenced after this function returns: the commit would have to copy them.
  private func compactionPlan(_ session: FileSession) throws -> CommitPlan? {
    let contents = try currentContents(session)
    return isCompactionDue(contents) ? CommitPlan(rewriting: contents) : nil
  }

  private func isCompactionDue(_ contents: StoreContents) -> Bool {
    // A damaged file, which a rewrite would have to set aside first, has no append point.
    guard let point = contents.appendPoint else { return false }
    return AppendPolicy.isCompactionDue(end: point.offset, liveBytes: contents.entries.byteCount)
  }

  func forgetFailedCompaction() {
    if compaction == .failed { compaction = .notExpected }
  }
}
