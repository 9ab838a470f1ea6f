import GlobalData

// A value for the page: its type as "t", and either its text as "s" or its parts as "p", pairs of a name and a value. Numbers
// stand as text, because JavaScript would round them.

extension JSONWriter {
  /// Appends a value for the page, however deeply it is nested.
  mutating func append(node value: ArchiveValue) throws(Failure) {
    try value.withDeepStack { () throws(Failure) in try write(node: value) }
  }

  /// Writes a value under the name of a type, by default that of its own.
  private mutating func write(node value: ArchiveValue, named name: String? = nil) throws(Failure) {
    switch value {
    case .object(let object):
      try beginParts(name ?? object.tag?.name ?? "Dictionary")
      var isFirst = true
      for field in object.fields {
        try stream.append(isFirst ? "[" : ",[")
        isFirst = false
        try append(text: field.name)
        try endPart(field.value)
      }
      try stream.append("]}")
    case .map(let pairs):
      try beginParts(name ?? "Dictionary")
      var isFirst = true
      for pair in pairs {
        try stream.append(isFirst ? "[" : ",[")
        isFirst = false
        try append(nameOf: pair.key)
        try endPart(pair.value)
      }
      try stream.append("]}")
    case .array, .numbers, .set:
      var ownName = "Array"
      if case .set = value { ownName = "Set" }
      try beginParts(name ?? ownName)
      for (index, element) in (value.array ?? []).enumerated() {
        try stream.append(index == 0 ? "[\"\(index)\"" : ",[\"\(index)\"")
        try endPart(element)
      }
      try stream.append("]}")
    case .named(let tag, _, let content): try write(node: content, named: name ?? tag.name)
    case .tagged(let tag, let content): try write(node: content, named: name ?? "tag \(tag)")
    default:
      try stream.append("{\"t\":")
      try append(text: name ?? PageNode.typeName(of: value))
      try stream.append(",\"s\":")
      try append(text: PageNode.text(of: value))
      try stream.append("}")
    }
  }

  private mutating func beginParts(_ type: String) throws(Failure) {
    try stream.append("{\"t\":")
    try append(text: type)
    try stream.append(",\"p\":[")
  }

  private mutating func endPart(_ value: ArchiveValue) throws(Failure) {
    try stream.append(",")
    try write(node: value)
    try stream.append("]")
  }
}

/// What the page shows of values that hold no others.
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
