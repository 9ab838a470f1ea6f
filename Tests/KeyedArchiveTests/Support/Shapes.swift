import Foundation
import KeyedArchive
import TestSupport

/// A registry that knows the sample shapes.
func shapeRegistry() throws -> TypeRegistry {
  let registry = TypeRegistry()
  try registry.register(
    Circle.self, Rectangle.self, Symbol.self, Polygon.self, Star.self, Badge.self, Stamp.self, CarInfo.self)
  return registry
}

/// A protocol that does not refine `Codable`. Conforming types may be `Codable`.
protocol Drawable: Sendable {
  var label: String { get }
}

extension Circle: Drawable { var label: String { "circle \(radius)" } }
extension Symbol: Drawable { var label: String { "symbol \(self)" } }

/// A protocol that refines `Archivable`.
protocol Document: Archivable {
  var title: String { get }
}

struct Badge: Document, Equatable {
  static let archiveTag: ArchiveTag = "a badge"
  static let archiveVersion = 2

  var title: String
}

struct Stamp: Document, Equatable {
  static let formerArchiveTags: [ArchiveTag] = ["Label"]

  var title: String
  var value: Decimal
}

/// Mixed collections in every position of a model.
struct Drawing: Codable, Sendable {
  @Polymorphic var shapes: [any Shape]
  @Polymorphic var background: (any Shape)?
  @Polymorphic var frame: (any Shape)? = nil
  @Polymorphic var main: any Shape = Circle(radius: 9)
  @Polymorphic var byName: [String: any Shape] = [:]
  @Polymorphic var optionalShapes: [any Shape]? = nil
  @Polymorphic var gaps: [(any Shape)?] = []
  @Polymorphic var rows: [[String: [any Shape]]] = []
  @Polymorphic var notes: [any Sendable] = []
  @Polymorphic var details: [String: any Sendable] = [:]
  @Polymorphic var drawables: [any Drawable] = []
  @Polymorphic var documents: [any Document] = []
  @Polymorphic var archivables: [any Archivable] = []
  @Polymorphic var values: [any Codable & Sendable] = []
  @Polymorphic var polygons: [Polygon] = []
  @Polymorphic var circle: Circle? = nil
  var title = "untitled"

  /// A drawing with a value in every position.
  static let sample = Drawing(
    shapes: [Circle(radius: 1), Rectangle(width: 2, height: 3), Symbol.dot, Symbol.letter("a", size: 4)],
    background: Rectangle(width: 8, height: 8),
    main: Symbol.dot,
    byName: ["big": Circle(radius: 5), "Circle": Symbol.dot],
    optionalShapes: [Circle(radius: 6)],
    gaps: [nil, Circle(radius: 7), nil],
    rows: [["a": [Circle(radius: 1), Symbol.dot], "b": []], [:]],
    notes: [
      3, true, 3.0, "text", Int8(4), UInt64.max, Date(timeIntervalSinceReferenceDate: 5), Data([1, 2]), noteID,
      noteURL, Decimal(25) / 100, [1, 2] as [Int], Circle(radius: 2), nil as Int?, 7 as Int?,
      [1, "two", [Circle(radius: 3)] as [any Shape]] as [any Sendable],
      ["key": false, "inner": ["x": Symbol.dot] as [String: any Sendable]] as [String: any Sendable],
    ],
    details: ["count": 1, "isOn": true, "ratio": 1.0, "Int": "not a tag", "list": ["a", 1] as [any Sendable]],
    drawables: [Circle(radius: 1), Symbol.dot],
    documents: [Badge(title: "first"), Stamp(title: "second", value: 2)],
    archivables: [Badge(title: "third")],
    values: [1, "two", Circle(radius: 3)],
    polygons: [Star(points: 5), Polygon(corners: 3)],
    circle: Circle(radius: 11),
    title: "sample")

  static let noteID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  static let noteURL = URL(fileURLWithPath: "/a/b")
}

/// Describes a value of any type, with the types of all parts, in a form that can be compared.
func outline(_ value: Any?) -> String {
  switch value {
  case nil: "nil"
  case let star as Star: "Star(\(star.points), \(star.corners))"
  case let polygon as Polygon: "Polygon(\(polygon.corners))"
  case let date as Date: "Date(\(date.timeIntervalSinceReferenceDate))"
  case let numbers as [Int] where type(of: value ?? 0) == [Int].self: "[Int]\(numbers)"
  case let array as [Any]: "[" + array.map { outline($0) }.joined(separator: ", ") + "]"
  case let pairs as [String: Any]:
    "[" + pairs.sorted { $0.key < $1.key }.map { "\($0.key): \(outline($0.value))" }.joined(separator: ", ") + "]"
  case .some(let value):
    if let optional = value as? any AnyOptional { outline(optional.contents) } else { "\(type(of: value)) \(value)" }
  }
}

private protocol AnyOptional {
  var contents: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var contents: Any? { self }
}

extension Drawing {
  /// Describes the value in each position, with its type.
  var outlines: [String: String] {
    [
      "shapes": outline(shapes), "background": outline(background), "frame": outline(frame), "main": outline(main),
      "byName": outline(byName), "optionalShapes": outline(optionalShapes), "gaps": outline(gaps),
      "rows": outline(rows), "notes": outline(notes), "details": outline(details), "drawables": outline(drawables),
      "documents": outline(documents), "archivables": outline(archivables), "values": outline(values),
      "polygons": outline(polygons), "circle": outline(circle), "title": title,
    ]
  }
}
