import GlobalData

/// A value for the page: its type as "t", and either its text as "s" or its parts as "p", pairs of a name and a value.
///
/// Numbers stand as text, because JavaScript would round them.
enum PageNode {
  static func node(of value: ArchiveValue) -> ArchiveValue {
    switch value {
    case .object(let object):
      return parts(object.tag?.name ?? "Dictionary", object.fields.map { ($0.name, $0.value) })
    case .map(let pairs):
      return parts("Dictionary", pairs.map { ($0.key.string ?? $0.key.diagnostic, $0.value) })
    case .array, .numbers, .set:
      var name = "Array"
      if case .set = value { name = "Set" }
      return parts(name, (value.array ?? []).enumerated().map { (String($0), $1) })
    case .named(let tag, _, let content):
      return named(tag.name, node(of: content))
    case .tagged(let tag, let content):
      return named("tag \(tag)", node(of: content))
    default:
      return ["t": .string(typeName(of: value)), "s": .string(text(of: value))]
    }
  }

  private static func parts(_ type: String, _ parts: [(String, ArchiveValue)]) -> ArchiveValue {
    ["t": .string(type), "p": .array(parts.map { .array([.string($0), node(of: $1)]) })]
  }

  private static func named(_ name: String, _ node: ArchiveValue) -> ArchiveValue {
    var node = node
    node["t"] = .string(name)
    return node
  }

  private static func text(of value: ArchiveValue) -> String {
    switch value {
    case .string(let text): return text
    case .undefined, .simple: return value.diagnostic
    default:
      let json = value.json()
      return json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : json
    }
  }

  private static func typeName(of value: ArchiveValue) -> String {
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
