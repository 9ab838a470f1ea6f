#if DEBUG  // Release builds look at no fields, and are smaller without this.
/// Looks for classes whose `encode(to:)` forgot the properties that they add to their superclass.
///
/// The compiler writes `encode(to:)` for the class that conforms to `Codable` only. A subclass without an override is
/// stored without its own properties, and nothing else tells. What was forgotten cannot be known for sure, since keys
/// need not be named after properties; a class is suspected only where all of this holds:
///
/// - A superclass is `Encodable` too.
/// - The class adds stored properties of `Encodable` types that are not `nil`, and are not declared as omitted.
/// - No key has the name of one of them, and none is of a `CodingKeys` type inside the class.
/// - No more values are written than the other classes of the hierarchy have properties.
///
/// Used in debug builds, and there once for each class, or a few times while the properties are `nil`.
struct FieldAudit {
  struct Omission {
    let type: Any.Type
    let properties: [String]
  }

  /// What was found, and whether looking at another instance would find the same.
  let result: (omissions: [Omission], isFinal: Bool)

  init<Instance: Encodable>(
    _ instance: Instance, userInfo: [CodingUserInfoKey: any Sendable], exempt: [ObjectIdentifier]
  ) {
    result = FieldAudit.look(at: instance, userInfo, exempt)
  }

  private static func look<Instance: Encodable>(
    at instance: Instance, _ userInfo: [CodingUserInfoKey: any Sendable], _ exempt: [ObjectIdentifier]
  ) -> ([Omission], Bool) {
    // A mirror of one's own may show anything.
    guard !(instance is any CustomReflectable) else { return ([], true) }
    var levels: [Mirror] = []
    var next: Mirror? = Mirror(reflecting: instance)
    while let level = next {
      levels.append(level)
      next = level.superclassMirror
    }
    let encodables = levels.prefix { $0.subjectType is any Encodable.Type }
    guard encodables.count > 1, encodables.dropLast().contains(where: { !$0.storedProperties.isEmpty }) else {
      return ([], true)
    }

    let recorder = FieldRecorder(userInfo: userInfo)
    do {
      try instance.encode(to: recorder)
    } catch {
      return ([], true)  // It encoded itself without an error before; what it does differently now is not known.
    }
    guard !recorder.log.hasOpaqueValue else { return ([], true) }

    var omissions: [Omission] = []
    var isFinal = true
    for (index, level) in encodables.dropLast().enumerated() {
      let properties = level.storedProperties
      let omitted = (level.subjectType as? any Archivable.Type)?.archiveOmittedProperties ?? []
      guard !properties.isEmpty, !exempt.contains(ObjectIdentifier(level.subjectType)),
        !recorder.log.hasKeys(of: level.subjectType), recorder.log.names.isDisjoint(with: properties.map(\.name))
      else { continue }
      let others = levels.indices.filter { $0 != index }.reduce(0) { $0 + levels[$1].storedProperties.count }
      guard recorder.log.count <= others else { continue }
      let lost = properties.filter { $0.value is any Encodable && !isNil($0.value) && !omitted.contains($0.name) }
      if lost.isEmpty {
        isFinal = isFinal && !properties.contains { isNil($0.value) }
      } else {
        omissions.append(Omission(type: level.subjectType, properties: lost.map(\.name)))
      }
    }
    return (omissions, isFinal)
  }

  private static func isNil(_ value: Any) -> Bool {
    (value as? any PossiblyNil)?.isNil ?? false
  }
}

extension Mirror {
  /// The stored properties of one class, by the names that a program gave them.
  fileprivate var storedProperties: [(name: String, value: Any)] {
    children.compactMap { child in
      // A lazy property is made from others; what the compiler and macros add begins with a dollar sign, too.
      guard let label = child.label, !label.hasPrefix("$"), !label.hasPrefix("_$") else { return nil }
      // The storage behind a wrapped property begins with an underscore.
      return (String(label.drop { $0 == "_" }), child.value)
    }
  }
}
#endif
