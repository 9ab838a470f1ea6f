import CodingSupport

/// Sessions that nobody uses, for the next value: making one takes longer than coding a small value.
///
/// `@unchecked` is right because the sessions are reached with the lock held only, and nobody uses one that is here:
/// who brings one has checked that no coder or container of a program refers to it.
final class SpareSessions: @unchecked Sendable {
  private let lock = SystemLock()
  private var sessions = ContiguousArray<CodingSession>()
  private static var most: Int { 4 }

  func take(_ registry: TypeRegistry, _ limits: ArchiveLimits) -> CodingSession? {
    guard let session = lock.withLock({ sessions.popLast() }), session.registry === registry, session.limits == limits
    else { return nil }
    return session
  }

  func put(_ session: CodingSession) {
    lock.withLock {
      if sessions.count < SpareSessions.most { sessions.append(session) }
    }
  }
}
