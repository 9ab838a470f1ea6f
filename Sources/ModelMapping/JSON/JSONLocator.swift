/// Finds where the value at a path begins in a text that a ``JSONScanner`` has checked. Used for errors only.
struct JSONLocator {
  private var cursor: JSONCursor

  /// Returns the offset of the value, or of the innermost existing value around it.
  static func offset(of path: ValuePath, in bytes: [UInt8]) -> Int {
    var locator = JSONLocator(cursor: JSONCursor(bytes))
    for component in path.components {
      let place = locator.cursor.position
      guard locator.enter(component) else { return place }
    }
    return locator.cursor.position
  }

  private mutating func enter(_ component: ValuePath.Component) -> Bool {
    let isObject = cursor.current == UInt8(ascii: "{")
    guard isObject || cursor.current == UInt8(ascii: "[") else { return false }
    var index = 0
    while cursor.enterNext(isFirst: index == 0) {
      let key = isObject ? cursor.takeKey() : nil
      switch component {
      case .index(let wanted) where key == nil ? wanted == index : key == String(wanted): return true
      case .key(let wanted) where wanted == key: return true
      default: cursor.skipValue()
      }
      index += 1
    }
    return false
  }
}
