// Float16 does not exist on Intel Macs, nor there in Mac Catalyst. This file is the only one that knows.
#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
/// Float16: a number of the smallest width, which is always half precision. Its own `encode(to:)` converts to `Float`,
/// which turns a signalling NaN into a quiet one.
extension Float16: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = false

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    session.buffer.appendFloat(HalfPrecision.double(HalfPrecision.single(bitPattern).bitPattern))
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Float16 {
    let value = try session.input.float(at: cursor)
    guard let bits = HalfPrecision.bits(exactly: value) else {
      throw ItemError.unrepresentable(stored: "the number \(value)")
    }
    return Float16(bitPattern: bits)
  }
}

extension HalfPrecision {
  /// The type whose values have half precision, and the type of its arrays.
  static let types: (element: Any.Type, array: any (Codable & Sendable).Type)? = (Float16.self, [Float16].self)
}
#else
extension HalfPrecision {
  static let types: (element: Any.Type, array: any (Codable & Sendable).Type)? = nil
}
#endif
