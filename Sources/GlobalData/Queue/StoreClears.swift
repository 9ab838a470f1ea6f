/// A removal of all keys but some, and its place among all calls.
struct StoreClear: Sendable {
  let number: UInt64
  let keptKeys: Set<String>

  /// Whether a change of a key that was asked for at a place among all calls does not outlive it.
  func takesAway(_ key: String, since number: UInt64) -> Bool {
    self.number > number && !keptKeys.contains(key)
  }
}

/// The clears that have taken place, for the changes that were asked for before one of them and are made after it.
struct StoreClears: Sendable {
  /// The number of the latest clear, which took away every key that is not among the exceptions.
  private var latest: UInt64 = 0
  /// The keys that the latest clear kept, with the number of the latest one that took them away.
  private var exceptions: [String: UInt64] = [:]

  mutating func note(_ clear: StoreClear) {
    var kept: [String: UInt64] = [:]
    for key in clear.keptKeys { kept[key] = exceptions[key] ?? latest }
    (latest, exceptions) = (clear.number, kept)
  }

  /// Whether a change of a key that was asked for at a place among all calls does not outlive one of them.
  func takeAway(_ key: String, since number: UInt64) -> Bool {
    (exceptions[key] ?? latest) > number
  }
}
