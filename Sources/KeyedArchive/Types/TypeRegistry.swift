import FoundationCore

/// The types that decoding may create from a tag alone.
///
/// A tag in a file is looked up in the registry and nowhere else. A name never reaches the runtime, so no file can
/// create a type that the program did not register. The value types of the standard library and Foundation are always
/// known, and so are arrays, sets, dictionaries and optionals of known types.
public final class TypeRegistry: Sendable {
  /// The registry that encoders, decoders and stores use by default.
  public static let shared = TypeRegistry()

  private struct Registration {
    /// The first type with the tag, unless that type is one of the standard library or Foundation.
    var type: (any (Codable & Sendable).Type)?
    /// Whether the type may be `Codable` on the main actor only.
    var isOnMainActor = false
    /// The names of all types that claim the tag, if there are several. Such a tag is refused rather than guessed.
    var clash: [String] = []
  }

  private let registrations = Locked<[String: Registration]>(.init())
  let audit = Locked(Audit())

  /// Creates a registry that knows only the types of the standard library and Foundation.
  public init() {}

  /// Registers types under their tags and former tags.
  ///
  /// Registering a type again has no effect.
  ///
  /// - Throws: ``KeyedArchiveError`` with code `tagClash` if another type has one of the tags. The types without a
  ///   clash are registered. A tag that two types claim creates neither of them until the program is fixed.
  public func register<each Value: Codable & Sendable>(_ types: repeat (each Value).Type) throws {
    try register(TypeRegistry.list(repeat each types), areOnMainActor: false)
  }

  /// Registers types that conform to `Codable` on an actor.
  ///
  /// On the main actor, this method registers types that can be created on the main actor only. Elsewhere, decoding a
  /// value of such a type without naming the type throws.
  ///
  /// - Throws: ``KeyedArchiveError`` with code `tagClash` if another type has one of the tags.
  @_disfavoredOverload
  public func register(_ types: any (Codable & Sendable).Type...) throws {
    try register(types, areOnMainActor: MainQueue.isWorking)
  }

  /// Registers the types of a list, like the method for types that conform to `Codable` on an actor.
  ///
  /// - Throws: ``KeyedArchiveError`` with code `tagClash` if another type has one of the tags.
  public func register(_ types: [any (Codable & Sendable).Type]) throws {
    try register(types, areOnMainActor: MainQueue.isWorking)
  }

  private func register(_ types: [any (Codable & Sendable).Type], areOnMainActor: Bool) throws {
    if let clash = clashes(registering: types, areOnMainActor: areOnMainActor).first {
      throw TypeRegistry.clash(clash.tag, [String(reflecting: clash.other), String(reflecting: clash.type)])
    }
  }

  /// Returns the types of a call, in order. Generic arguments prove that the types need no actor. An existential
  /// metatype would hide that.
  package static func list<each Value: Codable & Sendable>(
    _ types: repeat (each Value).Type
  ) -> [any (Codable & Sendable).Type] {
    var list: [any (Codable & Sendable).Type] = []
    repeat list.append(each types)
    return list
  }

  typealias Clash = (tag: ArchiveTag, type: Any.Type, other: Any.Type)

  /// Registers types, and returns the clashes of those that did not get their tags.
  func clashes(registering types: [any (Codable & Sendable).Type], areOnMainActor: Bool) -> [Clash] {
    var clashes: [Clash] = []
    for type in types {
      for tag in [tag(for: type)] + formerTags(of: type) {
        if let other = register(type, tag, areOnMainActor) { clashes.append((tag, type, other)) }
      }
    }
    return clashes
  }

  /// Registers a type under one tag. Returns the type that already has the tag, if it is another type.
  private func register(
    _ type: any (Codable & Sendable).Type, _ tag: ArchiveTag, _ isOnMainActor: Bool
  ) -> (any (Codable & Sendable).Type)? {
    registrations.withLock { registrations in
      var registration = registrations[tag.name] ?? Registration()
      let known = registration.type ?? TypeRegistry.standardType(named: tag.name) ?? type
      let clashes = ObjectIdentifier(known) != ObjectIdentifier(type)
      if clashes {
        // A program may register its types again and again, for example with each view.
        for name in [String(reflecting: known), String(reflecting: type)] where !registration.clash.contains(name) {
          registration.clash.append(name)
        }
      } else {
        // Once a type is proved not to need the main actor, that remains so.
        registration.isOnMainActor = isOnMainActor && (registration.type == nil || registration.isOnMainActor)
        registration.type = type
      }
      registrations[tag.name] = registration
      return clashes ? known : nil
    }
  }

  private static func clash(_ tag: ArchiveTag, _ names: [String]) -> KeyedArchiveError {
    KeyedArchiveError(
      .tagClash,
      """
      The types \(names.joined(separator: " and ")) share the archive tag \"\(tag)\". \
      Give one of them another archiveTag.
      """, tag: tag)
  }

  /// Returns the former tags of a type. Those that a class inherits belong to its superclass.
  package func formerTags(of type: Any.Type) -> [ArchiveTag] {
    let tags = (type as? any Archivable.Type)?.formerArchiveTags ?? []
    guard !tags.isEmpty, let superclass = (type as? AnyClass).flatMap(_getSuperclass) as? any Archivable.Type else {
      return tags
    }
    return tags.filter { !superclass.formerArchiveTags.contains($0) }
  }

  /// Returns the tag under which values of a type are stored.
  ///
  /// Arrays, dictionaries, sets and optionals are named after their elements: `[CarInfo]`, `[String:CarInfo]`,
  /// `Set<CarInfo>`, `CarInfo?`.
  @inline(never)
  public func tag(for type: Any.Type) -> ArchiveTag {
    if let composite = type as? any CompositeType.Type { return tag(for: composite) }
    if let archivable = type as? any Archivable.Type { return archivable.archiveTag }
    return ArchiveTag(defaultArchiveName(of: type))
  }

