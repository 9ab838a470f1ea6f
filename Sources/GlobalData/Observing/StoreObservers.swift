import CodingSupport

/// The observers of a store, which are called after each change.
final class StoreObservers: Sendable {
  typealias Observer = @Sendable (GlobalData.Change) -> Void

  private struct State: ~Copyable {
    var lastNumber: UInt64 = 0
    var observers: [(number: UInt64, observer: Observer)] = []
    var onNeedChange: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// Sets the function that is called after an observer is added, and after the last one is removed.
  func onNeedChange(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onNeedChange = body }
  }

  /// Adds an observer, which is called after each change for as long as the registration exists.
  func add(_ observer: @escaping Observer) -> Registration {
    let (number, onNeedChange) = state.withLock { state in
      state.lastNumber += 1
      state.observers.append((state.lastNumber, observer))
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
    for (_, observer) in observers { observer(change) }
  }
}
