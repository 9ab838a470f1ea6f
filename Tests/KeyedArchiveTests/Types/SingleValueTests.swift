import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Types that store one value of another type as their own, with values that need their own name or mark.
@Suite struct SingleValueTests {
  /// An inexact date, which is named.
  private static let inexact = Date(timeIntervalSinceReferenceDate: 785_000_000.123_456_7)

  @Test func aNamedValueReadsBackInEachPosition() throws {
    try expectEveryWrapper(SingleValueTests.inexact)
    try expectEveryWrapper(Date.distantPast.addingTimeInterval(-1))
    try expectEveryWrapper(try #require(URL(string: "b?c#d", relativeTo: URL(string: "https://example.org/a/"))))
    try expectEveryWrapper(Decimal.nan)
    try expectEveryWrapper(Int??.some(.none), isNil: true)
    try expectEveryWrapper(Int???.some(.some(.none)), isNil: true)
    try expectEveryWrapper(Dated(content: 3))
    try expectEveryWrapper([SingleValueTests.inexact])
    try expectEveryWrapper(Pair(first: SingleValueTests.inexact, second: SingleValueTests.inexact))
  }

  @Test func anUnnamedValueReadsBackInEachPosition() throws {
    try expectEveryWrapper(5)
    try expectEveryWrapper("text")
    try expectEveryWrapper([1.5, 2])
    try expectEveryWrapper(Data([1, 2]))
    try expectEveryWrapper(CarInfo("B 1"))
    try expectEveryWrapper(Weekday.sunday)
    try expectEveryWrapper(ArchiveValue.named("Date", version: 1, "none"))
    try expectEveryWrapper(TimeZone(secondsFromGMT: 90))
  }

  @Test func anInnerNilReadsBackInEachPosition() throws {
    try expectEveryWrapper(Int?.none, isNil: true)
    try expectEveryWrapper(Int?.some(1))
    try expectEveryWrapper(ArchiveValue.null, isNil: true)
    try expectEveryWrapper(ArchiveValue.undefined, isNil: true)
    try expectEveryWrapper(ArchiveValue.named("Optional", version: 1, .null), isNil: true)
    try expectEveryWrapper(Held(wrappedValue: Int?.none), isNil: true)
  }

  private func expectEveryWrapper<Value: RandomKey>(
    _ value: Value, isNil: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectEveryPlace(Held(wrappedValue: value), sourceLocation)
    try expectEveryPlace(Labelled<Int, Value>(rawValue: value), sourceLocation)
    try expectEveryPlace(Coated(rawValue: value), sourceLocation)
    try expectEveryPlace(Held(wrappedValue: Labelled<Int, Value>(rawValue: value)), sourceLocation)
    if !isNil {
      try expectEveryPlace(Crate(value), sourceLocation)
      try expectEveryPlace(Labelled<Int, Crate<Value>>(rawValue: Crate(value)), sourceLocation)
      try expectEveryPlace(Crate(Held(wrappedValue: value)), sourceLocation)
    }
    try expectEveryPlace(Coated(rawValue: Coated(rawValue: value)), sourceLocation)
    try expectKeys(Held(wrappedValue: value), sourceLocation)
    try expectKeys(Labelled<Int, Held<Value>>(rawValue: Held(wrappedValue: value)), sourceLocation)
    try expectKeys(Coated(rawValue: value), sourceLocation)
  }

  private func expectEveryPlace<Value: RandomValue>(_ value: Value, _ sourceLocation: SourceLocation) throws {
    let registry = TypeRegistry()
    try registry.register(Value.ownTypes)
    func expect<Whole: Codable>(
      _ whole: Whole, _ isSame: (Whole, Value) -> Bool, isDynamic: Bool = false
    ) throws {
      let data = try KeyedArchiveEncoder(registry: registry).encode(whole)
      do {
        let decoded = try KeyedArchiveDecoder(registry: registry).decode(Whole.self, from: data)
        #expect(isSame(decoded, value), "\(Whole.self) \(data.hex)", sourceLocation: sourceLocation)
        let again = try KeyedArchiveEncoder(registry: registry).encode(decoded)
        #expect(again == data, "\(Whole.self)", sourceLocation: sourceLocation)
      } catch {
        Issue.record("\(Whole.self) \(data.hex): \(error)", sourceLocation: sourceLocation)
      }
    }
    func isSame(_ decoded: Value?, _ value: Value) -> Bool { decoded.map { $0.isIdentical(to: value) } ?? false }

    try expect(value) { $0.isIdentical(to: $1) }
    try expect(Places(value)) {
      isSame($0.property, $1) && isSame($0.optional, $1) && $0.absent == nil && $0.elements.count == 2
        && isSame($0.elements[1], $1) && $0.gaps.count == 2 && $0.gaps[0] == nil && isSame($0.gaps[1], $1)
        && isSame($0.named["key"], $1)
    }
    try expect(Value??.some(.some(value))) { isSame($0 ?? nil, $1) }
    try expect([Value???.some(.some(.some(value))), .some(.some(nil)), .some(nil), nil]) {
      guard case .some(.some(.some(let decoded))) = $0[0], case .some(.some(.none)) = $0[1],
        case .some(.none) = $0[2], case .none = $0[3]
      else { return false }
      return isSame(decoded, $1)
    }
    try expect(["a": Value?.some(value), "b": nil]) { isSame($0["a"] ?? nil, $1) && $0.count == 2 }
    try expect(Pair(first: value, second: Pair(first: value, second: value))) { isSame($0.second?.second, $1) }
    try expect(Either<Value, Value>.right(value)) { $0.isIdentical(to: .right($1)) }
    try expect(Interleaved(value)) { isSame($0.value, $1) && isSame($0.other ?? nil, $1) }
    try expect(Polymorphic<[any Sendable]>(wrappedValue: [value])) { isSame($0.wrappedValue.first as? Value, $1) }

    let mixed: [any Sendable] = [value, ["a": value] as [String: any Sendable], [value], 3]
    let data = try KeyedArchiveEncoder(registry: registry).encode(mixed)
    do {
      let decoded = try KeyedArchiveDecoder(registry: registry).decode(from: data) as? [any Sendable]
      let inner = (decoded?[1] as? [String: any Sendable])?["a"]
      let list = decoded?[2] as? [Value]
      let isRight = isSame(decoded?[0] as? Value, value) && isSame(inner as? Value, value) && isSame(list?[0], value)
      #expect(isRight, "mixed \(Value.self) \(data.hex)", sourceLocation: sourceLocation)
    } catch {
      Issue.record("mixed \(Value.self) \(data.hex): \(error)", sourceLocation: sourceLocation)
    }
  }

  private func expectKeys<Value: RandomKey>(_ value: Value, _ sourceLocation: SourceLocation) throws {
    let dictionary = try roundTrip([value: value])
    #expect(
      dictionary.count == 1 && dictionary.first?.value.isIdentical(to: value) == true, sourceLocation: sourceLocation)
    #expect(dictionary.first?.key.isIdentical(to: value) == true, sourceLocation: sourceLocation)
    let set = try roundTrip(Set([value]))
    #expect(set.count == 1 && set.first?.isIdentical(to: value) == true, sourceLocation: sourceLocation)
  }

