import Foundation
import KeyedArchive
import TestSupport
import Testing

/// One instance with two references is restored as one instance (tags 28 and 29).
@Suite struct SharedInstanceTests {
  @Test func aSharedInstanceIsWrittenOnceAndReferredTo() throws {
    let rex = Animal(name: "Rex")
    let data = try KeyedArchiveEncoder().encode([rex, Animal(name: "Tom"), rex])
    #expect(
      data.hex
        == hex(
          "d90100",  // strings are numbered
          "d81b 82 68 5b416e696d616c5d",  // 27(["[Animal]", …: string 0
          "83",
          "d81c a1 64 6e616d65 63 526578",  // 28({"name": "Rex"}): instance 0; strings 1 and 2
          "a1 d81901 63 546f6d",  // an instance that is not shared has no tag
          "d81d 00"  // 29(0)
        ))
    let copies = try KeyedArchiveDecoder().decode([Animal].self, from: data)
    #expect(copies[0] === copies[2])
    #expect(copies[0] !== copies[1])
  }

  @Test func unsharedInstancesCarryNoTags() throws {
    let bytes = try encodedHex(
      Household(favourite: Animal(name: "A"), guest: Animal(name: "B"), animals: [Animal(name: "C")]))
    #expect(!bytes.contains("d81c"))
    #expect(!bytes.contains("d81d"))
    #expect(!bytes.hasPrefix("d90100") || bytes.contains("d819"))
  }

  @Test func identityIsKeptAcrossPropertiesArraysAndTypes() throws {
    let rex = Dog(name: "Rex", tricks: [])
    let tom = Cat(name: "Tom", lives: 1)
    let households = [
      Household(favourite: rex, guest: tom, animals: [rex, tom, Animal(name: "It"), tom]),
      Household(favourite: tom, guest: nil, animals: [rex]),
    ]
    let copy = try roundTrip(households, registering: Dog.self, Cat.self)
    #expect(copy[0].favourite === copy[0].animals[0])
    #expect(copy[0].favourite === copy[1].animals[0])
    #expect(copy[0].guest === copy[0].animals[1])
    #expect(copy[0].guest === copy[0].animals[3])
    #expect(copy[0].guest === copy[1].favourite)
    #expect(copy[0].favourite is Dog)
    #expect(copy[1].favourite is Cat)
  }

  @Test func identityIsKeptInMixedCollections() throws {
    let rex = Dog(name: "Rex", tricks: [])
    let mixed: [any Sendable] = [rex, ["again": rex] as [String: any Sendable], [rex, Animal(name: "It")] as [Animal]]
    let copy = try #require(try roundTripDynamically(mixed, registering: Dog.self, Animal.self) as? [any Sendable])
    let first = try #require(copy[0] as? Dog)
    #expect((copy[1] as? [String: any Sendable])?["again"] as? Dog === first)
    #expect((copy[2] as? [Animal])?[0] === first)
  }

  /// A class that stores its superclass's properties first and reads them last, like many classes.
  @Test func aReferenceMayBeReadBeforeItsInstance() throws {
    let rex = Dog(name: "Rex", tricks: ["sit"])
    let copy = try roundTrip(Breeder(first: rex, favourite: rex), registering: Dog.self)
    #expect(copy.favourite is Dog)
    #expect(copy.favourite === copy.first)
    // The position of the instance determines its class, so it has no name. The position of the reference does not.
    let tree = try decode(ArchiveValue.self, encodedHex(Breeder(first: rex, favourite: rex)))
    #expect(tree["first"]?.object?.tag == nil)
    #expect(tree["favourite"]?.object?.tag == "Dog")
    let mixed: [any Sendable] = [[rex] as [Dog], rex, rex as Animal]
    let copies = try #require(try roundTripDynamically(mixed, registering: Dog.self) as? [any Sendable])
    #expect((copies[0] as? [Dog])?[0] === copies[1] as? Dog)
    #expect((copies[0] as? [Dog])?[0] === copies[2] as? Dog)
  }

  @Test func instancesInInstancesStayShared() throws {
    let leaf = Node("leaf", [])
    let left = Node("left", [leaf])
    let root = Node("root", [left, Node("right", [leaf, left]), leaf])
    let copy = try roundTrip(root)
    #expect(copy.children[0] === copy.children[1].children[1])
    #expect(copy.children[2] === copy.children[0].children[0])
    #expect(copy.children[2] === copy.children[1].children[0])
    #expect(copy.children.map(\.name) == ["left", "right", "leaf"])
  }

  @Test func manySharedInstancesKeepTheirNumbers() throws {
    let nodes = (0..<1000).map { Node("node \($0)", []) }
    let order = nodes.indices.map { ($0 * 7) % 1000 }
    // Some are never shared, so that the final numbers of the others differ from the provisional ones.
    let root = Node("root", nodes + order.filter { $0 % 3 != 0 }.map { nodes[$0] })
    let copy = try roundTrip(root)
    for (place, number) in order.filter({ $0 % 3 != 0 }).enumerated() {
      #expect(copy.children[1000 + place] === copy.children[number])
    }
  }

  @Test func aCycleIsAnErrorWithItsPath() {
    let node = Node("a", [])
    let inner = Node("b", [node])
    node.children = [Node("c", []), inner]
    let error = expectFailure(.cycle) { try KeyedArchiveEncoder().encode(["root": node]) }
    #expect(error?.description.hasSuffix("At root.children[1].children[0].") == true)
    #expect(error?.message.hasPrefix("An instance of Node contains itself.") == true)
    node.children = []  // otherwise the two would keep each other alive
  }

  @Test(arguments: [
    "d81c a2 64 6e616d65 6161 68 6368696c6472656e 81 d81d 00",  // an instance inside itself
    "d81c 81 d81d 00",
    "82 d81c d81d 00 d81d 00",
  ])
  func aStoredCycleIsAnError(bytes: String) {
    for body in [
      { try decode(Node.self, bytes) }, { try decode([Node].self, bytes) }, { try decode(ArchiveValue.self, bytes) },
      { try decode([[Int]].self, bytes) }, { try KeyedArchiveDecoder().decode(from: Data(hex: bytes)) as Any },
    ] as [() throws -> Any] {
      #expect(throws: (any Error).self) { try body() }
    }
  }

  @Test func aReferenceToAMissingInstanceIsRefused() {
    for bytes in ["d81d 00", "82 d81d 00 d81c 80", "82 d81c 80 d81d 01", "82 d81c 80 d81d 20", "82 d81c 80 d81d 6161"] {
      #expect(throws: (any Error).self) { try decode(ArchiveValue.self, bytes) }
      #expect(throws: (any Error).self) { try decode([Node].self, bytes) }
      #expect(throws: (any Error).self) { try KeyedArchiveDecoder().decode(from: Data(hex: bytes)) }
    }
  }

  @Test func aReferenceToAnInstanceOfAnotherClassIsRefused() throws {
    let bytes = "82 d81c a2 64 6e616d65 6161 68 6368696c6472656e 80 d81d 00"
    let pair = try complaint {
      try decode(bytes) { decoder in
        var container = try decoder.unkeyedContainer()
        _ = try container.decode(Node.self)
        return try container.decode(Animal.self)
      }
    }
    #expect(pair.message == "Expected Animal, but found a shared instance of Node.")
  }

  @Test func sharedItemsOfOtherProgramsReadAsValues() throws {
    #expect(try decode([[Int]].self, "83 d81c 81 01 d81d 00 d81d 00") == [[1], [1], [1]])
    #expect(try decode([String].self, "82 d81c 63 616263 d81d 00") == ["abc", "abc"])
    #expect(try decode(ArchiveValue.self, "82 d81c a1 6161 01 d81d 00") == [["a": 1], ["a": 1]])
    #expect(try decode([Int?].self, "83 d81c 05 d81d 00 f6") == [5, 5, nil])
    #expect(try decode([Int?].self, "82 d81c f6 d81d 00") == [nil, nil])
  }

  @Test func manyReferencesThroughOptionalsAreAllowed() throws {
    struct Owner: Codable {
      var pet: Animal?
    }
    let pet = Animal(name: String(repeating: "long ", count: 500))
    let copy = try roundTrip([Owner](repeating: Owner(pet: pet), count: 5000))
    let first = try #require(copy.first?.pet)
    #expect(copy.count { $0.pet === first } == 5000)
    let animals = [Animal?](repeating: pet, count: 5000)
    #expect(try roundTrip(animals).count { $0?.name == pet.name } == 5000)
  }
}

private class Keeper: Codable, @unchecked Sendable {
  let first: Dog

  init(first: Dog) { self.first = first }
}

private final class Breeder: Keeper, @unchecked Sendable {
  let favourite: Animal

  private enum CodingKeys: CodingKey {
    case favourite
  }

  init(first: Dog, favourite: Animal) {
    self.favourite = favourite
    super.init(first: first)
  }

  required init(from decoder: any Decoder) throws {
    favourite = try decoder.container(keyedBy: CodingKeys.self).decode(Animal.self, forKey: .favourite)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(favourite, forKey: .favourite)
  }
}

/// A node of a graph, whose children may be set later.
private final class Node: Codable, @unchecked Sendable {
  let name: String
  var children: [Node]

  init(_ name: String, _ children: [Node]) {
    self.name = name
    self.children = children
  }
}
