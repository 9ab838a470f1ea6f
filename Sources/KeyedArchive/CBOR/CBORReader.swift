/// A window on the bytes of one encoded item, read in place.
///
///     offset   0    1    2    3    4    5
///     bytes    a1   61   61   82   01   02         {"a": [1, 2]}
///              │    │         │    └────┴── two integers, each its own head
///              │    │         └── head: array, argument 2
///              │    └── head: text, argument 1; one byte of payload follows
///              └── head: map, argument 1
///
/// Every access is checked against the window, so no input can cause a read beyond it. The caller owns the memory, and
/// must keep it alive and unchanged while the window is in use. ``KeyedArchiveDecoder`` does so by running all reading
/// code inside `withUnsafeBytes`.
package struct CBORReader {
  private let base: UnsafeRawPointer
  package private(set) var count: Int

  /// Creates a window on bytes. An empty buffer may have no address.
  package init(_ bytes: UnsafeRawBufferPointer) {
    // An empty window needs an address, which is never read. The buffer's own address may be absent.
    base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    count = bytes.count
  }

  private init() {
    self.init(UnsafeRawBufferPointer(start: nil, count: 0))
    count = -1
  }

  /// A window whose bytes have been released. Every read throws.
  static var closed: CBORReader { CBORReader() }

  @inline(__always)
  package func head(at offset: Int) throws(CBORError) -> CBORHead {
    if offset >= 0, offset < count {
      let first = base.load(fromByteOffset: offset, as: UInt8.self)
      let (major, info) = (CBORHead.Major(ofFirstByte: first), first & 0x1f)
      if info < 24 {
        return CBORHead(major: major, info: info, argument: UInt64(info), end: offset + 1)
      }
      // The usual cases: tag 25, the numbers after it, and most long texts.
      if info == 24, major != .simple, offset + 1 < count {
        let argument = base.load(fromByteOffset: offset + 1, as: UInt8.self)
        return CBORHead(major: major, info: info, argument: UInt64(argument), end: offset + 2)
      }
    }
    return try unusualHead(at: offset)
  }

  /// An item that is read without its head, because most items are like it.
  enum ShortItem {
    /// A text of up to 255 bytes.
    case text(start: Int, end: Int)
    /// Tag 25 with a number below 65536.
    case reference(number: Int, end: Int)
    /// A number or a simple value.
    case scalar(end: Int)
  }

  /// Returns the item at an offset if it is short and valid, and `nil` if the item has to be read by its head.
  @inline(__always)
  func shortItem(at offset: Int) -> ShortItem? {
    guard offset >= 0, offset < count else { return nil }
    let first = base.load(fromByteOffset: offset, as: UInt8.self)
    if first >= 0x60, first <= 0x78 {
      guard let text = shortText(at: offset) else { return nil }
      return .text(start: text.start, end: text.end)
    }
    if first == 0xd8 {
      guard let reference = shortReference(at: offset) else { return nil }
      return .reference(number: reference.number, end: reference.end)
    }
    // The argument of the head follows in as many bytes.
    let length: Int
    switch first {
    case 0x00..<0x18, 0x20..<0x38, 0xe0..<0xf8: length = 0
    case 0x18...0x1b, 0x38...0x3b, 0xf9...0xfb: length = 1 &<< Int(first & 3)
    default: return nil
    }
    // Offsets are below `count`, so the sum cannot overflow.
    return count &- offset > length ? .scalar(end: offset &+ 1 &+ length) : nil
  }

  /// Returns the bytes of a text of up to 255 bytes, and `nil` for any other item.
  @inline(__always)
  func shortText(at offset: Int) -> (start: Int, end: Int)? {
    guard offset >= 0, offset < count else { return nil }
    let length = base.load(fromByteOffset: offset, as: UInt8.self) &- 0x60
    // Offsets are below `count`, so the sums cannot overflow.
    if length < 24 {
      let end = offset &+ 1 &+ Int(truncatingIfNeeded: length)
      return end <= count ? (offset &+ 1, end) : nil
    }
    guard length == 24, count &- offset >= 2 else { return nil }
    let end = offset &+ 2 &+ Int(base.load(fromByteOffset: offset &+ 1, as: UInt8.self))
    return end <= count ? (offset &+ 2, end) : nil
  }

  /// Returns the number and the end of a reference to a string whose number is below 65536, and `nil` for any other
  /// item.
  @inline(__always)
  func shortReference(at offset: Int) -> (number: Int, end: Int)? {
    guard offset >= 0, offset < count, count &- offset >= 4,
      base.loadUnaligned(fromByteOffset: offset, as: UInt16.self) == (0xd819 as UInt16).bigEndian
    else { return nil }
    let number = base.load(fromByteOffset: offset &+ 2, as: UInt8.self)
    if number < 24 { return (Int(truncatingIfNeeded: number), offset &+ 3) }
    if number == 24 {
      let argument = base.load(fromByteOffset: offset &+ 3, as: UInt8.self)
      return (Int(truncatingIfNeeded: argument), offset &+ 4)
    }
    guard number == 25, count &- offset >= 5 else { return nil }
    let argument = base.loadUnaligned(fromByteOffset: offset &+ 3, as: UInt16.self)
    return (Int(UInt16(bigEndian: argument)), offset &+ 5)
  }

  /// Reads a long head, or throws if there is no valid head.
  @inline(never)
  private func unusualHead(at offset: Int) throws(CBORError) -> CBORHead {
    guard offset >= 0, offset < count else { throw CBORError(count < 0 ? .decodingIsOver : .truncated, at: offset) }
    let first = base.load(fromByteOffset: offset, as: UInt8.self)
    let (major, info) = (CBORHead.Major(ofFirstByte: first), first & 0x1f)
    let argument: UInt64
    let end: Int
    switch info {
    case 24:
      argument = UInt64(try integer(UInt8.self, at: offset + 1))
      end = offset + 2
      if major == .simple && argument < 32 { throw CBORError(.invalidSimpleValue, at: offset) }
    case 25:
      argument = UInt64(try integer(UInt16.self, at: offset + 1))
      end = offset + 3
    case 26:
      argument = UInt64(try integer(UInt32.self, at: offset + 1))
      end = offset + 5
    case 27:
      argument = try integer(UInt64.self, at: offset + 1)
      end = offset + 9
    case CBORHead.indefiniteInfo where major != .unsigned && major != .negative && major != .tag:
      argument = 0
      end = offset + 1
    default: throw CBORError(.reservedHead, at: offset)
    }
    return CBORHead(major: major, info: info, argument: argument, end: end)
  }

  @inline(__always)
  private func integer<Integer: FixedWidthInteger>(_: Integer.Type, at offset: Int) throws(CBORError) -> Integer {
    guard count - offset >= MemoryLayout<Integer>.size else { throw CBORError(.truncated, at: offset) }
    return Integer(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: Integer.self))
  }

  /// Returns the end of the payload of a string with a definite length.
  @inline(__always)
  package func payloadEnd(of head: CBORHead) throws(CBORError) -> Int {
    guard head.argument <= UInt64(count - head.end) else { throw CBORError(.lengthBeyondEnd, at: head.end) }
    return head.end + Int(truncatingIfNeeded: head.argument)
  }

  /// Returns the bytes of a range. They are valid as long as the window's memory is valid.
  @inline(__always)
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Returns the text of a range, which must be valid UTF-8. Invalid text is not repaired.
  func text(_ range: Range<Int>) throws(CBORError) -> String {
    // Any memory may be read as bytes, and `bytes` has checked the range. No code writes to the memory meanwhile.
    let bytes: UnsafeBufferPointer<UInt8> = bytes(range).assumingMemoryBound(to: UInt8.self)
    // ASCII never needs repair, and these initializers are several times as fast as the validating one.
    if UnsafeRawBufferPointer(bytes).isASCII {
      guard bytes.count < MemoryLayout<String>.size else { return String(decoding: bytes, as: UTF8.self) }
      // A text without storage of its own is faster to fill than to decode.
      return String(unsafeUninitializedCapacity: bytes.count) { text in
        if let target = text.baseAddress { CMemory.copyFew(bytes.count, from: base + range.lowerBound, to: target) }
        return bytes.count
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CBORError(.invalidUTF8, at: range.lowerBound)
    }
    return text
  }

  /// Calls a function with the range of each chunk of a string of indefinite length. Returns the end of the string.
  @inline(__always)
  func forEachChunk(from offset: Int, _ body: (Range<Int>) throws(CBORError) -> Void) throws(CBORError) -> Int {
    var offset = offset
    while true {
      let chunk = try head(at: offset)
      if chunk.isBreak { return chunk.end }
      let end = try payloadEnd(of: chunk)
      try body(chunk.end..<end)
      offset = end
    }
  }

  /// Throws unless a range is valid UTF-8.
  func checkText(_ range: Range<Int>) throws(CBORError) {
    if !bytes(range).isASCII { _ = try text(range) }
  }

  /// Returns whether the bytes at an offset, which must be inside the window, equal the given bytes.
  @inline(__always)
  func matches(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
    precondition(offset >= 0 && bytes.count <= count - offset)
    return CMemory.areEqual(
      UnsafeRawBufferPointer(start: base + offset, count: bytes.count), UnsafeRawBufferPointer(bytes))
  }

  /// Returns whether the bytes at an offset equal the given bytes. Returns `false` if fewer bytes are left.
  @inline(__always)
  func hasBytes(_ bytes: [UInt8], at offset: Int) -> Bool {
    bytes.withUnsafeBufferPointer { offset >= 0 && $0.count <= count - offset && matches($0, at: offset) }
  }

  /// Returns the bytes at an offset, or `nil` if fewer are left, or if they are not short.
  @inline(__always)
  func shortBytes(_ count: Int, at offset: Int) -> ShortBytes? {
    guard offset >= 0, count >= 0, count <= self.count &- offset else { return nil }
    return ShortBytes(at: base + offset, count: count)
  }

  /// Returns the double at an offset if it is stored in eight bytes, the usual form, and `nil` for any other item.
  @inline(__always)
  func plainDouble(at offset: Int) -> Double? {
    guard offset >= 0, count &- offset >= 9, base.load(fromByteOffset: offset, as: UInt8.self) == 0xfb else {
      return nil
    }
    return Double(bitPattern: UInt64(bigEndian: base.loadUnaligned(fromByteOffset: offset &+ 1, as: UInt64.self)))
  }

  func float(_ head: CBORHead) -> Double? {
    guard head.major == .simple else { return nil }
    switch head.info {
    case 25: return HalfPrecision.double(HalfPrecision.single(UInt16(truncatingIfNeeded: head.argument)).bitPattern)
    case 26: return HalfPrecision.double(UInt32(truncatingIfNeeded: head.argument))
    case 27: return Double(bitPattern: head.argument)
    default: return nil
    }
  }
}
