/// The keys that lead to a field's value, from the model's own object inward.
///
/// Write it as one string, which is one key whatever its characters, or as an array of keys:
///
/// ```swift
/// @Field(json: ["profile", "nick_name"], stored: "nickName") var nickName = ""
/// ```
public struct FieldPath: Hashable, Sendable {
  /// The keys; empty for the path that the declaration gives otherwise.
  let components: [String]
  let isInherited: Bool

  /// The path that a declaration gives without a label. By default, it is the property's name.
  public static let asDeclared = FieldPath(components: [], isInherited: true)
}

extension FieldPath {
  /// Creates a path from its keys.
  public init(_ components: [String]) { self.init(components: components, isInherited: false) }
}

extension FieldPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  public init(stringLiteral key: String) { self.init([key]) }

  public init(arrayLiteral components: String...) { self.init(components) }
}

extension FieldPath: CustomStringConvertible {
  public var description: String { components.joined(separator: ".") }
}
