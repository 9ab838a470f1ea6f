// A session consists of several objects and remembers the types that it has used. Creating a session takes longer than
// decoding a small value.

extension DecodingSession {
  /// Calls a function with a session over bytes that are valid only during the call.
  static func run<Result>(
    _ bytes: UnsafeRawBufferPointer, for decoder: KeyedArchiveDecoder, _ body: (DecodingSession) throws -> Result
  ) throws -> Result {
    var session = DecodingSession.take(for: decoder)
    defer { DecodingSession.giveBack(&session) }
    try session.open(bytes)
    return try body(session)
  }

  private static let spares = SpareSessions()
  /// A session that has read more containers takes too much memory to keep.
  private static var mostContainers: Int { 256 }

  /// Returns a closed session that is not in use.
  fileprivate static func take(for decoder: KeyedArchiveDecoder) -> DecodingSession {
    guard decoder.userInfo.isEmpty, let spare = spares.take(decoder.registry, decoder.limits.withinStack) else {
      return DecodingSession(for: decoder)
    }
    // Only sessions of this class are stored in `spares`.
    return unsafeDowncast(spare, to: DecodingSession.self)
  }

  /// Closes a session, and keeps it for reuse unless a type has kept a decoder. The caller must not use it afterward.
  fileprivate static func giveBack(_ session: inout DecodingSession) {
    session.close()
    guard session.isReusable, session.input.index.capacity <= mostContainers, isKnownUniquelyReferenced(&session) else {
      return
    }
    session.forgetBytes()
    session.loneKeys.removeAll()
    spares.put(session)
  }
}

/// Decodes many values, most of them of one type, and looks up the traits of a type only once. Use it from one thread.
package final class DecodingSeries {
  private let decoder: KeyedArchiveDecoder
  private var session: DecodingSession

  package init(_ decoder: KeyedArchiveDecoder) {
    self.decoder = decoder
    session = DecodingSession.take(for: decoder)
  }

  /// Decodes values and appends them. Stops at the end of the bytes, or before a value that must be decoded separately.
  /// Such a value throws an error, may not be reused for later decodings of the same bytes, or needs more stack than
  /// a thread is sure to have.
  ///
  /// One call decodes many values, because a generic function looks up its type's information in each call.
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
          isLast = true  // Decoding the value separately throws the same error, with its path.
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
      session = DecodingSession(for: decoder)
    }
  }

  deinit { DecodingSession.giveBack(&session) }
}
