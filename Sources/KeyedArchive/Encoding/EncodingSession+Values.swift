extension EncodingSession {
  /// Encodes a value whose type a reader knows. For many values of one type, look its traits up once and pass them.
  @inline(__always)
  func encode<Value: Encodable>(_ value: Value, knowing traits: TypeTraits? = nil, path: () -> CodingPathNode) throws {
    if let text = identityCast(value, to: String.self) {
      write(text: text)
    } else {
      try encode(value, traits: traits ?? self.traits(of: Value.self), path: path)
    }
  }

  private func encode<Value: Encodable>(_ value: Value, traits: TypeTraits, path: () -> CodingPathNode) throws {
    let mark = pathMark
    try locatingErrors(path) {
      if let type = traits.speciallyEncodable {
        try encodeSpecially(value, as: type, path)
      } else if let type = traits.rarelyEncodable {
        try encodeRarely(value, as: type, path)
      } else if traits.isClass {
        try encodeInstance(value, isTypeKnown: true, path)
      } else if traits.version > 1 {
        try write(typeName: name(of: Value.self), version: traits.version) { try encodePlainly(value, path) }
      } else {
        try encodePlainly(value, path)
      }
    }
    forgetPaths(since: mark)
  }

  private func name(of type: Any.Type) -> ArchiveTag {
    let tag = tag(for: type)
    assert(registry.notes(tag, of: type))
    return tag
  }

  @inline(__always)
  private func locatingErrors(_ path: () -> CodingPathNode, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as KeyedArchiveError where error.codingPath.isEmpty {
      throw error.located(at: keys(of: path()))
    }
  }

  private func encodeSpecially<Value, Special: SpeciallyEncodable>(
    _ value: Value, as _: Special.Type, _ path: () -> CodingPathNode
  ) throws {
    try identical(value, to: Special.self).encode(into: self, path: path)
  }

  private func encodeRarely<Value, Rare: RarelyEncodable>(
    _ value: Value, as _: Rare.Type, _ path: () -> CodingPathNode
  ) throws {
    let slot = try openSlot()
    try identical(value, to: Rare.self).encodeStored(to: ValueEncoder(session: self, slot: slot, path: path()))
    output.closeSlot(slot)
  }

  /// Encodes a value through its own `encode(to:)`.
  @inline(__always)
  func encodePlainly<Value: Encodable>(_ value: Value, _ path: () -> CodingPathNode) throws {
    let slot = try openSlot()
    try value.encode(to: ValueEncoder(session: self, slot: slot, path: path()))
    output.closeSlot(slot)
  }

  /// Encodes a class instance, with the name of its class if a reader would expect another class.
  private func encodeInstance<Value: Encodable>(
    _ value: Value, isTypeKnown: Bool, _ path: () -> CodingPathNode
  ) throws {
    let dynamicType = type(of: value as Any)
    let version = traits(ofDynamic: dynamicType).version
    let isNamed = !isTypeKnown || dynamicType != Value.self || version > 1
    let name = isNamed ? try className(of: value, dynamicType) : nil
    try write(instance: value as AnyObject, name: name, version: version) {
      try encodePlainly(value, path)
      assert(registry.notesFields(of: value, userInfo: userInfo))
    }
  }

  /// Returns the name of an instance's class. Throws `tagClash` if a superclass has the same name, because the instance
  /// would be decoded as an instance of the superclass, without its own properties.
  private func className<Value>(of value: Value, _ dynamicType: Any.Type) throws -> ArchiveTag {
    let tag = registry.tag(for: dynamicType)
    func isInstance<Other>(of _: Other.Type) -> Bool { value is Other }
    let namesakes = [registry.registeredType(for: tag), registry.tag(for: Value.self) == tag ? Value.self : nil]
    for case let other? in namesakes
    where other != dynamicType && other is AnyObject.Type && _openExistential(other, do: isInstance) {
      throw KeyedArchiveError(
        .tagClash,
        """
        \(String(reflecting: dynamicType)) has the archive tag of its superclass, \"\(tag)\". Override archiveTag.
        """, tag: tag)
    }
    return name(of: dynamicType)
  }

  private func traits(ofDynamic type: Any.Type) -> TypeTraits {
    func open<T>(_ type: T.Type) -> TypeTraits { traits(of: type) }
    return _openExistential(type, do: open)
  }

  // MARK: Values whose type a reader does not know

  /// Encodes a value with all information that a reader needs to restore its type. Throws `notEncodable`.
  dynamic func encodeDynamically(_ value: Any, path: () -> CodingPathNode) throws {
    let mark = pathMark
    defer { forgetPaths(since: mark) }
    try locatingErrors(path) {
      if let mixed = value as? any MixedCollection, try mixed.encodeMixed(into: self, path: path) { return }
      guard let encodable = value as? any Encodable else { throw KeyedArchiveError.notEncodable(type(of: value)) }
      try encodeNamed(encodable, path)
    }
  }

  /// Encodes a value as above, but its type is known to be `Encodable`.
  dynamic func encodeDynamically<Value: Encodable>(known value: Value, path: () -> CodingPathNode) throws {
    let mark = pathMark
    defer { forgetPaths(since: mark) }
    let traits = traits(of: Value.self)
    if traits.isOptional, let optional = value as? any MixedCollection, try optional.encodeMixed(into: self, path: path)
    {
      return
    }
    try locatingErrors(path) {
      // Only an instance of a class can have another type than the declared one. A cast takes as long as two fields.
      guard traits.isClass else { return try encodeNamed(value, knowing: traits, path) }
      // Encodes the instance as its dynamic type, which may be a subclass. Outside its actor, a cast does not find a
      // conformance to `Encodable` that is isolated to the actor.
      let instance = value as Any as? any Encodable ?? value
      try encodeNamed(instance, path)
    }
  }

  private func encodeNamed<Value: Encodable>(
    _ value: Value, knowing traits: TypeTraits? = nil, _ path: () -> CodingPathNode
  ) throws {
    let traits = traits ?? self.traits(of: Value.self)
    if let type = traits.speciallyEncodable {
      if type.isSelfDescribing {
        try encodeSpecially(value, as: type, path)
      } else {
        try write(typeName: name(of: Value.self), version: 1) { try encodeSpecially(value, as: type, path) }
      }
    } else if let type = traits.rarelyEncodable {
      try write(typeName: name(of: Value.self), version: 1) { try encodeRarely(value, as: type, path) }
    } else if traits.isClass {
      try encodeInstance(value, isTypeKnown: false, path)
    } else if SelfDescribingScalars.contains(Value.self) {
      try encodePlainly(value, path)
    } else {
      try write(typeName: name(of: Value.self), version: traits.version) { try encodePlainly(value, path) }
    }
  }
}

/// The scalars that CBOR itself distinguishes, so that they need no name.
package enum SelfDescribingScalars {
  package static func contains(_ type: Any.Type) -> Bool {
    type == Int.self || type == String.self || type == Bool.self || type == Double.self
  }
}
