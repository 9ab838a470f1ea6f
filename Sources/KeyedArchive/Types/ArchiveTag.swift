/// The stable name under which a type's values are stored.
///
/// A tag is a promise to files that already exist: it stays when the type is renamed or moved to another module.
public struct ArchiveTag: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name as it stands in the file.
  public let name: String

  /// A tag of a name, which has 1 to 255 bytes of UTF-8 unless ``ArchiveLimits`` says otherwise.
  public init(_ name: String) {
    self.name = name
  }

  public init(stringLiteral value: String) {
    self.init(value)
  }

  public var description: String { name }
}

extension ArchiveTag: Codable {
  public init(from decoder: any Decoder) throws {
    name = try decoder.singleValueContainer().decode(String.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
