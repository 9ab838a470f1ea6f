/// The stable name under which a type's values are stored.
///
/// Existing files depend on a tag, so it must not change when the type is renamed or moved to another module.
public struct ArchiveTag: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name as it is stored in a file.
  public let name: String

  /// Creates a tag from a name of 1 to 255 bytes of UTF-8, unless ``ArchiveLimits`` sets other limits.
  public init(_ name: String) { self.name = name }

  public init(stringLiteral value: String) { self.init(value) }

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
