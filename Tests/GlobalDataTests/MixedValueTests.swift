import Foundation
import GlobalData
import TestSupport
import Testing
import ThrownErrors

/// A protocol that does not refine `Codable`.
private protocol Labelled: Sendable {
  var label: String { get }
}

extension Circle: Labelled { fileprivate var label: String { "circle" } }

/// A protocol that refines `Archivable`.
private protocol Document: Archivable {
  var title: String { get }
}

private struct Letter: Document, Equatable {
  var title: String
}

private struct Secret: Labelled {
  var label: String { "secret" }
}

private struct Drawing: Codable, Sendable {
  @Polymorphic var shapes: [any Shape]
  @Polymorphic var notes: [String: [any Sendable]] = [:]
  @Polymorphic var background: (any Shape)?
}

/// Values whose types are known only at run time, set with `set` and read with `object`.
@Suite struct MixedValueTests {
  private let registry: TypeRegistry
  private let store: GlobalData

  init() throws {
    registry = TypeRegistry()
    var configuration = GlobalData.Configuration()
    configuration.registry = registry
    store = GlobalData.inMemory(configuration: configuration)
    store.register(Circle.self, Rectangle.self, Symbol.self, Polygon.self, Star.self, Letter.self, Drawing.self)
  }

  /// The method that each call compiles to is part of the test.
  @Test func everyMixedValueIsSetAndRestored() async throws {
    let shapes: [any Shape] = [Circle(radius: 1), Symbol.letter("a", size: 2), Star(points: 5)]
    try await store.set(shapes, forKey: "shapes")
    try await store.set([Circle(radius: 1), 3, true, 3.0] as [any Sendable], forKey: "sendables")
    try await store.set(["a": 1, "b": [Symbol.dot, "x"] as [any Sendable]] as [String: any Sendable], forKey: "named")
    try await store.set([Letter(title: "L")] as [any Archivable], forKey: "archivables")
    try await store.set([Letter(title: "L")] as [any Document], forKey: "documents")
    try await store.set([Circle(radius: 1)] as [any Labelled], forKey: "labelled")
    try await store.set([1, Circle(radius: 2)] as [any Codable & Sendable], forKey: "codables")
    try await store.set(["x": shapes, "y": []] as [String: [any Shape]], forKey: "nested")
    try await store.set([shapes, []] as [[any Shape]], forKey: "rows")
    try await store.set([Circle(radius: 1), nil] as [(any Shape)?], forKey: "gaps")

    #expect(try element(0, of: "shapes") as? Circle == Circle(radius: 1))
    #expect(try element(1, of: "shapes") as? Symbol == .letter("a", size: 2))
    #expect((try element(2, of: "shapes") as? Star)?.points == 5)
    #expect(try element(1, of: "sendables") as? Int == 3)
    #expect(try element(1, of: "sendables") as? Double == nil)
    #expect(try element(2, of: "sendables") as? Bool == true)
    #expect(try element(2, of: "sendables") as? Int == nil)
    #expect(try element(3, of: "sendables") as? Double == 3)
    let named = try #require(try store.object(forKey: "named") as? [String: any Sendable])
    #expect(named["a"] as? Int == 1)
    #expect((named["b"] as? [any Sendable])?[0] as? Symbol == .dot)
    #expect(try element(0, of: "archivables") as? Letter == Letter(title: "L"))
    #expect(try element(0, of: "documents") as? Letter == Letter(title: "L"))
    #expect(try element(0, of: "labelled") as? Circle == Circle(radius: 1))
    #expect(try element(1, of: "codables") as? Circle == Circle(radius: 2))

    // Casts to a protocol type, at any depth.
    #expect((try store.object(forKey: "shapes") as? [any Shape])?.map(\.area) == [3, 0, 0])
    #expect((try store.object(forKey: "documents") as? [any Document])?.map(\.title) == ["L"])
    #expect((try store.object(forKey: "nested") as? [String: [any Shape]])?["x"]?.count == 3)
    #expect((try store.object(forKey: "rows") as? [[any Shape]])?.map(\.count) == [3, 0])
    #expect((try store.object(forKey: "gaps") as? [(any Shape)?])?.map { $0?.area } == [3, nil])
  }

  private func element(_ index: Int, of key: String) throws -> any Sendable {
    try #require(try store.object(forKey: key) as? [any Sendable])[index]
  }

  @Test func aValueOfAProtocolTypeKeepsItsType() async throws {
    let shape: any Shape = Rectangle(width: 1, height: 2)
    let document: any Document = Letter(title: "L")
    let archivable: any Archivable = document
    try await store.set(shape, forKey: "shape")
    try await store.set(document, forKey: "document")
    try await store.set(archivable, forKey: "archivable")
    #expect(try store.object(forKey: "shape") as? Rectangle == Rectangle(width: 1, height: 2))
    #expect(try store.object(Rectangle.self, forKey: "shape") == Rectangle(width: 1, height: 2))
    #expect(try store.object(forKey: "document") as? Letter == Letter(title: "L"))
    #expect((try store.object(forKey: "archivable") as? any Document)?.title == "L")
    #expect(try store.entries().map(\.type) == ["Rectangle", "Letter", "Letter"])
  }

