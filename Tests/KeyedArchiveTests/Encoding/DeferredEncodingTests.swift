import Foundation
import KeyedArchive
import TestSupport
import Testing
import ThrownErrors

/// Steps that `Codable` allows and a stream cannot represent: returning to a container, writing a key twice, abandoning
/// a value.
@Suite struct DeferredEncodingTests {
  @Test func nestedContainersMayBeWrittenInTurns() throws {
    let value = Scripted { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      var map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "map")
      var array = container.nestedUnkeyedContainer(forKey: "array")
      for number in 0..<30 {
        try map.encode("value \(number)", forKey: AnyKey(stringValue: "key \(number)"))
        try array.encode("value \(number)")
        try container.encode(number, forKey: AnyKey(stringValue: "own \(number)"))
      }
      #expect(array.count == 30)
    }
    try expectSameAsJSON(value)
    let fields = try decode(ArchiveValue.self, encodedHex(value)).object?.fields.map(\.name)
    #expect(fields?.prefix(3) == ["map", "array", "own 0"])
  }

  @Test func aContainerThatAnotherOneFollowedKnowsItsCount() throws {
    let value = Scripted { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      var array = container.nestedUnkeyedContainer(forKey: "array")
      try array.encode("a")
      let inner = array.nestedUnkeyedContainer()
      try array.encode("b")
      try container.encode("name", forKey: "name")
      try container.encode([array.count, inner.count], forKey: "counts")
    }
    try expectSameAsJSON(value)
    try expectSameAsJSON([value])
    try expectSameAsJSON(["it": value])
  }

  @Test func aSuperEncoderMayBeUsedLater() throws {
    try expectSameAsJSON(
      Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        let parent = container.superEncoder()
        try container.encode(9, forKey: "lives")
        try Animal(name: "Tom").encode(to: parent)
        try container.encode(10, forKey: "more")
      })
  }

  @Test func aKeyWrittenTwiceHoldsTheLastValue() throws {
    try expectSameAsJSON(
      Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(1, forKey: "a")
        try container.encode("long enough to be numbered", forKey: "b")
        try container.encode([Garage.sample], forKey: "a")
        try container.encode("long enough to be numbered", forKey: "c")
        try container.encodeNil(forKey: "b")
      })
  }

  @Test func aKeyWrittenTwiceIsNoticedBeyondTheFirst64() throws {
    try expectSameAsJSON(
      Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        for number in 0..<200 { try container.encode(number, forKey: AnyKey(stringValue: "key \(number)")) }
        try container.encode(-1, forKey: "key 150")
        try container.encode([-2], forKey: "key 63")
      })
  }

  @Test func aNestedContainerRequestedTwiceIsContinued() throws {
    try expectSameAsJSON(
      Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        var map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "map")
        try map.encode(1, forKey: "a")
        var array = container.nestedUnkeyedContainer(forKey: "array")
        try array.encode(1)
        map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "map")
        try map.encode(2, forKey: "b")
        array = container.nestedUnkeyedContainer(forKey: "array")
        try array.encode(2)
      })
  }

  @Test func aSingleValueIsContinuedByAContainerOfItsKind() throws {
    let map = Scripted { encoder in
      var single = encoder.singleValueContainer()
      try single.encode(Garage.sample)
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(["long enough to be numbered"], forKey: "x-extension")
    }
    let nothing = Scripted { _ in }
    let wrapped = Scripted { encoder in
      var single = encoder.singleValueContainer()
      try single.encode(map)
    }
    for content in [map, nothing, wrapped] {
      try expectSameAsJSON([
        Scripted { encoder in
          var single = encoder.singleValueContainer()
          try single.encode(content)
          try CarInfo("B 1").encode(to: encoder)
          var container = encoder.container(keyedBy: AnyKey.self)
          try container.encode(["long enough to be numbered"], forKey: "after")
        }, nothing,
      ])
    }
    try expectSameAsJSON([
      "a": Scripted { encoder in
        var single = encoder.singleValueContainer()
        try single.encode(Scripted { try [1, 2].map(String.init).encode(to: $0) })
        var container = encoder.unkeyedContainer()
        try container.encode("3")
      }, "b": map,
    ])
  }

  @Test func aValueThatStoresOnlyAnotherOneIsContinuedUnderItsKey() throws {
    func wrapping(_ value: some Encodable) -> Scripted {
      Scripted { encoder in
        var single = encoder.singleValueContainer()
        try single.encode(value)
      }
    }
    try expectSameAsJSON(
      Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(wrapping(wrapping(Garage.sample)), forKey: "map")
        try container.encode(wrapping(Scripted { try [1, 2].map(String.init).encode(to: $0) }), forKey: "array")
        var map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "map")
        try map.encode(1, forKey: "a")
        var array = container.nestedUnkeyedContainer(forKey: "array")
        try array.encode("3")
      })
  }

  /// Two kinds of container under one key, requested in every way.
  @Test(arguments: 0..<9, [false, true])
  func twoKindsOfContainerUnderOneKeyAreRefused(way: Int, isInArray: Bool) {
    let value = Scripted { encoder in
      var array = encoder.unkeyedContainer()
      func script(_ container: KeyedEncodingContainer<AnyKey>) throws {
        var container = container
        var map: KeyedEncodingContainer<AnyKey>?
        switch way {
        case 0:
          map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "k")
          try map?.encode("lost", forKey: "a")
          var list = container.nestedUnkeyedContainer(forKey: "k")
          try list.encode(2)
        case 1:
          var list = container.nestedUnkeyedContainer(forKey: "k")
          try list.encode("lost")
          map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "k")
          try map?.encode(2, forKey: "a")
        case 2:
          var list = container.superEncoder(forKey: "k").unkeyedContainer()
          try list.encode("lost")
          map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "k")
        case 3:
          map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "k")
          try map?.encode("lost", forKey: "a")
          var list = container.superEncoder(forKey: "k").unkeyedContainer()
          try list.encode(2)
        case 4:
          var single = container.superEncoder(forKey: "k").singleValueContainer()
          try single.encode("lost")
          map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "k")
        case 5:
          map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "super")
          try map?.encode("lost", forKey: "a")
          var single = container.superEncoder().singleValueContainer()
          try single.encode(2)
        case 6:
          let nested = container.superEncoder(forKey: "k")
          var single = nested.singleValueContainer()
          try single.encode(CarInfo("lost"))
          map = nested.container(keyedBy: AnyKey.self)
          try map?.encode("lost", forKey: "a")
          var list = container.nestedUnkeyedContainer(forKey: "k")
          try list.encode(2)
        case 7:
          var list = container.nestedUnkeyedContainer(forKey: "k")
          var inner = list.nestedUnkeyedContainer()
          try inner.encode("lost")
          map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "k")
        default:
          let first = container.superEncoder(forKey: "k")
          let second = container.superEncoder(forKey: "k")
          var list = first.unkeyedContainer()
          try list.encode("lost")
          map = second.container(keyedBy: AnyKey.self)
          try map?.encode(1, forKey: "a")
        }
      }
      if isInArray {
        try script(array.nestedContainer(keyedBy: AnyKey.self))
      } else {
        try array.encode(Scripted { try script($0.container(keyedBy: AnyKey.self)) })
      }
    }
    let error = expectFailure(.invalidEncoding) { try KeyedArchiveEncoder().encode(value) }
    #expect(
      error?.message.contains("two kinds of container") == true || error?.message.contains("a second value") == true)
  }

  @Test func anEncoderThatOutlivesItsEncodingThrows() throws {
    final class Kept: @unchecked Sendable {
      var map: KeyedEncodingContainer<AnyKey>?
      var list: (any UnkeyedEncodingContainer)?
      var encoder: (any Encoder)?
    }
    for isDeferred in [false, true] {
      let kept = Kept()
      let value = Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(1, forKey: "a")
        if isDeferred { try container.encode(2, forKey: "a") }
        kept.map = container
        kept.list = container.nestedUnkeyedContainer(forKey: "list")
        kept.encoder = container.superEncoder()
      }
      _ = try KeyedArchiveEncoder().encode(value)
      var map = try #require(kept.map)
      var list = try #require(kept.list)
      let encoder = try #require(kept.encoder)
      for write in [
        { try map.encode(3, forKey: "b") }, { try map.encode("text", forKey: "b") }, { try list.encode([1, 2]) },
        { try list.encodeNil() }, { try CarInfo("B 1").encode(to: encoder) },
        {
          var single = encoder.singleValueContainer()
          try single.encode(5)
        },
      ] as [() throws -> Void] {
        let error = expectError(EncodingError.self) { try write() }
        guard case .invalidValue(_, let context) = error else { continue }
        #expect(context.debugDescription.contains("used after its encoding"))
      }
    }
  }

  /// Expects the result of a sequence of calls. `JSONEncoder` is not used for comparison, because it traps on some of
  /// them.
  private func expect(
    _ tree: ArchiveValue, sourceLocation: SourceLocation = #_sourceLocation,
    from script: @escaping (any Encoder) throws -> Void
  ) throws {
    let written = try decode(ArchiveValue.self, encodedHex(["it": Scripted(script)]))
    #expect(written["it"] == tree, sourceLocation: sourceLocation)
  }

  @Test func anAbandonedValueLeavesNothing() throws {
    try expect(["a": 1, "b": "begun", "array": ["half of it", [true]]]) { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(1, forKey: "a")
      givingUp { try container.encode(Failing(), forKey: "failed") }
      try container.encode("begun", forKey: "b")
      var array = container.nestedUnkeyedContainer(forKey: "array")
      givingUp { try array.encode(Failing()) }
      givingUp { try array.encode([Failing()]) }
      try array.encode("half of it")
      try array.encode(
        Scripted { encoder in
          var inner = encoder.unkeyedContainer()
          givingUp { try inner.encode(["k": [Failing()]]) }
          try inner.encode(true)
        })
    }
  }

  @Test func aKeyKeepsItsValueWhenSettingANewOneFails() throws {
    try expect(["a": 1, "b": 2, "c": 3]) { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(1, forKey: "a")
      try container.encode(2, forKey: "b")
      givingUp { try container.encode(Failing(), forKey: "a") }
      try container.encode(3, forKey: "c")
    }
  }

  @Test func aWideIntegerBeyondTheDepthLeavesNothing() throws {
    var limits = ArchiveLimits()
    limits.maximumDepth = 5  // tag 256, the dictionary's tag and array, the dictionary and the container; not tag 2
    let scripts: [(any Encoder) throws -> Void] = [
      { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        givingUp { try container.encode(UInt128.max, forKey: "wide") }
        givingUp { try container.encode(Int128.min, forKey: "wide") }
        try container.encode(1, forKey: "b")
      },
      { encoder in
        var container = encoder.unkeyedContainer()
        givingUp { try container.encode(UInt128.max) }
        givingUp { try container.encode(Int128.min) }
        try container.encode(1)
      },
    ]
    for (script, stored) in zip(scripts, [["b": 1], [1]] as [ArchiveValue]) {
      let data = try KeyedArchiveEncoder(limits: limits).encode(["it": Scripted(script)])
      #expect(try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)["it"] == stored)
    }
  }

  @Test func moreItemsThanTheLimitAreNotWritten() throws {
    var limits = ArchiveLimits()
    limits.maximumItems = 20
    for count in [5, 30] {
      let value = Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        var numbers = container.nestedUnkeyedContainer(forKey: AnyKey("numbers"))
        try container.encode(true, forKey: "after")
        for number in 0..<count { try numbers.encode("number \(number)") }
      }
      guard count > limits.maximumItems else {
        _ = try KeyedArchiveEncoder(limits: limits).encode(value)
        continue
      }
      expectFailure(.limitReached) { try KeyedArchiveEncoder(limits: limits).encode(value) }
    }
  }

  @Test func aFailureAfterAnotherEntryAbandonsTheRightOne() throws {
    // The failing value returns to its parent's container before it fails.
    try expect(["kept": 1, "written inside": 3]) { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(1, forKey: "kept")
      let meddling = Scripted { _ in
        try container.encode(2, forKey: "written inside")
        throw Failing.Refusal()
      }
      var same = encoder.container(keyedBy: AnyKey.self)
      givingUp { try same.encode(meddling, forKey: "failed") }
      try same.encode(3, forKey: "written inside")
    }
  }

  @Test func aFailedSingleValueMayBeReplaced() throws {
    try expect("instead") { encoder in
      var container = encoder.singleValueContainer()
      givingUp { try container.encode(Failing()) }
      try container.encode("instead")
    }
  }

  @Test func theLastErrorBelongsToTheValue() {
    let value = Scripted { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(1, forKey: "a")
      try container.encode(2, forKey: "a")
      throw Failing.Refusal()
    }
    #expect(throws: Failing.Refusal.self) { try encodedHex(value) }
  }

  @Test func valuesOfEveryKindAreEncodedThroughATree() throws {
    struct Detour: Codable, Equatable {
      var garage: Garage
      var numbers: [Double]
      var date: Date
      var set: Set<[String]>
      var table: [Int: Command]
      var nothing: Int??
      var big: UInt128

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("first", forKey: .garage)  // replaced below, which requires the tree
        try container.encode(garage, forKey: .garage)
        try container.encode(numbers, forKey: .numbers)
        try container.encode(date, forKey: .date)
        try container.encode(set, forKey: .set)
        try container.encode(table, forKey: .table)
        try container.encodeIfPresent(nothing, forKey: .nothing)
        try container.encode(big, forKey: .big)
      }
    }
    let value = Detour(
      garage: .sample, numbers: [1.5, .infinity], date: Date(timeIntervalSinceReferenceDate: 0.1),
      set: [["b", "a"], []], table: [1: .drive(2), -5: .sequence([.stop])], nothing: .some(nil), big: .max)
    try expectRoundTrip(value)
    #expect(
      try roundTripDynamically([value, "x", value] as [any Sendable], registering: Detour.self) is [any Sendable])
  }

  @Test func instancesStaySharedInATree() throws {
    struct Pair: Codable {
      var favourite: Animal
      var animals: [Animal]

      init(favourite: Animal, animals: [Animal]) {
        self.favourite = favourite
        self.animals = animals
      }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        favourite = try container.decode(Animal.self, forKey: "favourite")
        animals = try container.decode([Animal].self, forKey: "animals")
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        var later = container.nestedUnkeyedContainer(forKey: "animals")
        try container.encode(favourite, forKey: "favourite")
        for animal in animals { try later.encode(animal) }
      }
    }
    let rex = Dog(name: "Rex", tricks: ["sit"])
    let pair = Pair(favourite: rex, animals: [Animal(name: "Tom"), rex, Cat(name: "Tim", lives: 9)])
    let copy = try roundTrip(pair, registering: Dog.self, Cat.self)
    #expect(copy.favourite === copy.animals[1])
    #expect(copy.favourite is Dog)
    #expect(copy.animals.map(\.name) == ["Tom", "Rex", "Tim"])
    #expect(copy.animals[2] is Cat)
  }

  @Test func aFailedInstanceMayBeWrittenAgain() throws {
    final class Moody: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode("mood", forKey: "state")
        if encoder.codingPath.last?.stringValue == "refused" { throw Failing.Refusal() }
      }
    }
    let moody = Moody()
    try expect(["accepted": ["state": "mood"], "again": [["state": "mood"]]]) { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      givingUp { try container.encode(moody, forKey: "refused") }
      try container.encode(moody, forKey: "accepted")
      try container.encode([moody], forKey: "again")
    }
  }

  @Test func theDepthIsAlsoLimitedInATree() {
    struct Deep: Encodable {
      var levels: Int

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(0, forKey: "child")
        if levels > 0 { try container.encode(Deep(levels: levels - 1), forKey: "child") }
      }
    }
    #expect(throws: Never.self) { try encodedHex(Deep(levels: 240)) }
    expectFailure(.limitReached) { try encodedHex(Deep(levels: 300)) }
    expectFailure(.limitReached) { try encodedHex(Deep(levels: 1_000_000)) }
  }
}
