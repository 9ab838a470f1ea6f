/// One encoding, which writes values with their tags, names and marks through an ``EncodingOutput``.
///
/// A value is encoded into a *slot*. The slot becomes an array or a map when the value's `encode(to:)` requests a
/// container. The container's head is first written with an estimated length, which is corrected when the container is
/// complete. Output is always written at the end of the buffer. Nothing is buffered twice, and no tree is built.
///
/// `Codable` also allows steps that cannot be streamed: writing to a container after its parent has continued, writing
/// a key twice, or discarding a value and continuing with the next. Synthesized code does none of these. If any of them
/// occurs, ``EncodingOutput/needsDeferral`` is set and the whole value is encoded again, into a ``DeferredTree``.
final class EncodingSession: CodingSession {
  /// The buffer for heads and scalars. Everything that depends on earlier output is written through `output`.
  let buffer = ByteBuffer()
  /// Unchecked, as in ``CodingSession``. All functions of an output are leaves.
  @exclusivity(unchecked) var output: EncodingOutput
  /// Whether this encoding runs on a thread with enough stack for the greatest depth. See ``DeepStack``.
  let isDeep: Bool
  /// Whether the value is nested too deeply for the thread of this encoding.
  var needsDeepStack = false
  /// The bytes of the named nil that was written last. See ``OptionalName``.
  var namedNil = 0..<0
  /// The type whose name was looked up last. A look-up takes as long as two fields.
  private var lastName: (type: Any.Type, tag: ArchiveTag)?
  /// Whether any encoder may use the session later.
  var isReusable = false
  /// Whether the output is only compared with others, to sort the elements of a collection.
  var isForSorting = false

  init(
    registry: TypeRegistry, limits: ArchiveLimits, userInfo: [CodingUserInfoKey: any Sendable], isDeferred: Bool,
    isDeep: Bool
  ) {
    self.isDeep = isDeep
    output = EncodingOutput(buffer: buffer, isDeferred: isDeferred)
    super.init(registry: registry, limits: limits, userInfo: userInfo)
  }

  func finish() throws -> KeyedArchiveEncoder.Item { try output.finish(limits) }

  // MARK: Slots

  func openSlot(isNested: Bool = false) throws -> EncodingSlot {
    try checkDepth()
    return output.openSlot(isNested: isNested)
  }

  /// Encodes the value of an entry that was begun, and removes the entry if that fails.
  @inline(__always)
  func encodeEntry(in slot: EncodingSlot, _ encodeValue: () throws -> Void) throws {
    let entry = output.lastEntry
    do {
      try encodeValue()
    } catch {
      output.abandon(entry, in: slot)
      throw error
    }
  }

  /// Begins an entry for a nested container or encoder, in a function that cannot throw. With a key, the entry is a
  /// pair of a map; without a key, it is an element of an array. Continues a container that was opened under the key
  /// before. It is an error if that container has another kind.
  func beginNested(
    keyed: Bool?, in slot: EncodingSlot, key: (any CodingKey)? = nil, of parent: CodingPathNode
  ) -> EncodingSlot {
    if let key, let opened = output.openedSlot(in: slot, key: key.stringValue, keyed: keyed) { return opened }
    do {
      if let key { try output.begin(in: slot, key: key.stringValue) } else { try output.begin(in: slot) }
      return try openSlot(isNested: true)
    } catch let error as KeyedArchiveError {
      let key = key ?? AnyCodingKey(index: output.count(in: slot) - 1)
      output.fail(error.codingPath.isEmpty ? error.located(at: keys(of: parent) + [key]) : error)
    } catch {
      // The only other error requests another attempt, which has already been recorded.
    }
    return .dead
  }

  // MARK: Names

  /// Returns the tag of a type, as ``TypeRegistry/tag(for:)`` does. No registration changes the tag of a type.
  func tag(for type: Any.Type) -> ArchiveTag {
    if let lastName, lastName.type == type { return lastName.tag }
    let tag = registry.tag(for: type)
    lastName = (type, tag)
    return tag
  }

  // MARK: Strings, numbers and tags

  @inline(__always)
  func write(text: String) { output.write(text: text) }

  func write(bytes: UnsafeRawBufferPointer) { output.write(bytes: bytes) }