  private func tag(for composite: any CompositeType.Type) -> ArchiveTag {
    let (form, arguments) = composite.composition
    var name = ""
    var remaining = arguments[...]
    for scalar in form.unicodeScalars {
      if scalar == "_", let argument = remaining.popFirst() {
        name += tag(for: argument).name
      } else {
        name.unicodeScalars.append(scalar)
      }
    }
    return ArchiveTag(name)
  }

  /// Returns the type that a tag denotes, or `nil` if none is registered under the tag.
  ///
  /// - Throws: ``KeyedArchiveError`` with code `tagClash` if two types claim the tag, or with code `notOnMainActor` off
  ///   the main actor if the type can be created only there.
  public func type(for tag: ArchiveTag) throws -> (any (Codable & Sendable).Type)? {
    try type(named: tag.name, composing: 0)
  }

  /// The greatest nesting of composite types that are created from a name alone. The runtime keeps each type that it
  /// creates until the process ends, so a file must not be able to request an unlimited number of types.
  private static let maximumComposition = 16

  private func type(named name: String, composing levels: Int) throws -> (any (Codable & Sendable).Type)? {
    let registered = registrations.withLock { $0[name] }
    if let registered {
      if !registered.clash.isEmpty { throw TypeRegistry.clash(ArchiveTag(name), registered.clash) }
      if registered.isOnMainActor, !MainQueue.isWorking { throw KeyedArchiveError.notOnMainActor(name) }
    }
    if let type = registered?.type ?? TypeRegistry.standardType(named: name) { return type }
    guard levels < TypeRegistry.maximumComposition else { return nil }
    return try CompositeName(name).flatMap { try type(composedAs: $0, levels + 1) }
  }

  private func type(composedAs name: CompositeName, _ levels: Int) throws -> (any (Codable & Sendable).Type)? {
    guard let first = try type(named: name.arguments[0], composing: levels) else { return nil }
    guard name.form == "[_:_]" else { return genericType(name.form, of: first) }
    guard let key = first as? any (Codable & Sendable & Hashable).Type,
      let value = try type(named: name.arguments[1], composing: levels)
    else { return nil }
    return dictionaryType(of: key, value)
  }

  /// Returns the type that was registered first under a tag, whether or not another type claimed the tag later.
  func registeredType(for tag: ArchiveTag) -> Any.Type? {
    registrations.withLock { $0[tag.name]?.type }
  }

  func accepts(_ tag: ArchiveTag, as type: Any.Type) -> Bool {
    if self.tag(for: type) == tag { return true }
    if let archivable = type as? any Archivable.Type { return archivable.formerArchiveTags.contains(tag) }
    guard let name = CompositeName(tag.name), let composite = type as? any CompositeType.Type else { return false }
    let (form, arguments) = composite.composition
    let areLists = TypeRegistry.listForms.contains(name.form) && TypeRegistry.listForms.contains(form)
    return (areLists || name.form == form) && zip(name.arguments, arguments).allSatisfy(acceptsElement)
  }

  /// The forms of collections that can be read as each other.
  private static let listForms = ["[_]", "Set<_>", "ContiguousArray<_>"]

  /// Returns whether elements stored under a name can be read as a type. Types of the standard library are left to
  /// decoding, which converts values if nothing is lost: an array of `Int32` can be read as an array of `Int`, and text
  /// as an enum. So is `nil`, which decoding refuses where a value is required. Elements of a
  /// collection of a superclass have their own tags, unless they are exactly of that class; the tags decide. An
  /// `ArchiveValue` can hold any value.
  private func acceptsElement(_ name: String, as type: Any.Type) -> Bool {
    if name.hasSuffix("?") { return acceptsElement(String(name.dropLast()), as: type) }
    if let optional = type as? any CompositeType.Type, optional.composition.form == "_?" {
      return optional.composition.arguments.allSatisfy { acceptsElement(name, as: $0) }
    }
    if accepts(ArchiveTag(name), as: type) || type == ArchiveValue.self { return true }
    if let superclass = (type as? AnyClass).flatMap(_getSuperclass), acceptsElement(name, as: superclass) {
      return true
    }
    guard TypeRegistry.standardType(named: name) != nil else { return false }
    return TypeRegistry.scalarNames.contains(name) || TypeRegistry.standardType(named: tag(for: type).name) != nil
  }

  /// The types whose values have no fields, so that only a type that stores such a value can be read from them.
  private static let scalarNames = StoredNumber.typeNames.union([
    "Bool", "Data", "Date", "Decimal", "String", "URL", "UUID",
  ])

  /// Returns whether a type is a program's own. Types of the standard library or Foundation, collections and wrappers
  /// are not.
  package func isModel(_ type: Any.Type) -> Bool {
    !isTransparent(type) && !isStandard(tag(for: type))
  }

  /// Returns whether a type is only a container, whose contents determine its stored form: a collection, an optional,
  /// or a wrapper.
  package func isTransparent(_ type: Any.Type) -> Bool {
    // A sort descriptor is named after its type argument but contains no value of it.
    (type is any CompositeType.Type && !(type is any RareGenericType.Type)) || type is any NamelessForm.Type
  }

  /// Returns whether a tag belongs to a type of the standard library or Foundation.
  package func isStandard(_ tag: ArchiveTag) -> Bool {
    TypeRegistry.standardType(named: tag.name) != nil
  }
}

/// A type of this module that is used between a coder and a program's own types, and has no name in archives.
protocol NamelessForm {}
