import FoundationCore

/// The target of a container: a frame of the stream or a node of the tree. The serial number is unique in an encoding
/// and shows whether the frame at the level still belongs to the container.
struct EncodingSlot {
  var level: Int32
  var serial: Int32

  /// The slot of a container that could not be opened.
  static let dead = EncodingSlot(level: -1, serial: -1)

  enum Content {
    case empty
    case single, unkeyed, keyed
  }
}

extension EncodingSlot {
  /// Creates the slot that has certain ``bits``.
  init(bits: Int64) {
    self.init(level: Int32(truncatingIfNeeded: bits &>> 32), serial: Int32(truncatingIfNeeded: bits))
  }

  /// The slot as a number, for callers in other modules.
  var bits: Int64 { Int64(level) &<< 32 | Int64(UInt32(bitPattern: serial)) }
}

/// Thrown to leave `encode(to:)` if the value must be encoded again, as a tree or on a thread with more stack.
struct EncodingRestart: Error {}

/// Sends each step of an encoding to the stream, or to a tree if a stream cannot represent the value. No other code
/// chooses between the two. As in ``EncodingStream``, every function is a leaf: none calls a session, a container or a
/// type's own code.
struct EncodingOutput: ~Copyable {
  private var stream: EncodingStream
  private let tree: DeferredTree?
  /// Whether the value must be encoded again, into a tree.
  private(set) var needsDeferral = false
  /// A failure in a function that cannot throw. It makes the encoding fail at the end.
  private var failure: KeyedArchiveError?
  private var isClosed = false

  init(buffer: ByteBuffer, isDeferred: Bool) {
    stream = EncodingStream(buffer: buffer)
    tree = isDeferred ? DeferredTree(buffer) : nil
    if !isDeferred { stream.openNamespace() }
  }

  var depth: Int {
    get { stream.depth }
    set { stream.depth = newValue }
  }

  /// Counts items that a reader will count, except for the entries of slots.
  mutating func count(items: Int) { stream.items += items }

  /// Continues with the instances of another output, which has none until it takes them back. A copy for each element
  /// that is sorted would take O(*n*) in the number of instances. Returns their number.
  mutating func borrowInstances(of other: inout EncodingOutput) -> Int {
    stream.instances.exchangeInstances(with: &other.stream.instances)
    return stream.instances.count
  }

  /// Takes back the instances that another output has borrowed, without those that it has added.
  mutating func takeBackInstances(from other: inout EncodingOutput, count: Int) {
    other.stream.instances.forgetInstances(after: count)
    stream.instances.exchangeInstances(with: &other.stream.instances)
  }

  mutating func finish(_ limits: ArchiveLimits) throws -> KeyedArchiveEncoder.Item {
    if let failure { throw failure }
    guard let tree else { return try stream.finish(limits) }
    var output = EncodingStream(buffer: ByteBuffer())
    output.openNamespace()
    output.instances = stream.instances.withoutMarks
    tree.write(to: &output)
    let item = try output.finish(limits)
    // An instance may have moved to a deeper position, and the tree does not count items, so the limits are checked on
    // the result.
    do {
      _ = try item.withUnsafeBytes { try StructureIndex(CBORReader($0), limits: limits) }
    } catch let error as CBORError {
      throw KeyedArchiveError(error)
    }
    return item
  }

  /// Ends the encoding. An encoder that was kept can no longer write.
  mutating func close() { isClosed = true }

  /// Resets the output to its initial state, for another encoding as a stream.
  mutating func restart() {
    stream.restart()
    stream.openNamespace()
    (needsDeferral, failure, isClosed) = (false, nil, false)
  }

  /// Whether the output takes little memory.
  var isSmall: Bool { stream.isSmall }

  /// Records a failure. Only the first failure counts.
  mutating func fail(_ error: KeyedArchiveError) { failure = failure ?? error }

  // MARK: Slots and containers

  /// Opens a slot for one value at the end of the stream, or for a nested container or encoder.
  mutating func openSlot(isNested: Bool) -> EncodingSlot {
    if let tree { return EncodingSlot(level: -1, serial: tree.addNode(depth: depth, isNested: isNested)) }
    let serial = stream.openFrame()
    return EncodingSlot(level: stream.level, serial: serial)
  }

  /// Closes a slot and everything that is still open inside it.
  mutating func closeSlot(_ slot: EncodingSlot) {
    if let tree {
      depth = tree.close(slot.serial)
    } else if isOpen(slot) {
      stream.closeFrames(above: slot.level - 1)
    }
  }

  /// Turns a slot into a map or an array, or returns the slot if it already has that kind.
  mutating func openContainer(in slot: EncodingSlot, keyed: Bool) -> EncodingSlot {
    let content: EncodingSlot.Content = keyed ? .keyed : .unkeyed
    if let tree { return tree.open(slot.serial, content) ? slot : fail(mixing: content) }
    guard isOpen(slot) else { return lose() }
    switch stream.content(at: slot.level) {
    case content: return slot
    case .empty:
      guard slot.level == stream.level else { return lose() }
      stream.openContainer(content)
      return slot
    case .single: return lose()
    default: return fail(mixing: content)
    }
  }

  /// Returns the slot under a key that a nested container continues. See ``DeferredTree``. A stream has no such slots.
  func openedSlot(in slot: EncodingSlot, key: String, keyed: Bool?) -> EncodingSlot? {
    tree?.openedNode(in: slot.serial, key: key, keyed: keyed).map { EncodingSlot(level: -1, serial: $0) }
  }

