import CodingSupport

/// Which of a field's two keys is used.
public enum ModelKeys: Sendable {
  /// The keys of JSON, by which models are exchanged with others.
  case json
  /// The keys of storage.
  case stored
}

extension CodingUserInfoKey {
  /// The key of a coder's `userInfo` that says which keys models use, as a ``ModelKeys``.
  ///
  /// Without it the archive's coders use the keys of storage, and all others those of JSON.
  public static let modelKeys = CodingUserInfoKey(named: "ModelMapping.modelKeys")
}

extension ModelKeys {
  init(_ userInfo: [CodingUserInfoKey: Any]) {
    if let keys = userInfo[.modelKeys] as? ModelKeys {
      self = keys
    } else {
      self = userInfo[.isStorage] as? Bool == true ? .stored : .json
    }
  }
}
