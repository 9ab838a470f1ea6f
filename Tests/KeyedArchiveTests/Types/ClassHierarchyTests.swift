import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Class instances keep their classes, wherever a base class was declared.
@Suite struct ClassHierarchyTests {
  private let rex = Dog(name: "Rex", tricks: ["sit"])
  private let tom = Cat(name: "Tom", lives: 9)
  private let it = Animal(name: "It")

  private func describe(_ animal: Animal?) -> String? {
    switch animal {
    case let dog as Dog: "Dog \(dog.name) \(dog.tricks)"
    case let cat as Cat: "Cat \(cat.name) \(cat.lives)"
    case let animal?: "Animal \(animal.name)"
    case nil: nil
    }
  }

  private let descriptions = [#"Dog Rex ["sit"]"#, "Cat Tom 9", "Animal It"]

  @Test func anArrayOfABaseClassKeepsItsSubclasses() throws {
    let copies = try roundTrip([rex, tom, it] as [Animal], registering: Dog.self, Cat.self)
    #expect(copies.map(describe) == descriptions)
    let dictionary = try roundTrip(["a": rex, "b": tom] as [String: Animal], registering: Dog.self, Cat.self)
    #expect(dictionary.mapValues(describe) == ["a": descriptions[0], "b": descriptions[1]])
    let optionals = try roundTrip([nil, tom] as [Animal?], registering: Cat.self)
    #expect(optionals.map(describe) == [nil, descriptions[1]])
  }

  /// The elements of such a collection have no tags, and would be read as instances of the base class.
  @Test func aCollectionOfASubclassIsNotReadAsOneOfItsBaseClass() throws {
    let registry = TypeRegistry()
    try registry.register(Dog.self)
    let encoder = KeyedArchiveEncoder(registry: registry)
    func expectMismatch<Wanted: Decodable>(_ data: Data, as type: Wanted.Type) {
      #expect(throws: DecodingError.self) { try KeyedArchiveDecoder(registry: registry).decode(type, from: data) }
    }
    try expectMismatch(encoder.encode([rex]), as: [Animal].self)
    try expectMismatch(encoder.encode([Dog]()), as: [Animal].self)
    try expectMismatch(encoder.encode(["a": [rex]]), as: [String: [Animal]].self)
    try expectMismatch(encoder.encode([rex, nil] as [Dog?]), as: [Animal?].self)

    let animals = try KeyedArchiveEncoder(registry: registry).encode([rex] as [Animal])
    #expect(
      try KeyedArchiveDecoder(registry: registry).decode([Dog].self, from: animals).map(describe) == [descriptions[0]])
  }

  @Test func aPlainModelKeepsSubclasses() throws {
    let household = Household(favourite: rex, guest: tom, animals: [it, rex, tom])
    let copy = try roundTrip(household, registering: Dog.self, Cat.self)
    #expect(describe(copy.favourite) == descriptions[0])
    #expect(describe(copy.guest) == descriptions[1])
    #expect(copy.animals.map(describe) == [descriptions[2], descriptions[0], descriptions[1]])
  }

  /// A model can choose the class by a field of the element, as models for JSON do. It then needs no registration.
  @Test func aNestedContainerReadsTheFieldsOfASubclass() throws {
    let copy = try roundTrip(Pack(leader: rex, animals: [it, rex, Dog(name: "Max", tricks: []), rex]))
    #expect(copy.animals.map(describe) == [descriptions[2], descriptions[0], "Dog Max []", descriptions[0]])
    #expect(copy.animals[1] === copy.animals[3])
    #expect(describe(copy.leader) == descriptions[0])
  }

  /// Only a nested container reads under any name. A type of its own does not take an instance for one of its values.
  @Test(arguments: 1...3) func aTypeThatIsTriedFirstDoesNotReadAnInstance(count: Int) throws {
    let copy = try roundTrip([Resident](repeating: .animal(rex), count: count), registering: Dog.self)
    for resident in copy {
      guard case .animal(let animal) = resident else {
        Issue.record("\(resident)")
        continue
      }
      #expect(describe(animal) == descriptions[0])
    }
  }

