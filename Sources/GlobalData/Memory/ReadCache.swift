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

  /// Returns `nil` unless it was decoded as this type and may be used here, by itself or with all elements of its
  /// collection.
  mutating func value<Value>(_ type: Value.Type, forKey key: String) -> Value? {
    if let value = decoded(ObjectIdentifier(type), forKey: key)?.value(type) { return value }
    guard !collections.isEmpty, let prefix = CollectionKeys.prefix(ofKey: key) else { return nil }
    return collections[ExactText(prefix)]?.element(type, forKey: key)
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
  /// collection takes O(*n*) in the number of the store's entries, later ones O(1); the first one after removals,
  /// O(*n*) in the number of the elements.
  mutating func keys(withPrefix prefix: String, in contents: StoreContents) -> [String] {
    withCollection(prefix, in: contents) { collection in
      collection.closeGaps()
      return collection.keys.inOrder
    }
  }

  mutating func keyCount(withPrefix prefix: String, in contents: StoreContents) -> Int {
    withCollection(prefix, in: contents) { $0.keys.count }
  }

  /// Returns the first elements of a collection, as they were when they were last read as this type.
  mutating func elements<Value>(
    _ type: Value.Type, withPrefix prefix: String, in contents: StoreContents
  ) -> [Value] {
    withCollection(prefix, in: contents) { collection in
      collection.closeGaps()
      return collection.array(of: type)?.elements ?? []
    }
  }

  /// Returns what is to be decoded beside those elements. Takes O(*m*) in the number of elements that changed since
  /// they were last read; O(*n*) in that of all the first time, and where some were removed.
  mutating func reading(
    _ type: ObjectIdentifier, after knownCount: Int, withPrefix prefix: String, in contents: StoreContents
  ) -> ElementReading {
    let (keys, outdated) = withCollection(prefix, in: contents) { $0.outdated(after: knownCount) }
    let areFew = outdated.count <= 32
    var singles: [Remembered?] = []
    var entries: [StoredEntry?] = []
    for position in outdated {
      if !values.isEmpty { singles.append(decoded(type, forKey: keys[position])) }
      if areFew { entries.append(contents[keys[position]]) }
    }
    return ElementReading(
      keys: keys, knownCount: knownCount, outdated: outdated, singles: singles, entries: entries,
      contents: areFew ? nil : contents, version: version)
  }

  /// Keeps the elements that were decoded, and returns all, if the cache is as it was when they were read. What they
  /// replace is left in `decoded`, so that it can go when the lock is free. `known` becomes empty: the array is changed
  /// where it is if nobody else has it.
  mutating func keep<Value>(
    _ decoded: inout [[Value]], after known: inout [Value], of reading: ElementReading, withPrefix prefix: String,
    _ reuse: Reuse
  ) -> [Value]? {
    guard reuse == .anywhere || MainQueue.isCurrent, reading.version == version else { return nil }
    let all = collections[ExactText(prefix)]?.keep(&decoded, after: &known, at: reading.outdated, reuse)
    if all != nil, !values.isEmpty {
      // They are not kept twice.
      for position in reading.outdated { values[reading.keys[position]] = nil }
    }
    return all
  }

  private mutating func withCollection<Result>(
    _ prefix: String, in contents: StoreContents, _ body: (inout KnownCollection) -> Result
  ) -> Result {
    body(&collections[ExactText(prefix), default: KnownCollection(prefix, in: contents)])
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
    let removed = change.moved.isEmpty ? change.removed : change.removed + change.moved
    if !removed.isEmpty {
      for prefix in Array(collections.keys) {
        collections[prefix]?.remove(removed.filter { $0.hasBytes(prefix.text) })
      }
    }
    for key in change.appended {
      if let prefix = CollectionKeys.prefix(ofKey: key) { collections[ExactText(prefix)]?.keys.append(key) }
    }
  }

  /// Follows a change of unknown extent, as when another process has written; O(*n*) in the number of decoded values.
  mutating func follow(from old: StoreContents?, to new: StoreContents) {
    version += 1
    func isSame(_ key: String) -> Bool {
      guard let entry = old?[key] else { return false }
      return new.holds(entry) == true
    }
    values = values.filter { key, _ in isSame(key) }
    guard !collections.isEmpty else { return }
    let keys = new.keys
    for prefix in Array(collections.keys) {
      collections[prefix]?.follow(to: keys.filter { $0.hasBytes(prefix.text) }, isSame)
    }
  }
}

/// The keys of a collection's elements, and the elements as they were last read.
private struct KnownCollection: Sendable {
  /// Their gaps are those of the elements, too.
  var keys: CollectionKeys
  /// Those of the first keys: elements that were added since are not among them.
  private var elements: RememberedElements?
  /// Those of elements that have another value since.
  private var changedKeys: Set<String> = []

  init(_ prefix: String, in contents: StoreContents) {
    keys = CollectionKeys(contents.keys(withPrefix: prefix))
  }

  mutating func element<Value>(_ type: Value.Type, forKey key: String) -> Value? {
    guard let known = array(of: type), !changedKeys.contains(key), let position = keys.position(of: key)
    else {
      return nil
    }
    return position < known.elements.count ? known.elements[position] : nil
  }

  func array<Value>(of type: Value.Type) -> DecodedArray<Value>? { elements?.array(of: type) }

