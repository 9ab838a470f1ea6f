// `Float16` does not exist on Intel Macs, not even in Mac Catalyst. Only this file depends on that.
#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
/// A `Float16` is stored as a number of the smallest width, which is always half precision. Its own `encode(to:)`
/// converts it to `Float`, which turns a signaling NaN into a quiet one.
extension Float16: SpeciallyEncodable, SpeciallyDecodable {
  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    session.buffer.appendFloat(HalfPrecision.single(bitPattern))
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
