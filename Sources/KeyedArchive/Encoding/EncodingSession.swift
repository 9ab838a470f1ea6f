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

  private enum Kind: UInt8 {
    /// Nothing was written yet.
    case empty
    case single, unkeyed, keyed
  }

  private struct Frame {
    var serial: Int32
    var kind: Kind
    /// The number of bytes left for the head.
    var headLength: UInt8 = 0
    /// The offset of the head.
    var start: Int
    /// The number of elements or pairs.
    var count = 0
    /// The nesting of what stands in this frame.
    var depth: Int
    /// The key identifiers below 64 that were written; the others are in `laterKeys`.
    var keys: UInt64 = 0
  }

  /// Thrown to leave `encode(to:)` when the value has to be encoded again, as a tree or on a thread with more stack.
  private struct DeferralNeeded: Error {}

  let registry: TypeRegistry
  let limits: ArchiveLimits
  let userInfo: [CodingUserInfoKey: any Sendable]
  let buffer = ByteBuffer()

  private var frames = ContiguousArray<Frame>()
  private var lastSerial: Int32 = 0
  private var strings = StringTable()
  private var keyCache = KeyCache()
  private var laterKeys: [Int32: Set<Int>] = [:]
  private var instances = InstanceTable()
  private var typeTraits = TypeTraits.Cache()
  private var hasStringReferences = false
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
  /// The nesting of arrays, maps and tags around what is written next.
  private(set) var depth = 1  // the tag of the string namespace
  /// The number of items that a reader will count; those of open containers are added when they are closed.
  private var items = 2  // the tag of the string namespace and its content

  private static let namespaceLength = 3

  init(
    registry: TypeRegistry, limits: ArchiveLimits, userInfo: [CodingUserInfoKey: any Sendable], isDeferred: Bool,
    isDeep: Bool
  ) {
    self.isDeep = isDeep
    self.registry = registry
    self.limits = limits
    self.userInfo = userInfo
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
    depth = other.depth
    instances = other.instances.withoutMarks
  }

  /// Completes the encoding and returns its bytes.
  func finish() throws -> Data {
    if let failure { throw failure }
    if let deferred { return try finish(deferred) }
    closeFrames(downTo: 0)
    let sharedCount = instances.settle(in: buffer)
    sharesInstances = sharedCount > 0
    // The tag of a namespace that nothing refers into is not written.
    let itemCount = items + sharedCount - (hasStringReferences ? 0 : 1)
    guard itemCount <= limits.maximumItems else {
      throw KeyedArchiveError(CBORError(.tooManyItems(limit: limits.maximumItems), at: buffer.count))
    }
    // The namespace is needed only by references into it.
    return buffer.takeData(from: hasStringReferences ? 0 : EncodingSession.namespaceLength)
  }

  private func finish(_ tree: DeferredTree) throws -> Data {
    let output = EncodingSession(
      registry: registry, limits: limits, userInfo: userInfo, isDeferred: false, isDeep: isDeep)
    output.instances = instances
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
    lastSerial += 1
    if let deferred {
      deferred.flush(buffer)
      return Slot(level: -1, serial: deferred.addNode(depth: depth))
    }
    frames.append(Frame(serial: lastSerial, kind: .empty, start: buffer.count, depth: depth))
    return Slot(level: Int32(truncatingIfNeeded: frames.count - 1), serial: lastSerial)
  }

  /// Closes a slot and whatever is still open inside it.
  func closeSlot(_ slot: Slot) {
    if isOpen(slot) { closeFrames(downTo: Int(slot.level)) }
  }

  /// Turns a slot into a map or an array, or returns the one that it already is.
  func openContainer(in slot: Slot, keyed: Bool) -> Slot {
    let kind: Kind = keyed ? .keyed : .unkeyed
    if let deferred {
      deferred.flush(buffer)
      guard deferred.open(slot.serial, keyed: keyed) else { return fail(mixing: kind) }
      return slot
    }
    guard isOpen(slot) else { return lose() }
    let level = Int(slot.level)
    switch frames[level].kind {
    case kind:
      return slot
    case .empty:
      guard level == frames.count - 1 else { return lose() }
      frames[level].kind = kind
      frames[level].depth += 1
      startHead(of: level)
      return slot
    default:
      return fail(mixing: kind)
    }
  }

  /// Begins a pair of a map that a nested container or encoder will write, in a function that cannot throw. A container
  /// that was opened under the key before is continued.
  func beginNested(keyed: Bool?, in slot: Slot, key: String, path: () -> CodingPathNode?) -> Slot {
    if let keyed, let deferred {
      deferred.flush(buffer)
      if let node = deferred.openedNode(in: slot.serial, key: key, keyed: keyed) {
        return Slot(level: -1, serial: node)
      }
    }
    return openNested(keyed: keyed, path) { try begin(in: slot, key: key) }
  }

  /// Begins an element of an array that a nested container or encoder will write, in a function that cannot throw.
  func beginNested(keyed: Bool?, in slot: Slot, path: () -> CodingPathNode?) -> Slot {
    openNested(keyed: keyed, path) { try begin(in: slot) }
  }

  private func openNested(keyed: Bool?, _ path: () -> CodingPathNode?, _ begin: () throws -> Void) -> Slot {
    do {
      try begin()
      let slot = try openSlot()
      return keyed.map { openContainer(in: slot, keyed: $0) } ?? slot
    } catch var error as KeyedArchiveError {
      if error.codingPath.isEmpty { error.codingPath = path().keys }
      failure = failure ?? error
    } catch {
      // The only other error asks for another attempt; that has been noted.
    }
    return .dead
  }

  private func fail(mixing kind: Kind) -> Slot {
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
    slot.level >= 0 && Int(slot.level) < frames.count && frames[Int(slot.level)].serial == slot.serial
  }

  @inline(__always)
  private func isInnermost(_ slot: Slot) -> Bool {
    let level = Int(slot.level)
    return level == frames.count - 1 && level >= 0 && frames[level].serial == slot.serial
  }

  /// Makes a container's frame the innermost one, by closing what was opened inside it.
  private func settle(_ slot: Slot) throws {
    if let failure { throw failure }
    guard isOpen(slot) else {
      needsDeferral = true
      throw DeferralNeeded()
    }
    closeFrames(downTo: Int(slot.level) + 1)
  }

  private func closeFrames(downTo level: Int) {
    while frames.count > level { closeInnermostFrame() }
  }

  /// Writes the final head of the innermost frame.
  private func closeInnermostFrame() {
    let frame = frames.removeLast()
    switch frame.kind {
    case .empty:
      // A type with nothing to store: an empty map.
      buffer.appendHead(.map, 0)
      depth = frame.depth
    case .single:
      depth = frame.depth
    case .keyed, .unkeyed:
      let count = UInt64(frame.count)
      let length = CBORHead.length(of: count)
      let growth = length - Int(frame.headLength)
      if growth != 0 { moveContents(of: frame, by: growth) }
      buffer.overwriteHead(frame.kind == .keyed ? .map : .array, count, at: frame.start)
      items += frame.kind == .keyed ? 2 * frame.count : frame.count
      if frame.kind == .keyed { laterKeys[frame.serial] = nil }
      depth = frame.depth - 1
    }
  }

  private func moveContents(of frame: Frame, by distance: Int) {
    let contents = frame.start + Int(frame.headLength)
    if distance > 0 {
      buffer.insertGap(of: distance, at: contents)
    } else {
      buffer.moveDown(contents..<buffer.count, to: contents + distance)
      buffer.truncate(to: buffer.count + distance)
    }
    strings.shift(from: contents, by: distance)
    instances.shift(from: contents, by: distance)
    lastHeadLength = UInt8(Int(frame.headLength) + distance)
  }

  /// The width of head that containers needed last; neighbours are alike.
  private var lastHeadLength: UInt8 = 1

  private func startHead(of level: Int) {
    frames[level].start = buffer.count
    frames[level].headLength = lastHeadLength
    for _ in 0..<lastHeadLength { buffer.append(0) }
  }

  // MARK: Beginning a value in a container

  /// Begins an element of an array.
  func begin(in slot: Slot) throws {
    if isInnermost(slot) {
      frames[Int(slot.level)].count += 1
      depth = frames[Int(slot.level)].depth
    } else if let deferred {
      deferred.flush(buffer)
      if let failure { throw failure }
      depth = deferred.begin(in: slot.serial, key: nil)
    } else {
      try settle(slot)
      try begin(in: slot)
    }
  }

  /// Begins a pair of a map by writing its key.
  @inline(__always)
  func begin(in slot: Slot, key: String) throws {
    guard isInnermost(slot) else { return try beginSlowly(in: slot, key: key) }
    let level = Int(slot.level)
    let identifier = keyCache.identifier(of: key)
    if identifier < 64 {
      let bit: UInt64 = 1 << UInt64(identifier)
      if frames[level].keys & bit != 0 { return try deferRepeatedKey() }
      frames[level].keys |= bit
    } else if !laterKeys[slot.serial, default: []].insert(identifier).inserted {
      return try deferRepeatedKey()
    }
    frames[level].count += 1
    depth = frames[level].depth
    let number = keyCache.entries[identifier].number
    if number >= 0 {
      writeStringReference(Int(number))
    } else {
      writeKey(key, identifier)
    }
  }

  private func beginSlowly(in slot: Slot, key: String) throws {
    if let deferred {
      deferred.flush(buffer)
      if let failure { throw failure }
      depth = deferred.begin(in: slot.serial, key: key)
    } else {
      try settle(slot)
      try begin(in: slot, key: key)
    }
  }

  private func deferRepeatedKey() throws {
    needsDeferral = true
    throw DeferralNeeded()
  }

  private func writeKey(_ key: String, _ identifier: Int) {
    var key = key
    key.withUTF8 { utf8 in
      if let number = strings.number(stringOfLength: utf8.count, at: buffer.count) {
        keyCache.setNumber(number, of: identifier)
      }
      buffer.appendHead(.text, UInt64(utf8.count))
      buffer.append(UnsafeRawBufferPointer(utf8))
    }
  }

  /// Begins the only value of a slot.
  func beginSingleValue(in slot: Slot) throws {
    if let deferred {
      deferred.flush(buffer)
      if let failure { throw failure }
      guard let depth = deferred.beginSingleValue(in: slot.serial) else { throw EncodingSession.secondSingleValue }
      self.depth = depth
      return
    }
    if !isInnermost(slot) { try settle(slot) }
    guard frames[Int(slot.level)].kind == .empty else { throw EncodingSession.secondSingleValue }
    frames[Int(slot.level)].kind = .single
    depth = frames[Int(slot.level)].depth
  }

  private static let secondSingleValue = KeyedArchiveError(
    .invalidEncoding, "One encode(to:) put a second value where a single value stands.")

  /// The number of elements that a container holds so far.
  func count(in slot: Slot) -> Int {
    if let deferred { return deferred.count(in: slot.serial) }
    return isOpen(slot) ? frames[Int(slot.level)].count : 0
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
  func write(text: String) {
    if let deferred {
      deferred.flush(buffer)
      deferred.add(.text(text))
      return
    }
    var text = text
    text.withUTF8 { utf8 in
      let headLength = CBORHead.length(of: UInt64(utf8.count))
      if strings.numbersString(ofLength: utf8.count),
        let number = strings.find(utf8, orNumberAt: buffer.count + headLength, in: buffer)
      {
        writeStringReference(number)
        return
      }
      buffer.appendHead(.text, UInt64(utf8.count))
      buffer.append(UnsafeRawBufferPointer(utf8))
    }
  }

  /// Writes a byte string item.
  func write(bytes: UnsafeRawBufferPointer) {
    if let deferred {
      deferred.flush(buffer)
      deferred.add(.bytes(Data(bytes)))
      return
    }
    _ = strings.number(stringOfLength: bytes.count, at: buffer.count)
    buffer.appendHead(.bytes, UInt64(bytes.count))
    buffer.append(bytes)
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

  @inline(__always)
  private func writeStringReference(_ number: Int) {
    hasStringReferences = true
    buffer.append(bigEndian: 0xd819 as UInt16)  // tag 25
    buffer.appendHead(.unsigned, UInt64(number))
  }

  private func checkDepth(adding levels: Int) throws {
    guard depth + levels <= limits.maximumDepth else {
      throw KeyedArchiveError(CBORError(.tooDeep(limit: limits.maximumDepth), at: buffer.count))
    }
    guard isDeep || depth + levels <= DeepStack.shallowDepth else {
      needsDeepStack = true
      throw DeferralNeeded()
    }
  }

  /// Writes what stands deeper by a number of levels than what surrounds it.
  func nested(by levels: Int, _ body: () throws -> Void) throws {
    try checkDepth(adding: levels)
    let outer = depth
    depth += levels
    try body()
    depth = outer
  }

  /// Writes a tag and its content.
  func write(tag: UInt64, _ content: () throws -> Void) throws {
    try nested(by: 1) {
      items += 1
      buffer.appendHead(.tag, tag)
      try content()
    }
  }

  /// Writes an array whose elements the caller writes one after the other.
  func writeArray(count: Int, _ elements: () throws -> Void) throws {
    try nested(by: 1) {
      items += count
      buffer.appendHead(.array, UInt64(count))
      try elements()
    }
  }

  /// Writes a map whose keys and values the caller writes in turn.
  func writeMap(count: Int, _ pairs: () throws -> Void) throws {
    try nested(by: 1) {
      items += 2 * count
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

  /// Writes a class instance: its contents the first time, a reference after that.
  ///
  /// The name is that of the class, where a reader would expect another. A reference carries it only if the instance was
  /// first met where a reader knows the class: it may be read before the instance is.
  func write(
    instance: AnyObject, name: ArchiveTag?, version: Int, path: () -> CodingPathNode?, contents: () throws -> Void
  ) throws {
    switch instances.visit(instance, isNamed: name != nil) {
    case .first(let identifier):
      try nested(by: 1) {
        let outer = deferred?.beginInstance(identifier, flushing: buffer)
        if deferred == nil { instances.markShareable(identifier, in: buffer) }
        do {
          try writeUnder(name, version, contents)
        } catch {
          instances.forget(instance)
          throw error
        }
        if let outer { deferred?.endInstance(outer, flushing: buffer) }
      }
      instances.close(identifier)
    case .again(let identifier, let isNamed):
      try writeUnder(isNamed ? nil : name, version) { writeReference(toInstance: identifier) }
    case .inside:
      throw KeyedArchiveError(
        .cycle,
        "An instance of \(type(of: instance)) contains itself. Leave the reference back to it out of encode(to:).",
        codingPath: path().keys, tag: registry.tag(for: type(of: instance)))
    }
  }

  private func writeUnder(_ name: ArchiveTag?, _ version: Int, _ content: () throws -> Void) throws {
    guard let name else { return try content() }
    try write(typeName: name, version: version, content)
  }

  func writeReference(toInstance identifier: Int) {
    items += 1
    if let deferred {
      deferred.flush(buffer)
      deferred.add(.reference(identifier))
    } else {
      instances.markReference(identifier, in: buffer)
    }
  }

  func markShareable(instance identifier: Int) {
    instances.markShareable(identifier, in: buffer)
  }

  func traits<Value>(of type: Value.Type) -> TypeTraits {
    typeTraits.traits(of: type)
  }

  /// Runs an encoding of one value that leaves the place as it was in a tree: what follows goes on where it was.
  func keepingPlace(_ body: () throws -> Void) throws {
    guard let deferred else { return try body() }
    deferred.flush(buffer)
    let (place, depth) = (deferred.place, depth)
    try body()
    deferred.flush(buffer)
    deferred.place = place
    self.depth = depth
  }
}
