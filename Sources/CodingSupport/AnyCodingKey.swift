/// A coding key that no `CodingKeys` type declares, such as a name, an index, a dictionary key or `super`.
package enum AnyCodingKey: CodingKey {
  case index(Int)
  case text(String)
  case integer(Int)

  package init(index: Int) { self = .index(index) }

  package init(stringValue: String) { self = .text(stringValue) }

  package init(intValue: Int) { self = .integer(intValue) }

  package var stringValue: String {
    switch self {
    case .index(let index): "Index \(index)"
    case .text(let text): text
    case .integer(let integer): String(integer)
    }
  }

  package var intValue: Int? {
    switch self {
    case .index(let number), .integer(let number): number
    case .text: nil
    }
  }

  package static var superclass: AnyCodingKey { AnyCodingKey(stringValue: "super") }
}

extension CodingKey {
  /// The index of an element, or `nil` for the key of a field or of a dictionary's value, which can be an integer, too:
  /// only the keys of elements have this text, with every coder.
  package var elementIndex: Int? { stringValue.hasPrefix("Index ") ? intValue : nil }
}
