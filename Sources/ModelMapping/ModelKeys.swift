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

extension [CodingUserInfoKey: Any] {
  /// The keys that models use, if given or known from the purpose of the coder.
  var modelKeys: ModelKeys { self[.modelKeys] as? ModelKeys ?? (isStorage ? .stored : .json) }

  var isStorage: Bool { self[.isStorage] as? Bool == true }
}
