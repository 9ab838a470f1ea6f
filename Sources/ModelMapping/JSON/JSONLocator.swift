/// Finds where the value at a path begins in a text that a ``JSONScanner`` has checked. Used for errors only.
struct JSONLocator {
  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The offset of the value, or of the innermost value around it that is there.
  static func offset(of path: ValuePath, in bytes: [UInt8]) -> Int {
    var locator = JSONLocator(bytes)
    locator.skipSpace()
    for component in path.components {
      let place = locator.position
      guard locator.enter(component) else { return place }
    }
    return locator.position
  }

  /// Goes to an element of the array, or a member of the object, at the current place.
  private mutating func enter(_ component: ValuePath.Component) -> Bool {
    let isObject = current == UInt8(ascii: "{")
    guard isObject || current == UInt8(ascii: "[") else { return false }
    position += 1
    var index = 0
    while true {
      skipSpace()
      guard let current, current != UInt8(ascii: "}"), current != UInt8(ascii: "]") else { return false }
      var key: String?
      if isObject {
        let start = position
        skipText()
        key = JSONString.unescaped(bytes[min(start + 1, position)..<max(position - 1, min(start + 1, position))])
        skipSpace()
        position += 1  // the colon
        skipSpace()
      }
      switch component {
      case .index(let wanted) where key == nil ? wanted == index : key == String(wanted): return true
      case .key(let wanted) where wanted == key: return true
      default: skipValue()
      }
      skipSpace()
      guard self.current == UInt8(ascii: ",") else { return false }
      position += 1
      index += 1
    }
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let current, [0x20, 0x0a, 0x0d, 0x09].contains(current) { position += 1 }
  }

  private mutating func skipText() {
    position += 1
    while let current, current != UInt8(ascii: "\"") { position += current == UInt8(ascii: "\\") ? 2 : 1 }
    position = min(position + 1, bytes.count)
  }

  private mutating func skipValue() {
    var depth = 0
    repeat {
      switch current {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case UInt8(ascii: "\""): skipText()
      case nil: return
      default:
        position += 1
        // The rest of a word or number, up to what ends it.
        while let current, !",]} \n\r\t".utf8.contains(current), depth == 0 { position += 1 }
      }
    } while depth > 0
  }
}
