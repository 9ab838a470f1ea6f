import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Properties with values whose types are known only at run time, in archives.
@Suite struct PolymorphicTests {
  private let registry: TypeRegistry
  private var encoder: KeyedArchiveEncoder { KeyedArchiveEncoder(registry: registry) }
  private var decoder: KeyedArchiveDecoder { KeyedArchiveDecoder(registry: registry) }

  init() throws {
    registry = try shapeRegistry()
  }

  private func copy<Value: Codable>(_ value: Value) throws -> Value {
    try decoder.decode(Value.self, from: encoder.encode(value))
  }

  @Test func everyPositionInAModelKeepsTheTypesOfItsValues() throws {
    let copy = try copy(Drawing.sample)
    #expect(copy.outlines == Drawing.sample.outlines)
    // The outlines are exact: they distinguish an Int from a Double and a Bool.
    #expect(
      copy.outlines["notes"]?.hasPrefix(#"[Int 3, Bool true, Double 3.0, String text, Int8 4, UInt64 18"#) == true)
    #expect(copy.notes[2] as? Double == 3)
    #expect(copy.notes[2] as? Int == nil)
    #expect(copy.notes[1] as? Int == nil)
    #expect(copy.shapes[3] as? Symbol == .letter("a", size: 4))
    #expect(copy.rows[0]["a"]?[1] as? Symbol == .dot)
    #expect((copy.polygons[0] as? Star)?.points == 5)
    #expect(copy.documents[0] as? Badge == Badge(title: "first"))
    #expect(copy.drawables[1].label == "symbol dot")
  }

  @Test func aModelIsReadWithoutNamingItsType() throws {
    try registry.register(Drawing.self)
    let data = try encoder.encode([Drawing.sample, 1] as [any Sendable])
    let copy = try #require(try decoder.decode(from: data) as? [any Sendable])
    #expect((copy[0] as? Drawing)?.outlines == Drawing.sample.outlines)
  }

  @Test func emptyAndAbsentValuesAreRestored() throws {
    let copy = try copy(Drawing(shapes: [], background: nil))
    #expect(copy.outlines == Drawing(shapes: [], background: nil).outlines)
    #expect(copy.outlines["main"] == "Circle Circle(radius: 9.0)")
    #expect(copy.outlines["optionalShapes"] == "nil")
  }

  @Test func anAbsentFieldIsNilIfItIsOptionalAndElseAnError() throws {
    struct Optionals: Codable {
      @Polymorphic var one: (any Shape)?
      @Polymorphic var many: [any Shape]?
      @Polymorphic var twice: (any Shape)??
    }
    let none = try decoder.decode(Optionals.self, from: encoder.encode([:] as ArchiveValue))
    #expect(none.one == nil)
    #expect(none.many == nil)
    #expect(none.twice == nil)
    // Nil is omitted, except for an inner nil.
    let tree = try decoder.decode(
      ArchiveValue.self, from: encoder.encode(Optionals(one: nil, many: nil, twice: .some(nil))))
    #expect(tree.object?.fields.map(\.name) == ["twice"])
    let inner = try copy(Optionals(one: nil, many: nil, twice: .some(nil)))
    #expect(inner.twice != nil)
    #expect(try #require(inner.twice) == nil)
    let missing = try complaint { try decoder.decode(Drawing.self, from: encoder.encode([:] as ArchiveValue)) }
    #expect(missing.kind == .keyNotFound)
    #expect(missing.message.contains("shapes"))
    // Null is also read as nil.
    let null = try decoder.decode(
      Optionals.self, from: encoder.encode(["one": nil, "many": nil] as ArchiveValue))
    #expect(null.one == nil)
  }

  @Test func eachValueIsStoredUnderItsTag() throws {
    struct Picture: Codable {
      @Polymorphic var shapes: [any Shape]
      @Polymorphic var notes: [any Sendable]
    }
    let picture = Picture(shapes: [Circle(radius: 1)], notes: [1, true, 1.5])
    let tree = try decoder.decode(ArchiveValue.self, from: encoder.encode(picture))
    #expect(
      tree
        == object(
          "PolymorphicTests.Picture", ["shapes": [object("Circle", ["radius": 1.0])], "notes": [1, true, 1.5]]))
  }

