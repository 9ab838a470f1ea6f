extension CodingUserInfoKey {
  /// The key in a coder's `userInfo` that marks coding for storage, as opposed to exchange with other programs. An
  /// archive and a model that know nothing of each other use this value to agree on their keys.
  package static let isStorage = CodingUserInfoKey(named: "GlobalData.isStorage")

  /// Creates a key with a name. The standard library's initializer is failable, although every string is valid.
  package init(named name: String) {
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("every string is a valid raw value") }
    self = key
  }
}
