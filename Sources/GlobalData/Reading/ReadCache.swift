import KeyedArchive

/// What reads have worked out from a store's contents, kept so that it is worked out once.
///
/// Nothing in it is older than the contents: whoever publishes new contents tells what changed, under the same lock.
struct ReadCache: Sendable {
  private var values: [String: Remembered] = [:]
  /// By the bytes of their prefixes: the names of two collections may be equal to Swift, and their keys are not the same.
  private var collections: [ExactText: CollectionKeys] = [:]

  /// The decoded value under a key, if it was decoded as this type.
  func value<Value: Sendable>(_ type: Value.Type, forKey key: String) -> Value? {
    decoded(ObjectIdentifier(type), forKey: key).map { unsafeDowncast($0, to: Decoded<Value>.self).value }
  }

  /// The object that holds a decoded value, a `Decoded` of the type, if it was decoded as this type.
  ///
  /// It knows no generic type, so that nothing has to be looked up for one while the lock is held.
  func decoded(_ type: ObjectIdentifier, forKey key: String) -> (any DecodedValue)? {
    guard let remembered = values[key], remembered.type == type else { return nil }
    return remembered.value
  }

  /// Keeps a decoded value, unless its entry is no longer the one under its key.
  mutating func remember(_ value: some Sendable, of entry: StoredEntry, in contents: StoreContents) {
    guard contents.holds(entry) == true else { return }
    values[entry.key] = Remembered(value)
  }

  /// The keys of a collection's elements.
  ///
  /// - Parameters:
  ///   - prefix: What the keys begin with, up to their first slash.
  ///   - contents: The contents.
  /// - Returns: The keys.
  /// - Complexity: O(*n*) in the number of the store's entries at the first use of a collection, O(1) later.
  mutating func keys(withPrefix prefix: String, in contents: StoreContents) -> CollectionKeys {
    if let keys = collections[ExactText(prefix)] { return keys }
    let keys = CollectionKeys(contents.keys.filter { $0.hasBytes(prefix) })
    collections[ExactText(prefix)] = keys
    return keys
  }

  // MARK: Keeping up

  /// Follows a commit.
  ///
  /// - Complexity: O(*m*) in the number of changes.
  mutating func follow(_ change: KeyChanges) {
    if !values.isEmpty {
      for key in change.replaced { values[key] = nil }
      for key in change.removed { values[key] = nil }
    }
    guard !collections.isEmpty else { return }
    for key in change.moved.isEmpty ? change.removed : change.removed + change.moved {
      if let prefix = CollectionKeys.prefix(ofKey: key) { collections[ExactText(prefix)]?.remove(key) }
    }
    for key in change.appended {
      if let prefix = CollectionKeys.prefix(ofKey: key) { collections[ExactText(prefix)]?.append(key) }
    }
  }

  /// Follows a change of which nothing more is known, as when another process has written.
  ///
  /// - Complexity: O(*m*) in the number of values that were decoded.
  mutating func follow(from old: StoreContents?, to new: StoreContents) {
    collections = [:]
    values = values.filter { key, _ in
      guard let entry = old?[key] else { return false }
      return new.holds(entry) == true
    }
  }
}

/// A value of any type that an entry was decoded as.
protocol DecodedValue: AnyObject, Sendable {}

/// A decoded value and its type.
///
/// Comparing two types is much faster than finding out what an object is. It is what makes `unsafeDowncast` right: the object
/// is made here only, for the type that stands beside it.
private struct Remembered: Sendable {
  let type: ObjectIdentifier
  let value: any DecodedValue

  init<Value: Sendable>(_ value: Value) {
    type = ObjectIdentifier(Value.self)
    self.value = Decoded(value)
  }
}

final class Decoded<Value: Sendable>: DecodedValue {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
