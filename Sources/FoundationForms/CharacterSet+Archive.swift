@_weakLinked import Foundation
package import KeyedArchive

/// CharacterSet: the bitmap that its own `encode(to:)` writes. Each plane that has any scalars takes 8,192 bytes. They
/// follow the number of the plane, which the first plane does not have. The set is created from ranges, because
/// Foundation reads beyond the end of a bitmap of another length. For bitmaps whose parts are alike, it later reads
/// beyond the end of other memory.
extension CharacterSet: RarelyDecodable {
  private static let planeLength = 8192
  private static let surrogates: ClosedRange<UInt32> = 0xd800...0xdfff

  package init(stored decoder: ValueDecoder) throws {
    let bitmap: Data = try StoredFields(["bitmap"], of: decoder).value("bitmap")
    guard bitmap.count >= Self.planeLength, (bitmap.count - Self.planeLength).isMultiple(of: Self.planeLength + 1)
    else {
      throw ItemError.malformed(
        "A character set has a bitmap of \(bitmap.count) bytes, which is not a valid length.")
    }
    self.init()
    try bitmap.withUnsafeBytes { bytes in
      try insert(plane: 0, UnsafeRawBufferPointer(rebasing: bytes[..<Self.planeLength]))
      for start in stride(from: Self.planeLength, to: bytes.count, by: Self.planeLength + 1) {
        guard 1...16 ~= bytes[start] else {
          throw ItemError.malformed("A character set has the invalid plane \(bytes[start]).")
        }
        let plane = UnsafeRawBufferPointer(rebasing: bytes[(start + 1)...].prefix(Self.planeLength))
        try insert(plane: UInt32(bytes[start]), plane)
      }
    }
  }

  private mutating func insert(plane: UInt32, _ bitmap: UnsafeRawBufferPointer) throws {
    var start: UInt32?
    for (index, byte) in bitmap.enumerated() {
      // Most bytes equal their neighbors.
      if byte == 0, start == nil { continue }
      if byte == 0xff, start != nil { continue }
      for bit in 0..<8 {
        let value = plane << 16 | UInt32(truncatingIfNeeded: 8 * index + bit)
        if byte >> bit & 1 == 1 {
          start = start ?? value
        } else if let first = start {
          try insert(first...(value - 1))
          start = nil
        }
      }
    }
    if let start { try insert(start...(plane << 16 | 0xffff)) }
  }

  private mutating func insert(_ values: ClosedRange<UInt32>) throws {
    // No range of scalars begins or ends with a surrogate. The range is extended by a neighbor that is not in the set,
    // and the neighbor is then removed.
    let lower = values.lowerBound == CharacterSet.surrogates.lowerBound ? values.lowerBound - 1 : values.lowerBound
    let upper = values.upperBound == CharacterSet.surrogates.upperBound ? values.upperBound + 1 : values.upperBound
    guard let first = Unicode.Scalar(lower), let last = Unicode.Scalar(upper) else {
      throw ItemError.malformed("A character set must contain all surrogates or none.")
    }
    insert(charactersIn: first...last)
    if lower < values.lowerBound { remove(first) }
    if upper > values.upperBound { remove(last) }
  }
}
