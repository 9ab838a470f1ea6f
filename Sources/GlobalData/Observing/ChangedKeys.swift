/// The keys that changed and have not been read again, delivered to the main actor.
///
/// This class does not refer to the type of a value. The conformances of that type may be isolated to the main actor,
/// and code that runs elsewhere may not even hold such a type.
@MainActor final class ChangedKeys {
  var onChange: (() -> Void)?
  private var keys: Set<String>?

  nonisolated init() {}

  /// Removes and returns the changed keys. Returns `nil` if nothing has changed.
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
