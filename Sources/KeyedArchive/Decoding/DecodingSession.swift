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

  init(_ input: DecodingInput, registry: TypeRegistry, userInfo: [CodingUserInfoKey: any Sendable]) {
    self.input = input
    super.init(registry: registry, limits: input.limits, userInfo: userInfo)
  }

  convenience init(owning buffer: ByteBuffer, like other: DecodingSession) throws(CBORError) {
    let input = try DecodingInput(owning: buffer, limits: other.limits)
    self.init(input, registry: other.registry, userInfo: other.userInfo)
    paths = other.paths
    migrations.room = other.migrations.room
  }

  /// Calls a function with a session over bytes that are there only during the call.
  static func run<Result>(
    _ bytes: UnsafeRawBufferPointer, registry: TypeRegistry, limits: ArchiveLimits,
    userInfo: [CodingUserInfoKey: any Sendable], _ body: (DecodingSession) throws -> Result
  ) throws -> Result {
    let input = try DecodingInput(bytes, limits: limits)
    let session = DecodingSession(input, registry: registry, userInfo: userInfo)
    session.decoders.open()
    // A type may have kept a decoder.
    defer {
      session.decoders.close()
      input.close()
    }
    return try body(session)
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
