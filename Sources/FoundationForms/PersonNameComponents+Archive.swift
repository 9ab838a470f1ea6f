import CodingSupport
@_weakLinked import Foundation
package import KeyedArchive

/// PersonNameComponents: the fields of its own `encode(to:)`, and `phoneticRepresentation`, which that function omits.
extension PersonNameComponents: RarelyEncodable, RarelyDecodable {
  private static let phonetics = "phoneticRepresentation"

  package func encodeStored(to encoder: any Encoder) throws {
    try encode(to: encoder)
    guard let phoneticRepresentation else { return }
    var fields = encoder.container(keyedBy: AnyCodingKey.self)
    try fields.encode(phoneticRepresentation, forKey: AnyCodingKey(stringValue: PersonNameComponents.phonetics))
  }

  package init(stored decoder: ValueDecoder) throws {
    try self.init(from: decoder)
    let fields = try StoredFields([PersonNameComponents.phonetics], of: decoder)
    phoneticRepresentation = try fields.valueIfPresent(PersonNameComponents.phonetics)
  }
}
