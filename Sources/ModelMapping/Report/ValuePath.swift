/// The way to a value in what was read: `body.data[3].speed`.
public struct ValuePath: Hashable, Sendable {
  /// A step of a path.
  public enum Component: Hashable, Sendable {
    /// Into an object, by a key.
    case key(String)
    /// Into an array, by a place counted from 0.
    case index(Int)
  }

  /// The steps from the outermost value inwards.
  public var components: [Component]

  /// A path of steps.
  public init(_ components: [Component]) {
    self.components = components
  }

  init(_ codingPath: [any CodingKey]) {
    components = codingPath.map { key in key.intValue.map(Component.index) ?? .key(key.stringValue) }
  }
}

extension ValuePath: CustomStringConvertible {
  public var description: String {
    components.reduce(into: "") { text, component in
      switch component {
      case .index(let index): text += "[\(index)]"
      case .key(let key): text += text.isEmpty ? key : ".\(key)"
      }
    }
  }
}

extension ValuePath: ExpressibleByArrayLiteral {
  public init(arrayLiteral components: Component...) {
    self.init(components)
  }
}
