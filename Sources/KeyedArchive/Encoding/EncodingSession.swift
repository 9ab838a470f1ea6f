import Foundation

/// One encoding: the buffer that everything streams into, and what is open at this moment.
///
/// A value is encoded into a *slot*. The slot becomes an array or a map when its `encode(to:)` asks for a container, and
/// the container's head is written with a guess of its length, which is put right when the container is complete. What
/// is written to always lies at the end of the buffer; nothing is buffered twice and no tree is built.
///
/// `Codable` also allows what cannot be streamed: writing to a container after its parent has gone on, writing one key
/// twice, giving up one value and going on with the next. None of that occurs in synthesized code. When it does occur,
/// ``needsDeferral`` is set and the whole value is encoded once more into a ``DeferredTree``, which is then written out.
final class EncodingSession {
  /// Identifies what a container writes to. The serial number is unique in the session; it tells whether the frame at
  /// the level is still the one that the container was made for.
  struct Slot {
    var level: Int32
    var serial: Int32

    /// The slot of a container that could not be opened.
    static let dead = Slot(level: -1, serial: -1)
  }

  /// Thrown to leave `encode(to:)` when the value has to be encoded again, as a tree or on a thread with more stack.
  private struct DeferralNeeded: Error {}

  let registry: TypeRegistry
  let limits: ArchiveLimits
  let userInfo: [CodingUserInfoKey: any Sendable]
  let buffer = ByteBuffer()

  /// What was written so far.
  ///
  /// The run-time check for conflicting accesses, which costs as much as writing a short field, is left out. No two
  /// accesses can conflict: all are made by functions of ``EncodingStream``, none of which calls anything but its own
  /// parts, and one encoding runs on one thread.
  @exclusivity(unchecked) private var stream: EncodingStream
  /// Unchecked for the same reason: it is read and written by functions that call nothing else.
  @exclusivity(unchecked) private var paths = CodingPaths()
  @exclusivity(unchecked) private var typeTraits = TypeTable<TypeTraits>()
  /// What makes keyed containers, by the types of their keys.
  @exclusivity(unchecked) var containerMakers = TypeTable<AnyObject>()
  @exclusivity(unchecked) var containersMade = 0
  private let deferred: DeferredTree?
  private(set) var needsDeferral = false
  /// Whether this encoding runs on a thread with the stack for the greatest depth; see ``DeepStack``.
  private let isDeep: Bool
  /// Whether the value is nested too deeply for the thread that this encoding runs on.
  var needsDeepStack = false
  /// Whether an instance was referred to; known when the encoding is finished.
  private(set) var sharesInstances = false
  /// A failure in a function that cannot throw; it fails the encoding in the end.
  private(set) var failure: KeyedArchiveError?
  private static let namespaceLength = 3
  /// Whether the encoding is over.
  private var isClosed = false
  /// Where the nil with a name stands that was written last.
  private var namedNil = 0..<0

  init(
    registry: TypeRegistry, limits: ArchiveLimits, userInfo: [CodingUserInfoKey: any Sendable], isDeferred: Bool,
    isDeep: Bool
  ) {
    self.isDeep = isDeep
    self.registry = registry
    self.limits = limits
    self.userInfo = userInfo
    // Around everything: the tag of the string namespace, which counts as an item like its content.
    stream = EncodingStream(buffer: buffer, depth: 1, items: 2)
    deferred = isDeferred ? DeferredTree() : nil
    if !isDeferred { buffer.appendHead(.tag, CBORTag.stringNamespace) }
  }

  /// A session for a part of what another one encodes, which is encoded there too.
  ///
  /// It starts as deep and knows the same open instances, so that a circle is found here as it is there.
  convenience init(sortingFor other: EncodingSession, isDeferred: Bool) {
    self.init(
      registry: other.registry, limits: other.limits, userInfo: other.userInfo, isDeferred: isDeferred,
      isDeep: other.isDeep)
    stream.depth = other.stream.depth
    stream.adoptInstances(of: other.stream)
    paths = other.paths
  }

