// Values out of entries, decoded at most once for as long as an entry stays the same.

extension StoreEngine {
  private enum Found<Value> {
    case decoded(Value)
    case entry(StoredEntry)
    case nothing
  }

  /// The value under a key, as a type that the caller names.
  ///
  /// - Complexity: O(1) where it was decoded before as this type; else O(*n*) in the size of the value.
  func value<Value: Codable>(
    _ type: Value.Type, forKey key: String, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> Value? {
    if let decoded = decodedValue(type, forKey: key) { return decoded.value }
    return try valueNotDecoded(type, forKey: key, configuration, reuse)
  }

  /// The value under a key, if it was decoded as this type before.
  @inline(__always)
  func decodedValue<Value>(_ type: Value.Type, forKey key: String) -> Decoded<Value>? {
    guard let remembered = decoded(ObjectIdentifier(type), forKey: key), remembered.isUsable else { return nil }
    return unsafeDowncast(remembered.value, to: Decoded<Value>.self)
  }

  /// The value under a key that was not decoded as this type yet.
  ///
  /// A function of its own, because looking up its generic types takes longer than finding a value that was decoded.
  @inline(never)
  private func valueNotDecoded<Value: Codable>(
    _ type: Value.Type, forKey key: String, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> Value? {
    let found: Found<Value> = try withContentsAndCache { contents, cache in
      if let value = cache.value(type, forKey: key) { return .decoded(value) }
      return contents[key].map { .entry($0) } ?? .nothing
    }
    switch found {
    case .decoded(let value): return value
    case .entry(let entry): return try decode(type, entry, configuration, reuse)
    case .nothing: return nil
    }
  }

  /// The value of an entry, which need not be in the store any more.
  func value<Value: Codable>(
    _ type: Value.Type, of entry: StoredEntry, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> Value {
    let found: Value? = try withContentsAndCache { contents, cache in
      contents.holds(entry) == true ? cache.value(type, forKey: entry.key) : nil
    }
    return try found ?? decode(type, entry, configuration, reuse)
  }

  private func decode<Value: Codable>(
    _ type: Value.Type, _ entry: StoredEntry, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> Value {
    // Not under the lock: a type decodes itself with code of its own.
    let decoded = try entry.decode(type, configuration, in: location.url)
    if decoded.isRepeatable {
      try withContentsAndCache { contents, cache in cache.remember(decoded.value, of: entry, in: contents, reuse) }
    }
    return decoded.value
  }

  /// The keys with a prefix that ends at their first slash, in order.
  func keys(withPrefix prefix: String) throws -> [String] {
    try withContentsAndCache { contents, cache in cache.keys(withPrefix: prefix, in: contents).inOrder }
  }

  /// The keys of contents with a prefix that ends at their first slash, in order.
  ///
  /// - Complexity: O(1) where the contents are what readers see now and the collection was used before, else O(*n*) in the number of
  ///   entries.
  func keys(withPrefix prefix: String, of contents: StoreContents) throws -> [String] {
    try withContentsAndCache { current, cache in
      guard current.identity == contents.identity, current.generation == contents.generation else {
        return contents.keys.filter { $0.hasBytes(prefix) }
      }
      return cache.keys(withPrefix: prefix, in: current).inOrder
    }
  }

  /// The number of keys with a prefix that ends at their first slash.
  func count(withPrefix prefix: String) throws -> Int {
    try withContentsAndCache { contents, cache in cache.keys(withPrefix: prefix, in: contents).count }
  }

  /// The values under the keys with a prefix, in order.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - prefix: What the keys begin with, up to their first slash.
  ///   - configuration: How the store that reads behaves.
  ///   - reuse: Where the values may be given to readers again.
  ///   - onFailure: Is called with the key and the error of each value that cannot be read, which is left out.
  /// - Returns: The values.
  /// - Throws: Why the file cannot be read, and what `onFailure` throws.
  func values<Value: Codable>(
    _ type: Value.Type, withPrefix prefix: String, _ configuration: GlobalData.Configuration, _ reuse: Reuse,
    onFailure: (String, any Error) throws -> Void
  ) throws -> [Value] {
    // Each is one pointer. Who changes them in the meantime changes a copy, and these stay as they are.
    let (contents, cache, keys) = try withContentsAndCache { contents, cache in
      let keys = cache.keys(withPrefix: prefix, in: contents).inOrder
      return (contents, cache, keys)
    }
    var values: [Value] = []
    values.reserveCapacity(keys.count)
    var decoded: [(StoredEntry, Value)] = []
    for key in keys {
      if let value = cache.value(type, forKey: key) {
        values.append(value)
      } else if let entry = contents[key] {
        do {
          let (value, isRepeatable) = try entry.decode(type, configuration, in: location.url)
          values.append(value)
          if isRepeatable { decoded.append((entry, value)) }
        } catch {
          try onFailure(key, error)
        }
      }
    }
    if !decoded.isEmpty {
      try withContentsAndCache { contents, cache in
        for (entry, value) in decoded { cache.remember(value, of: entry, in: contents, reuse) }
      }
    }
    return values
  }
}
