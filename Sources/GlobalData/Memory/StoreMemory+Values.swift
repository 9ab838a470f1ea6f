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
    let (remembered, entry) = try withContentsAndCache { contents, cache in
      (cache.decoded(ObjectIdentifier(type), forKey: key), contents[key])
    }
    if let remembered, let value = remembered.value(type) { return value }
    return try entry.map { try decode(type, $0, configuration, reuse).value }
  }

  /// The value of an entry, which need not be in the store any more, and whether it may stand for what later decodings
  /// would give.
  func value<Value: Codable>(
    _ type: Value.Type, of entry: StoredEntry, _ configuration: GlobalData.Configuration, _ reuse: Reuse
  ) throws -> (value: Value, isRepeatable: Bool) {
    let remembered = try withContentsAndCache { contents, cache in
      contents.holds(entry) == true ? cache.decoded(ObjectIdentifier(type), forKey: entry.key) : nil
    }
    if let remembered, let value = remembered.value(type) { return (value, true) }
    return try decode(type, entry, configuration, reuse)
  }

  private func decode<Value: Codable>(
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
        return contents.keys.filter { $0.hasBytes(prefix) }
      }
      return cache.keys(withPrefix: prefix, in: current)
    }
  }

  /// The prefix ends at its first slash.
  func count(withPrefix prefix: String) throws -> Int {
    try withContentsAndCache { contents, cache in cache.keyCount(withPrefix: prefix, in: contents) }
  }

  /// Returns the values under the keys with a prefix, which ends at its first slash. Leaves out values that cannot be
  /// read, and calls `onFailure` for each; rethrows what that throws.
  ///
  /// Takes O(1) where nothing has changed since they were last read; O(*n*) in their number, without a look at each,
  /// where values were set; else O(*n*), and decoding.
  func values<Value: Codable>(
    _ type: Value.Type, withPrefix prefix: String, _ configuration: GlobalData.Configuration, _ reuse: Reuse,
    onFailure: (String, any Error) throws -> Void
  ) throws -> [Value] {
    // Each is one pointer. Who changes them in the meantime changes a copy, and these stay as they are.
    let (contents, cache, keys, known) = try withContentsAndCache { contents, cache in
      let keys = cache.keys(withPrefix: prefix, in: contents)
      let known = cache.elements(ObjectIdentifier([Value].self), withPrefix: prefix, in: contents)
      return (contents, cache, keys, known)
    }
    let version = cache.version
    var values = known?.values.value([Value].self) ?? []
    let changedPositions = known?.changedPositions ?? []
    if known != nil, changedPositions.isEmpty, values.count == keys.count { return values }

    var decoded: [(StoredEntry, Value)] = []
    var areRepeatable = true
    func read(_ key: String) throws -> Value? {
      if let value = cache.value(type, forKey: key) { return value }
      guard let entry = contents[key] else { return nil }
      do {
        let (value, isRepeatable) = try entry.decode(type, configuration, in: location.url)
        if isRepeatable { decoded.append((entry, value)) } else { areRepeatable = false }
        return value
      } catch {
        try onFailure(key, error)
        return nil
      }
    }
    let added = keys[values.count...]
    values.reserveCapacity(keys.count)
    var unreadable: [Int] = []
    for position in changedPositions {
      if let value = try read(keys[position]) { values[position] = value } else { unreadable.append(position) }
    }
    for position in unreadable.reversed() { values.remove(at: position) }
    for key in added {
      if let value = try read(key) { values.append(value) }
    }
    let isWhole = areRepeatable && values.count == keys.count
    if !decoded.isEmpty || isWhole {
      try withContentsAndCache { current, cache in
        for (entry, value) in decoded { cache.remember(value, of: entry, in: current, reuse) }
        if isWhole { cache.remember(values, withPrefix: prefix, ofVersion: version, reuse) }
      }
    }
    return values
  }
}
