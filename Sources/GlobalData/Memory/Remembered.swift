import Dispatch

/// The threads on which a decoded value may be returned to a reader again.
///
/// The compiler proves that a type is `Sendable`, and `Codable` outside of every actor, by choosing an overload. This
/// cannot be determined later.
enum Reuse: Sendable {
  /// On any thread. The type is known to be `Sendable`.
  case anywhere
  /// On the main thread, if the value was decoded there.
  case onMainThread

  var isAllowedHere: Bool { self == .anywhere || MainQueue.isCurrent }

  /// Releases a value, on the main thread if it belongs there. The caller must have no other reference to the value, or
  /// this thread might release it last.
  fileprivate func release<Value>(_ value: consuming Value) {
    guard !isAllowedHere else { return }
    let carrier = Carrier(consume value)
    DispatchQueue.main.async { carrier.value = nil }
  }
}

/// Carries a value to the main thread.
///
/// `@unchecked` is safe because nothing uses the value between its creation and its release on the main thread.
private final class Carrier<Value>: @unchecked Sendable {
  var value: Value?

  init(_ value: consuming Value) { self.value = value }
}

/// An object that holds one or more decoded values, with their type.
///
/// Comparing two types is much faster than determining the type of an object. The comparison makes `unsafeDowncast`
/// safe, because the values of the cache are ``Decoded`` objects, those of a collection are a ``DecodedArray``, and
/// each is created for the type that it passes on.
///
/// `@unchecked` is safe because the properties are constants. The subclasses have their own proofs.
class Remembered: @unchecked Sendable {
  final let type: ObjectIdentifier
  fileprivate let reuse: Reuse

  fileprivate init(_ type: ObjectIdentifier, _ reuse: Reuse) {
    (self.type, self.reuse) = (type, reuse)
  }

  /// Whether the values may be used on this thread.
  final var isUsable: Bool { reuse.isAllowedHere }

  /// Returns the value, or `nil` if it was not decoded as this type or may not be used on this thread.
  final func value<Value>(_: Value.Type) -> Value? {
    guard type == ObjectIdentifier(Value.self), isUsable else { return nil }
    return unsafeDowncast(self, to: Decoded<Value>.self).value
  }
}

/// A decoded value.
///
/// `@unchecked` is safe although `Value` need not be `Sendable`. If `Value` is not known to be `Sendable`, the object
/// is created on the main thread, is read there (``StoreMemory/decoded(_:forKey:)``), and releases the value there.
final class Decoded<Value>: Remembered, @unchecked Sendable {
  /// The value, in memory from which `deinit` can move it. It is initialized from `init` to `deinit`.
  private let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  var value: Value { memory.pointee }

  init(_ value: Value, _ reuse: Reuse) {
    memory.initialize(to: value)
    super.init(ObjectIdentifier(Value.self), reuse)
  }

  deinit {
    reuse.release(memory.move())
    memory.deallocate()
  }
}

/// A ``DecodedArray`` whose type of elements is not known.
protocol ElementArray: Remembered {
  var count: Int { get }

  /// Removes and returns the elements at the given positions, which are in order. Ignores the positions of elements
  /// that were added since all elements were read.
  func remove(at positions: [Int]) -> Remembered
}

/// An array of decoded elements. Readers receive the array, which is changed in place if no reader still has it.
///
/// `@unchecked` is safe because only code that holds the lock of ``StoreMemory`` reaches the array, and for the reason
/// given for ``Decoded``. `deinit` may run without the lock, because no other reference is left then.
final class DecodedArray<Element>: Remembered, ElementArray, @unchecked Sendable {
  var elements: [Element] = []

  init(_ reuse: Reuse) { super.init(ObjectIdentifier(Element.self), reuse) }

  var count: Int { elements.count }

  func remove(at positions: [Int]) -> Remembered {
    let (removed, positions) = (DecodedArray(reuse), Array(positions.prefix { $0 < elements.count }))
    removed.elements = positions.map { elements[$0] }
    elements.remove(atSorted: positions)
    return removed
  }

  deinit {
    var released: [Element] = []
    swap(&released, &elements)
    reuse.release(consume released)
  }
}
