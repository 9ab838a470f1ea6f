public import FoundationCore

/// Encodes `Codable` values to CBOR, with the names of their types where a reader needs them.
///
/// The outermost value carries the name of its type, so that ``KeyedArchiveDecoder`` can bring it back without being
/// told. So does an element of a mixed collection, and an instance whose class is not the declared one. What any other
/// value is, the declared types of the properties tell.
///
/// ```swift
/// let data = try KeyedArchiveEncoder().encode(car)
/// ```
public struct KeyedArchiveEncoder: Sendable {
  /// The types that are known by name. Encoding asks it for names; no type has to be registered.
  public var registry: TypeRegistry

  /// What an archive may hold.
  public var limits: ArchiveLimits

  /// What a type's `encode(to:)` finds as its encoder's `userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable]

  /// An encoder with the types, limits and user info given.
  public init(
    registry: TypeRegistry = .shared, limits: ArchiveLimits = ArchiveLimits(),
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    self.registry = registry
    self.limits = limits
    self.userInfo = userInfo
  }

  /// Encodes a value with the name of its type.
  ///
  /// Equal values give equal bytes, whatever the order in which a dictionary or set happens to hold its elements. A
  /// type whose `encode(to:)` writes to its containers in an order that cannot be streamed is asked to encode itself
  /// twice.
  ///
  /// - Returns: One CBOR data item.
  /// - Throws: What the value's `encode(to:)` throws, or ``KeyedArchiveError``.
  /// - Complexity: O(*n*) in the size of the output. Unordered collections with keys other than text and integers are
  ///   encoded twice, to sort them.
  public func encode<Value: Encodable>(_ value: Value) throws -> Data {
    try encodeItem(value).data
  }

  /// Encodes a value whose type is not known statically, such as a mixed collection, with the names of all types.
  ///
  /// - Returns: One CBOR data item.
  /// - Throws: What the values' `encode(to:)` throws; ``KeyedArchiveError`` with code `notEncodable` where a value,
  ///   however deep in a collection, is not `Encodable`.
  /// - Complexity: O(*n*) in the size of the output.
  @_disfavoredOverload
  public func encode(_ value: any Sendable) throws -> Data {
    try encodeItem(value).data
  }

  /// An encoded value, and what has to be known to put it into a larger item.
  package struct Item {
    package let data: Data
    /// Whether the value refers to shared instances (tags 28 and 29), which are numbered from the start of a whole CBOR
    /// item: such a value cannot stand inside another one as it is.
    package let sharesInstances: Bool
  }

  package func encodeItem<Value: Encodable>(_ value: Value) throws -> Item {
    let item = try encodeKnown(value)
    #if DEBUG
    try ReadBack.check(item, of: Value.self, self)
    #endif
    return item
  }

  @inline(__always)
  private func encodeKnown<Value: Encodable>(_ value: Value) throws -> Item {
    // What needs no name needs none of the questions about its type either, which take longer than encoding it.
    if SelfDescribingScalars.contains(Value.self) { return try encode { try $0.encodePlainly(value) { .root } } }
    return try encode { try $0.encodeDynamically(known: value) { .root } }
  }

  @_disfavoredOverload
  package func encodeItem(_ value: any Sendable) throws -> Item {
    try encode { try $0.encodeDynamically(value) { .root } }
  }

  private func encode(_ body: (EncodingSession) throws -> Void) throws -> Item {
    if let item = try encode(isDeep: false, body) { return item }
    let item = try DeepStack.runArchive(depth: limits.withinStack.maximumDepth) { try encode(isDeep: true, body) }
    guard let item else {
      throw KeyedArchiveError(
        .invalidEncoding,
        "The value's encode(to:) produced different output when it ran again. Make it deterministic.")
    }
    return item
  }

  /// Encodes as a stream, and once more as a tree where that is needed. Returns `nil` when the value is nested too
  /// deeply for the stack of any thread.
  private func encode(isDeep: Bool, _ body: (EncodingSession) throws -> Void) throws -> Item? {
    for isDeferred in [false, true] {
      var session = EncodingSession.take(
        registry, limits.withinStack, userInfo, isDeferred: isDeferred, isDeep: isDeep)
      defer { EncodingSession.giveBack(&session) }
      do {
        try body(session)
      } catch  where session.needsDeepStack || (session.output.needsDeferral && !isDeferred) {
        // The next attempt meets whatever else was wrong again.
      }
      if session.needsDeepStack { return nil }
      if isDeferred || !session.output.needsDeferral {
        return try session.finish()
      }
    }
    return nil
  }
}

extension [CodingUserInfoKey: any Sendable] {
  private static let storageMark = Self().marked

  /// With the mark by which models that know nothing of archives use the keys that they have for storage.
  var markedAsStorage: Self {
    isEmpty ? Self.storageMark : self[.isStorage] == nil ? marked : self
  }

  private var marked: Self {
    var marked = SharedCodeDictionary(self)
    marked[.isStorage] = true
    return marked.contents
  }
}
