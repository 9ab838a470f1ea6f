/// A coding key that no `CodingKeys` type declares, such as a name, an index, a dictionary key or `super`.
package struct AnyCodingKey: CodingKey {
  private enum Name {
    case index(Int)
    case text(String)
    case integer(Int)
  }

  private let name: Name

  package init(index: Int) {
    name = .index(index)
  }

  package init(stringValue: String) {
    name = .text(stringValue)
  }

  package init(intValue: Int) {
    name = .integer(intValue)
  }

  package var stringValue: String {
    switch name {
    case .index(let index): "Index \(index)"
    case .text(let text): text
    case .integer(let integer): String(integer)
    }
  }

  package var intValue: Int? {
    switch name {
    case .index(let number), .integer(let number): number
    case .text: nil
    }
  }

  package static var superclass: AnyCodingKey { AnyCodingKey(stringValue: "super") }
}
