import GlobalData

// A value for the page has its type as "t", and either its text as "s" or its parts as "p", pairs of a name and a
// value. Numbers are text, because JavaScript would round them.

extension TextWriter {
  /// Appends a value for the page, however deeply it is nested.
  func append(node value: ArchiveValue) { value.withDeepStack { write(node: value) } }

  /// Writes a value with the name of a type, by default its own.
  private func write(node value: ArchiveValue, named name: String? = nil) {
    switch value {
    case .object(let object):
      writeParts(of: name ?? object.tag?.name ?? "Dictionary", count: object.fields.count) {
        append(text: object.fields[$0].name)
        return object.fields[$0].value
      }
    case .map(let pairs):
      writeParts(of: name ?? "Dictionary", count: pairs.count) {
        append(nameOf: pairs[$0].key)
        return pairs[$0].value
      }
    case .array, .numbers, .set:
      var ownName = "Array"
      if case .set = value { ownName = "Set" }
      let elements = value.array ?? []
      writeParts(of: name ?? ownName, count: elements.count) {
        append("\"\($0)\"")
        return elements[$0]
      }
    case .named(let tag, _, let content): write(node: content, named: name ?? tag.name)
    case .tagged(let tag, let content): write(node: content, named: name ?? "tag \(tag)")
    default:
      append("{\"t\":")
      append(text: name ?? PageNode.typeName(of: value))
      append(",\"s\":")
      append(text: PageNode.text(of: value))
      append("}")
    }
  }

  /// Writes the parts of a value. The function writes the name of a part and returns its value.
  private func writeParts(of type: String, count: Int, _ writeName: (Int) -> ArchiveValue) {
    append("{\"t\":")
    append(text: type)
    append(",\"p\":[")
    for index in 0..<count where !hasFailed {
      append(index == 0 ? "[" : ",[")
      let value = writeName(index)
      append(",")
      write(node: value)
      append("]")
    }
    append("]}")
  }
}

/// The page's text for values without parts.
enum PageNode {
  static func text(of value: ArchiveValue) -> String {
    switch value {
    case .string(let text): return text
    case .undefined, .simple: return value.diagnostic
    default:
      let json = value.json()
      return json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : json
    }
  }

  static func typeName(of value: ArchiveValue) -> String {
    switch value {
    case .null: "nil"
    case .bool: "Bool"
    case .int: "Int"
    case .uint: "UInt"
    case .bigInteger: "integer"
    case .double: "Double"
    case .decimal: "Decimal"
    case .string: "String"
    case .data: "Data"
    case .date: "Date"
    case .uuid: "UUID"
    case .url: "URL"
    default: "simple value"
    }
  }
}
