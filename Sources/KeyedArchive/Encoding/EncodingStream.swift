import FoundationCore

/// The bytes that an encoding has written, and the containers that are open at their end.
///
/// Every function here is a leaf: none calls a session, a container or a type's own code. ``EncodingSession`` may
/// therefore disable the check for conflicting accesses, because each access ends before any other code runs.
struct EncodingStream: ~Copyable {
  /// A value that is being written. Its slot may have become a container.
  private struct Frame {
    var serial: Int32
    var content: EncodingSlot.Content
    /// The number of bytes reserved for the head.
    var headLength: UInt8 = 0
    /// The offset of the head.
    var start: Int
    var count = 0
    /// The nesting of the contents of this frame.
    var depth: Int
    /// The key identifiers below 64 that were written. All others are in `laterKeys`.
    var keys: UInt64 = 0
  }

  enum Beginning {
    case begun
    /// The container is not the one at the end of the stream.
    case notInnermost
    case repeatedKey
  }

  let buffer: ByteBuffer
  /// The innermost frame. If nothing is open, its serial number is not that of any slot.
  private var frame = EncodingStream.outside
  private static var outside: Frame { Frame(serial: -2, content: .single, start: 0, depth: 0) }
  /// The frames around the innermost one, outermost first.
  private var outerFrames = ContiguousArray<Frame>()
  private var strings = StringTable()
  private var keyCache = KeyCache()
  private var laterKeys: [Int32: Set<Int>] = .init()
  /// The positions of instance marks in this stream. A stream that continues another has its instances without marks.
  var instances = InstanceTable()
  private var lastSerial: Int32 = 0
  /// The width of the head that the last container needed. Adjacent containers are usually alike.
  private var lastHeadLength: UInt8 = 1
  private var hasStringReferences = false
  private static let namespaceLength = 3
  // The tag of the string namespace is around everything. It counts as an item, like its content.
  /// The nesting of arrays, maps and tags around the next output.
  var depth = 1
  /// The number of items that a reader will count. The items of an open container are added when it is closed.
  var items = 2

  init(buffer: ByteBuffer) { self.buffer = buffer }

  func openNamespace() { buffer.appendHead(.tag, CBORTag.stringNamespace) }

  /// Resets the stream to its initial state, and reuses its memory.
  mutating func restart() {
    buffer.truncate(to: 0)
    frame = EncodingStream.outside
    // Most values leave nothing here, and removing nothing takes as long as writing a field.
    if !outerFrames.isEmpty { outerFrames.removeAll(keepingCapacity: true) }
    if strings.count > 0 { strings.removeAll() }
    keyCache.forgetNumbers()
    if !laterKeys.isEmpty { laterKeys = .init() }
    if !instances.isEmpty { instances = InstanceTable() }
    (lastSerial, lastHeadLength, hasStringReferences) = (0, 1, false)
    (depth, items) = (1, 2)
  }

  /// Whether the stream takes little memory. A buffer that gave its block away has less memory than it will need.
  var isSmall: Bool { (512...8192).contains(buffer.room) && strings.isSmall }

  // MARK: Frames

  var level: Int32 { Int32(truncatingIfNeeded: outerFrames.count) }

  /// Opens a frame for one value at the end of the stream. Returns the frame's serial number.
  mutating func openFrame() -> Int32 {
    outerFrames.append(frame)
    lastSerial += 1
    frame = Frame(serial: lastSerial, content: .empty, start: buffer.count, depth: depth)
    return lastSerial
  }

  private func frame(at level: Int32) -> Frame { level == self.level ? frame : outerFrames[Int(level)] }

  func isOpen(_ serial: Int32, at level: Int32) -> Bool {
    level > 0 && level <= self.level && frame(at: level).serial == serial
  }

  func content(at level: Int32) -> EncodingSlot.Content { frame(at: level).content }

  func count(at level: Int32) -> Int { frame(at: level).count }

  /// Makes the innermost frame a container and reserves space for its head.
  mutating func openContainer(_ content: EncodingSlot.Content) {
    frame.content = content
    frame.depth += 1
    frame.start = buffer.count
    frame.headLength = lastHeadLength
    buffer.appendZeros(Int(lastHeadLength))
  }

  mutating func closeFrames(above level: Int32) {
    while self.level > level { closeInnermostFrame() }
  }

