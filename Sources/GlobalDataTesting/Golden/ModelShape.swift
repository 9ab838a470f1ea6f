import GlobalData
import KeyedArchive

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
  var keepsUnknownFields = false

  init(version: Int) {
    self.version = version
  }

  init(_ type: Any.Type) {
    guard let type = type as? any Archivable.Type else {
      self.init(version: 1)
      return
    }
    self.init(version: type.archiveVersion)
    formerTags = type.formerArchiveTags.map(\.name)
    formerFieldNames = type.formerFieldNames
    defaults = Set(type.archiveDefaults.keys)
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