  @Test func anInnerNilHasTheExpectedBytes() throws {
    let null = "d81b 82 68 4f7074696f6e616c f6"
    #expect(try encodedHex(["a": Held<Int?>?.some(Held(wrappedValue: nil))]).hasSuffix(hex("a1 61 61 \(null)")))
    #expect(try encodedHex(["a": Held<Int?>?.none]).hasSuffix(hex("a1 61 61 f6")))
    let twice = try encodedHex(["a": Held<Int??>?.some(Held(wrappedValue: .some(nil)))])
    #expect(twice.hasSuffix(hex("a1 61 61 d81b 82 68 4f7074696f6e616c d81b 82 d819 01 f6")), "\(twice)")
  }

  /// A property that is no longer optional, or that is read in any way.
  @Test func anInnerNilIsReadWithoutTheOptional() throws {
    struct Before: Codable { var value: Loose? }
    struct After: Codable { var value: Loose }
    let fields = try KeyedArchiveDecoder().decode(
      ArchiveValue.self, from: KeyedArchiveEncoder().encode(Before(value: .null)))
    let content = try KeyedArchiveEncoder().encode(["value": try #require(fields["value"])] as ArchiveValue)
    #expect(try KeyedArchiveDecoder().decode(After.self, from: content).value == .null)
    #expect(try KeyedArchiveDecoder().decode(Before.self, from: content).value == .null)
    #expect(
      try KeyedArchiveDecoder().decode([String: Held<Int?>].self, from: content)["value"]?.wrappedValue == .some(nil))
  }

  // MARK: Instances

  @Test func oneInstanceInTwoWrappersIsOne() throws {
    let dog = Dog(name: "Rex", tricks: ["sit"])
    let kennel = Kennel(dog)
    try expectOneInstance(roundTrip(kennel, registering: Dog.self), kennel)
    try expectOneInstance(roundTrip(Interleaved(kennel), registering: Dog.self).value, kennel)
  }

  private func expectOneInstance(_ decoded: Kennel, _ kennel: Kennel) {
    #expect(decoded.instances.count == kennel.instances.count)
    for instance in decoded.instances { #expect(instance === decoded.animal) }
    #expect((decoded.animal as? Dog)?.tricks == ["sit"])
    #expect(decoded.crate !== decoded.crates[0])
    #expect(decoded.crates[0] === decoded.crates[1])
    #expect(decoded.crates[0] !== decoded.crates[2])
    #expect(decoded.box !== decoded.otherBox)
    #expect(decoded.box.content === decoded.crate)
  }

  @Test func aWrapperOfASharedInstanceIsNotReadAsTheInstance() throws {
    // In each order of a class that only stores an instance, and that instance.
    let animal = Held(wrappedValue: Animal(name: "It"))
    let mixed: [any Sendable] = [Case(animal), animal.wrappedValue, Case(animal), animal]
    for order in [[0, 1, 2, 3], [1, 0, 2, 3], [2, 1, 3, 0], [3, 2, 0, 1], [0, 2, 1, 3]] {
      let registry = TypeRegistry()
      try registry.register(Case.self, Animal.self, Held<Animal>.self)
      let data = try KeyedArchiveEncoder(registry: registry).encode(order.map { mixed[$0] })
      let decoded = try #require(
        try KeyedArchiveDecoder(registry: registry).decode(from: data) as? [any Sendable], "\(data.hex)")
      let cases = decoded.compactMap { $0 as? Case }
      let animals = decoded.compactMap { $0 as? Animal } + decoded.compactMap { ($0 as? Held<Animal>)?.wrappedValue }
      #expect(cases.count == 2 && animals.count == 2, "\(data.hex)")
      #expect(cases.first !== cases.last, "\(data.hex)")
      for other in animals + cases.map(\.content.wrappedValue) { #expect(other === animals[0], "\(order) \(data.hex)") }
    }
  }

  @Test func manyWrappersOfOneInstanceAreRead() throws {
    // Each reference is followed, but the instance is not read again, so the limit for repeated bytes is not reached.
    let one = Held(wrappedValue: Animal(name: String(repeating: "long", count: 10_000)))
    var limits = ArchiveLimits()
    limits.maximumItems = 20_000
    let data = try KeyedArchiveEncoder(limits: limits).encode([Held<Animal>](repeating: one, count: 5000))
    let decoded = try KeyedArchiveDecoder(limits: limits).decode([Held<Animal>].self, from: data)
    #expect(decoded.count == 5000 && decoded[4999].wrappedValue === decoded[0].wrappedValue)
  }

  @Test func anInstanceWithASharedOneHasTheExpectedBytes() throws {
    let animal = Animal(name: "It")
    let crates = [Crate(animal), Crate(animal)]
    // Both marks of the first one, and the mark of the second one around the reference.
    #expect(
      try encodedHex(Boxes(all: crates))
        == hex("d81b 82 65 426f786573 a1 63 616c6c 82 d81cd81c a1 64 6e616d65 62 4974 d81cd81d01"))
    #expect(
      try encodedHex(Boxes(all: [crates[0]])) == hex("d81b 82 65 426f786573 a1 63 616c6c 81 a1 64 6e616d65 62 4974"))
  }