  private mutating func closeInnermostFrame() {
    switch frame.content {
    case .empty:
      // A type that stores nothing is an empty map.
      buffer.appendHead(.map, 0)
      depth = frame.depth
    case .single: depth = frame.depth
    case .keyed, .unkeyed:
      let count = UInt64(truncatingIfNeeded: frame.count)
      let growth = CBORHead.length(of: count) - Int(frame.headLength)
      if growth != 0 { moveContents(by: growth) }
      buffer.overwriteHead(frame.content == .keyed ? .map : .array, count, at: frame.start)
      items += frame.content == .keyed ? 2 * frame.count : frame.count
      if !laterKeys.isEmpty { laterKeys[frame.serial] = nil }
      depth = frame.depth - 1
    }
    frame = outerFrames.removeLast()
  }

  private mutating func moveContents(by distance: Int) {
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

  // MARK: Entries

  /// Begins an element of an array. Returns `false` if the array is not the innermost container.
  @inline(__always)
  mutating func beginElement(_ serial: Int32) -> Bool {
    guard frame.serial == serial else { return false }
    frame.count += 1
    depth = frame.depth
    return true
  }

  mutating func beginPair(_ serial: Int32, key: String) -> Beginning {
    guard frame.serial == serial else { return .notInnermost }
    let (identifier, number) = keyCache.find(key)
    if identifier < 64 {
      let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: identifier)
      if frame.keys & bit != 0 { return .repeatedKey }
      frame.keys |= bit
    } else if !insertLaterKey(identifier, serial) {
      return .repeatedKey
    }
    frame.count += 1
    depth = frame.depth
    if number >= 0 {
      writeReference(toString: number)
    } else {
      writeKey(key, identifier)
    }
    return .begun
  }

  /// Records a key whose identifier has no bit in a frame. Returns `false` if the key was recorded before.
  @inline(never)
  private mutating func insertLaterKey(_ identifier: Int, _ serial: Int32) -> Bool {
    laterKeys[serial, default: []].insert(identifier).inserted
  }

  // Not inlined, because the code for a new name would slow that for a known one down.
  @inline(never)
  private mutating func writeKey(_ key: String, _ identifier: Int) {
    if let number = strings.number(stringOfLength: key.utf8.count) { keyCache.setNumber(number, of: identifier) }
    buffer.appendText(key)
  }

  /// Begins the only value of the innermost frame. Returns `false` if the frame already has a value.
  mutating func beginSingleValue() -> Bool {
    guard frame.content == .empty else { return false }
    frame.content = .single
    depth = frame.depth
    return true
  }

  // MARK: Strings

  /// Writes a text item, as a reference if the same text was written before.
  @inline(__always)
  mutating func write(text: String) { text.withContiguousUTF8 { write(text: $0) } }

  @inline(never)
  private mutating func write(text utf8: UnsafeBufferPointer<UInt8>) {
    if strings.numbersString(ofLength: utf8.count) {
      if let number = strings.find(utf8, orNumberAt: buffer.count, in: buffer) {
        return writeReference(toString: number)
      }
    }
    buffer.appendString(.text, UnsafeRawBufferPointer(utf8))
  }

  mutating func write(bytes: UnsafeRawBufferPointer) {
    _ = strings.number(stringOfLength: bytes.count)
    buffer.appendString(.bytes, bytes)
  }

  @inline(__always)
  private mutating func writeReference(toString number: Int) {
    hasStringReferences = true
    buffer.appendStringReference(UInt64(truncatingIfNeeded: number))
  }

  // MARK: Instances

  mutating func markShareable(_ identifier: Int) { instances.markShareable(identifier, in: buffer) }

  mutating func markReference(_ identifier: Int) {
    items += 1
    instances.markReference(identifier, in: buffer)
  }

  /// Closes all frames, makes the marks of instances final, and returns the item.
  mutating func finish(_ limits: ArchiveLimits) throws -> KeyedArchiveEncoder.Item {
    closeFrames(above: 0)
    let sharedCount = instances.settle(in: buffer)
    // The tag of a namespace without references is not written.
    let itemCount = items + sharedCount - (hasStringReferences ? 0 : 1)
    guard itemCount <= limits.maximumItems else {
      throw KeyedArchiveError(CBORError(.tooManyItems(limit: limits.maximumItems), at: buffer.count))
    }
    let start = hasStringReferences ? 0 : EncodingStream.namespaceLength
    return KeyedArchiveEncoder.Item(buffer: buffer, start: start, sharesInstances: sharedCount > 0)
  }
}
