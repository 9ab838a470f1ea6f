extension GlobalData {
  /// A value now, and then each time that it changes; see `updates(of:)`.
  ///
  /// Values are read and decoded by the task that iterates, in its isolation. A reader that is slow gets the newest
  /// value and misses those between. The iteration ends when its task is cancelled.
  // `@unchecked` because of the function, which reads a `Value` from a store and is called by iterators only. If
  // `Value` is Codable on an actor, no other code can name `Updates<Value>`, let alone iterate: it would need that
  // conformance.
  public struct Updates<Value: Codable>: AsyncSequence, @unchecked Sendable {
    private let store: GlobalData
    private let isAffected: @Sendable (Change) -> Bool
    private let read: (GlobalData) -> Value

    init(
      of store: GlobalData, when isAffected: @escaping @Sendable (Change) -> Bool, read: @escaping (GlobalData) -> Value
    ) {
      self.store = store
      self.isAffected = isAffected
      self.read = read
    }

    public func makeAsyncIterator() -> Iterator {
      let pending = PendingChanges(first: Change(keys: [], origin: .thisStore))
      // Keys and origin are all the same: one sign is enough.
      let registration = store.observers.add { [isAffected] change in
        if isAffected(change) { pending.add(Change(keys: [], origin: .thisStore)) }
      }
      return Iterator(store: store, pending: pending, registration: registration, read: read)
    }

    /// An iteration over the values.
    public struct Iterator: AsyncIteratorProtocol {
      // If nothing else held the store, the next store at its place would be another one, with other observers.
      fileprivate let store: GlobalData
      fileprivate let pending: PendingChanges
      fileprivate let registration: StoreObservers.Registration
      fileprivate let read: (GlobalData) -> Value

      /// Waits for the next change and returns the value then; `nil` once the task is cancelled.
      public mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Value? {
        let change = await withTaskCancellationHandler {
          await pending.next(isolation: isolation)
        } onCancel: { [pending] in
          pending.finish()
        }
        return change.map { _ in read(store) }
      }
    }
  }
}
