package import Foundation

/// A growing buffer of bytes that CBOR items are written into.
///
/// It owns one block of memory from `malloc` and grows it geometrically, so that a large block can be extended in place
/// and finally handed to `Data` without a copy.
///
/// Unsafe memory is confined to this class: `base` addresses `capacity` bytes from `init` to `deinit` (or until
/// ``takeData()`` gives them away and replaces them), every write is preceded by ``reserve(_:)``, and `count` never
/// exceeds `capacity`. The class is not `Sendable`: one encoding uses it from one thread.
package final class ByteBuffer {
  package private(set) var count = 0
  private var base: UnsafeMutableRawPointer
  private var capacity: Int

  package init(capacity: Int = 512) {
    self.capacity = max(capacity, 16)
    base = ByteBuffer.allocate(self.capacity)
  }

  deinit {
    free(base)
  }

  private static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    guard let memory = malloc(size) else { fatalError("out of memory: \(size) bytes") }
    return memory
  }

  /// Makes room for a number of further bytes.
  @inline(__always)
  private func reserve(_ additional: Int) {
    if capacity - count < additional { grow(additional) }
  }

  @inline(never)
  private func grow(_ additional: Int) {
    let wanted = max(capacity + capacity / 2, count + additional)
    guard let memory = realloc(base, wanted) else { fatalError("out of memory: \(wanted) bytes") }
    base = memory
    capacity = wanted
  }

  // MARK: Writing

  package func append(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  package func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(bytes.count)
    (base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  package func append(contentsOf bytes: some ContiguousBytes) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends an integer in network byte order.
  @inline(__always)
  package func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    reserve(MemoryLayout<Integer>.size)
    base.storeBytes(of: value.bigEndian, toByteOffset: count, as: Integer.self)
    count += MemoryLayout<Integer>.size
  }

  /// Appends the shortest head for an argument.
  @inline(__always)
  package func appendHead(_ major: CBORHead.Major, _ argument: UInt64) {
    if argument < 24 {
      append(major.rawValue << 5 | UInt8(truncatingIfNeeded: argument))
    } else {
      appendLongHead(major, argument)
    }
  }

  private func appendLongHead(_ major: CBORHead.Major, _ argument: UInt64) {
    reserve(9)
    let first = major.rawValue << 5
    if argument <= 0xff {
      append(first | 24)
      append(UInt8(truncatingIfNeeded: argument))
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

  /// Appends an integer item: major type 0 or 1.
  @inline(__always)
  package func appendInteger(_ value: Int64) {
    if value >= 0 {
      appendHead(.unsigned, UInt64(bitPattern: value))
    } else {
      appendHead(.negative, UInt64(bitPattern: ~value))
    }
  }

  /// Appends a floating-point item in the shortest of the three formats that holds the value exactly.
  ///
  /// Source: RFC 8949, section 4.1, preferred serialization.
  package func appendFloat(_ value: Double) {
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

  package func appendBool(_ value: Bool) {
    append(value ? 0xf5 : 0xf4)
  }

  package func appendNull() {
    append(0xf6)
  }

  /// Appends a text item, without regard to string references.
  package func appendText(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      appendHead(.text, UInt64(utf8.count))
      append(UnsafeRawBufferPointer(utf8))
    }
  }

  // MARK: Editing

  /// Inserts room for bytes at an offset, moving what follows.
  ///
  /// - Complexity: O(*n*) in the number of bytes after the offset.
  func insertGap(of length: Int, at offset: Int) {
    precondition(length >= 0 && offset >= 0 && offset <= count)
    reserve(length)
    memmove(base + offset + length, base + offset, count - offset)
    count += length
  }

  /// Overwrites bytes from an offset on with a head of the width that was left for it.
  func overwriteHead(_ major: CBORHead.Major, _ argument: UInt64, at offset: Int) {
    let end = count
    precondition(offset >= 0 && offset + CBORHead.length(of: argument) <= end)
    count = offset
    appendHead(major, argument)
    count = end
  }

  /// Copies a range of the buffer to a lower offset; the ranges may overlap.
  func moveDown(_ range: Range<Int>, to offset: Int) {
    precondition(offset >= 0 && offset <= range.lowerBound && range.upperBound <= count)
    memmove(base + offset, base + range.lowerBound, range.count)
  }

  /// Drops the bytes from an offset on.
  package func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count)
    count = newCount
  }

  // MARK: Reading back

  func byte(at offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < count)
    return base.load(fromByteOffset: offset, as: UInt8.self)
  }

  /// Whether the bytes at an offset equal those given.
  @inline(__always)
  func matches(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
    precondition(offset >= 0 && bytes.count <= count - offset)
    guard let other = bytes.baseAddress else { return true }
    return memcmp(base + offset, other, bytes.count) == 0
  }

  /// The bytes written so far, valid until the next change to the buffer or its end.
  var contents: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: count)
  }

  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Returns the bytes from an offset on and empties the buffer.
  ///
  /// - Complexity: O(1) where the block fits its contents closely, else O(*n*).
  package func takeData(from offset: Int = 0) -> Data {
    precondition(offset >= 0 && offset <= count)
    let length = count - offset
    defer { count = 0 }
    guard length >= 4096, length >= capacity - capacity / 3 else {
      return Data(bytes: base + offset, count: length)
    }
    let block = base
    capacity = 16
    base = ByteBuffer.allocate(capacity)
    return Data(bytesNoCopy: block + offset, count: length, deallocator: .custom { _, _ in free(block) })
  }
}
