/// A mistake in a program's types that causes no error, because each single call is valid.
///
/// Encoding checks for mistakes in debug builds only; see ``TypeRegistry/handleWarnings(_:)``.
public struct ArchiveWarning: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of mistake.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    private let name: String

    /// A class encodes none of the properties that it adds to its superclass.
    public static let omittedProperties = Self(name: "omittedProperties")
    /// Two types are stored under the same tag.
    public static let tagClash = Self(name: "tagClash")

    public var description: String { name }
  }

  /// The kind of mistake.
  public let kind: Kind
  /// The full name of the type that has the mistake.
  public let typeName: String
  /// The properties that are lost, in declaration order.
  public let properties: [String]
  /// The tag that values of the type are stored under.
  public let tag: ArchiveTag
  /// A description of the mistake and of how to fix it.
  public let message: String

  public var description: String { "\(kind): \(message)" }

  func log() {
    SystemLog.report("\(kind)", message, from: "KeyedArchive")
  }
}

extension ArchiveWarning {
  static func omittedProperties(_ properties: [String], of type: Any.Type, tag: ArchiveTag) -> ArchiveWarning {
    let name = String(reflecting: type)
    return ArchiveWarning(
      kind: .omittedProperties, typeName: name, properties: properties, tag: tag,
      message: """
        \(name) encodes none of the properties that it adds to its superclass: \(properties.joined(separator: ", ")). \
        They are lost. Override encode(to:) and init(from:); or, if they are not meant to be stored, list them in \
        archiveOmittedProperties or call allowOmittedProperties(of:) of the TypeRegistry.
        """)
  }

  static func tagClash(_ tag: ArchiveTag, of type: Any.Type, and other: Any.Type) -> ArchiveWarning {
    let name = String(reflecting: type)
    return ArchiveWarning(
      kind: .tagClash, typeName: name, properties: [], tag: tag,
      message: """
        \(name) is stored under the archive tag "\(tag)", which \(String(reflecting: other)) also has. \
        Unless the reader names the type, values of both decode as one type, or not at all. \
        Give one of them another archiveTag.
        """)
  }
}
