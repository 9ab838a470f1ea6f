import GlobalData

// Models as an app declares them: without an isolation of their own, they and their conformances are on the main actor.

struct Car: Codable, Identifiable, Equatable {
  static var decodingCount = 0

  var id: Int
  var plate: String
  var isOnline = true

  init(id: Int, plate: String) {
    self.id = id
    self.plate = plate
  }

  init(from decoder: any Decoder) throws {
    MainActor.assertIsolated()
    Car.decodingCount += 1
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    plate = try container.decode(String.self, forKey: .plate)
    isOnline = try container.decode(Bool.self, forKey: .isOnline)
  }
}

final class Dog: Codable {
  var name: String

  init(name: String) { self.name = name }
}

struct Kennel: Codable {
  var dogs: [Dog] = []
  var size = 3
}

struct Shelf: Codable {
  @Polymorphic var items: [any Sendable] = []
}

struct Node: Codable, Equatable {
  var depth: Int
  var children: [Node] = []
}

/// A model that code off the main actor uses.
nonisolated struct Trip: Codable, Identifiable, Equatable {
  var id: Int
  var distance: Double
}

/// An instance of a class that two tasks cannot share.
nonisolated final class Notebook: Codable {
  var lines: [String] = []
}

nonisolated enum Refusing: Codable {
  case unknown, known

  init(from decoder: any Decoder) throws { self = .known }

  func encode(to encoder: any Encoder) throws {
    if case .unknown = self { throw CancellationError() }
    var container = encoder.singleValueContainer()
    try container.encode("known")
  }
}

extension GlobalData.Keys {
  static let car = Key("car", default: Car(id: 0, plate: "none"))
  static let dog = Key("dog", default: Dog(name: "Bello"))
  static let kennel = Key("kennel", default: Kennel(dogs: [Dog(name: "Bello")]))
  static let volume = Key("volume", default: 0.5)
  static let nickname = Key<String?>("nickname")
  static let favorite = Key<Car?>("favorite")
  static let visits = Key("visits", default: 0)
  static let notebook = Key("notebook", default: Notebook())
  static let refusing = Key("refusing", default: Refusing.unknown)
}

nonisolated extension GlobalData.Keys {
  static let distance = Key("distance", default: 1.5)
}

/// A model of the main actor with values of a type that has changed.
struct Album: Codable {
  var slides: [Slide]
}

nonisolated struct Slide: Archivable {
  var title: String

  static let archiveVersion = 2

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    object.rename("name", to: "title")
  }
}
