import Foundation

/// PersonNameComponents: the fields of its own `encode(to:)`, which leaves out `phoneticRepresentation`, and that one.
extension PersonNameComponents: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = false

  private enum CodingKeys: CodingKey {
    case phoneticRepresentation
  }

  private struct WithPhonetics: Encodable {
    let name: PersonNameComponents

    func encode(to encoder: any Encoder) throws {
      try name.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(name.phoneticRepresentation, forKey: .phoneticRepresentation)
    }
  }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    try session.encodePlainly(WithPhonetics(name: self), path)
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> PersonNameComponents {
    let decoder = ValueDecoder(session: session, cursor: cursor, path: path())
    var name = try PersonNameComponents(from: decoder)
    name.phoneticRepresentation = try decoder.container(keyedBy: CodingKeys.self)
      .decodeIfPresent(PersonNameComponents.self, forKey: .phoneticRepresentation)
    return name
  }
}
