public import FoundationCore

/// Decodes values from the CBOR that ``KeyedArchiveEncoder`` writes, or any other that fits the wanted type.
///
/// Only types that the caller names or that are registered are ever created. No input traps, overflows the stack or
/// allocates more than a small multiple of its own size.
public struct KeyedArchiveDecoder: Sendable {
  /// The types that may be created from a name in the archive.
  public var registry: TypeRegistry

  /// What an archive may hold.
  public var limits: ArchiveLimits

  /// What a type's `init(from:)` finds as its decoder's `userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable]

  /// A decoder with the types, limits and user info given.
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
  /// - Throws: `DecodingError` where the archive holds another type or lacks a field, what the type's `init(from:)`
  ///   throws, or ``KeyedArchiveError`` for malformed bytes, a reached limit or a name that is not registered.
  /// - Complexity: O(*n*) in the size of the data.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try data.withUnsafeBytes { bytes in try decode(bytes) { try $0.decode(type, at: .start) { .root } } }
  }

  /// Decodes a value, and tells whether it may stand for what later decodings of the same bytes would give. It may not
  /// where it holds instances of classes, which each decoding makes anew, or types that were found by their names,
  /// which may be registered differently later.
  package func decodeNotingRepeatability<Value: Decodable>(
    _ type: Value.Type, from data: Data
  ) throws -> (value: Value, isRepeatable: Bool) {
    try data.withUnsafeBytes { try decodeNotingRepeatability(type, fromBytes: $0) }
  }

  func decodeNotingRepeatability<Value: Decodable>(
    _ type: Value.Type, fromBytes bytes: UnsafeRawBufferPointer
  ) throws -> (value: Value, isRepeatable: Bool) {
    var isRepeatable = true
    let value = try decode(bytes) { session in
      let value = try session.decode(type, at: .start) { .root }
      isRepeatable = session.isRepeatable
      return value
    }
    return (value, isRepeatable)
  }

  /// Decodes a value as what it was when it was encoded.
  ///
  /// An array or dictionary of mixed elements comes back as `[any Sendable]` or `[String: any Sendable]`. What no type
  /// stands for, such as a foreign CBOR tag, comes back as ``ArchiveValue``.
  ///
  /// - Returns: The value, or `nil` where the archive holds null.
  /// - Throws: ``KeyedArchiveError`` with code `unregisteredTag` where the archive names a type that is not registered;
  ///   else as ``decode(_:from:)``.
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

  /// Decodes from bytes that are there only during the call.
  func decode<Result>(_ bytes: UnsafeRawBufferPointer, _ body: (DecodingSession) throws -> Result) throws -> Result {
    var result: Result?
    try run(bytes, wanted: Result.self) { result = try body($0) }
    guard let result else { throw DecodingSession.DeepStackNeeded() }  // `run` has called the function, or thrown
    return result
  }

  private dynamic func run(
    _ bytes: UnsafeRawBufferPointer, wanted type: Any.Type, _ body: (DecodingSession) throws -> Void
  ) throws {
    do {
      do {
        try run(bytes, isMigrating: false, body)
      } catch is DecodingSession.DeepStackNeeded {
        // Reads all once more on a thread with more stack: migrations, which are rare, need it.
        try run(bytes, isMigrating: true, body)
      }
    } catch is DecodingSession.DeepStackNeeded {
      throw KeyedArchiveError(
        .limitReached, "Migrations nest values too deeply for any stack, or never end.")
    } catch {
      throw publicError(error, wanted: type, [])
    }
  }

  private func run(
    _ bytes: UnsafeRawBufferPointer, isMigrating: Bool, _ body: (DecodingSession) throws -> Void
  ) throws {
    try DecodingSession.run(
      bytes, registry: registry, limits: limits.withinStack, userInfo: userInfo
    ) { session in
      let depth = session.input.index.depth
      guard isMigrating || depth > DeepStack.shallowDepth else { return try attempt(session, body) }
      // Each level may be migrated, and new forms may be deeper than what they replace.
      let room = isMigrating ? min(4 * depth + 64, DeepStack.greatestDepth) : depth
      if isMigrating { session.migrations.room = room }
      return try DeepStack.runArchive(depth: room) { try attempt(session, body) }
    }
  }

  /// - Throws: ``DecodingSession/DeepStackNeeded`` also where a type's own code went on without what could not be read.
  private func attempt(_ session: DecodingSession, _ body: (DecodingSession) throws -> Void) throws {
    do {
      try body(session)
    } catch  where session.migrations.needsDeepStack {
      // Told below.
    }
    if session.migrations.needsDeepStack { throw DecodingSession.DeepStackNeeded() }
  }
}
