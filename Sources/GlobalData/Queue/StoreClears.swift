/// A removal of all keys except some, with its position among all calls.
struct StoreClear: Sendable {
  let number: UInt64
  let keptKeys: Set<String>

  /// Returns whether this clear removes a change of a key, given the number with which the change was requested.
  func removesChange(of key: String, since number: UInt64) -> Bool {
    self.number > number && !keptKeys.contains(key)
  }
}

/// The past clears. They affect changes that were requested before a clear but are made after it.
struct StoreClears: ~Copyable {
  /// The number of the latest clear, which removed every key that is not among the exceptions.
  private var latest: UInt64 = 0
  /// The keys that the latest clear kept, with the number of the latest clear that removed them.
  private var exceptions: [String: UInt64] = .init()

  mutating func record(_ clear: StoreClear) {
    var kept: [String: UInt64] = .init()
    for key in clear.keptKeys { kept[key] = exceptions[key] ?? latest }
    (latest, exceptions) = (clear.number, kept)
  }

  /// Returns whether one of the clears removes a change of a key, given the number with which the change was requested.
  func removesChange(of key: String, since number: UInt64) -> Bool {
    (exceptions[key] ?? latest) > number
  }
}
