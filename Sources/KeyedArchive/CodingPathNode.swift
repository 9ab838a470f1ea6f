/// The coding path of an encoder or a decoder, innermost key first.
///
/// One node is made for each nested value and none for a scalar; an array of keys is made only for an error or when a
/// program asks for `codingPath`.
final class CodingPathNode {
  private let parent: CodingPathNode?
  private let key: any CodingKey

  init(_ parent: CodingPathNode?, _ key: any CodingKey) {
    self.parent = parent
    self.key = key
  }

  /// The keys from the root to this node.
  var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var node: CodingPathNode? = self
    while let current = node {
      keys.append(current.key)
      node = current.parent
    }
    return keys.reversed()
  }
}

extension CodingPathNode? {
  /// The keys from the root to this node; empty for the root itself.
  var keys: [any CodingKey] { self?.keys ?? [] }

  /// The keys from the root to a key below this node.
  func keys(appending key: (any CodingKey)?) -> [any CodingKey] {
    key.map { keys + [$0] } ?? keys
  }
}

/// A key of a coding path that no model declares: an index, a dictionary's key, or `super`.
struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  static let superclass = PathKey(stringValue: "super")
}
