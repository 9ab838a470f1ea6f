import FoundationCore

extension GlobalData {
  /// A change of a store's values, by this store or by another process.
  public struct Change: Hashable, Sendable {
    /// The origin of a change.
    public enum Origin: String, Hashable, Sendable, CaseIterable {
      /// A write through this store, or through another store in this process at the same path.
      case thisStore
      /// Another process wrote the file.
      case otherProcess
      /// The store was cleared.
      case clear
      /// A damaged file was recovered.
      case recovery
      /// A snapshot or a backup was restored.
      case restore
      /// Two snapshots were compared.
      case comparison
    }

    /// The keys whose values were set, changed, or removed, and those of elements that were moved in their collection.
    public private(set) var keys: Set<String>

    /// The keys that no longer have a value.
    public private(set) var removedKeys: Set<String>

    /// The keys of the change that have a value after it: a new one, or that of an element that was only moved.
    @_alwaysEmitIntoClient
    public var setKeys: Set<String> { keys.filter { !removedKeys.contains($0) } }

    /// The origin of the change.
    public let origin: Origin

    /// The number of the publication that made the change. See `StoreMemory.publicationCount`.
    private(set) var number: UInt64

    /// The values before the change. Mirrors show their number only, because there may be many.
    private struct OldValues: Sendable, CustomReflectable {
      var entries: [String: StoredEntry]
      /// The reader that decodes values as the changed store does.
      let reader: StoreReader?

      var customMirror: Mirror { Mirror(self, children: ["count": entries.count]) }
    }

    private var old: OldValues

    init(
      keys: Set<String>, removed: Set<String> = [], origin: Origin, number: UInt64 = 0,
      old: [String: StoredEntry] = .init(), _ reader: StoreReader? = nil
    ) {
      (self.keys, removedKeys, self.origin, self.number) = (keys, removed, origin, number)
      self.old = OldValues(entries: old, reader: reader)
    }

    /// Returns the value for a key before the change, decoded as the given type. Returns `nil` if there was no value,
    /// or if the change does not affect this key.
    ///
    /// - Throws: ``GlobalDataError`` if there was a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func oldValue<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      guard let entry = old.entries[key], let reader = old.reader else { return nil }
      return try entry.decode(type, reader.configuration, in: reader.location.url).value
    }

    /// Returns the value of a declared key before the change, or the key's default if there was no value.
    ///
    /// - Throws: ``GlobalDataError`` if there was a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func oldValue<Value>(for key: Key<Value>) throws -> Value {
      try oldValue(Value.self, forKey: key.name) ?? key.defaultValue
    }

    /// Returns whether two changes have the same keys, the same removed keys and the same origin.
    public static func == (one: Change, other: Change) -> Bool {
      one.keys == other.keys && one.removedKeys == other.removedKeys && one.origin == other.origin
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(keys)
      hasher.combine(origin)
    }

    /// Merges a later change into this one, in O(*m*) in the number of keys of the later change.
    mutating func merge(_ later: Change) {
      for key in later.keys where keys.insert(key).inserted {
        if let entry = later.old.entries[key] { old.entries[key] = entry }
      }
      noteRemovals(of: later)
      number = later.number
    }

    /// Updates which of this change's keys have no value after a later change.
    mutating func noteRemovals(of later: Change) {
      for key in later.keys where keys.contains(key) {
        if later.removedKeys.contains(key) { removedKeys.insert(key) } else { removedKeys.remove(key) }
      }
    }
  }

  /// An asynchronous sequence of a value now and its new value after each change. See `updates(of:)`.
  ///
  /// The iterating task reads and decodes the values, in its own isolation. A slow reader receives the newest value and
  /// misses those in between. The iteration ends when its task is cancelled.
  // `@unchecked` because of the function `read`, which reads a `Value` from a store and is called only by iterators. If
  // `Value` is `Codable` on an actor, no other code can name `Updates<Value>`, let alone iterate over it, because such
  // code would need that conformance.
  public struct Updates<Value: Codable>: AsyncSequence, @unchecked Sendable {
    let store: GlobalData
    let name: String
    let isAffected: @Sendable (Change) -> Bool
    let read: (GlobalData) -> Value

    public func makeAsyncIterator() -> Iterator {
      let pending = PendingChanges()
      // The keys and the origin do not matter here: one pending change is enough.
      let registration = store.observers.add(of: name) { [isAffected] change in
        if isAffected(change) { pending.add(Change(keys: [], origin: .thisStore, number: change.number)) }
      }
      return Iterator(store: store, pending: pending, registration: registration, read: read)
    }

    /// An iteration over the values.
    public struct Iterator: AsyncIteratorProtocol {
      // The iterator retains the store. If nothing else held the store, the next store at the same path would be a
      // different one, with other observers.
      fileprivate let store: GlobalData
      let pending: PendingChanges
      fileprivate let registration: StoreObservers.Registration
      fileprivate let read: (GlobalData) -> Value
      /// The number of the last publication that the last value includes, or `nil` before the first value.
      fileprivate var lastNumber: UInt64?

      /// Returns the current value in the first call. In later calls, waits for the next change and returns the new
      /// value. Returns `nil` once the task is cancelled.
      public mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Value? {
        if lastNumber == nil { return Task.isCancelled ? nil : readNewest() }
        while let change = await nextChange(isolation: isolation) {
          // A commit is published before observers are notified. A reader that an earlier change woke in between has
          // already returned this value.
          if let lastNumber, change.number <= lastNumber { continue }
          return store.engine.memory.withoutOpening { readNewest() }
        }
        return nil
      }

      // The default that `next(isolation:)` has for this requirement came with Swift 6.1. An app that refers to it does
      // not start on iOS 18.0 to 18.3 (swiftlang/swift issue 87849).
      /// Returns the current value or waits for the next one, without the isolation of an actor.
      @_disfavoredOverload
      public mutating func next() async -> Value? { await next(isolation: nil) }

      private func nextChange(isolation: isolated (any Actor)?) async -> Change? {
        await withTaskCancellationHandler { [pending] in
          await pending.next(isolation: isolation)
        } onCancel: { [pending] in
          pending.finish()
        }
      }

      /// Returns the value together with the number that belongs to it. If each attempt is overtaken by a commit, the
      /// value is returned once more after the notification.
      private mutating func readNewest() -> Value {
        let memory = store.engine.memory
        var number = memory.publicationCount
        var value = read(store)
        for _ in 0..<8 where number != memory.publicationCount {
          number = memory.publicationCount
          value = read(store)
        }
        lastNumber = number
        return value
      }
    }
  }
}
