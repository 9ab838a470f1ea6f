import KeyedArchive

/// The entries of a store in their order. Their bytes are in a few blocks of memory, with an index over them.
///
/// An opened store has one block, which contains the file as it was read. An entry is a range of that block. It takes
/// 24 bytes, besides its cells in the index, and has no object of its own; it becomes a ``StoredEntry`` when it is
/// read. The entries that one transaction sets share blocks. Adjacent entries in a block are written as one piece.
///
/// Keys are compared like Swift strings, by canonical equivalence.
struct EntryTable: Sendable {
  /// The range of an entry in its block. A removed entry has length 0 and remains as a gap until there are many gaps.
  ///
  /// The numbers have 48 bits, so that a slot takes 16 bytes. The record itself shows where its key and its value are.
  private struct Slot {
    private var lowerOffset: UInt32 = 0
    private var lowerLength: UInt32 = 0
    private var upperOffset: UInt16 = 0
    private var upperLength: UInt16 = 0
    var block: UInt32

    @inline(__always)
    init(_ range: Range<Int>, block: UInt32) {
      self.block = block
      offset = range.lowerBound
      length = range.count
    }

    var offset: Int {
      get { Int(truncatingIfNeeded: UInt64(upperOffset) &<< 32 | UInt64(lowerOffset)) }
      set {
        lowerOffset = UInt32(truncatingIfNeeded: newValue)
        upperOffset = UInt16(truncatingIfNeeded: UInt64(newValue) &>> 32)
      }
    }

    var length: Int {
      get { Int(truncatingIfNeeded: UInt64(upperLength) &<< 32 | UInt64(lowerLength)) }
      set {
        lowerLength = UInt32(truncatingIfNeeded: newValue)
        upperLength = UInt16(truncatingIfNeeded: UInt64(newValue) &>> 32)
      }
    }

    var range: Range<Int> { offset..<offset + length }
  }

  private var blocks = RecordBlocks()
  private var slots: [Slot] = []
  /// The checksums by position, in the byte order of the file. The checksum of a gap is 0.
  private var checksums: [UInt64] = []
  private var index = KeyIndex()
  /// The positions of keys that are not ASCII. Equal strings of this kind can have different bytes.
  private var otherKeys: [String: Int] = .init()
  private(set) var count = 0
  private(set) var byteCount = 0

  init() {}

  /// Creates a table of entries, which must have different keys.
  init(_ entries: some Sequence<StoredEntry>) {
    for entry in entries { set(entry) }
  }

  /// Creates an empty table whose first block is given. `capacity` is the number of entries to reserve space for.
  init(in block: SharedBytes, capacity: Int) {
    blocks = RecordBlocks(block, entryCount: 0)
    slots.reserveCapacity(capacity)
    checksums.reserveCapacity(capacity)
    index.reserve(capacity)
  }

  var keys: [String] { keys(withPrefix: "") }

  /// Returns the keys that begin with the bytes of a text, in order. Other keys are not converted to strings.
  func keys(withPrefix prefix: String) -> [String] {
    var (keys, prefix) = ([String](), prefix)
    keys.reserveCapacity(count)
    prefix.withUTF8 { prefix in
      let prefix = UnsafeRawBufferPointer(prefix)
      for slot in slots where slot.length > 0 {
        withKey(of: slot) { key in
          let start = UnsafeRawBufferPointer(rebasing: key.prefix(prefix.count))
          if CMemory.areEqual(start, prefix) { keys.append(String(decoding: key, as: UTF8.self)) }
        }
      }
    }
    return keys
  }

  var lastChecksum: UInt64 { UInt64(bigEndian: checksums.last ?? 0) }

  // MARK: Finding

  subscript(key: String) -> StoredEntry? { position(of: key).map { entry(at: $0) } }

  func contains(_ key: String) -> Bool { position(of: key) != nil }

  /// Returns the encoded value of the entry under a key, as it was when it was set.
  func content(forKey key: String) -> SharedBytes? {
    position(of: key).map { position in
      let slot = slots[position]
      let value = slot.offset + withRecord(of: slot, StoredEntry.valueOffset)..<slot.offset + slot.length
      return StoredEntry.content(of: blocks.bytes(slot.block).part(value))
    }
  }

  /// Returns whether the table contains an equal key (as Swift compares strings) with different bytes.
  func hasOtherSpelling(of key: String) -> Bool {
    var key = key
    let isASCII = key.withUTF8 { UnsafeRawBufferPointer($0).isASCII }
    // No two ASCII keys are equal with different bytes.
    if isASCII { return !otherKeys.isEmpty && otherKeys[key] != nil }
    guard let position = position(of: key) else { return false }
    return key.withUTF8 { !hasKey(UnsafeRawBufferPointer($0), at: position) }
  }

  /// Returns whether there is an entry under the same key with the same bytes.
  func holds(_ entry: StoredEntry) -> Bool { compare(entry)?.isSame ?? false }

