import KeyedArchive
import ModelMapping

/// The fields or kinds of value that values of one type store.
struct ModelShape: Equatable {
  var version: Int
  /// The types of the fields, by name. An optional field has a question mark after its type.
  var fields: [String: String] = [:]
  /// The stored kinds of value, for a type without fields.
  var contents: Set<String> = []
  /// Whether the fields are the cases of an enum. A sample may show only some of them.
  var isEnumeration = false

  // Declarations of the current type about earlier shapes; not recorded.
  var formerTags: [String] = []
  var formerFieldNames: [String: [String]] = [:]
  var defaults: Set<String> = []
  /// Whether each field has a default, as in a `Model`.
  var hasDefaults = false
  /// The fields whose types come from a sample; `nil` for all, if the type itself does not declare them.
  var undeclaredFields: Set<String>?
  var keepsUnknownFields = false
}

extension ModelShape {
  init(_ type: Any.Type, name: (Any.Type) -> String) throws {
    let archivable = type as? any Archivable.Type
    self.init(version: max(1, archivable?.archiveVersion ?? 1))
    formerTags = TypeRegistry.shared.formerTags(of: type).map(\.name)
    formerFieldNames = archivable?.formerFieldNames ?? [:]
    defaults = Set(archivable?.archiveDefaults.keys.map { $0 } ?? [])
    if let model = type as? any Model.Type { try describe(model, name) }
  }

  private mutating func describe(_ model: any Model.Type, _ typeName: (Any.Type) -> String) throws {
    hasDefaults = true
    let stored = try ModelFields(of: model)
    keepsUnknownFields = stored.keepsUnknownFields
    undeclaredFields = []
    for field in stored.fields {
      let name = ModelShape.name(field.path)
      formerFieldNames[name, default: []] += field.formerPaths.map(ModelShape.name)
      if let type = field.type {
        fields[name] = typeName(type)
      } else {
        undeclaredFields?.insert(name)  // the type of a converter's form is only known when it is written
      }
    }
  }

  private static func name(_ path: [String]) -> String {
    path.map(\.schemaName).joined(separator: ".")
  }

  /// Returns whether values of the type can be read from archives without a field.
  func hasDefault(_ field: String) -> Bool { hasDefaults || defaults.contains(field) }
}
