/// One decoding, which creates values from the items of a ``DecodingInput``.
final class DecodingSession: CodingSession {
  let input: DecodingInput
  var migrations = Migrations()
  // Unchecked, as in ``CodingSession``.
  /// Records the fields that are not read, if requested.
  @exclusivity(unchecked) var unreadFields: UnreadFields?
  @exclusivity(unchecked) private var decoders = DecoderPool()
  @exclusivity(unchecked) var loneKeys = LoneKeys()
  /// The open levels of the tree that is being decoded.
  @exclusivity(unchecked) var treeDepth = 0
  /// The shared instances, by the offsets of their contents; `nil` for those that are being decoded.
  private var instances: [Int: Any?] = .init()
  /// Whether another decoding of the same bytes could only return an equal value that shares nothing with this one. If
  /// so, no class instance was created, and no type was looked up by its name.
  @exclusivity(unchecked) var isRepeatable = true
  @exclusivity(unchecked) private var knownName = KnownName()
  /// Whether any decoder may use the session later, because it has no decoder's user info.
  private(set) var isReusable = false

  init(_ input: DecodingInput, registry: TypeRegistry, userInfo: [CodingUserInfoKey: any Sendable]) {
    self.input = input
    super.init(registry: registry, limits: input.limits, userInfo: userInfo)
  }

  /// Creates a closed session.
  convenience init(for decoder: KeyedArchiveDecoder) {
    let input = DecodingInput(limits: decoder.limits.withinStack)
    self.init(input, registry: decoder.registry, userInfo: decoder.userInfo.markedAsStorage)
    isReusable = decoder.userInfo.isEmpty
  }

  convenience init(owning buffer: ByteBuffer, like other: DecodingSession) throws {
    let input = try DecodingInput(owning: buffer, limits: other.limits)
    self.init(input, registry: other.registry, userInfo: other.userInfo)
    paths = other.paths
    migrations.room = other.migrations.room
  }

  /// Opens bytes, which must stay valid until ``close()`` is called.
  func open(_ bytes: UnsafeRawBufferPointer) throws {
    try input.open(bytes)
    decoders.open()
  }

  /// Closes the session. A decoder that a type has kept then throws errors.
  func close() {
    decoders.close()
    input.close()
  }

  /// Forgets everything about the bytes that were read. The session must be closed, and no decoder may refer to it.
  func forgetBytes() {
    input.forgetBytes()
    forgetPaths(since: 0)
    migrations = Migrations()
    if unreadFields != nil { unreadFields = nil }
    if !instances.isEmpty { instances = .init() }
    isRepeatable = true
  }

  // MARK: The name before the content

  /// Returns the cursor at a value's content if the value begins with the same name as the last value of the type. Only
  /// the bytes are compared.
  func contentUnderKnownName(of type: Any.Type, at cursor: CBORCursor) -> CBORCursor? {
    guard knownName.type == ObjectIdentifier(type) else { return nil }
    var content = cursor
    // A whole archive may begin with a string namespace, which is the first one.
    if cursor == .start, input.reader.hasBytes(KnownName.namespace, at: 0) {
      content.offset = KnownName.namespace.count
      content.namespace = 0
    }
    guard input.reader.hasBytes(knownName.bytes, at: content.offset) else { return nil }
    content.offset += knownName.bytes.count
    // The container index of the array around the name and the content comes first.
    content.container += 1
    return content
  }

  /// Remembers the name before a whole archive if it is the type's current name and has the stored form of this module.
  func noteName(_ named: NamedValue, of type: Any.Type, at cursor: CBORCursor) {
    guard cursor.offset <= KnownName.namespace.count, knownName.type != ObjectIdentifier(type), named.version == 1,
      registry.tag(for: type) == named.name,
      let bytes = KnownName.bytes(before: named.name), input.reader.hasBytes(bytes, at: cursor.offset)
    else { return }
    knownName = KnownName(type: ObjectIdentifier(type), bytes: bytes)
  }

  /// Decodes a value through its own `init(from:)`.
  @inline(__always)
  func decodePlainly<Value: Decodable>(
    _ type: Value.Type, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Value {
    var decoder = decoder(at: cursor, path: path())
    // Uses `defer`, because after the call, the value would be copied from its temporary location to its destination.
    defer { decoders.reuse(&decoder) }
    return try type.init(from: decoder)
  }

  private func decoder(at cursor: CBORCursor, path: CodingPathNode) -> ValueDecoder {
    guard let decoder = decoders.next() else { return ValueDecoder(session: self, cursor: cursor, path: path) }
    decoder.move(to: cursor, path: path)
    return decoder
  }

  /// Returns whether a shared item has been decoded as an instance.
  func hasInstance(at cursor: CBORCursor) -> Bool { (instances[cursor.offset] ?? nil) != nil }

  /// Decodes a shared item once. Later calls return the same instance. Throws `cycle` if the item is already being
  /// decoded.
  func instance(at cursor: CBORCursor, decode: () throws -> Any) throws -> Any {
    if let known = instances[cursor.offset] {
      if let instance = known { return instance }
      throw KeyedArchiveError(.cycle, "A stored instance contains a reference to itself.")
    }
    instances[cursor.offset] = .some(nil)
    do {
      let instance = try decode()
      instances[cursor.offset] = instance
      return instance
    } catch {
      instances[cursor.offset] = nil
      throw error
    }
  }
}

/// The last requested type name, and its encoded bytes: tag 27, an array of two elements, and the text.
private struct KnownName: ~Copyable {
  var type: ObjectIdentifier?
  var bytes: [UInt8] = []

  static let namespace: [UInt8] = [0xd9, 0x01, 0x00]

  /// Returns `nil` if a name is too long to occur often, such as the name of a composite type.
  static func bytes(before name: ArchiveTag) -> [UInt8]? {
    let count = name.name.utf8.count
    guard count < 256 else { return nil }
    let length = UInt8(truncatingIfNeeded: count)
    return [0xd8, 0x1b, 0x82] + (count < 24 ? [0x60 | length] : [0x78, length]) + name.name.utf8
  }
}

/// Decoders to be reused. Their values are complete, and nothing else refers to the decoders.
private struct DecoderPool: ~Copyable {
  /// Two decoders outside the array. Most values need no third decoder, and then no array is created.
  private var spare: ValueDecoder?
  private var secondSpare: ValueDecoder?
  private var others = ContiguousArray<ValueDecoder>()
  /// Decoders refer to their session, so only a session that will be closed may keep any.
  private var isOpen = false

  mutating func open() { isOpen = true }

  mutating func close() { self = DecoderPool() }

  mutating func next() -> ValueDecoder? { spare.take() ?? secondSpare.take() ?? others.popLast() }

  @inline(__always)
  mutating func reuse(_ decoder: inout ValueDecoder) {
    guard isOpen, isKnownUniquelyReferenced(&decoder) else { return }
    if spare == nil {
      spare = decoder
    } else if secondSpare == nil {
      secondSpare = decoder
    } else {
      others.append(decoder)
    }
  }
}
