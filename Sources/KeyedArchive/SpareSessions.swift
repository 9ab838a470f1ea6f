/// Idle sessions to be reused for the next value. Creating a session takes longer than coding a small value.
///
/// `@unchecked` is safe because the sessions are accessed only while the lock is held, and a session that is kept here
/// is not in use. Before a session is put back, the caller checks that no coder or container of a program refers to it.
final class SpareSessions: @unchecked Sendable {
  private let lock = SystemLock()
  // The lock excludes conflicting accesses, so the run-time check for them is disabled.
  @exclusivity(unchecked) private var sessions = ContiguousArray<CodingSession>()
  private static var most: Int { 4 }

  @inline(never)
  func take(_ registry: TypeRegistry, _ limits: ArchiveLimits) -> CodingSession? {
    lock.withLock {
      let index = sessions.lastIndex { $0.registry === registry && $0.limits == limits }
      return index.map { sessions.remove(at: $0) }
    }
  }

  func put(_ session: CodingSession) {
    // The oldest session may have a registry or limits that no coder has anymore.
    let oldest = lock.withLock {
      sessions.append(session)
      return sessions.count > SpareSessions.most ? sessions.remove(at: 0) : nil
    }
    withExtendedLifetime(oldest) {}
  }
}
