// Values out of entries, decoded at most once for as long as an entry stays the same.

extension StoreMemory {
  /// Takes O(1) where it was decoded before as this type.
  func value<Value: Codable>(
    _ type: Value.Type, forKey key: String, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> Value? {
    if let decoded = decodedValue(type, forKey: key) { return decoded.value }
    return try valueNotDecoded(type, forKey: key, configuration, reuse)
  }

  /// Returns `nil` unless it was decoded as this type before.
  @inline(__always)
  func decodedValue<Value>(_ type: Value.Type, forKey key: String) -> Decoded<Value>? {
    guard let remembered = decoded(ObjectIdentifier(type), forKey: key), remembered.isUsable else { return nil }
    return unsafeDowncast(remembered.value, to: Decoded<Value>.self)
  }

  /// A function of its own, because looking up its generic types takes longer than finding a value that was decoded.
  @inline(never)
  private func valueNotDecoded<Value: Codable>(
    _ type: Value.Type, forKey key: String, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> Value? {
    let (value, entry) = try withContentsAndCache { contents, cache in
      if let value = cache.value(type, forKey: key) { return (value as Value?, nil as StoredEntry?) }
      return (nil, contents[key])
    }
    if let value { return value }
    return try entry.map { try decode(type, $0, configuration, reuse).value }
  }

  /// The value of an entry, which need not be in the store any more, and whether it may stand for what later decodings
  /// would give.
  func value<Value: Codable>(
    _ type: Value.Type, of entry: StoredEntry, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> (value: Value, isRepeatable: Bool) {
    let known = try withContentsAndCache { contents, cache in
      contents.holds(entry) == true ? cache.value(type, forKey: entry.key) : nil
    }
    if let known { return (known, true) }
    return try decode(type, entry, configuration, reuse)
  }

  func decode<Value: Codable>(
    _ type: Value.Type, _ entry: StoredEntry, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> (value: Value, isRepeatable: Bool) {
    // Not under the lock: a type decodes itself with code of its own.
    let decoded = try entry.decode(type, configuration, in: location.url)
    if decoded.isRepeatable {
      try withContentsAndCache { contents, cache in cache.remember(decoded.value, of: entry, in: contents, reuse) }
    }
    return decoded
  }

  /// The prefix ends at its first slash.
  func keys(withPrefix prefix: String) throws -> [String] {
    try withContentsAndCache { contents, cache in cache.keys(withPrefix: prefix, in: contents) }
  }

  /// The prefix ends at its first slash. Takes O(1) where readers see these contents and the collection was used
  /// before, else O(*n*) entries.
  func keys(withPrefix prefix: String, of contents: StoreContents) throws -> [String] {
    try withContentsAndCache { current, cache in
      guard current.identity == contents.identity, current.generation == contents.generation else {
        return contents.keys(withPrefix: prefix)
      }
      return cache.keys(withPrefix: prefix, in: current)
    }
  }

  /// The prefix ends at its first slash.
  func count(withPrefix prefix: String) throws -> Int {
    try withContentsAndCache { contents, cache in cache.keyCount(withPrefix: prefix, in: contents) }
  }
}
