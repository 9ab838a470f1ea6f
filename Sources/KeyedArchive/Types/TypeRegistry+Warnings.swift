extension TypeRegistry {
  /// Makes a function take the warnings about types that this registry's coders and stores use.
  ///
  /// Encoding looks for mistakes in debug builds only. A tag clash at `GlobalData.register`, which cannot throw, is a
  /// warning in every build. Each warning is given once in the life of a registry. Without a handler a warning goes to
  /// the system's log on Apple's systems (subsystem `GlobalData`, category `KeyedArchive`), and elsewhere to standard
  /// error, as one line. The handler is called on the thread that encodes; it must not wait for a store.
  ///
  /// To see which keys a class writes, its `encode(to:)` is called once more, with an encoder that forgets the values.
  ///
  /// - Parameter handler: The function, in place of any that was set before.
  public func handleWarnings(_ handler: @escaping @Sendable (ArchiveWarning) -> Void) {
    audit.withLock { $0.handler = handler }
  }

  /// Says that classes leave properties out of `encode(to:)` on purpose, so that no warning is given.
  ///
  /// It counts for what the classes themselves add, not for what their subclasses do. A class that conforms to
  /// ``Archivable`` can list its properties in ``Archivable/archiveOmittedProperties`` instead.
  public func allowOmittedProperties(of classes: any Encodable.Type...) {
    audit.withLock { audit in for type in classes { audit.exempt.append(ObjectIdentifier(type)) } }
  }

  /// Registers types for a caller that has no way to throw: a clash of tags is a warning, in every build.
  package func registerOrWarn(_ types: [any (Codable & Sendable).Type], areOnMainActor: Bool = false) {
    for clash in clashes(registering: types, areOnMainActor: areOnMainActor) {
      warn(.tagClash(clash.tag, of: clash.type, and: clash.other))
    }
  }

  /// Gives a warning to the handler, unless the same one was given before.
  package func warn(_ warning: ArchiveWarning) {
    let (isNew, handler) = audit.withLock { audit in
      let isNew = !audit.given.contains(warning)
      if isNew { audit.given.append(warning) }
      return (isNew, audit.handler)
    }
    guard isNew else { return }
    if let handler { handler(warning) } else { warning.log() }
  }

  final class Audit {
    fileprivate(set) var handler: (@Sendable (ArchiveWarning) -> Void)?
    fileprivate(set) var given: [ArchiveWarning] = []
    /// The classes that leave out properties on purpose.
    fileprivate(set) var exempt: [ObjectIdentifier] = []
    /// How many instances of a class were looked at.
    fileprivate(set) var examined: [ObjectIdentifier: Int] = .init()
    /// The type that was stored first under each tag.
    fileprivate(set) var stored: [ArchiveTag: Any.Type] = .init()
  }
}

// MARK: - Checks of debug builds

// These are called in `assert`, which release builds leave out. They return true: what they find is no reason to stop.

extension TypeRegistry {
  /// Records that a type is stored under a tag, and warns where another type is as well.
  func notes(_ tag: ArchiveTag, of type: Any.Type) -> Bool {
    let registered = registeredType(for: tag)
    let other = audit.withLock { audit -> (Any.Type)? in
      let first = audit.stored[tag] ?? registered ?? type
      audit.stored[tag] = first
      return ObjectIdentifier(first) == ObjectIdentifier(type) ? nil : first
    }
    if let other { warn(.tagClash(tag, of: type, and: other)) }
    return true
  }

  /// The instances of one class that are looked at, if each has only `nil` in the properties that matter.
  private static let maximumExaminations = 16

  #if DEBUG  // Only asserts call it, which release builds leave out, but still compile.
  /// Warns where a class between an instance's own one and its topmost one encodes none of its own properties.
  func notesFields(of instance: some Encodable, userInfo: [CodingUserInfoKey: any Sendable]) -> Bool {
    let type = Swift.type(of: instance as Any)
    let id = ObjectIdentifier(type)
    let exempt: [ObjectIdentifier]? = audit.withLock { audit in
      guard audit.examined[id, default: 0] < TypeRegistry.maximumExaminations else { return nil }
      audit.examined[id, default: 0] += 1
      return audit.exempt
    }
    guard let exempt else { return true }
    let (omissions, isFinal) = FieldAudit(instance, userInfo: userInfo, exempt: exempt).result
    for omission in omissions {
      warn(.omittedProperties(omission.properties, of: omission.type, tag: tag(for: omission.type)))
    }
    if isFinal { audit.withLock { $0.examined[id] = TypeRegistry.maximumExaminations } }
    return true
  }
  #else
  func notesFields(of instance: some Encodable, userInfo: [CodingUserInfoKey: any Sendable]) -> Bool { true }
  #endif
}
