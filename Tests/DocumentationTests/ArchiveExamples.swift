import Foundation
import GlobalData
import Testing

protocol Shape: Codable, Sendable {
  var area: Double { get }
}

struct Circle: Shape, Equatable {
  var radius: Double
  var area: Double { 3 * radius * radius }
}

struct Square: Shape, Equatable {
  var side: Double
  var area: Double { side * side }
}

private class Animal: Codable, @unchecked Sendable {
  var name = "Rex"
  init() {}
}

// `@unchecked` is safe because no code changes it after its creation.
private final class Dog: Animal, @unchecked Sendable {}

@Suite struct ArchiveExamples {
  struct CarInfo: Codable, Equatable, Sendable {
    var plate: String
  }

  @Test func aValueIsEncodedAndDecoded() throws {
    let car = CarInfo(plate: "HH 1")
    func decoded() throws -> CarInfo {
      let data = try KeyedArchiveEncoder().encode(car)
      let copy = try KeyedArchiveDecoder().decode(CarInfo.self, from: data)
      return copy
    }
    #expect(try decoded() == car)
  }

  @Test func mixedValuesComeBackAsThemselves() async throws {
    var configuration = GlobalData.Configuration(location: .memory)
    configuration.registry = TypeRegistry()
    try await GlobalData.withStore(GlobalData(configuration)) {
      GlobalData.register(Circle.self, Square.self)

      let shapes: [any Shape] = [Circle(radius: 1), Square(side: 2)]
      try await GlobalData.set(shapes, forKey: "shapes")
      let copy = try GlobalData.object(forKey: "shapes") as? [any Shape]
      #expect(copy?.map(\.area) == [3, 4])
      try checkByName()
    }
  }

  private func checkByName() throws {
    let copy = try GlobalData.object(Polymorphic<[any Shape]>.self, forKey: "shapes")?.wrappedValue
    #expect(copy?.map(\.area) == [3, 4])
  }

  struct Drawing: Codable, Sendable {
    @Polymorphic var shapes: [any Shape]
    @Polymorphic var background: (any Shape)?
    @Polymorphic var byName: [String: any Shape] = [:]
    @Polymorphic var notes: [any Sendable] = []
    @Polymorphic var rows: [[String: [any Shape]]] = []
  }

  enum Reference {
    struct Drawing: Codable, Sendable {
      @Polymorphic var shapes: [any Shape]
      @Polymorphic var background: (any Shape)?
      @Polymorphic var notes: [String: [any Sendable]] = [:]
    }
  }

  enum Shorter {
    struct Drawing: Codable, Sendable {
      @Polymorphic var shapes: [any Shape]
      @Polymorphic var background: (any Shape)?
    }
  }

  private struct Kennel: Codable, Sendable {
    var animals: [Animal]  // a Dog comes back as a Dog, if Dog is registered
  }

  @Test func modelsKeepTheTypesOfTheirValues() throws {
    let registry = TypeRegistry()
    try registry.register(Circle.self, Square.self, Dog.self)
    TypeRegistry.shared.allowOmittedProperties(of: Dog.self)
    let encoder = KeyedArchiveEncoder(registry: registry)
    let decoder = KeyedArchiveDecoder(registry: registry)
    let drawing = Drawing(shapes: [Circle(radius: 1)], background: Square(side: 1), notes: [1, "two"])
    let copy = try decoder.decode(Drawing.self, from: encoder.encode(drawing))
    #expect(copy.shapes.first as? Circle == Circle(radius: 1) && copy.notes.last as? String == "two")
    let kennel = try decoder.decode(Kennel.self, from: encoder.encode(Kennel(animals: [Dog()])))
    #expect(kennel.animals.first is Dog)
    let notes = Reference.Drawing(shapes: [], background: nil, notes: ["a": [1]])
    #expect(try decoder.decode(Reference.Drawing.self, from: encoder.encode(notes)).notes["a"]?.first as? Int == 1)
    let short = Shorter.Drawing(shapes: [Square(side: 2)], background: nil)
    #expect(try decoder.decode(Shorter.Drawing.self, from: encoder.encode(short)).shapes.count == 1)
  }

  @Test func treesAreReadAndChanged() throws {
    var value: ArchiveValue = ["plate": "B 123", "speed": 60]
    value["plate"] = "B 124"
    let speed = value["speed"]?.int  // 60
    #expect(speed == 60 && value["plate"]?.string == "B 124")

    var object = try #require((["books": ["a"]] as ArchiveValue).object)
    object["habits"] = []
    object.rename("books", to: "favoriteBooks")
    #expect(object["favoriteBooks"]?.array?.count == 1 && object["books"] == nil)
  }
}