  /// Returns all keys, and the positions of the elements to decode: first those before `count` whose values have
  /// changed, then all from `count` on.
  mutating func outdated(after count: Int) -> (keys: [String], positions: [Int]) {
    var positions: [Int] = []
    for key in changedKeys {
      if let position = keys.position(of: key), position < count { positions.append(position) }
    }
    let inOrder = keys.inOrder
    positions.append(contentsOf: count..<max(count, inOrder.count))
    return (inOrder, positions)
  }

  mutating func keep<Value>(
    _ decoded: inout [[Value]], after known: inout [Value], at positions: [Int], _ reuse: Reuse
  ) -> [Value]? {
    let array = array(of: Value.self) ?? DecodedArray(reuse)
    // Somebody may have read them at the same time, but nobody can know fewer than before.
    guard array.elements.count >= known.count else { return nil }
    if array.elements.isEmpty {
      // Elements of another type, or that may not be used here, kept their gaps.
      elements = nil
      closeGaps()
    }
    known = []
    array.elements.reserveCapacity(keys.count)
    var places = positions.makeIterator()
    // At the first time, all are new, and in order.
    let areAllNew = array.elements.isEmpty
    for slice in decoded.indices {
      guard !areAllNew else {
        array.elements.append(contentsOf: decoded[slice])
        continue
      }
      for index in decoded[slice].indices {
        guard let position = places.next() else { break }
        if position < array.elements.count {
          swap(&array.elements[position], &decoded[slice][index])
        } else {
          array.elements.append(decoded[slice][index])
        }
      }
    }
    (elements, changedKeys) = (RememberedElements(array, reuse), [])
    return array.elements
  }

  mutating func noteChange(of key: String) {
    if elements != nil { changedKeys.insert(key) }
  }

  /// Elements that were removed stay in memory until all are read again, or there are many of them.
  mutating func remove(_ removed: [String]) {
    keys.remove(removed)
    if !changedKeys.isEmpty { changedKeys.subtract(removed) }
    if keys.count == 0 { elements = nil }
    if keys.hasManyGaps(from: firstGap) { closeGaps() }
  }

  /// Where elements may not be used on this thread, the gaps between them stay.
  mutating func closeGaps() {
    let closed = keys.closeGaps(from: firstGap)
    if !closed.isEmpty { elements?.remove(at: closed) }
  }

  /// The first position where a gap may be closed.
  private var firstGap: Int {
    guard let elements, !elements.isUsable else { return 0 }
    return elements.count
  }

  /// Keeps the elements that stay as they are, and whose order does.
  mutating func follow(to newKeys: [String], _ isSame: (String) -> Bool) {
    var kept = 0
    var gone: [String] = []
    for key in keys.inOrder {
      if kept < newKeys.count, ExactText(newKeys[kept]) == ExactText(key) {
        kept += 1
        if !isSame(key) { noteChange(of: key) }
      } else {
        gone.append(key)
      }
    }
    remove(gone)
    for key in newKeys[kept...] { keys.append(key) }
  }
}

/// The array of a collection's elements, and their type.
private struct RememberedElements: Sendable {
  private let type: ObjectIdentifier
  private let reuse: Reuse
  private let array: any ElementArray

  init<Value>(_ array: DecodedArray<Value>, _ reuse: Reuse) {
    type = ObjectIdentifier(Value.self)
    self.reuse = reuse
    self.array = array
  }

  /// Whether the elements may be used on this thread.
  var isUsable: Bool { reuse == .anywhere || MainQueue.isCurrent }

  var count: Int { array.count }

  /// Returns `nil` where they were not decoded as this type, or may not be used on this thread.
  func array<Value>(of _: Value.Type) -> DecodedArray<Value>? {
    guard type == ObjectIdentifier(Value.self), isUsable else { return nil }
    return unsafeDowncast(array, to: DecodedArray<Value>.self)
  }

  /// The positions are in order. Those of elements that were added since all were read are passed over.
  func remove(at positions: [Int]) {
    array.remove(at: positions)
  }
}

private protocol ElementArray: AnyObject, Sendable {
  var count: Int { get }

  func remove(at positions: [Int])
}

/// Elements that were decoded. Readers get the array, which is changed in place where none of them still has it.
///
/// `@unchecked` is right because only code that holds the lock of ``StoreMemory`` reaches it, and for the reason that
/// stands with ``Decoded``.
private final class DecodedArray<Element>: ElementArray, @unchecked Sendable {
  var elements: [Element] = []
  private let reuse: Reuse

  init(_ reuse: Reuse) {
    self.reuse = reuse
  }

  var count: Int { elements.count }

  func remove(at positions: [Int]) {
    elements.remove(atSorted: Array(positions.prefix { $0 < elements.count }))
  }

  deinit { letGo(of: elements, reuse) }
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
  let value: Value
  private let reuse: Reuse

  fileprivate init(_ value: Value, _ reuse: Reuse) {
    self.value = value
    self.reuse = reuse
  }

  deinit { letGo(of: value, reuse) }
}

private final class Carrier<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

private func letGo<Value>(of value: Value, _ reuse: Reuse) {
  guard reuse == .onMainThread, !MainQueue.isCurrent else { return }
  let carrier = Carrier(value)
  DispatchQueue.main.async { withExtendedLifetime(carrier) {} }
}
