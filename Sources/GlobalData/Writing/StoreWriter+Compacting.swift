// A file that is appended to has to be written anew before too much of it is out of date. The commit that would make it so does
// that, and its caller waits for the whole store to be written. So it is done ahead of time where there is time: once three
// quarters of the room for what is out of date are taken, behind a commit whose callers have been answered.
//
// It is a commit without changes, by the same protocol. Whoever writes meanwhile waits for it, as for any commit; close() does, too.

extension StoreWriter {
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
    // A store that was closed is not opened for this, and one that was cleared gets no lock. A lock that is held is for an update.
    guard let file, !isHoldingLock, let known = memory.knownContents, isCompactionDue(known) else { return }
    let visit = beginVisit(file)
    defer { endVisit(visit) }
    do {
      try compact(visit)
    } catch let error as GlobalDataError where error.code == .busy {
      // The process that is writing may be doing the same. If not, the next commit asks again, as where the lock was lost.
    } catch let error as GlobalDataError where error.code == .durabilityUnknown {
      // The old file and the new one hold the same, so that nothing hangs on which of them a power failure leaves.
    } catch {
      compaction = .failed
      diagnostics.report(
        .compactionFailed, "the file could not be written anew ahead of time, and stays as it is", error)
    }
  }

  private func compact(_ visit: ArchiveVisit) throws {
    if configuration.isShared {
      try visit.lock(timeout: .zero, makingFolder: false, configuration.durability)
    }
    // Another process may have removed the file before the lock was made.
    defer { removeLockOfNothing(visit) }
    let contents = try currentContents(visit)
    guard isCompactionDue(contents) else { return }
    let draft = StoreDraft()
    let image = image(of: draft, on: contents)
    try writeAndPublish(
      PreparedCommit(draft: draft, changes: draft.changes(to: contents), output: .image(image), setsAside: false), visit
    )
  }

  private func isCompactionDue(_ contents: StoreContents) -> Bool {
    guard contents.condition == .ready, let point = contents.appendPoint else { return false }
    return ArchiveFile.isCompactionDue(end: point.offset, liveBytes: contents.recordBytes)
  }
}
