import FoundationCore

/// The declarations of a type about the forms that its earlier versions stored, determined once for each type.
final class TypeEvolution: Sendable {
  let type: any Archivable.Type
  let version: Int
  /// The former names of fields with their current names, in a fixed order.
  let formerNames: [(name: String, former: [String])]
  /// The encoded values of fields that may be absent, in a fixed order.
  let defaults: [(name: String, value: Data)]

  /// Returns whether a type declares anything that affects how its values are read.
  static func isStated(by type: any Archivable.Type) -> Bool {
    type.archiveVersion > 1 || !type.formerFieldNames.isEmpty || !type.archiveDefaults.isEmpty
  }

  private static let known = Locked(SharedCodeDictionary<ObjectIdentifier, TypeEvolution>())

  /// - Throws: ``KeyedArchiveError`` with code `invalidEncoding` if a default cannot be encoded.
  static func of(_ type: Any.Type) throws -> TypeEvolution? {
    let identifier = ObjectIdentifier(type)
    if let evolution = known.withLock({ $0[identifier] }) { return evolution }
    guard let type = type as? any Archivable.Type else { return nil }
    // Not under the lock, because all of this runs the type's own code.
    let evolution = try TypeEvolution(type)
    known.withLock { $0[identifier] = evolution }
    return evolution
  }

  private init(_ type: any Archivable.Type) throws {
    self.type = type
    version = max(1, type.archiveVersion)
    let (allFormerNames, values) = (type.formerFieldNames, type.archiveDefaults)
    formerNames = sorted(SharedCodeDictionary(allFormerNames).keys).map { ($0, allFormerNames[$0] ?? []) }
    defaults = try sorted(SharedCodeDictionary(values).keys).compactMap { name in
      do {
        return try values[name].map { (name, try encoded($0)) }
      } catch {
        throw KeyedArchiveError(
          .invalidEncoding, "The default of the field \"\(name)\" of \(type) cannot be encoded: \(error)",
          tag: type.archiveTag, underlyingError: error)
      }
    }
  }
}

/// Encodes a default. Marks of shared instances are numbered from the start of an archive, to which a default is added
/// later. So a default with marks is encoded as its tree, which has none.
///
/// The tree is read by its own function, because the compiler would copy the generic one, some 25 KB.
private func encoded(_ value: any Encodable) throws -> Data {
  var (data, hasMarks) = (Data(), false)
  try KeyedArchiveEncoder().encodeItem(value) { item in
    hasMarks = item.sharesInstances
    data = item.takeData()
  }
  guard hasMarks else { return data }
  let tree = try data.withUnsafeBytes { bytes in
    try KeyedArchiveDecoder().decode(bytes) { session in
      try ArchiveValue.decode(from: session, at: .start) { .root }
    }
  }
  return try encoded(tree)
}

private func sorted(_ names: [String]) -> [String] {
  EncodingSession.order(of: names).map { names[$0] }
}
