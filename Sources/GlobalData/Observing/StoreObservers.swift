import CodingSupport

/// The observers of a store, which are called after each change.
final class StoreObservers: Sendable {
  typealias Observer = @Sendable (GlobalData.Change) -> Void

  private struct State: ~Copyable {
    var lastNumber: UInt64 = 0
    /// The bit of the key or the prefix for whose changes the observer is called, or all bits.
    var observers: [(number: UInt64, bits: UInt64, observer: Observer)] = []
    var onNeedChange: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// Sets the function that is called after an observer is added, and after the last one is removed.
  func onNeedChange(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onNeedChange = body }
  }

  /// Adds an observer, which is called after each change for as long as the registration exists. An observer of a key,
  /// or of the collection with a prefix, is rarely called for changes of other keys.
  func add(of name: String? = nil, _ observer: @escaping Observer) -> Registration {
    let bits = name.map(StoreObservers.bit(of:)) ?? .max
    let (number, onNeedChange) = state.withLock { state in
      state.lastNumber += 1
      state.observers.append((state.lastNumber, bits, observer))
      return (state.lastNumber, state.onNeedChange)
    }
    // Not only for the first one: the store may have been closed since.
    onNeedChange?()
    return Registration(observers: self, number: number)
  }

  final class Registration: Sendable {
    private let observers: StoreObservers
    private let number: UInt64

    fileprivate init(observers: StoreObservers, number: UInt64) {
      self.observers = observers
      self.number = number
    }

    deinit {
      let onLast = observers.state.withLock { state in
        if let index = state.observers.firstIndex(where: { $0.number == number }) { state.observers.remove(at: index) }
        return state.observers.isEmpty ? state.onNeedChange : nil
      }
      onLast?()
    }
  }

  var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

  /// Calls all observers without holding a lock, so that an observer can read values and request writes.
  func notify(_ change: GlobalData.Change) {
    let observers = state.withLock { $0.observers }
    var changed: UInt64 = 0
    for key in change.keys where changed != .max {
      changed |= StoreObservers.bit(of: key)
      if let prefix = CollectionKeys.prefix(ofKey: key) { changed |= StoreObservers.bit(of: prefix) }
    }
    for (_, bits, observer) in observers where bits & changed != 0 { observer(change) }
  }

  /// Returns one of 64 bits for a key or a prefix. A program may have an observer for each of thousands of keys, and
  /// comparing bits takes a fraction of the time of a call.
  private static func bit(of name: String) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: name.hashValue) }
}
