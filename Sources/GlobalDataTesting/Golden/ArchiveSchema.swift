import KeyedArchive

/// The shapes of all models of an app, and the types of its keys.
struct ArchiveSchema {
  var types: [String: ModelShape] = [:]
  var keys: [String: String] = [:]

  /// The classes with a sample of a subclass, and their former tags. They are not recorded.
  var superclasses: [String: [String]] = [:]

  /// The types of polymorphic fields, whose values have the names of their own types. They are not recorded.
  var polymorphicTypes: Set<String> = []

  /// The types of fields and keys for which no sample has a value, each with one of these.
  var unseenTypes: [String: String] {
    var unseen: [String: String] = [:]
    for (tag, shape) in types {
      for (name, type) in shape.fields {
        for part in unseenParts(of: type) { unseen[part] = "\(tag).\(name)" }
      }
    }
    for (key, type) in keys {
      for part in unseenParts(of: type) { unseen[part] = "key \"\(key)\"" }
    }
    return unseen
  }

  /// Returns the parts of a composed type for which no sample has a value.
  ///
  /// The name of a program's generic type contains its arguments. An argument that is stored is the type of a field.
  private func unseenParts(of type: String) -> [String] {
    guard types[type] == nil, superclasses[type] == nil, !polymorphicTypes.contains(type),
      !TypeRegistry.shared.isStandard(ArchiveTag(type)), type != "Any", !type.hasPrefix("any ")
    else { return [] }
    guard let name = CompositeName(type), ArchiveSchema.standardForms.contains(name.form) else { return [type] }
    return name.arguments.flatMap(unseenParts)
  }

  static let standardForms: Set<String> = [
    "[_]", "[_:_]", "Set<_>", "_?", "Range<_>", "ClosedRange<_>", "PartialRangeFrom<_>", "PartialRangeThrough<_>",
    "PartialRangeUpTo<_>", "ContiguousArray<_>", "CollectionDifference<_>", "SIMD2<_>", "SIMD3<_>", "SIMD4<_>",
    "SIMD8<_>", "SIMD16<_>", "SIMD32<_>", "SIMD64<_>",
  ]
}

// MARK: - Text

/// A schema as text with one line for each field, for reviews:
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

  /// Reads a recorded text. Returns `nil` if it is not a schema.
  init?(text: String) {
    let lines = text.split(separator: "\n")
    guard lines.first.map(String.init) == ArchiveSchema.title else { return nil }
    self.init()
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
  /// A name and a type, which contains no colon followed by a space.
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
  /// Escapes a key for a field's name, in which dots separate the keys of a path, on one line.
  var schemaName: String { onOneLine.replacing(".", with: "\\.") }

  /// Escapes a key of a store.
  var onOneLine: String { replacing("\\", with: "\\\\").replacing("\n", with: "\\n") }
}