  /// Completes the encoding and returns its bytes.
  func finish() throws -> Data {
    if let failure { throw failure }
    if let deferred { return try finish(deferred) }
    let sharedCount = stream.finish()
    sharesInstances = sharedCount > 0
    // The tag of a namespace that nothing refers into is not written.
    let itemCount = stream.items + sharedCount - (stream.hasStringReferences ? 0 : 1)
    guard itemCount <= limits.maximumItems else {
      throw KeyedArchiveError(CBORError(.tooManyItems(limit: limits.maximumItems), at: buffer.count))
    }
    // The namespace is needed only by references into it.
    return buffer.takeData(from: stream.hasStringReferences ? 0 : EncodingSession.namespaceLength)
  }

  private func finish(_ tree: DeferredTree) throws -> Data {
    let output = EncodingSession(
      registry: registry, limits: limits, userInfo: userInfo, isDeferred: false, isDeep: isDeep)
    output.stream.adoptInstances(of: stream)
    tree.flush(buffer)
    tree.write(to: output)
    let data = try output.finish()
    sharesInstances = output.sharesInstances
    // An instance may have moved to a deeper place, and the tree does not count items: the result tells.
    do {
      _ = try data.withUnsafeBytes { try StructureIndex(CBORReader($0), limits: limits) }
    } catch let error as CBORError {
      throw KeyedArchiveError(error)
    }
    return data
  }

  // MARK: Slots and containers

  /// Opens a slot for one value at the current place.
  func openSlot() throws -> Slot {
    try checkDepth(adding: 1)
    if let deferred {
      deferred.flush(buffer)
      return Slot(level: -1, serial: deferred.addNode(depth: stream.depth))
    }
    let serial = stream.openFrame()
    return Slot(level: stream.level, serial: serial)
  }

  /// Closes a slot and whatever is still open inside it.
  func closeSlot(_ slot: Slot) {
    if isOpen(slot) { stream.closeFrames(above: slot.level - 1) }
  }

  /// Turns a slot into a map or an array, or returns the one that it already is.
  func openContainer(in slot: Slot, keyed: Bool) -> Slot {
    let kind: EncodingStream.Kind = keyed ? .keyed : .unkeyed
    if let deferred {
      deferred.flush(buffer)
      guard deferred.open(slot.serial, keyed: keyed) else { return fail(mixing: kind) }
      return slot
    }
    guard isOpen(slot) else { return lose() }
    switch stream.kind(at: slot.level) {
    case kind:
      return slot
    case .empty:
      guard slot.level == stream.level else { return lose() }
      stream.openContainer(kind)
      return slot
    default:
      return fail(mixing: kind)
    }
  }

  /// Begins a pair of a map that a nested container or encoder will write, in a function that cannot throw. A container
  /// that was opened under the key before is continued; to ask for one of another kind is an error.
  func beginNested(keyed: Bool?, in slot: Slot, key: String, path: () -> CodingPathNode) -> Slot {
    if let deferred {
      deferred.flush(buffer)
      if let node = deferred.openedNode(in: slot.serial, key: key, keyed: keyed) {
        let slot = Slot(level: -1, serial: node)
        return keyed.map { openContainer(in: slot, keyed: $0) } ?? slot
      }
    }
    return openNested(keyed: keyed, path) { try begin(in: slot, key: key) }
  }

  /// Begins an element of an array that a nested container or encoder will write, in a function that cannot throw.
  func beginNested(keyed: Bool?, in slot: Slot, path: () -> CodingPathNode) -> Slot {
    openNested(keyed: keyed, path) { try begin(in: slot) }
  }

