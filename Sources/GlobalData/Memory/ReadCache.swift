import CodingSupport
import FoundationCore
import KeyedArchive

/// Cached results of reads.
///
/// Nothing in the cache is older than the contents or, while the store is closed, than what observers have seen. Each
/// publication of new contents reports the changes under the same lock.
struct ReadCache: ~Copyable, Sendable {
  private var values: [String: Remembered] = .init()
  /// The known collections, by their prefixes. Two spellings of a name are one collection, because an identifier leads
  /// to the same key in both.
  private var collections: [String: KnownCollection] = .init()
  /// What has left the cache. ``StoreMemory`` releases it when the lock is free, because the `deinit` of an instance in
  /// a value may read the store.
  var released: [Remembered] = []

  /// Returns a decoded value, which is cached by itself or with all elements of its collection. Returns `nil` unless
  /// the value was decoded as this type and may be used on this thread.
  mutating func value<Value>(_ type: Value.Type, forKey key: String) -> Value? {
    if let value = decoded(ObjectIdentifier(type), forKey: key)?.value(type) { return value }
    guard !collections.isEmpty, let prefix = CollectionKeys.prefix(ofKey: key) else { return nil }
    return collections[prefix]?.element(type, forKey: key)
  }

  /// Returns the object that holds a decoded value, which is a `Decoded` of the type. Returns `nil` if the value was
  /// not decoded as this type.
  ///
  /// This function is not generic, so that no generic type has to be looked up while the lock is held.
  func decoded(_ type: ObjectIdentifier, forKey key: String) -> Remembered? {
    guard let remembered = values[key], remembered.type == type else { return nil }
    return remembered
  }

  /// Caches a decoded value. Ignores the value if its entry is no longer the one under its key.
  mutating func remember<Value>(_ value: Value, of entry: StoredEntry, in contents: StoreContents, _ reuse: Reuse) {
    guard reuse.isAllowedHere, contents.holds(entry) else { return }
    forget(entry.key)
    values[entry.key] = Decoded(value, reuse)
  }

  /// Returns the keys of a collection's elements, in order. The prefix ends with its first slash. The first use of a
  /// collection takes O(*n*) in the number of the store's entries. Later uses take O(1), but the first one after
  /// removals takes O(*n*) in the number of elements.
  mutating func keys(withPrefix prefix: String, in contents: StoreContents) -> [String] {
    let collection = collection(prefix, in: contents)
    collection.closeGaps(&released)
    return collection.keys.inOrder
  }

  mutating func keyCount(withPrefix prefix: String, in contents: StoreContents) -> Int {
    collection(prefix, in: contents).keys.count
  }

  /// Returns the first elements of a collection, as they were when they were last read as this type.
  mutating func elements<Value>(_ type: Value.Type, withPrefix prefix: String, in contents: StoreContents) -> [Value] {
    let collection = collection(prefix, in: contents)
    collection.closeGaps(&released)
    return collection.array(of: type)?.elements ?? []
  }

  /// Returns the elements to decode in addition to those elements. Takes O(*m*) in the number of elements that changed
  /// since they were last read. Takes O(*n*) in the number of all elements the first time and after removals.
  mutating func reading(
    _ type: ObjectIdentifier, after knownCount: Int, withPrefix prefix: String, in contents: StoreContents
  ) -> ElementReading {
    let (keys, outdated) = collection(prefix, in: contents).outdated(after: knownCount)
    var singles: [Remembered?] = []
    if !values.isEmpty { for position in outdated { singles.append(decoded(type, forKey: keys[position])) } }
    return ElementReading(keys: keys, knownCount: knownCount, outdated: outdated, singles: singles, contents: contents)
  }

  /// Keeps the decoded elements, which must be allowed here, and returns all elements, if nothing has changed since the
  /// reading. The elements that were replaced are left in `decoded`, so that they can be released after the lock is
  /// free. `known` becomes empty, so that the array is changed in place unless other code still has it.
  mutating func keep<Value>(
    _ decoded: inout [[Value]], after known: inout [Value], of reading: ElementReading, withPrefix prefix: String,
    in contents: StoreContents, _ reuse: Reuse
  ) -> [Value]? {
    guard reading.contents.version == contents.version else { return nil }
    let all = collections[prefix]?.keep(&decoded, after: &known, at: reading.outdated, reuse, &released)
    if all != nil, !values.isEmpty {
      // Do not keep these values twice.
      for position in reading.outdated { forget(reading.keys[position]) }
    }
    return all
  }

