/// The keys that changed and were not read again, brought to the main actor.
///
/// It knows no type of a value, whose conformances may be the main actor's: what runs elsewhere may not even hold it.
@MainActor final class ChangedKeys {
  var onChange: (() -> Void)?
  private var keys: Set<String>?

  nonisolated init() {}

  /// Returns `nil` when nothing has changed.
  func take() -> [String]? {
    defer { keys = nil }
    return keys.map(Array.init)
  }

  nonisolated func observer(
    of relevant: @escaping @Sendable (Set<String>) -> Set<String>
  ) -> StoreObservers.Observer {
    { [weak self] change in
      let changed = relevant(change.keys)
      guard !changed.isEmpty else { return }
      Task { @MainActor [weak self] in
        self?.keys = self?.keys?.union(changed) ?? changed
        self?.onChange?()
      }
    }
  }
}
