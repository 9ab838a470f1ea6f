// For the reason to reuse sessions, see `DecodingSession+Reusing.swift`.

extension EncodingSession {
  private static let spares = SpareSessions()

  /// Returns a session that has written nothing and is not in use.
  static func take(for encoder: KeyedArchiveEncoder, isDeferred: Bool, isDeep: Bool) -> EncodingSession {
    let limits = encoder.limits.withinStack
    let isReusable = encoder.userInfo.isEmpty && !isDeferred && !isDeep
    // Only sessions of this class are stored in `spares`.
    if isReusable, let spare = spares.take(encoder.registry, limits) {
      return unsafeDowncast(spare, to: EncodingSession.self)
    }
    let session = EncodingSession(
      registry: encoder.registry, limits: limits, userInfo: encoder.userInfo.markedAsStorage, isDeferred: isDeferred,
      isDeep: isDeep)
    session.isReusable = isReusable
    return session
  }

  /// Closes a session, and keeps it for reuse unless a type has kept an encoder. The caller must not use it afterward.
  static func giveBack(_ session: inout EncodingSession) {
    if restart(&session, since: 0), session.isReusable { spares.put(session) }
  }

  /// Closes a session, and resets it for another value. Keeps the first nodes of its paths. Returns `false` if it
  /// cannot be used again, because a type has kept an encoder or the session takes much memory.
  static func restart(_ session: inout EncodingSession, since pathMark: Int) -> Bool {
    session.output.close()
    guard session.output.isSmall, isKnownUniquelyReferenced(&session) else { return false }
    session.output.restart()
    session.forgetPaths(since: pathMark)
    session.needsDeepStack = false
    session.namedNil = 0..<0
    return true
  }
}
