import GlobalData
import KeyedArchive
import ModelMapping

/// What values of one type store.
struct ModelShape: Equatable {
  var version: Int
  /// The types of the fields, by name. An optional field has a question mark behind its type.
  var fields: [String: String] = [:]
  /// What is stored in place of fields, for a type that stores no fields.
  var contents: Set<String> = []
  /// Whether fields are the cases of an enum, of which a sample shows some only.
  var isEnumeration = false

  // What today's type says about earlier shapes; not recorded.
  var formerTags: [String] = []
  var formerFieldNames: [String: [String]] = [:]
  var defaults: Set<String> = []
  /// Whether each field has a default, as those of a `Model` have.
  var hasDefaults = false
  var keepsUnknownFields = false

  init(version: Int) {
    self.version = version
  }

  init(_ type: Any.Type) {
    let archivable = type as? any Archivable.Type
    self.init(version: archivable?.archiveVersion ?? 1)
    formerTags = archivable?.formerArchiveTags.map(\.name) ?? []
    formerFieldNames = archivable?.formerFieldNames ?? [:]
    defaults = Set(archivable?.archiveDefaults.keys.map { $0 } ?? [])
    if let model = type as? any Model.Type { describe(model) }
  }

  private mutating func describe(_ model: any Model.Type) {
    hasDefaults = true
    do {
      let names = try StoredFieldNames(of: model)
      formerFieldNames.merge(names.former) { $0 + $1 }
      keepsUnknownFields = names.keepsUnknownFields
    } catch {
      // A model that cannot be used has no sample either, which says why.
    }
  }

  /// Whether values of the type can be read from archives without a field.
  func hasDefault(_ field: String) -> Bool {
    hasDefaults || defaults.contains(field)
  }
}

/// The shapes of all models of an app, and the types of its keys.
struct ArchiveSchema {
  var types: [String: ModelShape]
  var keys: [String: String]

  /// The types that fields name but no sample has a value of, each with a field.
  var unseenTypes: [String: String] {
    let registry = TypeRegistry.shared
    var unseen: [String: String] = [:]
    for (tag, shape) in types {
      for (name, type) in shape.fields where !type.contains("any ") {
        for part in type.typeNames where types[part] == nil && !registry.isStandard(ArchiveTag(part)) {
          if !ArchiveSchema.genericNames.contains(part) { unseen[part] = "\(tag).\(name)" }
        }
      }
    }
    return unseen
  }

  private static let genericNames: Set<String> = [
    "Set", "Range", "ClosedRange", "PartialRangeFrom", "PartialRangeThrough", "PartialRangeUpTo", "ContiguousArray",
    "CollectionDifference", "Any", "Array", "Dictionary", "Optional",
  ]
}

// MARK: - Text

/// A schema as a text with one line for each field, to be read in reviews:
///
///     GlobalData schema 1
///     key cars: [Car]
///     type Car 2
///       plate: String
///       note: String?
extension ArchiveSchema {
  private static let title = "GlobalData schema 1"

  var text: String {
    var lines = [ArchiveSchema.title]
    for (key, type) in keys.sorted(by: { $0.key < $1.key }) { lines.append("key \(key): \(type)") }
    for (tag, shape) in types.sorted(by: { $0.key < $1.key }) {
      lines.append("\(shape.isEnumeration ? "enum" : "type") \(tag) \(shape.version)")
      for content in shape.contents.sorted() { lines.append("  = \(content)") }
      for (name, type) in shape.fields.sorted(by: { $0.key < $1.key }) { lines.append("  \(name): \(type)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Reads a recorded text; `nil` when it is none.
  init?(text: String) {
    let lines = text.split(separator: "\n")
    guard lines.first.map(String.init) == ArchiveSchema.title else { return nil }
    types = [:]
    keys = [:]
    var tag = ""
    for line in lines.dropFirst() {
      if line.hasPrefix("  = ") {
        types[tag]?.contents.insert(String(line.dropFirst(4)))
      } else if line.hasPrefix("  "), let (name, type) = line.dropFirst(2).parts {
        types[tag]?.fields[name] = type
      } else if line.hasPrefix("key "), let (key, type) = line.dropFirst(4).parts {
        keys[key] = type
      } else if line.hasPrefix("type ") || line.hasPrefix("enum "), let end = line.lastIndex(of: " "),
        let version = Int(line[line.index(after: end)...])
      {
        tag = String(line[..<end].dropFirst(5))
        types[tag] = ModelShape(version: version)
        types[tag]?.isEnumeration = line.hasPrefix("enum ")
      } else {
        return nil
      }
    }
  }
}

extension Substring {
  /// A name and a type, which has no colon with a space behind it.
  fileprivate var parts: (name: String, type: String)? {
    var end = endIndex
    while let colon = self[..<end].lastIndex(of: ":") {
      if self[index(after: colon)...].hasPrefix(" ") {
        return (String(self[..<colon]), String(self[index(colon, offsetBy: 2)...]))
      }
      end = colon
    }
    return nil
  }
}

extension String {
  /// The names in a composed type: `Car` and `String` of `[String:Car?]`.
  var typeNames: [String] {
    split { "[]<>:?, ".contains($0) }.map(String.init)
  }
}
