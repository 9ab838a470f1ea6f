import CodingSupport

// A session is a few objects, and knows the types that it has met. Making one takes longer than decoding a small value.

extension DecodingSession {
  /// Calls a function with a session over bytes that are there only during the call.
  static func run<Result>(
    _ bytes: UnsafeRawBufferPointer, registry: TypeRegistry, limits: ArchiveLimits,
    userInfo: [CodingUserInfoKey: any Sendable], _ body: (DecodingSession) throws -> Result
  ) throws -> Result {
    var session = DecodingSession.take(registry, limits, userInfo)
    defer { DecodingSession.giveBack(&session) }
    try session.open(bytes)
    return try body(session)
  }

  private static let spares = SpareSessions()
  /// A session that has read more takes more memory than is worth keeping.
  private static var mostContainers: Int { 256 }

  /// Returns a session that is closed, and that nobody uses.
  fileprivate static func take(
    _ registry: TypeRegistry, _ limits: ArchiveLimits, _ userInfo: [CodingUserInfoKey: any Sendable]
  ) -> DecodingSession {
    guard userInfo.isEmpty, let spare = spares.take(registry, limits) else {
      return DecodingSession(for: registry, limits: limits, userInfo: userInfo)
    }
    // These are the only sessions that come there.
    return unsafeDowncast(spare, to: DecodingSession.self)
  }

  /// Closes a session, and keeps it if a type kept no decoder. The caller does not use it any more.
  fileprivate static func giveBack(_ session: inout DecodingSession) {
    session.close()
    guard session.isReusable, session.input.index.capacity <= mostContainers, isKnownUniquelyReferenced(&session) else {
      return
    }
    session.forgetBytes()
    session.forgetNames()
    spares.put(session)
  }
}

/// Decodes many values, most of them of one type, which share what is found out about it. One thread uses it.
package final class DecodingSeries {
  private let decoder: KeyedArchiveDecoder
  private var session: DecodingSession

  package init(_ decoder: KeyedArchiveDecoder) {
    self.decoder = decoder
    session = DecodingSession.take(decoder.registry, decoder.limits.withinStack, decoder.userInfo)
  }

  /// Decodes values, and appends them. Ends where there are no more bytes, and before a value that is to be decoded by
  /// itself: because that throws, because it may not stand for what later decodings of the same bytes would give, or
  /// because it needs more stack than each thread has.
  ///
  /// One call for many: what a generic function needs to know of a type is looked up in each call.
  package func decode<Value: Decodable>(
    _ type: Value.Type, to values: inout [Value], from next: (_ count: Int) -> SharedBytes?
  ) {
    var isLast = false
    while !isLast, let bytes = next(values.count) {
      let count = values.count
      bytes.withUnsafeBytes { bytes in
        do {
          try session.open(bytes)
          guard session.input.index.depth <= DeepStack.shallowDepth else {
            isLast = true
            return
          }
          values.append(try session.decode(type, at: .start) { .root })
          isLast = !session.isRepeatable || session.migrations.needsDeepStack
        } catch {
          isLast = true  // Decoding it by itself throws the same, and says where.
        }
      }
      if isLast, values.count > count { values.removeLast() }
      endValue()
    }
  }

  private func endValue() {
    session.close()
    if isKnownUniquelyReferenced(&session) {
      session.forgetBytes()
    } else {
      session = DecodingSession(
        for: decoder.registry, limits: decoder.limits.withinStack, userInfo: decoder.userInfo)
    }
  }

  deinit { DecodingSession.giveBack(&session) }
}
