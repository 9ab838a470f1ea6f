/// A mistake in a program's types that causes no error, because each single call is valid.
///
/// Encoding checks for mistakes in debug builds only; see ``TypeRegistry/handleWarnings(_:)``.
public struct ArchiveWarning: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of mistake.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    private let name: String

    /// A class encodes none of the properties that it adds to its superclass.
    public static let omittedProperties = Self(name: "omittedProperties")
    /// Two types are stored under the same tag.
    public static let tagClash = Self(name: "tagClash")

    public var description: String { name }
  }

  /// The kind of mistake.
  public let kind: Kind
  /// The full name of the type that has the mistake.
  public let typeName: String
  /// The properties that are lost, in declaration order.
  public let properties: [String]
  /// The tag that values of the type are stored under.
  public let tag: ArchiveTag
  /// A description of the mistake and of how to fix it.
  public let message: String

  public var description: String { "\(kind): \(message)" }

  fileprivate static func omittedProperties(
    _ properties: [String], of type: Any.Type, tag: ArchiveTag
  ) -> ArchiveWarning {
    let name = String(reflecting: type)
    return ArchiveWarning(
      kind: .omittedProperties, typeName: name, properties: properties, tag: tag,
      message: """
        \(name) encodes none of the properties that it adds to its superclass: \(properties.joined(separator: ", ")). \
        They are lost. Override encode(to:) and init(from:); or, if they are not meant to be stored, list them in \
        archiveOmittedProperties or call allowOmittedProperties(of:) of the TypeRegistry.
        """)
  }

  fileprivate static func tagClash(_ tag: ArchiveTag, of type: Any.Type, and other: Any.Type) -> ArchiveWarning {
    let name = String(reflecting: type)
    return ArchiveWarning(
      kind: .tagClash, typeName: name, properties: [], tag: tag,
      message: """
        \(name) is stored under the archive tag "\(tag)", which \(String(reflecting: other)) also has. \
        Unless the reader names the type, values of both decode as one type, or not at all. \
        Give one of them another archiveTag.
        """)
  }
}

extension TypeRegistry {
  /// Sets the function that receives warnings about the types that this registry's coders and stores use.
  ///
  /// Encoding checks for mistakes in debug builds only. A tag clash at `GlobalData.register`, which cannot throw, is a
  /// warning in every build. Each warning is given once in the lifetime of a registry. Without a handler, a warning is
  /// written to the system's log on Apple's systems (subsystem `GlobalData`, category `KeyedArchive`), and elsewhere to
  /// standard error, as one line. The handler is called on the thread that encodes. It must not wait for a store.
  ///
  /// To find out which keys a class writes, its `encode(to:)` is called again, with an encoder that discards the
  /// values.
  ///
  /// - Parameter handler: The function, which replaces any previous one.
  public func handleWarnings(_ handler: @escaping @Sendable (ArchiveWarning) -> Void) {
    audit.withLock { $0.handler = handler }
  }

  /// Declares that classes leave properties out of `encode(to:)` on purpose, so that no warning is given.
  ///
  /// This applies to the properties that the classes themselves add, not to those that their subclasses add. A class
  /// that conforms to ``Archivable`` can list its properties in ``Archivable/archiveOmittedProperties`` instead.
  public func allowOmittedProperties(of classes: any Encodable.Type...) {
    audit.withLock { audit in for type in classes { audit.exempt.append(ObjectIdentifier(type)) } }
  }

  /// Registers types for a caller that cannot throw. A clash of tags is a warning, in every build.
  package func registerOrWarn(_ types: [any (Codable & Sendable).Type], areOnMainActor: Bool = false) {
    for clash in clashes(registering: types, areOnMainActor: areOnMainActor) {
      warn(.tagClash(clash.tag, of: clash.type, and: clash.other))
    }
  }

  /// Passes a warning to the handler, or logs it without one, unless the same warning was given before.
  private func warn(_ warning: ArchiveWarning) {
    let (isNew, handler) = audit.withLock { audit in
      let isNew = !audit.given.contains(warning.message)
      if isNew { audit.given.append(warning.message) }
      return (isNew, audit.handler)
    }
    guard isNew else { return }
    if let handler { return handler(warning) }
    SystemLog.report("\(warning.kind)", warning.message, from: "KeyedArchive")
  }

  /// The handler of warnings, and the state of the checks that debug builds make.
  final class Audit {
    fileprivate(set) var handler: (@Sendable (ArchiveWarning) -> Void)?
    /// The messages of the warnings that were given.
    fileprivate(set) var given: [String] = []
    /// The classes that leave out properties on purpose.
    fileprivate(set) var exempt: [ObjectIdentifier] = []
    /// The number of examined instances of each class.
    fileprivate(set) var examined: [ObjectIdentifier: Int] = .init()
    /// The first type that was stored under each tag.
    fileprivate(set) var stored: [ArchiveTag: Any.Type] = .init()
  }

  // MARK: Checks of debug builds

  // These methods are called in `assert`, which release builds leave out. They return true because no finding is a
  // reason to stop the program.

  /// Records that a type is stored under a tag, and warns if another type is as well.
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

  /// The greatest number of instances of a class to examine if each has only `nil` in the properties that matter.
  private static let maximumExaminations = 16

  #if DEBUG  // Called only in asserts, which release builds leave out but still compile.
  /// Warns if a class between an instance's own class and its topmost one encodes none of its own properties.
  func notesFields(of instance: some Encodable, userInfo: [CodingUserInfoKey: any Sendable]) -> Bool {
    let type = Swift.type(of: instance as Any)
    let id = ObjectIdentifier(type)
    let exempt: [ObjectIdentifier]? = audit.withLock { audit in
      guard audit.examined[id, default: 0] < TypeRegistry.maximumExaminations else { return nil }
      audit.examined[id, default: 0] += 1
      return audit.exempt
    }
    guard let exempt else { return true }
    let (omissions, isFinal) = FieldAudit.examine(instance, userInfo: userInfo, exempt: exempt)
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