  /// The number of empty collections above which the cache starts anew.
  private static let emptyCollectionLimit = 1000

  @inline(never)
  private mutating func collection(_ prefix: String, in contents: StoreContents) -> KnownCollection {
    if let known = collections[prefix] { return known }
    // Most of these collections are empty. A program may ask for any number of them, such as one for each session.
    if collections.count >= contents.entries.count + ReadCache.emptyCollectionLimit { reset() }
    let collection = KnownCollection(prefix, in: contents)
    collections[prefix] = collection
    return collection
  }

  // MARK: Keeping up

  @inline(never)
  mutating func reset() {
    for value in values.values { released.append(value) }
    for collection in collections.values { collection.releaseElements(to: &released) }
    (values, collections) = (.init(), .init())
  }

  private mutating func forget(_ key: String) {
    if let old = values.removeValue(forKey: key) { released.append(old) }
  }

  mutating func follow(_ change: KeyChanges) {
    if !values.isEmpty {
      for key in change.replaced { forget(key) }
      for key in change.removed { forget(key) }
    }
    guard !collections.isEmpty else { return }
    for key in change.replaced {
      if let prefix = CollectionKeys.prefix(ofKey: key) { collections[prefix]?.recordChange(of: key) }
    }
    let removed = change.moved.isEmpty ? change.removed : change.removed + change.moved
    for collection in distribute(removed) { collection.remove(collection.takeReceivedKeys(), &released) }
    for key in change.appended {
      if let prefix = CollectionKeys.prefix(ofKey: key) { collections[prefix]?.keys.append(key) }
    }
  }

  /// Follows a change of unknown extent, such as a write by another process. Takes O(*n*) in the number of decoded
  /// values.
  mutating func follow(from old: StoreContents?, to new: StoreContents) {
    func isSame(_ key: String) -> Bool {
      guard let entry = old?[key] else { return false }
      return new.holds(entry)
    }
    for key in values.keys where !isSame(key) { forget(key) }
    guard !collections.isEmpty else { return }
    _ = distribute(new.keys)
    for collection in collections.values { collection.follow(to: collection.takeReceivedKeys(), isSame, &released) }
  }

  /// Gives each known collection those of some keys that belong to it, and returns the collections that receive any.
  /// Takes O(*m*) in the number of keys: a program may have a collection for each of its projects.
  private func distribute(_ keys: [String]) -> [KnownCollection] {
    var receivers: [KnownCollection] = []
    for key in keys {
      guard let prefix = CollectionKeys.prefix(ofKey: key), let collection = collections[prefix] else { continue }
      if collection.receivedKeys.isEmpty { receivers.append(collection) }
      collection.receivedKeys.append(key)
    }
    return receivers
  }
}

/// The keys of a collection's elements, and the elements as they were last read.
///
/// `@unchecked` is safe because only code that holds the lock of ``StoreMemory`` reaches a collection.
private final class KnownCollection: @unchecked Sendable {
  /// The keys of the elements. Their gaps are also gaps in the elements.
  var keys: CollectionKeys
  /// The elements of the first keys. Elements that were added later are not included.
  private var elements: (any ElementArray)?
  /// The keys of elements whose values have changed since.
  private var changedKeys: Set<String> = []
  /// Keys that the cache has given to this collection, to be handled together.
  var receivedKeys: [String] = []

  init(_ prefix: String, in contents: StoreContents) {
    keys = CollectionKeys(contents.entries.keys(ofCollection: prefix))
  }

  func element<Value>(_ type: Value.Type, forKey key: String) -> Value? {
    guard let known = array(of: type), !changedKeys.contains(key), let position = keys.position(of: key) else {
      return nil
    }
    return position < known.elements.count ? known.elements[position] : nil
  }