  // MARK: Other values

  @Test func aTypeThatReadsNothingAcceptsNoOtherType() throws {
    struct Empty: Codable {}
    let data = try KeyedArchiveEncoder().encode(CarInfo("B 1"))
    let complaint = try complaint { try KeyedArchiveDecoder().decode(Empty.self, from: data) }
    #expect(complaint.message == "Expected SingleValueTests.Empty, but found a value of type CarInfo.")
  }

  @Test func aTypeThatReadsNothingSkipsANamedElement() throws {
    struct Skipped: Decodable {}
    final class Fish: Animal, @unchecked Sendable {}
    struct Tank: Encodable {
      let animals = [Animal(name: "Tom"), Fish(name: "Wanda")]
      let date = SingleValueTests.inexact
      let dated = Dated(content: 3)
      let nothing = Int??.some(nil)
    }
    try decode(encoded: Tank()) { decoder in
      let container = try decoder.container(keyedBy: AnyKey.self)
      var elements = try container.nestedUnkeyedContainer(forKey: "animals")
      #expect(try elements.decode(Animal.self).name == "Tom")
      #expect(throws: KeyedArchiveError.self) { try elements.decode(Animal.self) }
      _ = try elements.decode(Skipped.self)
      #expect(elements.isAtEnd)
      for key in ["date", "dated", "nothing"] as [AnyKey] { _ = try container.decode(Skipped.self, forKey: key) }
    }
  }