  private func openNested(keyed: Bool?, _ path: () -> CodingPathNode, _ begin: () throws -> Void) -> Slot {
    do {
      try begin()
      let slot = try openSlot()
      deferred?.noteNested(slot.serial)
      return keyed.map { openContainer(in: slot, keyed: $0) } ?? slot
    } catch var error as KeyedArchiveError {
      if error.codingPath.isEmpty { error.codingPath = keys(of: path()) }
      failure = failure ?? error
    } catch {
      // The only other error asks for another attempt; that has been noted.
    }
    return .dead
  }

  private func fail(mixing kind: EncodingStream.Kind) -> Slot {
    failure =
      failure
      ?? KeyedArchiveError(
        .invalidEncoding, "One encode(to:) asked for two kinds of container, the second one \(kind).")
    return .dead
  }

  private func lose() -> Slot {
    needsDeferral = true
    return .dead
  }

  private func isOpen(_ slot: Slot) -> Bool {
    stream.isOpen(slot.serial, at: slot.level)
  }

  /// Makes a container's frame the innermost one, by closing what was opened inside it.
  private func settle(_ slot: Slot) throws {
    if let failure { throw failure }
    guard isOpen(slot) else { throw deferralNeeded() }
    stream.closeFrames(above: slot.level)
  }

  private func deferralNeeded() -> any Error {
    if isClosed { return EncodingSession.closed }
    needsDeferral = true
    return DeferralNeeded()
  }

  /// Ends the encoding: an encoder that was kept has nothing to write to any more.
  func close() {
    isClosed = true
  }

  private static let closed = EncodingError.invalidValue(
    (any Encoder).self,
    EncodingError.Context(
      codingPath: [], debugDescription: "An encoder or container was used after the encoding that it was made for."))

  // MARK: Beginning a value in a container

  /// Begins an element of an array.
  @inline(__always)
  func begin(in slot: Slot) throws {
    if !stream.beginElement(slot.serial) { try beginSlowly(in: slot) }
  }

  private func beginSlowly(in slot: Slot) throws {
    if let deferred {
      if isClosed { throw EncodingSession.closed }
      deferred.flush(buffer)
      if let failure { throw failure }
      stream.depth = deferred.begin(in: slot.serial, key: nil)
    } else {
      try settle(slot)
      try begin(in: slot)
    }
  }

  /// Begins a pair of a map by writing its key.
  @inline(__always)
  func begin(in slot: Slot, key: String) throws {
    let beginning = stream.beginPair(slot.serial, key: key)
    if beginning != .begun { try beginSlowly(in: slot, key: key, beginning) }
  }

  private func beginSlowly(in slot: Slot, key: String, _ beginning: EncodingStream.Beginning) throws {
    if let deferred {
      if isClosed { throw EncodingSession.closed }
      deferred.flush(buffer)
      if let failure { throw failure }
      stream.depth = deferred.begin(in: slot.serial, key: key)
    } else if beginning == .repeatedKey {
      throw deferralNeeded()
    } else {
      try settle(slot)
      try begin(in: slot, key: key)
    }
  }

  /// Begins the only value of a slot.
  func beginSingleValue(in slot: Slot) throws {
    if let deferred {
      if isClosed { throw EncodingSession.closed }
      deferred.flush(buffer)
      if let failure { throw failure }
      guard let depth = deferred.beginSingleValue(in: slot.serial) else { throw EncodingSession.secondSingleValue }
      stream.depth = depth
      return
    }
    try settle(slot)
    guard stream.beginSingleValue() else { throw EncodingSession.secondSingleValue }
  }

  private static let secondSingleValue = KeyedArchiveError(
    .invalidEncoding, "One encode(to:) put a second value where a single value stands.")

  /// The number of elements that a container holds so far.
  func count(in slot: Slot) -> Int {
    if let deferred { return deferred.count(in: slot.serial) }
    return isOpen(slot) ? stream.count(at: slot.level) : 0
  }

  /// The entry of a tree that was begun last; `nil` in a stream.
  var deferredEntry: DeferredTree.Fragment? { deferred?.place }