  @Test func theWrapperReadsAndWritesCollectionsOnTheirOwn() throws {
    let shapes: [any Shape] = [Circle(radius: 1), Symbol.dot]
    let data = try encoder.encode(shapes as any Sendable)
    #expect(try encoder.encode(Polymorphic(wrappedValue: shapes)) == data)
    #expect(outline(try decoder.decode(Polymorphic<[any Shape]>.self, from: data).wrappedValue) == outline(shapes))
    #expect(registry.tag(for: Polymorphic<[any Shape]>.self) == "[Shape]")
    // An array of one type was stored with the name of that type.
    let circles = try encoder.encode([Circle(radius: 1), Circle(radius: 2)])
    #expect(try decoder.decode(Polymorphic<[any Shape]>.self, from: circles).wrappedValue.map(\.area) == [3, 12])
    let numbers = try encoder.encode([1, 2])
    #expect(try decoder.decode(Polymorphic<[any Sendable]>.self, from: numbers).wrappedValue.count == 2)
    #expect(try decoder.decode(Polymorphic<any Shape>.self, from: encoder.encode(Symbol.dot)).wrappedValue is Symbol)
    #expect(try decoder.decode(Polymorphic<Int8>.self, from: encoder.encode(Int8(3))).wrappedValue == 3)
  }

