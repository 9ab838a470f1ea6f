extension GlobalData {
  /// An asynchronous sequence of a value now and its new value after each change. See `updates(of:)`.
  ///
  /// The iterating task reads and decodes the values, in its own isolation. A slow reader receives the newest value and
  /// misses those in between. The iteration ends when its task is cancelled.
  // `@unchecked` because of the function `read`, which reads a `Value` from a store and is called only by iterators. If
  // `Value` is `Codable` on an actor, no other code can name `Updates<Value>`, let alone iterate over it, because such
  // code would need that conformance.
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
      // The keys and the origin do not matter here: one pending change is enough.
      let registration = store.observers.add { [isAffected] change in
        if isAffected(change) { pending.add(Change(keys: [], origin: .thisStore)) }
      }
      return Iterator(store: store, pending: pending, registration: registration, read: read)
    }

    /// An iteration over the values.
    public struct Iterator: AsyncIteratorProtocol {
      // The iterator retains the store. If nothing else held the store, the next store at the same path would be a
      // different one, with other observers.
      fileprivate let store: GlobalData
      fileprivate let pending: PendingChanges
      fileprivate let registration: StoreObservers.Registration
      fileprivate let read: (GlobalData) -> Value

      /// Waits for the next change and returns the new value. Returns `nil` once the task is cancelled.
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
