/// The format of the elements of a typed array: tags 64 to 87. The tag's low five bits are, from the top: floating
/// point, signed, little-endian, and two bits of width. Source: RFC 8746, section 2.1.
struct NumberArrayFormat: Equatable, Sendable {
  var isFloat: Bool
  var isSigned: Bool
  var isLittleEndian: Bool
  /// The width of one element, in bytes.
  var width: Int

  static let bytes = NumberArrayFormat(isFloat: false, isSigned: false, isLittleEndian: false, width: 1)
  private static let hostIsLittleEndian = 1.littleEndian == 1
}

extension NumberArrayFormat {
  /// Creates the format that a tag denotes. Returns `nil` for other tags, for the reserved one, and for quadruple
  /// precision, which has no type in Swift.
  init?(tag: UInt64) {
    guard CBORTag.typedArrays.contains(tag), tag != 76 else { return nil }
    isFloat = tag & 0x10 != 0
    isSigned = !isFloat && tag & 0x08 != 0
    width = (isFloat ? 2 : 1) &<< Int(tag & 0x03)
    // Single bytes have no byte order. Tag 68 differs from 64 only in how a program should do arithmetic.
    isLittleEndian = width > 1 && tag & 0x04 != 0
    guard width <= 8 else { return nil }
  }

  /// Creates the format of arrays of a type, in this machine's byte order. Returns `nil` if the type is not a number.
  init?(elements type: Any.Type) {
    let isHalf = HalfPrecision.types.map { type == $0.element } ?? false
    let isFloat = type == Double.self || type == Float.self || isHalf
    let width: Int
    if type == Double.self || type == Int64.self || type == UInt64.self || type == Int.self || type == UInt.self {
      width = 8  // an `Int` has 64 bits in files, on every platform
    } else if type == Float.self || type == Int32.self || type == UInt32.self {
      width = 4
    } else if type == Int16.self || type == UInt16.self || isHalf {
      width = 2
    } else if type == UInt8.self || type == Int8.self {
      width = 1
    } else {
      return nil
    }
    let isSigned =
      type == Int.self || type == Int64.self || type == Int32.self || type == Int16.self || type == Int8.self
    self.init(
      isFloat: isFloat, isSigned: isSigned, isLittleEndian: width > 1 && NumberArrayFormat.hostIsLittleEndian,
      width: width)
  }

  func fits(_ byteCount: Int) -> Bool { byteCount.isMultiple(of: width) }

  var tag: UInt64 {
    let widthBits = UInt64((isFloat ? width / 2 : width).trailingZeroBitCount)
    return 64 | (isFloat ? 0x10 : 0) | (isSigned ? 0x08 : 0) | (isLittleEndian ? 0x04 : 0) | widthBits
  }

  /// The type that an array of this format is read as if nothing else is known.
  var arrayType: (any (Codable & Sendable).Type)? {
    switch (isFloat, isSigned, width) {
    case (true, _, 8): [Double].self
    case (true, _, 4): [Float].self
    case (true, _, 2): HalfPrecision.types?.array ?? [Float].self
    case (false, true, 8): [Int].self
    case (false, true, 4): [Int32].self
    case (false, true, 2): [Int16].self
    case (false, true, 1): [Int8].self
    case (false, false, 8): [UInt64].self
    case (false, false, 4): [UInt32].self
    case (false, false, 2): [UInt16].self
    case (false, false, 1): [UInt8].self
    default: nil
    }
  }

  enum Number {
    case signed(Int64)
    case unsigned(UInt64)
    case float(Double)
  }

  /// Reads the element at an index. The caller has checked that the number of bytes is a multiple of the width.
  func number(at index: Int, in bytes: UnsafeRawBufferPointer) -> Number {
    var bits: UInt64 = 0
    for position in 0..<width {
      let byte = bytes[index * width + (isLittleEndian ? width - 1 - position : position)]
      bits = bits &<< 8 | UInt64(byte)
    }
    switch (isFloat, width) {
    case (true, 2): return .float(HalfPrecision.double(HalfPrecision.single(UInt16(bits)).bitPattern))
    case (true, 4): return .float(HalfPrecision.double(UInt32(bits)))
    case (true, _): return .float(Double(bitPattern: bits))
    default:
      guard isSigned else { return .unsigned(bits) }
      let unused = 64 - 8 * width
      return .signed(Int64(bitPattern: bits &<< unused) &>> unused)
    }
  }

  /// Writes the numbers of a typed array as an array of separate items.
  fileprivate func expand(_ bytes: UnsafeRawBufferPointer, into buffer: ByteBuffer) {
    let count = bytes.count / width
    buffer.appendHead(.array, UInt64(count))
    for index in 0..<count {
      switch number(at: index, in: bytes) {
      case .signed(let value): buffer.appendInteger(value)
      case .unsigned(let value): buffer.appendHead(.unsigned, value)
      case .float(let value): buffer.appendFloat(value)
      }
    }
  }
}

extension DecodingSession {
  /// Returns a session over a typed array rewritten as an array of separate items, for callers that read other
  /// elements.
  func expanding(_ numbers: StoredItem) throws -> DecodingSession {
    // This session does not see what happens in the other one, which may create instances and migrate elements.
    isRepeatable = false
    migrations.happened = true
    let content = try input.item(at: input.content(of: numbers))
    let buffer = ByteBuffer()
    let isExpanded: Void? = try input.withBytes(of: content) { bytes in
      guard let format = NumberArrayFormat(tag: numbers.head.argument), format.fits(bytes.count) else {
        throw CBORError(.invalidTypedArray, at: numbers.cursor.offset)
      }
      format.expand(bytes, into: buffer)
    }
    guard isExpanded != nil else { throw CBORError(.invalidTypedArray, at: numbers.cursor.offset) }
    return try DecodingSession(owning: buffer, like: self)
  }
}