  @Test func aPropertyMayBecomePolymorphicAndPlainAgain() throws {
    struct Before: Codable { var circles: [Circle] }
    struct After: Codable { @Polymorphic var circles: [Circle] }
    struct Loose: Codable { @Polymorphic var circles: [any Shape] }
    let circles = [Circle(radius: 1), Circle(radius: 2)]
    func read<Value: Decodable>(_ type: Value.Type, _ value: some Encodable) throws -> Value {
      let tree = try decoder.decode(ArchiveValue.self, from: encoder.encode(value))
      return try decoder.decode(type, from: encoder.encode(["circles": #require(tree["circles"])] as ArchiveValue))
    }
    #expect(try read(After.self, Before(circles: circles)).circles == circles)
    #expect(try read(Before.self, After(circles: circles)).circles == circles)
    #expect(try read(Before.self, Loose(circles: circles)).circles == circles)
    #expect(try read(Loose.self, After(circles: circles)).circles.map(\.area) == [3, 12])
  }

  // MARK: Identity

  private struct Gallery: Codable {
    @Polymorphic var left: [any Shape]
    @Polymorphic var right: [String: any Sendable]
    var first: Polygon
  }

  @Test func oneInstanceIsRestoredAsOneInstance() throws {
    let star = Star(points: 5)
    let copy = try copy(
      Gallery(
        left: [star, Circle(radius: 1), star],
        right: ["a": [star] as [any Sendable], "b": [star] as [Polygon], "c": star], first: star))
    let first = try #require(copy.first as? Star)
    #expect(first.points == 5)
    #expect(copy.left[0] as? Star === first)
    #expect(copy.left[2] as? Star === first)
    #expect((copy.right["a"] as? [any Sendable])?[0] as? Star === first)
    #expect((copy.right["b"] as? [Polygon])?[0] === first)
    #expect(copy.right["c"] as? Star === first)
    let mixed: [any Sendable] = [star, ["x": [star] as [any Shape]] as [String: any Sendable]]
    let again = try #require(try decoder.decode(from: encoder.encode(mixed)) as? [any Sendable])
    let nested = (again[1] as? [String: any Sendable])?["x"] as? [any Shape]
    #expect(nested?[0] as? Star === again[0] as? Star)
  }

  @Test func manyReferencesToOneInstanceAreAllowed() throws {
    struct Many: Codable {
      @Polymorphic var shapes: [any Shape]
      @Polymorphic var gaps: [(any Shape)?]
      @Polymorphic var polygons: [Polygon]
    }
    let star = Star(points: 5)
    let copy = try copy(
      Many(
        shapes: .init(repeating: star, count: 3000), gaps: .init(repeating: star, count: 3000),
        polygons: .init(repeating: star, count: 3000)))
    let first = try #require(copy.shapes.first as? Star)
    #expect(copy.shapes.count { $0 as? Star === first } == 3000)
    #expect(copy.gaps.count { $0 as? Star === first } == 3000)
    #expect(copy.polygons.count { $0 === first } == 3000)
  }

  /// A node whose children can be anything.
  private final class Knot: Codable, @unchecked Sendable {
    @Polymorphic var children: [any Sendable]

    init(_ children: [any Sendable]) {
      _children = Polymorphic(wrappedValue: children)
    }
  }

  @Test func aCycleThroughAWrapperIsAnErrorWithItsPath() throws {
    let knot = Knot([])
    knot.children = [1, ["inner": Knot([2, knot])] as [String: any Sendable]]
    let error = expectFailure(.cycle) { try encoder.encode(["root": knot]) }
    #expect(error?.description.hasSuffix("At root.children[1].inner.children[1].") == true)
    let mixed = expectFailure(.cycle) { try encoder.encode(["a", knot] as [any Sendable]) }
    #expect(mixed?.description.hasSuffix("At [1].children[1].inner.children[1].") == true)
    knot.children = []  // otherwise the two would keep each other alive
  }

  @Test(arguments: [
    "d81c a1 68 6368696c6472656e 81 d81d 00",  // an instance among its own children
    "d81c a1 68 6368696c6472656e d81d 00",
  ])
  func aStoredCycleIsAnError(bytes: String) {
    #expect(throws: (any Error).self) { try decoder.decode(Knot.self, from: Data(hex: bytes)) }
  }

  // MARK: Errors

  @Test func aValueThatIsNotEncodableIsNamedWithItsPath() throws {
    struct Secret: Drawable { var label: String { "secret" } }
    var drawing = Drawing.sample
    drawing.drawables = [Circle(radius: 1), Secret()]
    let error = expectFailure(.notEncodable) { try encoder.encode(["a": drawing]) }
    #expect(error?.message == "A value of type Secret is not Encodable and cannot be stored.")
    #expect(error?.description.hasSuffix("At a.drawables[1].") == true)
    drawing = .sample
    drawing.details = ["x": [1, ["y": Secret()] as [String: any Sendable]] as [any Sendable]]
    let nested = expectFailure(.notEncodable) { try encoder.encode(drawing) }
    #expect(nested?.description.hasSuffix("At details.x[1].y.") == true)
  }

  @Test func anUnregisteredTagIsNamedWithItsPath() throws {
    let data = try encoder.encode(["a": Drawing.sample])
    let few = TypeRegistry()
    try few.register(Circle.self, Rectangle.self)
    let error = expectFailure(.unregisteredTag) {
      try KeyedArchiveDecoder(registry: few).decode([String: Drawing].self, from: data)
    }
    #expect(error?.tag == "Symbol")
    #expect(error?.description.hasSuffix("At a.shapes[2].") == true)
  }

  @Test func aValueOfAnotherTypeIsNamedWithTheWantedTypeAndItsPath() throws {
    struct Loose: Codable {
      @Polymorphic var byName: [String: [any Sendable]]
    }
    struct Strict: Codable {
      @Polymorphic var byName: [String: [any Shape]]
    }
    func read(_ value: any Sendable) throws -> Complaint {
      let tree = try decoder.decode(
        ArchiveValue.self, from: encoder.encode(Loose(byName: ["k": [Circle(radius: 1), value]])))
      let data = try encoder.encode(["byName": #require(tree["byName"])] as ArchiveValue)
      return try complaint { try decoder.decode(Strict.self, from: data) }
    }
    #expect(
      try read(CarInfo("B 1"))
        == Complaint(
          kind: .typeMismatch, path: "byName.k.1",
          message: "Expected Shape, but found a value of type CarInfo."))
    #expect(try read(5).message == "Expected Shape, but found the integer 5.")
    #expect(try read(nil as Int?).message == "Expected Shape, but found null.")
    #expect(try read([1, "a"] as [any Sendable]).message == "Expected Shape, but found an array.")
    let text = try complaint { try decoder.decode(Strict.self, from: encoder.encode(["byName": "x"] as ArchiveValue)) }
    #expect(text.path == "byName")
    #expect(text.message == "Expected Dictionary<String, Array<Shape>>, but found text.")
  }

  @Test func aDuplicateKeyIsRefused() {
    let bytes = "a2 6161 01 6161 02"
    #expect(throws: DecodingError.self) {
      try decoder.decode(Polymorphic<[String: any Sendable]>.self, from: Data(hex: bytes))
    }
  }

  @Test func aValueOfAnUnregisteredTypeCanBeReadAsATree() throws {
    let tree = try KeyedArchiveDecoder(registry: TypeRegistry()).decode(
      ArchiveValue.self, from: encoder.encode(Drawing.sample))
    #expect(tree["byName"]?["big"]?.object?.tag == "Circle")
    #expect(tree["documents"]?[0]?.object?.version == 2)
  }

  @Test func deepNestingIsRestored() throws {
    var value: any Sendable = Circle(radius: 1)
    for level in 0..<60 {
      value = level.isMultiple(of: 2) ? [value] as [any Sendable] : ["k": value] as [String: any Sendable]
    }
    let copy = try copy(Polymorphic<any Sendable>(wrappedValue: value))
    #expect(outline(copy.wrappedValue) == outline(value))
  }
}
