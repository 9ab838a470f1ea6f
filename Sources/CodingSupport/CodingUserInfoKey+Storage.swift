extension CodingUserInfoKey {
  /// The key of a coder's `userInfo` that says whether values are coded for storage, and not for exchange with others.
  /// It is how an archive and a model that know nothing of each other agree on the keys that are used.
  package static let isStorage = CodingUserInfoKey(named: "GlobalData.isStorage")

  /// A key of a name; the initializer of the standard library is failable without a reason.
  package init(named name: String) {
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("every string is a valid raw value") }
    self = key
  }
}
