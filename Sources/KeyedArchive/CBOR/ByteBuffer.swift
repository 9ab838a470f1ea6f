/// A growing buffer of bytes for CBOR items. The buffer owns one block of memory from the C library and grows it
/// geometrically, so a large block is extended in place and passed to `Data` without a copy.
///
/// Unsafe memory is confined to this class. `base` addresses `capacity` bytes from `init` to `deinit`, or until
/// ``takeBlock(from:ofAtLeast:)`` gives the block away and leaves no capacity. A call to ``reserve(_:)`` precedes every
/// write, and `count` never exceeds `capacity`, so adding to it cannot overflow. The class is not `Sendable`: one
/// encoding uses a buffer from one thread. Run-time checks for conflicting accesses are disabled, because no function
/// here calls other code while it changes a property.
package final class ByteBuffer {
  @exclusivity(unchecked) package private(set) var count = 0
  @exclusivity(unchecked) private var base: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int

  package init(capacity: Int = 512) {
    self.capacity = max(capacity, 16)
    base = CMemory.allocate(self.capacity)
  }

  deinit {
    if capacity > 0 { CMemory.deallocate(base) }
  }

  /// The number of bytes that the buffer has memory for.
  var room: Int { capacity }

  @inline(__always)
  private func reserve(_ additional: Int) {
    if capacity &- count < additional { grow(additional) }
  }

  @inline(never)
  private func grow(_ additional: Int) {
    let wanted = max(capacity + capacity / 2, count + additional, 16)
    base = capacity > 0 ? CMemory.reallocate(base, wanted) : CMemory.allocate(wanted)
    capacity = wanted
  }

  // MARK: Writing

  package func append(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  package func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(bytes.count)
    (base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  package func append(contentsOf bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

  @inline(__always)
  package func appendString(_ major: CBORHead.Major, _ bytes: UnsafeRawBufferPointer) {
    let length = bytes.count
    reserve(9 &+ length)
    var end = base + count
    if length < 24 {
      end.storeBytes(of: major.rawValue &<< 5 | UInt8(truncatingIfNeeded: length), as: UInt8.self)
      end += 1
      count &+= 1 &+ length
    } else {
      appendLongHead(major, UInt64(truncatingIfNeeded: length))
      end = base + count
      count &+= length
    }
    if let source = bytes.baseAddress { CMemory.copyFew(length, from: source, to: end) }
  }

  /// Appends a reference to a string: tag 25 and a number.
  @inline(__always)
  func appendStringReference(_ number: UInt64) {
    reserve(16)
    guard number <= 0xff else {
      appendBigEndian(0xd819 as UInt16)
      return appendHead(.unsigned, number)
    }
    // If the number is in the first byte of its head, the next item overwrites the byte after it.
    let head = UInt32(truncatingIfNeeded: number < 24 ? number &<< 8 : 0x1800 | number)
    base.storeBytes(of: (0xd819_0000 as UInt32 | head).bigEndian, toByteOffset: count, as: UInt32.self)
    count &+= number < 24 ? 3 : 4
  }

  /// Appends zeros, which may be overwritten later.
  @inline(__always)
  package func appendZeros(_ length: Int) {
    reserve(length)
    (base + count).initializeMemory(as: UInt8.self, repeating: 0, count: length)
    count += length
  }

  /// This is not generic, so that other modules do not call unspecialized code for the checksums and heads of a store.
  package func append(bigEndian value: UInt64) { appendBigEndian(value) }

  func append(bigEndian value: UInt32) { appendBigEndian(value) }

  func append(bigEndian value: UInt16) { appendBigEndian(value) }

  @inline(__always)
  private func appendBigEndian<Integer: FixedWidthInteger>(_ value: Integer) {
    reserve(MemoryLayout<Integer>.size)
    base.storeBytes(of: value.bigEndian, toByteOffset: count, as: Integer.self)
    count &+= MemoryLayout<Integer>.size
  }

  /// Appends the shortest head for an argument.
  @inline(__always)
  package func appendHead(_ major: CBORHead.Major, _ argument: UInt64) {
    if argument < 24 {
      append(major.rawValue &<< 5 | UInt8(truncatingIfNeeded: argument))
    } else {
      appendLongHead(major, argument)
    }
  }

  private func appendLongHead(_ major: CBORHead.Major, _ argument: UInt64) {
    reserve(9)
    let first = major.rawValue &<< 5
    if argument <= 0xff {
      appendBigEndian(UInt16(truncatingIfNeeded: first | 24) &<< 8 | UInt16(truncatingIfNeeded: argument))
    } else if argument <= 0xffff {
      append(first | 25)
      append(bigEndian: UInt16(truncatingIfNeeded: argument))
    } else if argument <= 0xffff_ffff {
      append(first | 26)
      append(bigEndian: UInt32(truncatingIfNeeded: argument))
    } else {
      append(first | 27)
      append(bigEndian: argument)
    }
  }

  @inline(__always)
  func appendInteger(_ value: Int64) {
    if value >= 0 {
      appendHead(.unsigned, UInt64(bitPattern: value))
    } else {
      appendHead(.negative, UInt64(bitPattern: ~value))
    }
  }

  /// Appends a floating-point item in the shortest of the three formats that holds the value exactly.
  /// Source: RFC 8949, section 4.1, preferred serialization.
  func appendFloat(_ value: Double) {
    guard let single = HalfPrecision.singleBits(exactly: value) else {
      append(0xfb)
      append(bigEndian: value.bitPattern)
      return
    }
    if let half = HalfPrecision.bits(exactly: Float(bitPattern: single)) {
      append(0xf9)
      append(bigEndian: half)
    } else {
      append(0xfa)
      append(bigEndian: single)
    }
  }

  func appendFloat(_ value: Float) { appendFloat(HalfPrecision.double(value.bitPattern)) }

  func appendBool(_ value: Bool) { append(value ? 0xf5 : 0xf4) }

  func appendNull() { append(0xf6) }

  /// Appends a text item, without regard to string references.
  package func appendText(_ text: String) {
    text.withContiguousUTF8 { appendString(.text, UnsafeRawBufferPointer($0)) }
  }

  // MARK: Editing

  /// Inserts a gap at an offset and moves the bytes after it. The complexity is O(*n*) in the bytes after the offset.
  func insertGap(of length: Int, at offset: Int) {
    precondition(length >= 0 && offset >= 0 && offset <= count)
    reserve(length)
    (base + offset + length).copyMemory(from: base + offset, byteCount: count - offset)
    count += length
  }

  /// Overwrites the bytes at an offset with a head that has the width of the reserved space.
  func overwriteHead(_ major: CBORHead.Major, _ argument: UInt64, at offset: Int) {
    let end = count
    precondition(offset >= 0 && offset + CBORHead.length(of: argument) <= end)
    count = offset
    appendHead(major, argument)
    count = end
  }

  /// Copies a range of the buffer to a lower offset. The two ranges may overlap.
  func moveDown(_ range: Range<Int>, to offset: Int) {
    precondition(offset >= 0 && offset <= range.lowerBound && range.upperBound <= count)
    (base + offset).copyMemory(from: base + range.lowerBound, byteCount: range.count)
  }

  package func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count)
    count = newCount
  }

  // MARK: Reading back

  func byte(at offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < count)
    return base.load(fromByteOffset: offset, as: UInt8.self)
  }

  /// Returns whether the text item at an offset has certain bytes. Its head has the shortest form.
  @inline(__always)
  func hasText(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
    let length = text.count
    if length < 24 {
      return byte(at: offset) == CBORHead.Major.text.rawValue &<< 5 | UInt8(truncatingIfNeeded: length)
        && CMemory.areEqual(bytes(offset + 1, count: length), UnsafeRawBufferPointer(text))
    }
    return hasLongText(text, at: offset)
  }

  private func hasLongText(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
    let reader = CBORReader(contents)
    do throws(CBORError) {
      let head = try reader.head(at: offset)
      let end = try reader.payloadEnd(of: head)
      return head.major == .text && end - head.end == text.count && reader.matches(text, at: head.end)
    } catch {
      return false
    }
  }

  /// Returns a range of the written bytes. The result is valid until the buffer changes or is deallocated.
  func bytes(_ offset: Int, count length: Int) -> UnsafeRawBufferPointer {
    precondition(offset >= 0 && length >= 0 && length <= count - offset)
    return UnsafeRawBufferPointer(start: base + offset, count: length)
  }

  /// The written bytes, valid until the buffer changes or is deallocated.
  var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  package func withUnsafeBytes<Result, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Gives away the block of memory and empties the buffer. The contents that the caller wants begin at an offset. The
  /// caller frees the block with ``CMemory/deallocate(_:)``. Returns `nil` if copying the contents is better.
  func takeBlock(from offset: Int, ofAtLeast least: Int) -> UnsafeMutableRawPointer? {
    let length = count - offset
    guard length > 0, length >= least, length >= capacity - capacity / 3 else { return nil }
    (capacity, count) = (0, 0)
    return base
  }
}