  /// Returns the number of entries of a container. A stream does not know that of one that another has followed.
  mutating func count(in slot: EncodingSlot) -> Int {
    if let tree { return tree.count(in: slot.serial) }
    if isOpen(slot) { return stream.count(at: slot.level) }
    needsDeferral = true
    return 0
  }

  private mutating func fail(mixing content: EncodingSlot.Content) -> EncodingSlot {
    fail(
      KeyedArchiveError(
        .invalidEncoding, "One encode(to:) requested two kinds of container; the second is \(content)."))
    return .dead
  }

  private mutating func lose() -> EncodingSlot {
    needsDeferral = true
    return .dead
  }

  private func isOpen(_ slot: EncodingSlot) -> Bool { stream.isOpen(slot.serial, at: slot.level) }

  // MARK: Beginning a value in a container

  /// Begins an element of an array.
  @inline(__always)
  mutating func begin(in slot: EncodingSlot) throws {
    if !stream.beginElement(slot.serial) { try beginSlowly(in: slot) }
  }

  private mutating func beginSlowly(in slot: EncodingSlot) throws {
    if let tree { return try begin(in: tree, slot, key: nil) }
    try closeFrames(inside: slot)
    try begin(in: slot)
  }

  /// Begins a pair of a map by writing its key.
  @inline(__always)
  mutating func begin(in slot: EncodingSlot, key: String) throws {
    let beginning = stream.beginPair(slot.serial, key: key)
    if beginning != .begun { try beginSlowly(in: slot, key: key, beginning) }
  }

  private mutating func beginSlowly(in slot: EncodingSlot, key: String, _ beginning: EncodingStream.Beginning) throws {
    if let tree { return try begin(in: tree, slot, key: key) }
    if beginning == .repeatedKey { throw restart() }
    try closeFrames(inside: slot)
    try begin(in: slot, key: key)
  }

  mutating func beginSingleValue(in slot: EncodingSlot) throws {
    guard let tree else {
      try closeFrames(inside: slot)
      guard stream.beginSingleValue() else { throw EncodingOutput.secondSingleValue }
      return
    }
    try checkIsUsable()
    guard let depth = tree.beginSingleValue(in: slot.serial) else { throw EncodingOutput.secondSingleValue }
    self.depth = depth
  }

  private mutating func begin(in tree: DeferredTree, _ slot: EncodingSlot, key: String?) throws {
    try checkIsUsable()
    depth = tree.begin(in: slot.serial, key: key)
  }

  private func checkIsUsable() throws {
    if isClosed { throw EncodingOutput.closed }
    if let failure { throw failure }
  }

  /// Makes a container's frame the innermost one by closing all frames inside it.
  private mutating func closeFrames(inside slot: EncodingSlot) throws {
    if let failure { throw failure }
    guard isOpen(slot) else { throw restart() }
    stream.closeFrames(above: slot.level)
  }

  private mutating func restart() -> any Error {
    if isClosed { return EncodingOutput.closed }
    needsDeferral = true
    return EncodingRestart()
  }

  /// The tree entry that was begun last, or `nil` in a stream.
  var lastEntry: DeferredTree.Fragment? { tree?.current }

  /// Removes an entry whose value could not be encoded, because the caller may ignore the error. A stream cannot do so.
  mutating func abandon(_ entry: DeferredTree.Fragment?, in slot: EncodingSlot) {
    if let tree, let entry {
      tree.abandon(entry, of: slot.serial)
    } else {
      needsDeferral = true
    }
  }

  private static let secondSingleValue = KeyedArchiveError(
    .invalidEncoding, "One encode(to:) encoded a second value into a single-value container.")

  private static let closed = EncodingError.invalidValue(
    (any Encoder).self,
    EncodingError.Context(
      codingPath: [], debugDescription: "An encoder or container was used after its encoding had ended."))

  // MARK: Strings and instances

  @inline(__always)
  mutating func write(text: String) {
    guard let tree else { return stream.write(text: text) }
    tree.add(.text(text))
  }

  mutating func write(bytes: UnsafeRawBufferPointer) {
    guard let tree else { return stream.write(bytes: bytes) }
    tree.add(.bytes([UInt8](bytes)))
  }

  /// Names the nil that was added to the tree last. Returns `false` in a stream, where the caller names the nil.
  func nameNilInTree() -> Bool {
    tree?.nameNil()
    return tree != nil
  }

  mutating func visit(_ instance: AnyObject, isNamed: Bool) -> InstanceTable.Visit {
    stream.instances.visit(instance, isNamed: isNamed)
  }

  /// Begins the contents of an instance. Returns the fragment in which a tree continues after the contents.
  mutating func beginInstance(_ identifier: Int) -> DeferredTree.Fragment? {
    guard let tree else {
      stream.markShareable(identifier)
      return nil
    }
    return tree.beginInstance(identifier)
  }

  mutating func endInstance(_ identifier: Int, _ outer: DeferredTree.Fragment?) {
    if let outer { tree?.move(to: outer) }
    stream.instances.close(identifier)
  }

  mutating func forget(_ instance: AnyObject) { stream.instances.forget(instance) }

  mutating func writeReference(toInstance identifier: Int) {
    guard let tree else { return stream.markReference(identifier) }
    tree.addReference(toInstance: identifier)
  }
}