  /// Such a type would lose the fields of the other one.
  @Test func aTypeThatIgnoresAContainerItDoesNotGetIsNoOtherType() throws {
    struct Tolerant: Decodable {
      let content: Int

      init(from decoder: any Decoder) throws {
        let container = try? decoder.container(keyedBy: AnyKey.self)
        content = try container?.decode(Int.self, forKey: "content") ?? 0
      }
    }
    #expect(throws: DecodingError.self) {
      try decode(encoded: ["dated": Dated(content: 3)]) { decoder in
        _ = try decoder.container(keyedBy: AnyKey.self).decode(Tolerant.self, forKey: "dated")
      }
    }
  }

  @Test func aClassThatReadsNothingIsNoOtherClass() throws {
    class Base: Codable, @unchecked Sendable {}
    final class Derived: Base, @unchecked Sendable {}
    let data = try KeyedArchiveEncoder().encode([Base(), Derived()])
    expectFailure(.unregisteredTag) { try KeyedArchiveDecoder().decode([Base].self, from: data) }
  }

  @Test func aTypeMayHaveTheNameOfItsValue() throws {
    let value = Alias(content: Dated(content: 4))
    try expectEveryPlace(value, #_sourceLocation)
  }

  @Test func aMigrationOfAWrapperLeavesTheVersionOfItsValue() throws {
    // The wrapper now has a version. Its value already had one.
    let data = try KeyedArchiveEncoder().encode(Owner(content: Held(wrappedValue: Counted(count: 4))))
    #expect(try KeyedArchiveDecoder().decode(Owner<Grown>.self, from: data).content.content.count == 5)
  }
}

/// One animal in wrappers of each kind.
private struct Kennel: Codable, Sendable {
  var first: Held<Animal>
  var animal: Animal
  var optional: Labelled<Int, Animal>?
  var crate: Crate<Animal>
  var crates: [Crate<Animal>]
  var box: Crate<Crate<Animal>>
  var otherBox: Crate<Crate<Animal>>
  var held: [String: Held<Labelled<Bool, Animal>>]

  init(_ animal: Animal) {
    first = Held(wrappedValue: animal)
    self.animal = animal
    optional = Labelled(rawValue: animal)
    crate = Crate(animal)
    let one = Crate(animal)
    crates = [one, one, Crate(animal)]
    box = Crate(crate)
    otherBox = Crate(crate)
    held = ["a": Held(wrappedValue: Labelled(rawValue: animal))]
  }

  var instances: [Animal] {
    [first.wrappedValue, animal, crate.content, box.content.content, otherBox.content.content] + crates.map(\.content)
      + [optional?.rawValue, held["a"]?.wrappedValue.rawValue].compactMap { $0 }
  }
}

/// A class that only stores another instance, through a wrapper.
private final class Case: Codable, Sendable {
  let content: Held<Animal>

  init(_ content: Held<Animal>) { self.content = content }

  init(from decoder: any Decoder) throws {
    content = try decoder.singleValueContainer().decode(Held<Animal>.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content)
  }
}

private struct Boxes: Codable, Sendable {
  var all: [Crate<Animal>]
}

/// A type that writes to its containers in turn, so that its parts are assembled later.
private struct Interleaved<Value: Codable & Sendable>: Codable, Sendable {
  var value: Value
  var other: Value??

  private enum CodingKeys: CodingKey { case first, second, value, other }

  init(_ value: Value) {
    self.value = value
    other = value
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    value = try container.decode(Value.self, forKey: .value)
    other = try container.decodeIfPresent(Value?.self, forKey: .other)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    var first = container.nestedUnkeyedContainer(forKey: .first)
    var second = container.nestedUnkeyedContainer(forKey: .second)
    try first.encode(1)
    try second.encode(2)
    try first.encode(3)
    try container.encode(value, forKey: .value)
    try container.encodeIfPresent(other, forKey: .other)
  }
}

/// A wrapper with the tag of its value, but not its version.
private struct Alias: RandomValue, Archivable {
  var content: Dated<Int>

  static var archiveTag: ArchiveTag { "Dated<Int>" }

  init(content: Dated<Int>) { self.content = content }

  init(from decoder: any Decoder) throws {
    content = try decoder.singleValueContainer().decode(Dated<Int>.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content)
  }

  static func random(_ random: inout SeededGenerator) -> Alias { Alias(content: .random(&random)) }

  func isIdentical(to other: Alias) -> Bool { content.isIdentical(to: other.content) }

  static var ownTypes: [any (Codable & Sendable).Type] { [Alias.self] }
}

/// A value whose version is stored with it.
private struct Counted: Archivable {
  var count: Int

  static var archiveVersion: Int { 2 }

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws { object["count"] = nil }
}

/// A type with a content whose type has changed.
private struct Owner<Content: Codable & Sendable>: Archivable {
  var content: Content

  static var archiveTag: ArchiveTag { "Owner" }
}

/// A wrapper that now has a version.
private struct Grown: Archivable {
  var content: Counted

  static var archiveVersion: Int { 2 }

  init(from decoder: any Decoder) throws {
    content = try decoder.singleValueContainer().decode(Counted.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content)
  }

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    object["count"] = .int((object["count"]?.int ?? 0) + 1)
  }
}
