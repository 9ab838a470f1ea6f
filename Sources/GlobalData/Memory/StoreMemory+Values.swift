// The values of entries, which are decoded at most once as long as an entry stays the same.

extension StoreMemory {
  /// Returns the object that holds a decoded value, or `nil` unless the value was decoded as this type before.
  @inline(__always)
  func decodedValue<Value>(_ type: Value.Type, forKey key: String) -> Decoded<Value>? {
    guard let remembered = decoded(ObjectIdentifier(type), forKey: key), remembered.isUsable else { return nil }
    return unsafeDowncast(remembered, to: Decoded<Value>.self)
  }

  /// Returns the value under a key. Call ``decodedValue(_:forKey:)`` first: looking up the generic types of this
  /// function takes longer than finding a decoded value.
  @inline(never)
  func value<Value: Codable>(
    _ type: Value.Type, forKey key: String, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> Value? {
    let (value, entry) = try withContentsAndCache { contents, cache in
      if let value = cache.value(type, forKey: key) { return (value as Value?, nil as StoredEntry?) }
      return (nil, contents[key])
    }
    if let value { return value }
    return try entry.map { try decode(type, $0, configuration, reuse).value }
  }

  /// Returns the value of an entry, which need not be in the store anymore. Also returns whether the value may be
  /// reused in place of later decodings.
  func value<Value: Codable>(
    _ type: Value.Type, of entry: StoredEntry, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> (value: Value, isRepeatable: Bool) {
    let known = try withContentsAndCache { contents, cache in
      contents.holds(entry) ? cache.value(type, forKey: entry.key) : nil
    }
    if let known { return (known, true) }
    return try decode(type, entry, configuration, reuse)
  }

  func decode<Value: Codable>(
    _ type: Value.Type, _ entry: StoredEntry, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> (value: Value, isRepeatable: Bool) {
    // Decode without the lock, because a type decodes itself with its own code.
    let decoded = try entry.decode(type, configuration, in: location.url)
    if decoded.isRepeatable {
      try withContentsAndCache { contents, cache in cache.remember(decoded.value, of: entry, in: contents, reuse) }
    }
    return decoded
  }

  /// Returns the keys with a prefix, which ends at its first slash.
  func keys(withPrefix prefix: String) throws -> [String] {
    try withContentsAndCache { contents, cache in cache.keys(withPrefix: prefix, in: contents) }
  }

  /// Returns the keys with a prefix, which ends at its first slash. Takes O(1) if readers see these contents and the
  /// collection was used before. Otherwise, takes O(*n*) in the number of entries.
  func keys(withPrefix prefix: String, of contents: StoreContents) throws -> [String] {
    try withContentsAndCache { current, cache in
      guard current.version == contents.version else { return contents.entries.keys(ofCollection: prefix) }
      return cache.keys(withPrefix: prefix, in: current)
    }
  }

  /// Returns the number of keys with a prefix, which ends at its first slash.
  func count(withPrefix prefix: String) throws -> Int {
    try withContentsAndCache { contents, cache in cache.keyCount(withPrefix: prefix, in: contents) }
  }
}
