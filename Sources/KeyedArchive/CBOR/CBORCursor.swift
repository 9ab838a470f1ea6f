/// A position in an encoded item, with the information needed to continue reading there.
struct CBORCursor: Equatable, Sendable {
  var offset: Int
  /// The index of the first array or map that starts at this offset or after it.
  var container: Int32
  /// The current string namespace, or -1 outside any namespace.
  var namespace: Int32

  static let start = CBORCursor(offset: 0, container: 0, namespace: -1)
}
