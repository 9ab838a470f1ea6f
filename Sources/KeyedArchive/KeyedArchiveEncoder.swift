public import FoundationCore

/// Encodes `Codable` values to CBOR, with the names of their types if a reader needs them.
///
/// The outermost value has the name of its type, so that ``KeyedArchiveDecoder`` can restore the value without further
/// information. An element of a mixed collection also has a name, and so does an instance whose class is not the
/// declared one. The types of all other values follow from the declared types of the properties.
///
/// ```swift
/// let data = try KeyedArchiveEncoder().encode(car)
/// ```
public struct KeyedArchiveEncoder: Sendable {
  /// The registry that provides the names of types. No type has to be registered.
  public var registry: TypeRegistry

  /// The limits on the contents of an archive.
  public var limits: ArchiveLimits

  /// The `userInfo` of the encoder that a type's `encode(to:)` receives.
  public var userInfo: [CodingUserInfoKey: any Sendable]

  /// Creates an encoder with types, limits and user info.
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
  /// Equal values have equal encodings, regardless of the order of elements in a dictionary or set. This does not apply
  /// to a collection on which a type calls `encode(to:)`, instead of passing it to a container. A type's `encode(to:)`
  /// is called again if a type writes to its containers in an order that cannot be streamed, or if the value is nested
  /// deeply.
  ///
  /// - Returns: One CBOR data item.
  /// - Throws: Any error from the value's `encode(to:)`, or ``KeyedArchiveError``.
  /// - Complexity: O(*n*) in the size of the output. Elements of sets and keys of dictionaries, other than text and
  ///   integers, are encoded once more, in order to sort them. Inside several such collections, they are encoded once
  ///   more for each of them.
  public func encode<Value: Encodable>(_ value: Value) throws -> Data {
    var data = Data()
    try encodeItem(value) { data = $0.takeData() }
    return data
  }

  /// Encodes a value whose type is not known statically, such as a mixed collection, with the names of all types.
  ///
  /// - Returns: One CBOR data item.
  /// - Throws: Any error from the values' `encode(to:)`, or ``KeyedArchiveError`` with code `notEncodable` if any
  ///   value, at any depth in a collection, is not `Encodable`.
  /// - Complexity: O(*n*) in the size of the output.
  @_disfavoredOverload
  public func encode(_ value: any Sendable) throws -> Data {
    var data = Data()
    try encodeItem(value) { data = $0.takeData() }
    return data
  }

  /// An encoded value, with the information needed to include it in a larger item. Its bytes are in the memory of the
  /// encoding, so an item is used only in the function that receives it.
  package struct Item {
    let buffer: ByteBuffer
    /// The offset of the item in the buffer.
    let start: Int
    /// Whether the value refers to shared instances (tags 28 and 29), which are numbered from the start of a whole CBOR
    /// item. Such a value cannot be included in another one unchanged.
    package let sharesInstances: Bool

    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
      try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Returns the bytes, which are then no longer in the item. Long ones are not copied.
    package func takeData() -> Data { buffer.takeData(from: start) }
  }

  /// A function that gets an item once, when it is complete.
  package typealias ItemReceiver = (Item) throws -> Void

  package func encodeItem<Value: Encodable>(_ value: Value, _ receive: ItemReceiver) throws {
    func deliver(_ item: Item) throws {
      #if DEBUG
      try ReadBack.check(item, of: Value.self, self)
      #endif
      try receive(item)
    }
    // A value that needs no name needs no checks of its type either. They would take longer than encoding the value.
    if SelfDescribingScalars.contains(Value.self) {
      try encode({ try $0.encodePlainly(value) { .root } }, deliver)
    } else {
      try encode({ try $0.encodeDynamically(known: value) { .root } }, deliver)
    }
  }

  @_disfavoredOverload
  package func encodeItem(_ value: any Sendable, _ receive: ItemReceiver) throws {
    try encode({ try $0.encodeDynamically(value) { .root } }, receive)
  }

  /// `dynamic` keeps the compiler from copying this method for each pair of closures.
  private dynamic func encode(_ body: (EncodingSession) throws -> Void, _ receive: ItemReceiver) throws {
    if try encode(isDeep: false, body, receive) { return }
    // This stack is large enough for every depth that the limits allow, so the answer is `true`.
    _ = try DeepStack.runArchive(depth: limits.withinStack.maximumDepth) {
      try encode(isDeep: true, body, receive)
    }
  }

  /// Encodes a value as a stream, and again as a tree if necessary. Returns `false` if the value is nested too deeply
  /// for the stack of any thread.
  private func encode(isDeep: Bool, _ body: (EncodingSession) throws -> Void, _ receive: ItemReceiver) throws -> Bool {
    for isDeferred in [false, true] {
      var session = EncodingSession.take(for: self, isDeferred: isDeferred, isDeep: isDeep)
      defer { EncodingSession.giveBack(&session) }
      do {
        try body(session)
      } catch  where session.needsDeepStack || (session.output.needsDeferral && !isDeferred) {
        // The next attempt encounters any other failure again.
      }
      if session.needsDeepStack { return false }
      if isDeferred || !session.output.needsDeferral {
        try receive(session.finish())
        return true
      }
    }
    return false
  }
}

extension [CodingUserInfoKey: any Sendable] {
  private static let storageMark = Self().marked

  /// The user info with the mark for storage. With this mark, models that know nothing of archives use their storage
  /// keys.
  var markedAsStorage: Self { isEmpty ? Self.storageMark : self[.isStorage] == nil ? marked : self }

  private var marked: Self {
    var marked = SharedCodeDictionary(self)
    marked[.isStorage] = true
    return marked.contents
  }
}
