#if DEBUG  // Release builds do not examine fields, and are smaller without this code.
/// Finds classes whose `encode(to:)` omits the properties that they add to their superclass.
///
/// The compiler synthesizes `encode(to:)` only for the class that conforms to `Codable`. A subclass without an override
/// is stored without its own properties, and no other check reports that. Omissions cannot be detected reliably,
/// because keys need not have the names of properties. The audit reports a class only if all of these conditions are
/// met:
///
/// - A superclass is also `Encodable`.
/// - The class adds stored properties of `Encodable` types that are not `nil` and are not declared as omitted.
/// - No key has the name of any such property, and no key belongs to a `CodingKeys` type inside the class.
/// - No more values are written than the other classes of the hierarchy have properties.
///
/// Only debug builds run the audit, once for each class, or a few times while the properties are `nil`.
enum FieldAudit {
  struct Omission {
    let type: Any.Type
    let properties: [String]
  }

  /// Returns the omissions that were found, and whether an examination of another instance would have the same result.
  static func examine<Instance: Encodable>(
    _ instance: Instance, userInfo: [CodingUserInfoKey: any Sendable], exempt: [ObjectIdentifier]
  ) -> (omissions: [Omission], isFinal: Bool) {
    // A custom mirror may show anything.
    guard !(instance is any CustomReflectable) else { return ([], true) }
    let levels = Array(sequence(first: Mirror(reflecting: instance), next: \.superclassMirror))
    let encodables = levels.prefix { $0.subjectType is any Encodable.Type }
    guard encodables.count > 1, encodables.dropLast().contains(where: { !$0.storedProperties.isEmpty }) else {
      return ([], true)
    }

    let recorder = FieldRecorder(userInfo: userInfo)
    do {
      try instance.encode(to: recorder)
    } catch {
      return ([], true)  // The first encoding had no error. The reason for this one is unknown.
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

  private static func isNil(_ value: Any) -> Bool { (value as? any PossiblyNil)?.isNil ?? false }
}

extension Mirror {
  /// The stored properties of one class, by their names in the program.
  fileprivate var storedProperties: [(name: String, value: Any)] {
    children.compactMap { child in
      // A lazy property depends on others. Names from the compiler and from macros also begin with a dollar sign.
      guard let label = child.label, !label.hasPrefix("$"), !label.hasPrefix("_$") else { return nil }
      // The storage of a wrapped property begins with an underscore.
      return (String(label.drop { $0 == "_" }), child.value)
    }
  }
}
#endif
