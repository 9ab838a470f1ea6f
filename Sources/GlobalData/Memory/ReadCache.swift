import CodingSupport
import Dispatch
import FoundationCore
import KeyedArchive

/// Cached results of reads.
///
/// Nothing in it is older than the contents: each publication of new contents reports what changed, under the same
/// lock.
struct ReadCache: Sendable {
  private var values: [String: Remembered] = .init()
  /// By the bytes of their prefixes: the names of two collections may be equal to Swift, and their keys are not the
  /// same.
  private var collections: [ExactText: KnownCollection] = .init()
  /// Differs from that of an earlier state of the cache as soon as the contents have changed.
  private(set) var version = UInt64(0)

  /// Returns `nil` unless it was decoded as this type and may be used here.
  func value<Value>(_ type: Value.Type, forKey key: String) -> Value? {
    decoded(ObjectIdentifier(type), forKey: key)?.value(type)
  }

  /// The object that holds a decoded value, a `Decoded` of the type, if it was decoded as this type.
  ///
  /// It knows no generic type, so that nothing has to be looked up for one while the lock is held.
  func decoded(_ type: ObjectIdentifier, forKey key: String) -> Remembered? {
    guard let remembered = values[key], remembered.type == type else { return nil }
    return remembered
  }

  /// Ignores a value whose entry is no longer the one under its key.
  mutating func remember<Value>(
    _ value: Value, of entry: StoredEntry, in contents: StoreContents, _ reuse: Reuse
  ) {
    guard reuse == .anywhere || MainQueue.isCurrent, contents.holds(entry) == true else { return }
    values[entry.key] = Remembered(value, reuse)
  }

  /// Returns the keys of a collection's elements, in order. The prefix ends with its first slash. The first use of a
  /// collection takes O(*n*) in the number of the store's entries, later ones O(1).
  mutating func keys(withPrefix prefix: String, in contents: StoreContents) -> [String] {
    collections[ExactText(prefix), default: KnownCollection(prefix, in: contents)].keys.inOrder
  }

  mutating func keyCount(withPrefix prefix: String, in contents: StoreContents) -> Int {
    collections[ExactText(prefix), default: KnownCollection(prefix, in: contents)].keys.count
  }

  /// Returns what is left of a collection's elements as last read, if they were read as this type, may be used here,
  /// and none was removed since. Takes O(*m*) in the number of elements that changed since; the first time, O(*n*) in
  /// that of all.
  mutating func elements(
    _ type: ObjectIdentifier, withPrefix prefix: String, in contents: StoreContents
  ) -> KnownElements? {
    collections[ExactText(prefix), default: KnownCollection(prefix, in: contents)].elements(type)
  }

  /// Keeps all elements of a collection, in the order of their keys, if the cache still has this `version`.
  mutating func remember<Value>(
    _ values: [Value], withPrefix prefix: String, ofVersion version: UInt64, _ reuse: Reuse
  ) {
    guard reuse == .anywhere || MainQueue.isCurrent, version == self.version else { return }
    collections[ExactText(prefix)]?.remember(Remembered(values, reuse), count: values.count)
  }

  // MARK: Keeping up

  mutating func reset() {
    let version = version
    self = ReadCache()
    self.version = version + 1
  }

  mutating func follow(_ change: KeyChanges) {
    version += 1
    if !values.isEmpty {
      for key in change.replaced { values[key] = nil }
      for key in change.removed { values[key] = nil }
    }
    guard !collections.isEmpty else { return }
    for key in change.replaced {
      if let prefix = CollectionKeys.prefix(ofKey: key) { collections[ExactText(prefix)]?.noteChange(of: key) }
    }
    for key in change.moved.isEmpty ? change.removed : change.removed + change.moved {
      if let prefix = CollectionKeys.prefix(ofKey: key) { collections[ExactText(prefix)]?.remove(key) }
    }
    for key in change.appended {
      if let prefix = CollectionKeys.prefix(ofKey: key) { collections[ExactText(prefix)]?.keys.append(key) }
    }
  }

  /// Follows a change of unknown extent, as when another process has written; O(*m*) in the number of decoded values.
  mutating func follow(from old: StoreContents?, to new: StoreContents) {
    version += 1
    collections = .init()
    values = values.filter { key, _ in
      guard let entry = old?[key] else { return false }
      return new.holds(entry) == true
    }
  }
}

/// The keys of a collection's elements, and the elements as they were last read.
private struct KnownCollection: Sendable {
  var keys: CollectionKeys
  /// An array, without the elements that were added since; `nil` once one was removed.
  private var elements: Remembered?
  private var elementCount = 0
  /// Those of elements that have another value since.
  private var changedKeys: Set<String> = []

  init(_ prefix: String, in contents: StoreContents) {
    keys = CollectionKeys(contents.keys.filter { $0.hasBytes(prefix) })
  }

  mutating func elements(_ type: ObjectIdentifier) -> KnownElements? {
    guard let elements, elements.type == type, elements.isUsable else { return nil }
    let positions = changedKeys.compactMap { keys.position(of: $0) }
    return KnownElements(values: elements, changedPositions: positions.filter { $0 < elementCount }.sorted())
  }

  mutating func remember(_ elements: Remembered, count: Int) {
    (self.elements, elementCount, changedKeys) = (elements, count, [])
  }

  mutating func noteChange(of key: String) {
    if elements != nil { changedKeys.insert(key) }
  }

  mutating func remove(_ key: String) {
    keys.remove(key)
    elements = nil
  }
}

struct KnownElements {
  /// An array.
  let values: Remembered
  let changedPositions: [Int]
}

/// Where a decoded value may be given to a reader again.
///
/// The compiler proves that a type is `Sendable` and `Codable` outside of every actor by choosing an overload; nothing
/// tells it later.
enum Reuse: Sendable {
  /// On every thread: the type is known to be `Sendable`.
  case anywhere
  /// On the main thread, if it was decoded there.
  case onMainThread
}

protocol DecodedValue: AnyObject, Sendable {}

/// A decoded value and its type.
///
/// Comparing two types is much faster than finding out what an object is. It is what makes `unsafeDowncast` right: the
/// object is made here only, for the type that stands beside it.
struct Remembered: Sendable {
  let type: ObjectIdentifier
  let reuse: Reuse
  let value: any DecodedValue

  /// Whether the value may be used on this thread.
  var isUsable: Bool { reuse == .anywhere || MainQueue.isCurrent }

  /// Returns `nil` where it was not decoded as this type, or may not be used on this thread.
  func value<Value>(_: Value.Type) -> Value? {
    guard type == ObjectIdentifier(Value.self), isUsable else { return nil }
    return unsafeDowncast(value, to: Decoded<Value>.self).value
  }

  init<Value>(_ value: Value, _ reuse: Reuse) {
    type = ObjectIdentifier(Value.self)
    self.reuse = reuse
    self.value = Decoded(value, reuse)
  }
}

// `@unchecked` because `Value` need not be Sendable. Where it is not known to be, the object is made on the main
// thread, read there (``StoreMemory/decoded(_:forKey:)``), and lets go of the value there.
final class Decoded<Value>: DecodedValue, @unchecked Sendable {
  private final class Carrier: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  let value: Value
  private let reuse: Reuse

  fileprivate init(_ value: Value, _ reuse: Reuse) {
    self.value = value
    self.reuse = reuse
  }

  deinit {
    guard reuse == .onMainThread, !MainQueue.isCurrent else { return }
    let carrier = Carrier(value)
    DispatchQueue.main.async { withExtendedLifetime(carrier) {} }
  }
}
