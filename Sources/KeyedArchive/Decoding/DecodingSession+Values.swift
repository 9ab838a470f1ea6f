import FoundationCore

extension DecodingSession {
  func decode<Value: Decodable>(_ type: Value.Type, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Value {
    try decode(type, knowing: traits(of: type), at: cursor, path: path)
  }

  /// Decodes one of many values of a type whose traits have been looked up.
  @inline(__always)
  func decode<Value: Decodable>(
    _ type: Value.Type, knowing traits: TypeTraits, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Value {
    do {
      if Value.self == String.self { return identical(try input.text(at: cursor), to: Value.self) }
      if Value.self == Date.self, let date = try input.taggedDate(at: cursor) {
        return identical(date, to: Value.self)
      }
      let mark = pathMark
      defer { forgetPaths(since: mark) }
      return try decode(type, traits: traits, at: cursor, path: path)
    } catch {
      throw located(error, wanted: type, path)
    }
  }

  /// Adds the coding path to an error that has none.
  private func located(_ error: any Error, wanted type: Any.Type, _ path: () -> CodingPathNode) -> any Error {
    let keys = keys(of: path())
    guard let error = error as? KeyedArchiveError, error.codingPath.isEmpty else {
      return publicError(error, wanted: type, keys)
    }
    return error.located(at: keys)
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, traits: TypeTraits, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Value {
    if !traits.isClass, let target = try input.referenceTarget(at: cursor), !hasInstance(at: target) {
      let depth = try openReference(from: cursor, to: target)
      defer { closeReference(depth) }
      return try decodeItem(type, traits, at: cursor, path)
    }
    return try decodeItem(type, traits, at: cursor, path)
  }

  private func decodeItem<Value: Decodable>(
    _ type: Value.Type, _ traits: TypeTraits, at cursor: CBORCursor, _ path: () -> CodingPathNode
  ) throws -> Value {
    if let special = traits.speciallyDecodable {
      let content = traits.readsNames ? cursor : try content(named: type, at: cursor)
      return try decodeSpecially(special, at: content, as: type, path)
    }
    if let rare = traits.rarelyDecodable {
      return try decodeRarely(rare, at: content(named: type, at: cursor), as: type, path)
    }
    if traits.isClass { return try decodeInstance(type, at: cursor, path) }
    guard try input.reader.head(at: cursor.offset).major == .tag || traits.evolves else {
      return try decodePlainly(type, at: cursor, path: path)
    }
    return try decodeContent(of: type, traits, ownContent(of: type, traits, at: cursor), path)
  }

  /// Decodes a value through its own `init(from:)`, from the form that its current version stores.
  private func decodeContent<Value: Decodable>(
    of type: Value.Type, _ traits: TypeTraits, _ content: StoredContent, _ path: () -> CodingPathNode
  ) throws -> Value {
    guard traits.evolves else { return try decodePlainly(type, content, path: path) }
    return try decodeEvolved(type, content, path: path) { cursor in
      try decodePlainly(type, cursor == content.cursor ? content : StoredContent(cursor: cursor), path: path)
    }
  }

  /// Decodes a value through its own `init(from:)`. A name before the value belongs to the single value that the type
  /// stores.
  private func decodePlainly<Value: Decodable>(
    _ type: Value.Type, _ content: StoredContent, path: () -> CodingPathNode
  ) throws -> Value {
    guard let otherName = content.otherName else { return try decodePlainly(type, at: content.cursor, path: path) }
    let failure = located(otherName, wanted: type, path)
    let decoder = SingleValueDecoder(
      ValueDecoder(session: self, cursor: content.cursor, path: path()), failure: failure)
    do {
      let value = try type.init(from: decoder)
      // A type that reads nothing skips a part of a value. It would accept an entry of any other type.
      let isSkipped = !decoder.isRefused && failure is DecodingError && !(type is AnyObject.Type)
      guard decoder.isRead || isSkipped && !decoder.codingPath.isEmpty else { throw failure }
      return value
    } catch let error as DecodingError {
      // An outdated program or an unknown class is a more helpful reason than a single value of another type.
      throw failure is KeyedArchiveError ? failure : error
    }
  }

  /// Returns the content of a value under its name, if it has one. Another type's name, and the marks of a shared
  /// instance, belong to the single value that the type stores, so they are not removed.
  private func ownContent(of type: Any.Type, _ traits: TypeTraits, at cursor: CBORCursor) throws -> StoredContent {
    if let content = contentUnderKnownName(of: type, at: cursor) { return StoredContent(cursor: content) }
    let item = try input.markedItem(at: cursor)
    guard item.hasTag(CBORTag.shareable) || item.hasTag(CBORTag.sharedReference) else {
      return try ownContent(of: type, traits, item)
    }
    // Other programs may share any value, and the name is then inside the mark.
    if let shared = try input.sharedContent(at: item.cursor),
      let named = try input.namedValue(input.markedItem(at: shared)), accepts(named.name, as: type)
    {
      return try ownContent(of: type, traits, input.item(at: cursor))
    }
    return StoredContent(cursor: item.cursor)
  }

  private func ownContent(of type: Any.Type, _ traits: TypeTraits, _ item: StoredItem) throws -> StoredContent {
    guard let named = try input.namedValue(item) else { return StoredContent(cursor: item.cursor) }
    guard accepts(named.name, as: type) else {
      let failure = ItemError.mismatch(stored: "a value of type \(named.name)")
      return StoredContent(cursor: item.cursor, otherName: failure)
    }
    noteName(named, of: type, at: item.cursor)
    return try content(of: named, at: item.cursor, traits)
  }

  /// Returns the content of a value under one of its type's names. A type may have the same name as the single value
  /// that it stores, but that value has its own version.
  private func content(of named: NamedValue, at cursor: CBORCursor, _ traits: TypeTraits) throws -> StoredContent {
    guard named.version > traits.version else { return StoredContent(cursor: named.content, version: named.version) }
    let failure = KeyedArchiveError.newerVersion(named.version, of: named.name, known: traits.version)
    guard !traits.evolves else { throw failure }
    return StoredContent(cursor: cursor, otherName: failure)
  }

  private func decodeSpecially<Value, Special: SpeciallyDecodable>(
    _: Special.Type, at cursor: CBORCursor, as type: Value.Type, _ path: () -> CodingPathNode
  ) throws -> Value {
    identical(try Special.decode(from: self, at: cursor, path: path), to: type)
  }

  private func decodeRarely<Value, Rare: RarelyDecodable>(
    _: Rare.Type, at cursor: CBORCursor, as type: Value.Type, _ path: () -> CodingPathNode
  ) throws -> Value {
    identical(try Rare(stored: ValueDecoder(session: self, cursor: cursor, path: path())), to: type)
  }

  /// Returns the content of a value. If the value has a type name, the name must be that of the requested type.
  private func content(named type: Any.Type, at cursor: CBORCursor) throws -> CBORCursor {
    if let content = contentUnderKnownName(of: type, at: cursor) { return content }
    let item = try input.item(at: cursor)
    guard let named = try input.namedValue(item) else { return cursor }
    guard accepts(named.name, as: type) || isConversion(from: named.name, to: type) else {
      throw ItemError.mismatch(stored: "a value of type \(named.name)")
    }
    noteName(named, of: type, at: item.cursor)
    return named.content
  }

  private func accepts(_ name: ArchiveTag, as type: Any.Type) -> Bool {
    if registry.tag(for: type) == name { return true }
    guard registry.accepts(name, as: type) else { return false }
    migrations.happened = true
    return true
  }

  /// Returns whether both types are numbers, which convert to each other if nothing is lost.
  private func isConversion(from name: ArchiveTag, to type: Any.Type) -> Bool {
    StoredNumber.isTypeName(name) && (type == Decimal.self || StoredNumber.isTypeName(registry.tag(for: type)))
  }

  // MARK: Classes

  /// Decodes a class instance. For a reference, returns the instance that was decoded before. If the archive names a
  /// subclass, decodes an instance of that class.
  private func decodeInstance<Value: Decodable>(
    _ type: Value.Type, at cursor: CBORCursor, _ path: () -> CodingPathNode
  ) throws -> Value {
    isRepeatable = false
    guard let content = try input.sharedContent(at: cursor) else {
      return try decodeClass(type, at: cursor, isMarked: false, path)
    }
    let instance = try instance(at: content) {
      let depth = try openReference(from: cursor, to: content)
      defer { closeReference(depth) }
      return try decodeClass(type, at: content, isMarked: true, path)
    }
    guard let value = instance as? Value else {
      throw ItemError.mismatch(stored: "a shared instance of \(Swift.type(of: instance))")
    }
    return value
  }

  /// Decodes the contents of an instance. Marks and references inside the instance's mark belong to its single value.
  private func decodeClass<Value: Decodable>(
    _ type: Value.Type, at cursor: CBORCursor, isMarked: Bool, _ path: () -> CodingPathNode
  ) throws -> Value {
    let item = try input.markedItem(at: cursor)
    let traits = traits(of: type)
    guard let named = try input.namedValue(item) else {
      return try decodeContent(of: type, traits, StoredContent(cursor: item.cursor), path)
    }
    if accepts(named.name, as: type) {
      let content = try content(of: named, at: item.cursor, traits)
      // A reference may have a name even if the instance itself has none.
      if !isMarked, content.otherName == nil, try input.sharedContent(at: content.cursor) != nil {
        return try decodeInstance(type, at: content.cursor, path)
      }
      return try decodeContent(of: type, traits, content, path)
    }
    if let subclass = try registry.type(for: named.name), subclass is Value.Type {
      func decodeSubclass<Subclass: Decodable>(_ subclass: Subclass.Type) throws -> Any {
        try decodeClass(subclass, at: item.cursor, isMarked: isMarked, path)
      }
      if let value = try decodeSubclass(subclass) as? Value { return value }
    }
    let failure: any Error =
      try registry.type(for: named.name) == nil
      ? KeyedArchiveError.unregistered(named.name) : ItemError.mismatch(stored: "a value of type \(named.name)")
    return try decodeContent(of: type, traits, StoredContent(cursor: item.cursor, otherName: failure), path)
  }

  // MARK: Values whose type is in the archive

  /// Decodes a value as the type that it had when it was encoded. The function is `dynamic`. Otherwise, the compiler
  /// would copy it, with all the functions that it calls, for each closure argument, which takes 30 KB.
  dynamic func decodeDynamically(at cursor: CBORCursor, path: () -> CodingPathNode) throws -> any Sendable {
    do {
      let mark = pathMark
      let value = try decodeByKind(at: cursor, path)
      forgetPaths(since: mark)
      return value
    } catch {
      throw located(error, wanted: (any Sendable).self, path)
    }
  }

  private func decodeByKind(at cursor: CBORCursor, _ path: () -> CodingPathNode) throws -> any Sendable {
    // The name of a shared instance is inside the shared item, but the instance is looked up by the item itself.
    if let content = try input.sharedContent(at: cursor), let named = try input.namedValue(input.item(at: content)) {
      return try decode(named, wholeAt: cursor, path)
    }
    let item = try input.item(at: cursor)
    let depth = try openReference(from: cursor, to: item.cursor)
    defer { closeReference(depth) }
    switch item.head.major {
    case .unsigned: return Int(exactly: item.head.argument) ?? item.head.argument as any Sendable
    case .negative:
      let value = try input.integer(Int128.self, at: item.cursor)
      return Int(exactly: value) ?? value as any Sendable
    case .bytes: return try Data.decode(from: self, at: item.cursor, path: path)
    case .text: return try input.text(at: item.cursor)
    case .array: return try decodeArray(item, path)
    case .map: return try decodeMap(item, path)
    case .simple:
      if item.isNull { return Optional<any Sendable>.none }
      if let bool = item.bool { return bool }
      if let float = input.reader.float(item.head) { return float }
      return try ArchiveValue.decode(from: self, at: item.cursor, path: path)
    case .tag:
      if let named = try input.namedValue(item) { return try decode(named, wholeAt: item.cursor, path) }
      return try decodeTagged(item, path)
    }
  }

  private func decode(
    _ named: NamedValue, wholeAt cursor: CBORCursor, _ path: () -> CodingPathNode
  ) throws -> any Sendable {
    // Without a declared type, all levels of nil are alike.
    if named.name == OptionalName.tag { return try decodeDynamically(at: named.content, path: path) }
    isRepeatable = false
    guard let type = try registry.type(for: named.name) else { throw KeyedArchiveError.unregistered(named.name) }
    func open<Value: Decodable & Sendable>(_ type: Value.Type) throws -> any Sendable {
      try decode(type, at: cursor, path: path)
    }
    return try open(type)
  }

  private func decodeArray(_ array: StoredItem, _ path: () -> CodingPathNode) throws -> any Sendable {
    let count = Int(try input.container(at: array.cursor).count)
    var elements: [any Sendable] = []
    elements.reserveCapacity(count)  // The index has verified that all elements exist.
    let path = path()
    try input.forEachElement(count, of: array) { index, element in
      elements.append(try decodeDynamically(at: element) { self.path(path, AnyCodingKey(index: index)) })
    }
    return elements
  }

  /// Decodes a map. A map with text keys becomes a dictionary. A map with other keys has no counterpart among mixed
  /// collections.
  private func decodeMap(_ map: StoredItem, _ path: () -> CodingPathNode) throws -> any Sendable {
    let count = Int(try input.container(at: map.cursor).count)
    var pairs: [String: any Sendable] = .init()
    pairs.reserveCapacity(min(count, 1024))
    let outer = path()
    var cursor = input.firstElement(of: map)
    for _ in 0..<count {
      guard let key = try input.textIfPresent(input.item(at: cursor)) else {
        return try ArchiveValue.decode(from: self, at: map.cursor, path: path)
      }
      let value = try input.skip(cursor)
      let decoded = try decodeDynamically(at: value) { self.path(outer, AnyCodingKey(stringValue: key)) }
      guard pairs.updateValue(decoded, forKey: key) == nil else {
        // Either the map is malformed, which the tree will report, or two keys that differ in CBOR are equal in Swift.
        return try ArchiveValue.decode(from: self, at: map.cursor, path: path)
      }
      cursor = try input.skip(value)
    }
    return pairs
  }

  /// Decodes a tagged item as the type of its tag, or as a tree if the item does not fit, such as an integer of 200
  /// bits.
  private func decodeTagged(_ item: StoredItem, _ path: () -> CodingPathNode) throws -> any Sendable {
    do {
      if let value = try decodeStandard(item, path) { return value }
    } catch let error where error is ItemError || error is DecodingError {}
    return try ArchiveValue.decode(from: self, at: item.cursor, path: path)
  }

  // This function calls the types' own functions. With `decode(_:at:path:)`, the compiler would copy the entire call
  // tree for each type.
  private func decodeStandard(_ item: StoredItem, _ path: () -> CodingPathNode) throws -> (any Sendable)? {
    switch item.head.argument {
    case CBORTag.stringReference:
      return try input.textIfPresent(item) ?? Data.decode(from: self, at: item.cursor, path: path) as any Sendable
    case CBORTag.date, CBORTag.dateText: return try Date.decode(from: self, at: item.cursor, path: path)
    case CBORTag.uuid: return try UUID.decode(from: self, at: item.cursor, path: path)
    case CBORTag.url: return try URL.decode(from: self, at: item.cursor, path: path)
    case CBORTag.decimalFraction: return try Decimal.decode(from: self, at: item.cursor, path: path)
    case CBORTag.positiveBigInteger: return try input.integer(UInt128.self, at: item.cursor)
    case CBORTag.negativeBigInteger: return try input.integer(Int128.self, at: item.cursor)
    case CBORTag.typedArrays:
      guard
        let type = NumberArrayFormat(tag: item.head.argument)?.arrayType as? any (SpeciallyDecodable & Sendable).Type
      else { return nil }
      return try type.decode(from: self, at: item.cursor, path: path)
    default: return nil
    }
  }
}
