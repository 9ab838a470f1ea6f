/// A protocol whose values are distinguished only by their types. It refines `Codable & Sendable`.
public protocol Shape: Codable, Sendable {
  var area: Double { get }
}

public struct Circle: Shape, Equatable {
  public var radius: Double
  public var area: Double { 3 * radius * radius }

  public init(radius: Double) { self.radius = radius }
}

public struct Rectangle: Shape, Equatable {
  public var width: Double
  public var height: Double
  public var area: Double { width * height }

  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }
}

/// A shape that is an enum, with a payload or without.
public enum Symbol: Shape, Equatable {
  case dot
  case letter(String, size: Int)

  public var area: Double { 0 }
}

/// A shape that is a class with a subclass.
open class Polygon: Shape, @unchecked Sendable {
  public let corners: Int
  public var area: Double { 0 }

  public init(corners: Int) { self.corners = corners }
}

public final class Star: Polygon, @unchecked Sendable {
  public let points: Int

  private enum CodingKeys: CodingKey {
    case points
  }

  public init(points: Int) {
    self.points = points
    super.init(corners: 2 * points)
  }

  public required init(from decoder: any Decoder) throws {
    points = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .points)
    try super.init(from: decoder)
  }

  public override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(points, forKey: .points)
  }
}
