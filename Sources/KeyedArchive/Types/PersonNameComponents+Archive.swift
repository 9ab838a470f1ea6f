import Foundation

/// PersonNameComponents: the fields of its own `encode(to:)`, which leaves out `phoneticRepresentation`, and that one.
extension PersonNameComponents: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = false

  private static let phonetics = "phoneticRepresentation"

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    let path = path()
    let slot = try session.openSlot()
    try encode(to: ValueEncoder(session: session, slot: slot, path: path))
    if let phoneticRepresentation {
      let fields = session.output.openContainer(in: slot, keyed: true)
      try session.output.begin(in: fields, key: PersonNameComponents.phonetics)
      try session.encode(phoneticRepresentation) {
        session.path(path, AnyCodingKey(stringValue: PersonNameComponents.phonetics))
      }
    }
    session.output.closeSlot(slot)
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> PersonNameComponents {
    let decoder = ValueDecoder(session: session, cursor: cursor, path: path())
    var name = try PersonNameComponents(from: decoder)
    let fields = try StoredFields([phonetics], of: decoder)
    name.phoneticRepresentation = try fields.valueIfPresent(phonetics)
    return name
  }
}
