public import FoundationCore

/// Decodes values from the CBOR that ``KeyedArchiveEncoder`` writes, or from any other CBOR that fits the requested
/// type.
///
/// The decoder only creates values of types that the caller names or that are registered. No input traps, overflows the
/// stack, or allocates more than a small multiple of its own size.
public struct KeyedArchiveDecoder: Sendable {
  /// The types that are found by their names in the archive.
  public var registry: TypeRegistry

  /// The limits on the contents of an archive.
  public var limits: ArchiveLimits

  /// The `userInfo` of the decoder that a type's `init(from:)` receives.
  public var userInfo: [CodingUserInfoKey: any Sendable]

  /// Creates a decoder with types, limits and user info.
  public init(
    registry: TypeRegistry = .shared, limits: ArchiveLimits = ArchiveLimits(),
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    self.registry = registry
    self.limits = limits
    self.userInfo = userInfo
  }

  /// Decodes a value of a type that the caller names.
  ///
  /// - Throws: `DecodingError` if the archive contains another type or lacks a field; any error from the type's
  ///   `init(from:)`; or ``KeyedArchiveError`` for malformed bytes, an exceeded limit or an unregistered name.
  /// - Complexity: O(*n*) in the size of the data.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try data.withUnsafeBytes { bytes in try decode(bytes) { try $0.decode(type, at: .start) { .root } } }
  }

  /// Decodes a value as the type that it had when it was encoded.
  ///
  /// An array or dictionary of mixed elements is returned as `[any Sendable]` or `[String: any Sendable]`. An item
  /// without a corresponding type, such as a foreign CBOR tag, is returned as an ``ArchiveValue``.
  ///
  /// - Returns: The value, or `nil` if the archive contains null or undefined.
  /// - Throws: ``KeyedArchiveError`` with code `unregisteredTag` if the archive names a type that is not registered;
  ///   otherwise, the errors of ``decode(_:from:)``.
  /// - Complexity: O(*n*) in the size of the data.
  public func decode(from data: Data) throws -> (any Sendable)? {
    try data.withUnsafeBytes { try decode(fromBytes: $0) }
  }

  func decode(fromBytes bytes: UnsafeRawBufferPointer) throws -> (any Sendable)? {
    try decode(bytes) { session in
      if try session.input.item(at: .start).isNull { return nil }
      return try session.decodeDynamically(at: .start) { .root }
    }
  }

  /// Decodes from bytes that are valid only during the call.
  func decode<Result>(_ bytes: UnsafeRawBufferPointer, _ body: (DecodingSession) throws -> Result) throws -> Result {
    var result: Result?
    try run(bytes, wanted: Result.self) { result = try body($0) }
    guard let result else { throw DecodingSession.DeepStackNeeded() }  // `run` calls the function or throws.
    return result
  }

  private dynamic func run(
    _ bytes: UnsafeRawBufferPointer, wanted type: Any.Type, _ body: (DecodingSession) throws -> Void
  ) throws {
    do {
      // Reads everything again on a thread with more stack, which only migrations and references need. They are rare.
      for extraDepth in [0, 64, DeepStack.greatestDepth] {
        if try run(bytes, extraDepth: extraDepth, body) { return }
      }
    } catch {
      throw publicError(error, wanted: type, [])
    }
    throw KeyedArchiveError(
      .limitReached, "Migrations or references nest values too deeply for any stack, or never end.")
  }

  /// Returns `false` if the value's migrations and references need more stack.
  private func run(
    _ bytes: UnsafeRawBufferPointer, extraDepth: Int, _ body: (DecodingSession) throws -> Void
  ) throws -> Bool {
    try DecodingSession.run(bytes, for: self) { session in
      let depth = session.input.index.depth
      guard extraDepth > 0 || depth > DeepStack.shallowDepth else { return try attempt(session, body) }
      // Each level may be migrated, and new forms may be deeper than the stored ones.
      let room = extraDepth > 0 ? min(4 * depth + extraDepth, DeepStack.greatestDepth) : depth
      if extraDepth > 0 { session.migrations.room = room }
      return try DeepStack.runArchive(depth: room) { try attempt(session, body) }
    }
  }

  /// Returns `false` if more stack is needed, even if a type's own code ignored the error and continued.
  private func attempt(_ session: DecodingSession, _ body: (DecodingSession) throws -> Void) throws -> Bool {
    do {
      try body(session)
    } catch is DecodingSession.DeepStackNeeded {
      return false
    } catch  where session.migrations.needsDeepStack {
      // Any other failure occurs again.
    }
    return !session.migrations.needsDeepStack
  }
}
