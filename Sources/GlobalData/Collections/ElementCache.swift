import Foundation

/// The decoded elements of a collection, each with the entry that it was decoded from.
///
/// An element is taken from here as long as its entry is the same, so that a query decodes only what changed since the one
/// before it.
final class ElementCache<Element: Codable & Sendable>: ForgettingCache {
  private struct Decoded: Sendable {
    let record: Data
    let element: Element
  }

  private let decoded = Locked<[String: Decoded]>([:])

  func removeAll() {
    decoded.withLock { $0 = [:] }
  }

  /// The element of an entry; `nil`, and a diagnostic, where it cannot be read.
  func element(of entry: StoredEntry, in store: GlobalData) -> Element? {
    if let known = decoded.withLock({ $0[entry.key] }), known.record == entry.record { return known.element }
    do {
      // Not under the lock: a type decodes itself with code of its own.
      let element = try entry.object(Element.self, store.configuration, in: store.url)
      decoded.withLock { $0[entry.key] = Decoded(record: entry.record, element: element) }
      return element
    } catch {
      store.reportUnreadable(entry.key, error)
      return nil
    }
  }

  /// The elements of all entries of the collection; others are forgotten.
  func elements(of entries: [StoredEntry], in store: GlobalData) -> [Element] {
    let elements = entries.compactMap { element(of: $0, in: store) }
    decoded.withLock { decoded in
      guard decoded.count > entries.count else { return }
      let keys = Set(entries.map(\.key))
      decoded = decoded.filter { keys.contains($0.key) }
    }
    return elements
  }
}

/// A cache of elements of any type.
protocol ForgettingCache: Sendable {
  /// Forgets all elements.
  func removeAll()
}

/// The caches of an engine's collections, by name and type.
final class ElementCaches: Sendable {
  private struct Identity: Hashable {
    let name: String
    let type: ObjectIdentifier
  }

  private let caches = Locked<[Identity: any ForgettingCache]>([:])

  /// Forgets all elements of all collections, as when a store is cleared.
  func removeAll() {
    for cache in caches.withLock({ Array($0.values) }) { cache.removeAll() }
  }

  func cache<Element: Codable & Sendable>(of name: String, _: Element.Type) -> ElementCache<Element> {
    caches.withLock { caches in
      let identity = Identity(name: name, type: ObjectIdentifier(Element.self))
      if let cache = caches[identity] as? ElementCache<Element> { return cache }
      let cache = ElementCache<Element>()
      caches[identity] = cache
      return cache
    }
  }
}
