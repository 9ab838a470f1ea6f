import Dispatch
import FoundationCore

// The beginning and the end of a commit, and the files that it leaves open for the next one.

extension StoreWriter {
  /// Begins a commit with the files that the previous commit left open, and with the lock if it was held for an update.
  @inline(never)
  func beginSession(_ file: ArchiveFile, _ access: FileSession.Access = .writing) -> FileSession {
    if let session = takeHeldSession() { return session }
    defer { keptFiles = nil }
    return FileSession(file, access, kept: keptFiles, keepsFile: !configuration.isShared)
  }

  /// Ends a commit. A store that appends leaves its folder and its lock file open.
  func endSession(_ session: FileSession) {
    guard configuration.persistence == .appending else { return session.end() }
    keptFiles = session.endKeeping(isShared: configuration.isShared)
  }

  // MARK: Holding the lock for an update

  // If two processes update one key all the time, the same process could be overtaken each time: while its closure runs
  // again, the other process commits. Therefore, from the third run on, the lock is held while the closure runs.
  // Nothing waits for the closure: if it does not finish in time because its actor is busy, the lock is released.

  /// Holds the lock for an update that was overtaken more than once, until the next commit or for 50 ms. If that was
  /// not enough, holds the lock for up to 400 ms. Returns `false` if the caller must end the session.
  func holdLock(_ session: FileSession, for update: StoreTicket) -> Bool {
    guard update.reopeningCount > 0, session.isLocked, !memory.isKnownToBeAbsent else { return false }
    session.forgetFile()
    heldCount += 1
    heldSession = session
    schedule(.milliseconds(50 &<< min(3, update.reopeningCount - 1))) { [number = heldCount] writer in
      // A session that is held later has its own time.
      if writer.heldCount == number { writer.endHeldSession() }
    }
    return true
  }

  var isHoldingLock: Bool { heldSession != nil }

  func endHeldSession() {
    if let session = takeHeldSession() { endSession(session) }
  }

  private func takeHeldSession() -> FileSession? {
    defer { heldSession = nil }
    return heldSession
  }
}