  /// Notes that an entry was begun but its value could not be encoded.
  ///
  /// If the caller swallows the error and goes on, the entry must not be there; a stream cannot take it back.
  func abandon(_ entry: DeferredTree.Fragment?, in slot: Slot) {
    if let deferred, let entry {
      deferred.flush(buffer)
      deferred.abandon(entry, of: slot.serial)
    } else {
      needsDeferral = true
    }
  }

  // MARK: Strings, tags and instances

  /// Writes a text item, as a reference if the same text was written before.
  @inline(__always)
  func write(text: String) {
    if deferred == nil {
      stream.write(text: text)
    } else {
      add(.text(text))
    }
  }

  /// Writes a byte string item.
  func write(bytes: UnsafeRawBufferPointer) {
    if deferred == nil {
      stream.write(bytes: bytes)
    } else {
      add(.bytes(Data(bytes)))
    }
  }

  private func add(_ part: DeferredTree.Part) {
    deferred?.flush(buffer)
    deferred?.add(part)
  }

  /// Writes an integer of any width: as one item, or beyond 64 bits as a big integer.
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

  private func checkDepth(adding levels: Int) throws {
    guard stream.depth + levels <= limits.maximumDepth else {
      throw KeyedArchiveError(CBORError(.tooDeep(limit: limits.maximumDepth), at: buffer.count))
    }
    guard isDeep || stream.depth + levels <= DeepStack.shallowDepth else {
      needsDeepStack = true
      throw DeferralNeeded()
    }
  }

  /// Writes what stands deeper by a number of levels than what surrounds it.
  func nested(by levels: Int, _ body: () throws -> Void) throws {
    try checkDepth(adding: levels)
    let outer = stream.depth
    stream.depth = outer + levels
    try body()
    stream.depth = outer
  }

  /// Writes a tag and its content.
  func write(tag: UInt64, _ content: () throws -> Void) throws {
    try nested(by: 1) {
      stream.items += 1
      buffer.appendHead(.tag, tag)
      try content()
    }
  }

  /// Writes an array whose elements the caller writes one after the other.
  func writeArray(count: Int, _ elements: () throws -> Void) throws {
    try nested(by: 1) {
      stream.items += count
      buffer.appendHead(.array, UInt64(count))
      try elements()
    }
  }

  /// Writes a map whose keys and values the caller writes in turn.
  func writeMap(count: Int, _ pairs: () throws -> Void) throws {
    try nested(by: 1) {
      stream.items += 2 * count
      buffer.appendHead(.map, UInt64(count))
      try pairs()
    }
  }

  /// Writes a value with the name of its type: tag 27, `[name, value]` or `[name, value, version]`.
  func write(typeName: ArchiveTag, version: Int, _ value: () throws -> Void) throws {
    guard typeName.name.utf8.count <= limits.maximumTagLength, !typeName.name.isEmpty else {
      throw KeyedArchiveError(
        .limitReached, "A type tag has 1 to \(limits.maximumTagLength) bytes of UTF-8; this one has not.", tag: typeName
      )
    }
    try write(tag: CBORTag.object) {
      try writeArray(count: version > 1 ? 3 : 2) {
        write(text: typeName.name)
        try value()
        if version > 1 { buffer.appendInteger(Int64(version)) }
      }
    }
  }

  /// Encodes what an optional holds.
  @inline(__always)
  func encodeWrapped<Value: Encodable>(
    _ value: Value, knowing traits: TypeTraits, path: () -> CodingPathNode
  ) throws {
    if traits.speciallyEncodable != nil { return try encode(value, knowing: traits, path: path) }
    try namingNil { try encode(value, knowing: traits, path: path) }
  }

  /// Writes a nil that is inside of an optional, under the name that tells it from the optional's own.
  func writeNamedNil(_ content: () throws -> Void) throws {
    let start = buffer.count
    try write(typeName: OptionalName.tag, version: 1, content)
    namedNil = start..<buffer.count
  }