  /// Returns whether the entry under the same key has the same bytes, and the length of its record. Returns `nil` if
  /// there is no such entry.
  func compare(_ entry: StoredEntry) -> (isSame: Bool, length: Int)? {
    guard let position = position(of: entry.key) else { return nil }
    let slot = slots[position]
    let isSame =
      checksums[position] == entry.checksum.bigEndian && blocks.bytes(slot.block).part(slot.range) == entry.record
    return (isSame, slot.length)
  }

  func position(of key: String) -> Int? {
    var key = key
    let (isASCII, found) = key.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      return bytes.isASCII ? (true, position(ofASCII: bytes)) : (false, nil)
    }
    if let found { return found }
    if isASCII, otherKeys.isEmpty { return nil }
    // Few keys reach this point. Some characters are by definition equivalent to an ASCII character, such as the kelvin
    // sign.
    if let other = otherKeys[key] { return other }
    guard !isASCII, let ascii = EntryTable.equivalentASCII(of: key) else { return nil }
    return position(of: String(decoding: ascii, as: UTF8.self))
  }

  /// Returns the canonically equivalent ASCII text, as UTF-8, or `nil` if there is none.
  ///
  /// Three characters are canonically equivalent to an ASCII character: the Greek question mark, the Greek varia, and
  /// the kelvin sign. Source: the Unicode Character Database, UnicodeData.txt, field 5. Such mappings never change
  /// (Unicode Normalization Stability Policy).
  static func equivalentASCII(of text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x80: bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      case 0x037e: bytes.append(0x3b)
      case 0x1fef: bytes.append(0x60)
      case 0x212a: bytes.append(0x4b)
      default: return nil
      }
    }
    return bytes
  }

  private func position(ofASCII key: UnsafeRawBufferPointer) -> Int? {
    index.position(hash: index.hash(key)) { position in hasKey(key, at: position) }
  }

  private func hasKey(_ key: UnsafeRawBufferPointer, at position: Int) -> Bool {
    let slot = slots[position]
    guard slot.length > 0 else { return false }
    return withKey(of: slot) { CMemory.areEqual($0, key) }
  }

  private func withRecord<Result>(of slot: Slot, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    blocks.bytes(slot.block).withUnsafeBytes { bytes in
      body(bytes.part(slot.range))
    }
  }

  /// Calls a function with the bytes of a key.
  private func withKey<Result>(of slot: Slot, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withRecord(of: slot) { record in
      body(record.part(StoredEntry.keyRange(record)))
    }
  }

  private func key(at position: Int) -> String {
    withKey(of: slots[position]) { String(decoding: $0, as: UTF8.self) }
  }

  private func entry(at position: Int) -> StoredEntry {
    let slot = slots[position]
    return StoredEntry(
      key: key(at: position), record: blocks.bytes(slot.block).part(slot.range),
      valueOffset: withRecord(of: slot, StoredEntry.valueOffset), checksum: UInt64(bigEndian: checksums[position]))
  }

  // MARK: Changing

  /// Reserves space for a number of new entries, if they are most of all.
  mutating func reserve(_ added: Int) {
    guard added > slots.count else { return }
    slots.reserveCapacity(slots.count + added)
    checksums.reserveCapacity(slots.count + added)
    if index.isFull(slots.count + added) { indexKeys(reserving: slots.count + added) }
  }

  /// Replaces the entry with the same key in its position, or appends the entry.
  mutating func set(_ entry: StoredEntry) {
    let (block, offset) = blocks.add(entry.record)
    let slot = Slot(offset..<offset + entry.record.count, block: block)
    byteCount += slot.length
    if let position = position(of: entry.key) {
      // Only another program writes a change that respells a key. This library refuses to do so.
      let isRespelled = hasOtherSpelling(of: entry.key)
      if isRespelled {
        makeRoomInIndex()
        forgetKey(at: position)
      }
      release(slots[position])
      slots[position] = slot
      checksums[position] = entry.checksum.bigEndian
      if isRespelled { rememberKey(at: position) }
    } else {
      makeRoomInIndex()
      slots.append(slot)
      checksums.append(entry.checksum.bigEndian)
      count += 1
      rememberKey(at: slots.count - 1)
    }
  }

  /// Appends an entry that is stored in the first block and returns true, or returns false if the key already exists.
  /// The key must be ASCII, and no entry may have been removed.
  @inline(__always)
  mutating func append(_ record: Range<Int>, asciiKey key: UnsafeRawBufferPointer, checksum: UInt64) -> Bool {
    makeRoomInIndex()
    let hash = index.hash(key)
    guard let cell = index.freeCell(hash: hash, unless: { hasKey(key, at: $0) }) else { return false }
    if !otherKeys.isEmpty, otherKeys[String(decoding: key, as: UTF8.self)] != nil { return false }
    index.fill(cell, with: slots.count, hash: hash)
    appendSlot(record, checksum)
    return true
  }

  /// Appends such an entry whose key is valid UTF-8 but not ASCII.
  mutating func append(_ record: Range<Int>, otherKey key: String, checksum: UInt64) -> Bool {
    guard position(of: key) == nil else { return false }
    otherKeys[key] = slots.count
    appendSlot(record, checksum)
    return true
  }

  @inline(__always)
  private mutating func appendSlot(_ record: Range<Int>, _ checksum: UInt64) {
    slots.append(Slot(record, block: 0))
    checksums.append(checksum.bigEndian)
    blocks.addEntryToFirst()
    count += 1
    byteCount += record.count
  }

  mutating func remove(_ key: String) {
    guard let position = position(of: key) else { return }
    // If the index kept each gap, every lookup of a key that is set and removed repeatedly would have to search all of
    // them.
    forgetKey(at: position)
    release(slots[position])
    slots[position].length = 0
    checksums[position] = 0
    count -= 1
    if slots.count > 16, slots.count > 2 * count { closeGaps() }
  }

  private mutating func release(_ slot: Slot) {
    byteCount -= slot.length
    blocks.release(slot.length, of: slot.block)
  }

  private mutating func forgetKey(at position: Int) {
    if let hash = hash(ofKeyAt: position) {
      index.remove(position, hash: hash)
    } else {
      otherKeys[key(at: position)] = nil
    }
  }

  private mutating func rememberKey(at position: Int) {
    if let hash = hash(ofKeyAt: position) {
      index.insert(position, hash: hash)
    } else {
      otherKeys[key(at: position)] = position
    }
  }

  /// Returns the hash of an ASCII key, or `nil` for any other key.
  private func hash(ofKeyAt position: Int) -> UInt64? {
    withKey(of: slots[position]) { $0.isASCII ? index.hash($0) : nil }
  }

  @inline(__always)
  private mutating func makeRoomInIndex() {
    if index.isFull(slots.count + 1) { indexKeys(reserving: 2 * (slots.count + 1)) }
  }

  private mutating func indexKeys(reserving count: Int) {
    index.reserve(count)
    for position in slots.indices where slots[position].length > 0 { rememberKey(at: position) }
  }

  private mutating func closeGaps() {
    let kept = slots.indices.filter { slots[$0].length > 0 }
    slots = kept.map { slots[$0] }
    checksums = kept.map { checksums[$0] }
    otherKeys = .init()
    indexKeys(reserving: slots.count)
  }

  // MARK: Gathering

  /// Moves all entries into one block if they are scattered. Takes O(*n*) in the number of bytes, but only once in many
  /// changes.
  mutating func gatherIfScattered() {
    if blocks.areScattered(byteCount: byteCount) { gather() }
  }

  /// Moves all entries into one block if most bytes of the blocks no longer belong to an entry. A store in memory needs
  /// this, because it never gathers its entries for a file.
  mutating func gatherIfMostlyOutdated() {
    if blocks.areMostlyOutdated(byteCount: byteCount) { gather() }
  }

  private mutating func gather() {
    if slots.count > count { closeGaps() }
    let buffer = ByteBuffer(capacity: byteCount)
    for piece in pieces() { buffer.append(piece) }
    let bytes = buffer.takeBytes()
    var offset = 0
    for position in slots.indices {
      slots[position].offset = offset
      slots[position].block = 0
      offset += slots[position].length
    }
    blocks = RecordBlocks(bytes, entryCount: count)
  }

  // MARK: Writing

  /// Returns the bytes of all entries, in order. Adjacent entries in a block form one piece. Nothing is copied.
  func pieces() -> [SharedBytes] {
    var pieces: [SharedBytes] = []
    var (block, start, end) = (0 as UInt32, 0, 0)
    func takeRun() {
      if start < end { pieces.append(blocks.bytes(block).part(start..<end)) }
    }
    for slot in slots where slot.length > 0 {
      if slot.block != block || slot.offset != end {
        takeRun()
        (block, start, end) = (slot.block, slot.offset, slot.offset)
      }
      end += slot.length
    }
    takeRun()
    return pieces
  }

  func addChecksums(to hash: inout XXHash64) {
    guard slots.count > count else { return checksums.withUnsafeBytes { hash.update($0) } }
    for (slot, checksum) in zip(slots, checksums) where slot.length > 0 {
      withUnsafeBytes(of: checksum) { hash.update($0) }
    }
  }

  /// Returns all entries, in order. Never inlined, because inlining would copy the loop into each caller.
  @inline(never)
  func list() -> [StoredEntry] {
    var entries: [StoredEntry] = []
    entries.reserveCapacity(count)
    for position in slots.indices where slots[position].length > 0 { entries.append(entry(at: position)) }
    return entries
  }
}
