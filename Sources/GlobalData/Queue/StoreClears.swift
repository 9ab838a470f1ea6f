/// A removal of all keys but some, and its position among all calls.
struct StoreClear: Sendable {
  let number: UInt64
  let keptKeys: Set<String>

  /// Whether it removes a change of a key that was requested with a number.
  func takesAway(_ key: String, since number: UInt64) -> Bool {
    self.number > number && !keptKeys.contains(key)
  }
}

/// The past clears, for the changes that were requested before one of them and are made after it.
struct StoreClears: Sendable {
  /// The number of the latest clear, which removed every key that is not among the exceptions.
  private var latest: UInt64 = 0
  /// The keys that the latest clear kept, with the number of the latest one that removed them.
  private var exceptions: [String: UInt64] = .init()

  mutating func note(_ clear: StoreClear) {
    var kept: [String: UInt64] = .init()
    for key in clear.keptKeys { kept[key] = exceptions[key] ?? latest }
    (latest, exceptions) = (clear.number, kept)
  }

  /// Whether one of them removes a change of a key that was requested with a number.
  func takeAway(_ key: String, since number: UInt64) -> Bool {
    (exceptions[key] ?? latest) > number
  }
}