  /// Writes what an optional holds, and names it where it turns out to be stored as a nil.
  @inline(__always)
  func namingNil(_ content: () throws -> Void) throws {
    let start = buffer.count
    try content()
    let first = start < buffer.count ? buffer.byte(at: start) : 0xf6
    if first == 0xf6 || first == 0xf7 || first == 0xd8 { try nameNil(from: start) }
  }

  /// Names a nil that was written at the end, once more if it has a name.
  @inline(never)
  private func nameNil(from start: Int) throws {
    if let deferred {
      deferred.flush(buffer)
      return deferred.nameNil()
    }
    guard start + 1 == buffer.count || namedNil == start..<buffer.count else { return }
    // The name goes around the innermost nil, which is the last byte: it is the same there, and nothing has to move.
    let null = buffer.byte(at: buffer.count - 1)
    guard null == 0xf6 || null == 0xf7 else { return }
    buffer.truncate(to: buffer.count - 1)
    try write(typeName: OptionalName.tag, version: 1) { buffer.append(null) }
    namedNil = start..<buffer.count
  }

  /// Writes a class instance: its contents the first time, a reference after that.
  ///
  /// The name is that of the class, where a reader would expect another. A reference carries it only if the instance was
  /// first met where a reader knows the class: it may be read before the instance is.
  func write(
    instance: AnyObject, name: ArchiveTag?, version: Int, path: () -> CodingPathNode, contents: () throws -> Void
  ) throws {
    switch stream.visit(instance, isNamed: name != nil) {
    case .first(let identifier):
      try nested(by: 1) {
        let outer = deferred?.beginInstance(identifier, flushing: buffer)
        if deferred == nil { stream.markShareable(identifier) }
        do {
          try writeUnder(name, version, contents)
        } catch {
          stream.forget(instance)
          throw error
        }
        if let outer { deferred?.endInstance(outer, flushing: buffer) }
      }
      stream.closeInstance(identifier)
    case .again(let identifier, let isNamed):
      try writeUnder(isNamed ? nil : name, version) { writeReference(toInstance: identifier) }
    case .inside:
      throw KeyedArchiveError(
        .cycle,
        "An instance of \(type(of: instance)) contains itself. Leave the reference back to it out of encode(to:).",
        codingPath: keys(of: path()), tag: registry.tag(for: type(of: instance)))
    }
  }

  private func writeUnder(_ name: ArchiveTag?, _ version: Int, _ content: () throws -> Void) throws {
    guard let name else { return try content() }
    try write(typeName: name, version: version, content)
  }

  func writeReference(toInstance identifier: Int) {
    stream.items += 1
    if let deferred {
      deferred.flush(buffer)
      deferred.add(.reference(identifier))
    } else {
      stream.markReference(identifier)
    }
  }

  func markShareable(instance identifier: Int) {
    stream.markShareable(identifier)
  }

  /// What has to be known about a type.
  func traits<Value>(of type: Value.Type) -> TypeTraits {
    if let traits = typeTraits.find(type) { return traits }
    let traits = TypeTraits.shared(of: type)
    typeTraits.insert(traits, for: type)
    return traits
  }

  // MARK: Coding paths

  /// The place of a key below another place, until the value that is being encoded is complete.
  func path(_ parent: CodingPathNode, _ key: some CodingKey) -> CodingPathNode {
    paths.add(key, below: parent)
  }

  /// The keys from the root to a place.
  func keys(of path: CodingPathNode) -> [any CodingKey] {
    paths.keys(to: path)
  }

  var pathMark: Int { paths.mark }

  func forgetPaths(since mark: Int) {
    paths.remove(to: mark)
  }

  /// Runs an encoding of one value that leaves the place as it was in a tree: what follows goes on where it was.
  @inline(__always)
  func keepingPlace(_ body: () throws -> Void) throws {
    guard let deferred else { return try body() }
    deferred.flush(buffer)
    let (place, depth) = (deferred.place, stream.depth)
    try body()
    deferred.flush(buffer)
    deferred.place = place
    stream.depth = depth
  }
}