  /// Writes an integer of any width as one item, or beyond 64 bits as a big integer.
  @inline(__always)
  func write<Integer: FixedWidthInteger>(integer value: Integer) throws {
    if let value = Int64(exactly: value) {
      buffer.appendInteger(value)
    } else if let value = UInt64(exactly: value) {
      buffer.appendHead(.unsigned, value)
    } else {
      try BigInteger(value).encode(into: self)
    }
  }

  /// Encodes an integer of 128 bits as an entry that was begun. It may be stored in a tag, which can be nested too
  /// deeply.
  func encode(wide value: BigInteger, in slot: EncodingSlot) throws {
    try encodeEntry(in: slot) { try value.encode(into: self) }
  }

  private func checkDepth() throws {
    guard output.depth < limits.maximumDepth else {
      throw KeyedArchiveError(CBORError(.tooDeep(limit: limits.maximumDepth), at: buffer.count))
    }
    guard isDeep || output.depth < DeepStack.shallowDepth else {
      needsDeepStack = true
      throw EncodingRestart()
    }
  }

  // Methods that take a closure are inlined, because the compiler would copy them for each closure anyway. The methods
  // that they call are not inlined.

  @inline(__always)
  func write(tag: UInt64, _ content: () throws -> Void) throws { try write(.tag, tag, items: 1, content) }

  @inline(__always)
  func writeArray(count: Int, _ elements: () throws -> Void) throws {
    try write(.array, UInt64(count), items: count, elements)
  }

  @inline(__always)
  func writeMap(count: Int, _ pairs: () throws -> Void) throws {
    try write(.map, UInt64(count), items: 2 * count, pairs)
  }

  @inline(__always)
  private func write(_ major: CBORHead.Major, _ argument: UInt64, items: Int, _ contents: () throws -> Void) throws {
    let outer = output.depth
    try begin(major, argument, items: items)
    try contents()
    output.depth = outer
  }

  /// Writes a value with the name of its type: tag 27, `[name, value]` or `[name, value, version]`.
  @inline(__always)
  func write(typeName: ArchiveTag, version: Int, _ value: () throws -> Void) throws {
    let outer = output.depth
    try begin(typeName, version)
    try value()
    if version > 1 { buffer.appendInteger(Int64(version)) }
    output.depth = outer
  }

  private func begin(_ typeName: ArchiveTag, _ version: Int) throws {
    guard typeName.name.utf8.count <= limits.maximumTagLength, !typeName.name.isEmpty else {
      throw KeyedArchiveError(
        .limitReached,
        """
        The type tag \(typeName.name.prefix(80).quoted) has \(typeName.name.utf8.count) bytes of UTF-8; a tag can have 1 to \
        \(limits.maximumTagLength). Declare another archiveTag for the type, or store the value as a property of a type with \
        a shorter name.
        """, tag: typeName)
    }
    try begin(.tag, CBORTag.object, items: 1)
    let count = version > 1 ? 3 : 2
    try begin(.array, UInt64(count), items: count)
    write(text: typeName.name)
  }

  private func begin(_ major: CBORHead.Major, _ argument: UInt64, items: Int) throws {
    try checkDepth()
    output.depth += 1
    output.count(items: items)
    buffer.appendHead(major, argument)
  }

  // MARK: Instances

  /// Writes a class instance: its contents the first time, and a reference after that. The name is that of the class,
  /// if a reader would expect another. A reference may be read before the instance, and has the name only if
  /// the instance was first encountered where a reader knows the class.
  func write(instance: AnyObject, name: ArchiveTag?, version: Int, contents: () throws -> Void) throws {
    switch output.visit(instance, isNamed: name != nil) {
    case .first(let identifier):
      try checkDepth()
      let depth = output.depth
      output.depth += 1
      let outer = output.beginInstance(identifier)
      do {
        try writeUnder(name, version, contents)
      } catch {
        output.forget(instance)
        throw error
      }
      output.endInstance(identifier, outer)
      output.depth = depth
    case .again(let identifier, let isNamed):
      try writeUnder(isNamed ? nil : name, version) { output.writeReference(toInstance: identifier) }
    case .inside:
      throw KeyedArchiveError(
        .cycle,
        "An instance of \(type(of: instance)) contains itself. Leave the reference back to it out of encode(to:).",
        tag: registry.tag(for: type(of: instance)))
    }
  }

  private func writeUnder(_ name: ArchiveTag?, _ version: Int, _ content: () throws -> Void) throws {
    guard let name else { return try content() }
    try write(typeName: name, version: version, content)
  }
}
