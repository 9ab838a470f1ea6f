/// One decoding: it makes values of the items of a ``DecodingInput``.
final class DecodingSession: CodingSession {
  let input: DecodingInput
  var migrations = Migrations()
  /// Records what is not read, if that is asked for.
  var unreadFields: UnreadFields?
  // Unchecked as in ``CodingSession``.
  @exclusivity(unchecked) private var decoders = DecoderPool()
  @exclusivity(unchecked) var loneKeys = LoneKeys()
  private var instances = DecodedInstances()
  /// Whether another decoding of the same bytes could only give an equal value that shares nothing with this one: no
  /// instance of a class was made, and no type was looked up by its name.
  @exclusivity(unchecked) var isRepeatable = true
  @exclusivity(unchecked) private var knownName = KnownName()
  /// Whether decoders of any kind may use it later: it has no user info of one of them.
  private(set) var isReusable = false

  init(_ input: DecodingInput, registry: TypeRegistry, userInfo: [CodingUserInfoKey: any Sendable]) {
    self.input = input
    super.init(registry: registry, limits: input.limits, userInfo: userInfo)
  }

  /// One that is closed.
  convenience init(
    for registry: TypeRegistry, limits: ArchiveLimits, userInfo: [CodingUserInfoKey: any Sendable]
  ) {
    self.init(DecodingInput(limits: limits), registry: registry, userInfo: userInfo.markedAsStorage)
    isReusable = userInfo.isEmpty
  }

  convenience init(owning buffer: ByteBuffer, like other: DecodingSession) throws(CBORError) {
    let input = try DecodingInput(owning: buffer, limits: other.limits)
    self.init(input, registry: other.registry, userInfo: other.userInfo)
    paths = other.paths
    migrations.room = other.migrations.room
  }

  /// Begins to read from bytes that are there until ``close()`` is called.
  func open(_ bytes: UnsafeRawBufferPointer) throws(CBORError) {
    try input.open(bytes)
    decoders.open()
  }

  /// A type may have kept a decoder, which reads errors from now on.
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
    instances.removeAll()
    isRepeatable = true
  }

  /// Forgets names that were read, and that are few.
  func forgetNames() { loneKeys.removeAll() }

  // MARK: The name before the content

  /// The cursor at the content of a value that begins with the name that was before a value of the type the last time:
  /// the bytes are compared, and nothing else is asked.
  func contentUnderKnownName(of type: Any.Type, at cursor: CBORCursor) -> CBORCursor? {
    guard knownName.type == ObjectIdentifier(type) else { return nil }
    var content = cursor
    // In front of a whole archive, a namespace for strings may stand, which is the first one.
    if cursor == .start, input.reader.hasBytes(KnownName.namespace, at: 0) {
      content.offset = KnownName.namespace.count
      content.namespace = 0
    }
    guard input.reader.hasBytes(knownName.bytes, at: content.offset) else { return nil }
    content.offset += knownName.bytes.count
    // That of the array around the name and the content comes first.
    content.container += 1
    return content
  }

  /// Remembers the name before a whole archive, if it is that of the type today, and is stored as this module does.
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
    // Not after the call, because the value would be copied from where it is made to where it goes.
    defer { decoders.reuse(&decoder) }
    return try type.init(from: decoder)
  }

  private func decoder(at cursor: CBORCursor, path: CodingPathNode) -> ValueDecoder {
    guard let decoder = decoders.next() else { return ValueDecoder(session: self, cursor: cursor, path: path) }
    decoder.move(to: cursor, path: path)
    return decoder
  }

  /// Decodes a shared item once; later calls return the same instance. Throws `cycle` while it is being decoded.
  func instance(at cursor: CBORCursor, path: () -> CodingPathNode, decode: () throws -> Any) throws -> Any {
    if let instance = instances.complete[cursor.offset] { return instance }
    guard instances.open.insert(cursor.offset).inserted else {
      throw KeyedArchiveError(.cycle, "A stored instance contains a reference to itself.", codingPath: keys(of: path()))
    }
    defer { instances.open.remove(cursor.offset) }
    let instance = try decode()
    instances.complete[cursor.offset] = instance
    return instance
  }
}

/// The shared instances of a decoding, by the offsets of their contents.
private struct DecodedInstances {
  var complete: [Int: Any] = .init()
  /// The instances that are being decoded.
  var open: Set<Int> = []

  mutating func removeAll() {
    if !complete.isEmpty { complete = .init() }
    if !open.isEmpty { open = .init() }
  }
}

/// The name of the type that was asked for last, and the bytes that stand for it: tag 27, an array of two, the text.
private struct KnownName {
  var type: ObjectIdentifier?
  var bytes: [UInt8] = []

  static let namespace: [UInt8] = [0xd9, 0x01, 0x00]

  /// Returns `nil` for a name that is too long to be one of many, such as of a composite.
  static func bytes(before name: ArchiveTag) -> [UInt8]? {
    let count = name.name.utf8.count
    guard count < 256 else { return nil }
    let length = UInt8(truncatingIfNeeded: count)
    return [0xd8, 0x1b, 0x82] + (count < 24 ? [0x60 | length] : [0x78, length]) + name.name.utf8
  }
}

/// Decoders whose values are complete and that nothing else refers to, kept to be used again.
private struct DecoderPool {
  /// One of them, apart from the others: most values need no second one, and then no array is made.
  private var spare: ValueDecoder?
  private var others = ContiguousArray<ValueDecoder>()
  /// Decoders refer to their session, so only a session that will be closed may keep some.
  private var isOpen = false

  mutating func open() { isOpen = true }

  mutating func close() { self = DecoderPool() }

  mutating func next() -> ValueDecoder? { spare.take() ?? others.popLast() }

  @inline(__always)
  mutating func reuse(_ decoder: inout ValueDecoder) {
    guard isOpen, isKnownUniquelyReferenced(&decoder) else { return }
    if spare == nil { spare = decoder } else { others.append(decoder) }
  }
}