  /// Returns the array, or `nil` if the elements were not decoded as this type or may not be used on this thread.
  func array<Value>(of _: Value.Type) -> DecodedArray<Value>? {
    guard let elements, elements.type == ObjectIdentifier(Value.self), elements.isUsable else { return nil }
    return unsafeDowncast(elements, to: DecodedArray<Value>.self)
  }

  /// Returns all keys, and the positions of the elements to decode. The positions before `count` whose values have
  /// changed are first, followed by all positions from `count` on.
  func outdated(after count: Int) -> (keys: [String], positions: [Int]) {
    var positions: [Int] = []
    for key in changedKeys {
      if let position = keys.position(of: key), position < count { positions.append(position) }
    }
    let inOrder = keys.inOrder
    for position in count..<max(count, inOrder.count) { positions.append(position) }
    return (inOrder, positions)
  }

  func keep<Value>(
    _ decoded: inout [[Value]], after known: inout [Value], at positions: [Int], _ reuse: Reuse,
    _ released: inout [Remembered]
  ) -> [Value]? {
    let array = array(of: Value.self) ?? DecodedArray(reuse)
    // Another thread may have read the elements at the same time, but no thread can know fewer than before.
    guard array.elements.count >= known.count else { return nil }
    if array.elements.isEmpty {
      // Elements of another type, or elements that may not be used on this thread, still have their gaps.
      releaseElements(to: &released)
      closeGaps(&released)
    }
    // Another array may hold the last references to replaced elements. The caller releases it when the lock is free.
    if known.isSameArray(as: array.elements) { known = [] }
    array.elements.reserveCapacity(keys.count)
    var remaining = positions.makeIterator()
    // The first time, all elements are new and in order.
    let areAllNew = array.elements.isEmpty
    for slice in decoded.indices {
      guard !areAllNew else {
        array.elements.append(contentsOf: decoded[slice])
        continue
      }
      for index in decoded[slice].indices {
        guard let position = remaining.next() else { break }
        if position < array.elements.count {
          swap(&array.elements[position], &decoded[slice][index])
        } else {
          array.elements.append(decoded[slice][index])
        }
      }
    }
    (elements, changedKeys) = (array, [])
    return array.elements
  }

  func takeReceivedKeys() -> [String] {
    defer { receivedKeys = [] }
    return receivedKeys
  }

  func recordChange(of key: String) {
    if elements != nil { changedKeys.insert(key) }
  }

  /// Removes keys. Their elements stay in memory until all elements are read again, or until there are many removed
  /// ones.
  func remove(_ removed: [String], _ released: inout [Remembered]) {
    keys.remove(removed)
    if !changedKeys.isEmpty { changedKeys.subtract(removed) }
    if keys.count == 0 { releaseElements(to: &released) }
    if keys.hasManyGaps(from: firstGap) { closeGaps(&released) }
  }

  func releaseElements(to released: inout [Remembered]) {
    if let elements { released.append(elements) }
    elements = nil
  }

  /// Closes the gaps. If the elements may not be used on this thread, the gaps between them stay.
  func closeGaps(_ released: inout [Remembered]) {
    let closed = keys.closeGaps(from: firstGap)
    if !closed.isEmpty, let elements { released.append(elements.remove(at: closed)) }
  }

  /// The first position at which a gap may be closed.
  private var firstGap: Int {
    guard let elements, !elements.isUsable else { return 0 }
    return elements.count
  }

  /// Follows a change to the keys. Keeps the elements that stay the same and stay in the same order.
  func follow(to newKeys: [String], _ isSame: (String) -> Bool, _ released: inout [Remembered]) {
    var kept = 0
    var gone: [String] = []
    for key in keys.inOrder {
      if kept < newKeys.count, ExactText(newKeys[kept]) == ExactText(key) {
        kept += 1
        if !isSame(key) { recordChange(of: key) }
      } else {
        gone.append(key)
      }
    }
    remove(gone, &released)
    for key in newKeys[kept...] { keys.append(key) }
  }
}

extension Array {
  /// Returns whether the elements are in the same memory, and not in equal copies.
  fileprivate func isSameArray(as other: [Element]) -> Bool {
    withUnsafeBufferPointer { elements in
      other.withUnsafeBufferPointer { $0.baseAddress == elements.baseAddress }
    }
  }
}
