import CodingSupport

/// A choice between the two keys of a field.
public enum ModelKeys: Sendable {
  /// The keys for JSON.
  case json
  /// The keys for storage.
  case stored
}

extension CodingUserInfoKey {
  /// The key of a coder's `userInfo` for the ``ModelKeys`` that models use.
  ///
  /// By default, the archive's coders use the keys for storage, and all others those for JSON.
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