  @Test func theStaticCallsTakeTheSame() async throws {
    try await GlobalData.withStore(store) {
      let shapes: [any Shape] = [Circle(radius: 1), Symbol.dot]
      try await GlobalData.set(shapes, forKey: "shapes")
      try await GlobalData.set(shapes[0], forKey: "shape")
      try await GlobalData.set([Letter(title: "L")] as [any Archivable], forKey: "archivables")
      let letter: any Archivable = Letter(title: "L")
      try await GlobalData.set(letter, forKey: "archivable")
      try await GlobalData.set([1, "x"] as [any Sendable], forKey: "sendables")
      try await GlobalData.set(["k": true] as [String: any Sendable], forKey: "named")
      try await GlobalData.set([Circle(radius: 1)] as [any Labelled], forKey: "labelled")
      #expect((try GlobalData.object(forKey: "shapes") as? [any Shape])?.map(\.area) == [3, 0])
      #expect(try GlobalData.object(forKey: "shape") as? Circle == Circle(radius: 1))
      #expect((try GlobalData.object(forKey: "archivables") as? [any Archivable])?.first is Letter)
      #expect(try GlobalData.object(forKey: "archivable") as? Letter == Letter(title: "L"))
      #expect((try GlobalData.object(forKey: "sendables") as? [any Sendable])?.last as? String == "x")
      #expect((try GlobalData.object(forKey: "named") as? [String: any Sendable])?["k"] as? Bool == true)
      #expect((try GlobalData.object(forKey: "labelled") as? [any Labelled])?.first?.label == "circle")
    }
  }

  @Test func aModelWithPolymorphicPropertiesIsRestored() async throws {
    let star = Star(points: 5)
    let drawing = Drawing(
      shapes: [star, Circle(radius: 1), star], notes: ["a": [1, true, Symbol.dot]], background: star)
    try await store.set(drawing, forKey: "drawing")
    try await store.set([drawing, "text"] as [any Sendable], forKey: "mixed")
    for copy in [
      try store.object(Drawing.self, forKey: "drawing"), try store.object(forKey: "drawing") as? Drawing,
      (try store.object(forKey: "mixed") as? [any Sendable])?[0] as? Drawing,
    ] {
      let copy = try #require(copy)
      #expect(copy.shapes.count == 3)
      #expect((copy.shapes[0] as? Star)?.points == 5)
      #expect(copy.shapes[0] as? Star === copy.shapes[2] as? Star)
      #expect(copy.shapes[0] as? Star === copy.background as? Star)
      #expect(copy.notes["a"]?[1] as? Bool == true)
      #expect(copy.notes["a"]?[2] as? Symbol == .dot)
    }
  }

  @Test func aProtocolCanBeRequestedThroughTheWrapper() async throws {
    try await store.set([Circle(radius: 1), "text"] as [any Sendable], forKey: "mixed")
    let mixed = try store.object(Polymorphic<[any Sendable]>.self, forKey: "mixed")?.wrappedValue
    #expect(mixed?[1] as? String == "text")
    let error = expectError(GlobalDataError.self) {
      try store.object(Polymorphic<[any Shape]>.self, forKey: "mixed")
    }
    #expect(error?.code == .typeMismatch)
    #expect(error?.wantedType == "Shape")
    #expect(error?.codingPath.map(\.stringValue) == ["Index 1"])
    #expect(try store.object(Polymorphic<[any Shape]>.self, forKey: "absent") == nil)
  }

  @Test func aValueThatIsNotEncodableIsNamedWithItsPathAndChangesNothing() async throws {
    try await store.set([Circle(radius: 1)] as [any Labelled], forKey: "key")
    let error = await expectError(GlobalDataError.self) {
      try await store.set(
        ["a": [Circle(radius: 1), Secret()] as [any Labelled]] as [String: any Sendable], forKey: "key")
    }
    #expect(error?.code == .encodingFailed)
    #expect(error?.codingPath.map(\.stringValue) == ["a", "Index 1"])
    #expect("\(try #require(error?.underlyingError))".contains("Secret"))
    #expect((try store.object(forKey: "key") as? [any Labelled])?.count == 1)
  }

  @Test func anUnregisteredTypeIsNamedWithItsPath() async throws {
    let store = GlobalData.inMemory(
      configuration: {
        var configuration = GlobalData.Configuration()
        configuration.registry = TypeRegistry()
        return configuration
      }())
    try await store.set(Drawing(shapes: [Circle(radius: 1)], background: nil), forKey: "drawing")
    let error = expectError(GlobalDataError.self) { try store.object(Drawing.self, forKey: "drawing") }
    #expect(error?.code == .unregisteredType)
    #expect(error?.storedType == "Circle")
    #expect(error?.codingPath.map(\.stringValue) == ["shapes", "Index 0"])
  }

  @Test func aCycleIsAnErrorWithItsPath() async throws {
    final class Knot: Codable, @unchecked Sendable {
      @Polymorphic var children: [any Sendable] = []
    }
    let knot = Knot()
    knot.children = [1, knot]
    let error = await expectError(GlobalDataError.self) {
      try await store.set(["root": knot] as [String: any Sendable], forKey: "key")
    }
    #expect(error?.codingPath.map(\.stringValue) == ["root", "children", "Index 1"])
    #expect((error?.underlyingError as? KeyedArchiveError)?.code == .cycle)
    knot.children = []  // otherwise it would keep itself alive
  }
}