  @Test func withoutATypeEachValueKeepsItsType() throws {
    let mixed: [any Sendable] = [rex, "text", tom, [it, rex] as [Animal], it]
    let copy = try #require(
      try roundTripDynamically(mixed, registering: Animal.self, Dog.self, Cat.self) as? [any Sendable])
    #expect(describe(copy[0] as? Dog) == descriptions[0])
    #expect(describe(copy[2] as? Cat) == descriptions[1])
    #expect((copy[3] as? [Animal])?.map(describe) == [descriptions[2], descriptions[0]])
    #expect(describe(copy[4] as? Animal) == descriptions[2])
    #expect(describe(try roundTripDynamically(rex, registering: Dog.self) as? Animal) == descriptions[0])
  }

  @Test func onlyASubclassCarriesAName() throws {
    let tree = try decode(
      ArchiveValue.self, encodedHex(Household(favourite: it, guest: rex, animals: [])))
    #expect(
      tree
        == object(
          "Household",
          ["favourite": ["name": "It"], "guest": object("Dog", ["name": "Rex", "tricks": ["sit"]]), "animals": []]))
  }

  @Test func aSubclassThatIsNotRegisteredIsNamedWithItsPath() throws {
    let data = try KeyedArchiveEncoder().encode(Household(favourite: it, animals: [it, tom]))
    let error = expectFailure(.unregisteredTag) {
      try KeyedArchiveDecoder(registry: TypeRegistry()).decode(Household.self, from: data)
    }
    #expect(error?.tag == "Cat")
    #expect(error?.description.hasSuffix("At animals[1].") == true)
  }

  @Test func aRegisteredTypeThatIsNotASubclassIsRefused() throws {
    let registry = TypeRegistry()
    try registry.register(CarInfo.self, Animal.self, Dog.self)
    let decoder = KeyedArchiveDecoder(registry: registry)
    let car = try KeyedArchiveEncoder().encode(CarInfo("B 1"))
    #expect(
      try complaint { try decoder.decode(Animal.self, from: car) }.message
        == "Expected Animal, but found a value of type CarInfo.")
    // An instance of a superclass is not an instance of the subclass.
    let animal = try KeyedArchiveEncoder().encode(it)
    #expect(try complaint { try decoder.decode(Dog.self, from: animal) }.kind == .typeMismatch)
    #expect(try describe(decoder.decode(Animal.self, from: KeyedArchiveEncoder().encode(rex))) == descriptions[0])
  }

  @Test func aSubclassWithAnInheritedTagIsRefused() throws {
    let tree = Tree(height: 3)
    let oak = Oak(height: 4, acorns: 100)
    #expect(try roundTrip(tree).height == 3)
    // Stored as a "Tree", it would be decoded as one, without its acorns.
    let error = expectFailure(.tagClash) { try KeyedArchiveEncoder().encode([tree, oak]) }
    #expect(error?.tag == "Tree")
    #expect(error?.codingPath.map(\.stringValue) == ["Index 1"])
    expectFailure(.tagClash) { try KeyedArchiveEncoder().encode(oak as Tree) }
    let registry = TypeRegistry()
    try registry.register(Tree.self)
    expectFailure(.tagClash) { try KeyedArchiveEncoder(registry: registry).encode(oak) }
    expectFailure(.tagClash) { try registry.register(Oak.self) }
    let birch = Birch(height: 5)
    #expect(try roundTrip([tree, birch], registering: Birch.self)[1] is Birch)
  }

  @Test(arguments: [false, true]) func theFormerTagsOfASuperclassAreNotThoseOfItsSubclasses(baseFirst: Bool) throws {
    let registry = TypeRegistry()
    try registry.register(baseFirst ? [Tree.self, Birch.self, Beech.self] : [Beech.self, Birch.self, Tree.self])
    let values: ArchiveValue = [object("Plant", ["height": 1]), object("Birke", ["height": 2])]
    let old = try KeyedArchiveEncoder().encode(values)
    let decoder = KeyedArchiveDecoder(registry: registry)
    let trees = try #require(try decoder.decode(from: old) as? [any Sendable])
    #expect(trees.map { "\(type(of: $0))" } == ["Tree", "Birch"])
    #expect(try decoder.decode([Tree].self, from: old).map { "\(type(of: $0))" } == ["Tree", "Birch"])
  }
}

private class Tree: Archivable, @unchecked Sendable {
  class var archiveTag: ArchiveTag { "Tree" }
  class var formerArchiveTags: [ArchiveTag] { ["Plant"] }

  let height: Int

  init(height: Int) { self.height = height }
}

private final class Oak: Tree, @unchecked Sendable {
  let acorns: Int

  init(height: Int, acorns: Int) {
    self.acorns = acorns
    super.init(height: height)
  }

  required init(from decoder: any Decoder) throws {
    acorns = 0
    try super.init(from: decoder)
  }
}

private final class Birch: Tree, @unchecked Sendable {
  override class var archiveTag: ArchiveTag { "Birch" }
  override class var formerArchiveTags: [ArchiveTag] { super.formerArchiveTags + ["Birke"] }
}

private final class Beech: Tree, @unchecked Sendable {
  override class var archiveTag: ArchiveTag { "Beech" }
}

private struct Pack: Codable {
  var leader: Animal
  var animals: [Animal] = []

  init(leader: Animal, animals: [Animal]) { (self.leader, self.animals) = (leader, animals) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let fields = try container.nestedContainer(keyedBy: AnyKey.self, forKey: .leader)
    leader = Dog(
      name: try fields.decode(String.self, forKey: "name"), tricks: try fields.decode([String].self, forKey: "tricks"))
    var elements = try container.nestedUnkeyedContainer(forKey: .animals)
    var fieldsOfElements = elements
    while !elements.isAtEnd {
      let isDog = try fieldsOfElements.nestedContainer(keyedBy: AnyKey.self).contains("tricks")
      animals.append(try elements.decode(isDog ? Dog.self : Animal.self))
    }
  }
}

/// A single value: anything that can be read as the first type, or else an animal.
private enum Resident: Codable {
  struct Plant: Codable {
    var species: String?
  }

  case plant(Plant)
  case animal(Animal)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      self = .plant(try container.decode(Plant.self))
    } catch {
      self = .animal(try container.decode(Animal.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .plant(let plant): try container.encode(plant)
    case .animal(let animal): try container.encode(animal)
    }
  }
}
