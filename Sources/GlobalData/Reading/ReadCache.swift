import CodingSupport
import Foundation
import KeyedArchive

/// What reads have worked out from a store's contents, kept so that it is worked out once.
///
/// Nothing in it is older than the contents: whoever publishes new contents tells what changed, under the same lock.
struct ReadCache: Sendable {
  private var values: [String: Remembered] = [:]
  /// By the bytes of their prefixes: the names of two collections may be equal to Swift, and their keys are not the same.
  private var collections: [ExactText: CollectionKeys] = [:]

  /// The decoded value under a key, if it was decoded as this type and may be used here.
  func value<Value>(_ type: Value.Type, forKey key: String) -> Value? {
    guard let remembered = decoded(ObjectIdentifier(type), forKey: key), remembered.isUsable else { return nil }
    return unsafeDowncast(remembered.value, to: Decoded<Value>.self).value
  }

  /// The object that holds a decoded value, a `Decoded` of the type, if it was decoded as this type.
  ///
  /// It knows no generic type, so that nothing has to be looked up for one while the lock is held.
  func decoded(_ type: ObjectIdentifier, forKey key: String) -> Remembered? {
    guard let remembered = values[key], remembered.type == type else { return nil }
    return remembered
  }

  /// Keeps a decoded value, unless its entry is no longer the one under its key.
  mutating func remember<Value>(
    _ value: Value, of entry: StoredEntry, in contents: StoreContents, _ reuse: Reuse
  ) {
    guard reuse == .anywhere || MainQueue.isCurrent, contents.holds(entry) == true else { return }
    values[entry.key] = Remembered(value, reuse)
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

/// Where a decoded value may be given to a reader again.
///
/// The compiler proves that a type is `Sendable` and `Codable` outside of every actor by choosing an overload; nothing tells it later.
enum Reuse: Sendable {
  /// On every thread: the type is known to be `Sendable`.
  case anywhere
  /// On the main thread, if it was decoded there.
  case onMainThread
}

/// A value of any type that an entry was decoded as.
protocol DecodedValue: AnyObject, Sendable {}

/// A decoded value and its type.
///
/// Comparing two types is much faster than finding out what an object is. It is what makes `unsafeDowncast` right: the object
/// is made here only, for the type that stands beside it.
struct Remembered: Sendable {
  let type: ObjectIdentifier
  let reuse: Reuse
  let value: any DecodedValue

  /// Whether the value may be used on this thread.
  var isUsable: Bool { reuse == .anywhere || MainQueue.isCurrent }

  init<Value>(_ value: Value, _ reuse: Reuse) {
    type = ObjectIdentifier(Value.self)
    self.reuse = reuse
    self.value = Decoded(value, reuse)
  }
}

// `@unchecked` because `Value` need not be Sendable. Where it is not known to be, the object is made on the main thread, read there
// (``StoreEngine/decoded(_:forKey:)``), and lets go of the value there.
final class Decoded<Value>: DecodedValue, @unchecked Sendable {
  private struct Carrier: @unchecked Sendable {
    let value: Value
  }

  let value: Value
  private let reuse: Reuse

  fileprivate init(_ value: Value, _ reuse: Reuse) {
    self.value = value
    self.reuse = reuse
  }

  deinit {
    guard reuse == .onMainThread, !MainQueue.isCurrent else { return }
    let carrier = Carrier(value: value)
    DispatchQueue.main.async { withExtendedLifetime(carrier) {} }
  }
}
