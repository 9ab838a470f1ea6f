import Foundation
import KeyedArchive
import TestSupport
import Testing

/// What types may do with an encoder that writes to its containers one after the other.
@Suite struct ContainerTests {
  @Test func nestedContainersAreMapsAndArrays() throws {
    let value = Scripted { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(1, forKey: "before")
      var map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "map")
      try map.encode("text", forKey: "inside")
      var deeper = map.nestedUnkeyedContainer(forKey: "deeper")
      try deeper.encode(true)
      try deeper.encodeNil()
      var inArray = deeper.nestedContainer(keyedBy: AnyKey.self)
      try inArray.encode(1.5, forKey: "x")
      var innermost = deeper.nestedUnkeyedContainer()
      try innermost.encode([1, 2])
      #expect(deeper.count == 4)
      try container.encodeNil(forKey: "after")
    }
    try expectSameAsJSON(value)
    let tree = try decode(ArchiveValue.self, encodedHex(value))
    #expect(tree.object?.fields.map(\.name) == ["before", "map", "after"])
    #expect(tree["map"]?["deeper"]?[2]?["x"]?.double == 1.5)
  }

  @Test func everyScalarGoesIntoEveryContainer() throws {
    try expectSameAsJSON(
      Scripted { encoder in
        var container = encoder.unkeyedContainer()
        try container.encode(true)
        try container.encode("text")
        try container.encode(1.5)
        try container.encode(Float(2.5))
        try container.encode(-1)
        try container.encode(Int8.min)
        try container.encode(Int16.min)
        try container.encode(Int32.min)
        try container.encode(Int64.min)
        try container.encode(UInt.max)
        try container.encode(UInt8.max)
        try container.encode(UInt16.max)
        try container.encode(UInt32.max)
        try container.encode(UInt64.max)
        try container.encode(Int128.max)
        try container.encode(UInt128.max)
        try container.encodeNil()
      })
  }

  @Test func anInheritingClassMayShareItsContainer() throws {
    let dog = Dog(name: "Rex", tricks: ["sit", "roll"])
    try expectSameAsJSON(dog)
    let copy = try roundTrip(dog)
    #expect(copy.name == "Rex")
    #expect(copy.tricks == ["sit", "roll"])
    // 27(["Dog", {"name": …, "tricks": …}]): one map.
    #expect(
      try decode(ArchiveValue.self, encodedHex(dog)) == object("Dog", ["name": "Rex", "tricks": ["sit", "roll"]]))
  }

  @Test func anInheritingClassMayUseASuperEncoder() throws {
    let cat = Cat(name: "Tom", lives: 9)
    try expectSameAsJSON(cat)
    let copy = try roundTrip(cat)
    #expect(copy.name == "Tom")
    #expect(copy.lives == 9)
    #expect(try decode(ArchiveValue.self, encodedHex(cat)) == object("Cat", ["lives": 9, "super": ["name": "Tom"]]))
  }

  @Test func aSuperEncoderMayHaveAKeyOrAnIndex() throws {
    try expectSameAsJSON(
      Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        try Animal(name: "Rex").encode(to: container.superEncoder(forKey: "base"))
        try container.encode(5, forKey: "own")
        var array = container.nestedUnkeyedContainer(forKey: "array")
        try array.encode(1)
        try Animal(name: "Tom").encode(to: array.superEncoder())
        try [1, 2].encode(to: array.superEncoder())
        try 7.encode(to: array.superEncoder())
      })
  }

  @Test func twoContainersOverOneObjectAreOneMap() throws {
    let value = Scripted { encoder in
      var first = encoder.container(keyedBy: AnyKey.self)
      try first.encode(1, forKey: "a")
      var second = encoder.container(keyedBy: CodingKeysOfAnotherType.self)
      try second.encode(2, forKey: .b)
      try first.encode(3, forKey: "c")
      var array = first.nestedUnkeyedContainer(forKey: "d")
      try array.encode(4)
      var third = encoder.container(keyedBy: AnyKey.self)
      try third.encode(5, forKey: "e")
    }
    try expectSameAsJSON(value)
    #expect(try decode(ArchiveValue.self, encodedHex(value)).object?.fields.map(\.name) == ["a", "b", "c", "d", "e"])
  }

  private enum CodingKeysOfAnotherType: CodingKey {
    case b
  }

  @Test func twoArraysOverOneObjectAreOneArray() throws {
    try expectSameAsJSON(
      Scripted { encoder in
        var first = encoder.unkeyedContainer()
        try first.encode(1)
        var second = encoder.unkeyedContainer()
        try second.encode(2)
        try first.encode(3)
        #expect(first.count == 3)
        #expect(second.count == 3)
      })
  }

  @Test func aValueMayPassOnItsEncoder() throws {
    try expectSameAsJSON(Scripted { try Garage.sample.encode(to: $0) })
    try expectSameAsJSON(Scripted { try "text".encode(to: $0) })
    try expectSameAsJSON(
      Scripted { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(Scripted { try [CarInfo("B 1")].encode(to: $0) })
      })
  }

  @Test func aTypeWithNothingToStoreIsAnEmptyMap() throws {
    struct Empty: Codable, Equatable {}
    try expectRoundTrip(Empty())
    try expectRoundTrip([Empty(), Empty()])
    let value = Scripted { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      _ = container.superEncoder(forKey: "unused")
      _ = container.nestedContainer(keyedBy: AnyKey.self, forKey: "map")
      _ = container.nestedUnkeyedContainer(forKey: "array")
      try container.encode(Scripted { _ in }, forKey: "nothing")
    }
    try expectSameAsJSON(value)
  }

  @Test func optionalFieldsAreLeftOutOrWritten() throws {
    let value = Scripted { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encodeIfPresent(Int?.none, forKey: "absent")
      try container.encodeIfPresent(5, forKey: "present")
      try container.encode(Int?.none, forKey: "null")
      try container.encodeConditional(Animal(name: "Rex"), forKey: "conditional")
    }
    try expectSameAsJSON(value)
    let tree = try decode(ArchiveValue.self, encodedHex(value))
    #expect(tree.object?.fields.map(\.name) == ["present", "null", "conditional"])
  }
}
