import Foundation
import KeyedArchive
import Synchronization
import TestSupport
import Testing

/// The warnings of a registry, and an encoder that uses it.
private final class Warnings: Sendable {
  let registry = TypeRegistry()
  private let given = Mutex<[ArchiveWarning]>([])

  var all: [ArchiveWarning] { given.withLock { $0 } }

  init() {
    registry.handleWarnings { [self] warning in given.withLock { $0.append(warning) } }
  }

  func encode(_ value: any Sendable) throws {
    _ = try KeyedArchiveEncoder(registry: registry).encode(value)
  }
}

/// Returns the warnings that storing a value causes.
private func warnings(storing value: any Sendable) throws -> [ArchiveWarning] {
  let warnings = Warnings()
  try warnings.encode(value)
  return warnings.all
}

private class Vehicle: Codable, @unchecked Sendable {
  var plate = "B 1"
}

/// Does not encode the properties that it adds.
private class Truck: Vehicle, @unchecked Sendable {
  var load = 5
  var cargo: [String] = ["sand"]
}

/// Encodes the properties that it adds, but its superclass does not.
private final class Tanker: Truck, @unchecked Sendable {
  var litres = 9

  private enum CodingKeys: CodingKey { case litres }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(litres, forKey: .litres)
  }
}

private final class Pickup: Truck, @unchecked Sendable {}

private class Counter: Codable, @unchecked Sendable {
  var count: Int128 = 1
  var limit: UInt128?
}

private final class ForgetfulCounter: Counter, @unchecked Sendable {
  var step = 2
}

/// Encodes an integer without a key.
private class Tally<Number: FixedWidthInteger & Codable>: Codable, @unchecked Sendable {
  var number: Number = 1

  func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    // A generic call would not choose the method for the type.
    switch number {
    case let number as Int128: try list.encode(number)
    case let number as UInt128: try list.encode(number)
    default: try list.encode(number)
    }
  }
}

private final class ForgetfulTally<Number: FixedWidthInteger & Codable>: Tally<Number>, @unchecked Sendable {
  var step = 2
}

private final class Trailer: Vehicle, @unchecked Sendable {
  var note: String?
  weak var driver: Vehicle?
  lazy var total = 5
  let close: @Sendable () -> Void = {}
}

/// Encodes under names other than those of its properties.
private final class Renaming: Vehicle, @unchecked Sendable {
  var load = 5

  private enum CodingKeys: String, CodingKey { case load = "l" }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder.unkeyedContainerForSuper())
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(load, forKey: .load)
  }
}

extension Encoder {
  fileprivate func unkeyedContainerForSuper() -> any Encoder {
    var container = container(keyedBy: AnyKey.self)
    return container.superEncoder(forKey: "base")
  }
}

/// Uses keys that are declared elsewhere and have other names.
private final class Foreign: Vehicle, @unchecked Sendable {
  var load = 5

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(load, forKey: "l")
  }
}

/// Encodes its property into a nested container.
private final class Nesting: Vehicle, @unchecked Sendable {
  var load = 5

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "own")
    try nested.encode(load, forKey: "load")
  }
}

/// Encodes its property as an element.
private class Listing: Codable, @unchecked Sendable {
  var first = 1

  init() {}

  required init(from decoder: any Decoder) throws {}

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(first)
  }
}

private final class LongListing: Listing, @unchecked Sendable {
  var second = 2

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.unkeyedContainer()
    try container.encode(second)
  }
}

private final class CutListing: Listing, @unchecked Sendable {
  var second = 2
}

/// Is not stored.
private class Plain: @unchecked Sendable {
  var hidden = 1
}

private final class Shown: Plain, Codable, @unchecked Sendable {
  var shown = 1
  private enum CodingKeys: CodingKey { case shown }
}

private final class Wrapped: Vehicle, @unchecked Sendable {
  @Polymorphic var shapes: [any Shape] = [Circle(radius: 1)]

  private enum CodingKeys: CodingKey { case shapes }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(_shapes, forKey: .shapes)
  }
}

/// Encodes a single value, which may contain anything.
private final class Single: Vehicle, @unchecked Sendable {
  var load = 5

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode([plate, String(load)])
  }
}

private class Plant: Archivable, @unchecked Sendable {
  class var archiveTag: ArchiveTag { "Plant" }
  class var archiveOmittedProperties: Set<String> { [] }
  var height = 1
}

private final class Fern: Plant, @unchecked Sendable {
  override class var archiveTag: ArchiveTag { "Fern" }
  override class var archiveOmittedProperties: Set<String> { ["cache", "draft"] }
  var cache = 1
  var draft = 2
}

private final class Moss: Plant, @unchecked Sendable {
  override class var archiveTag: ArchiveTag { "Moss" }
  override class var archiveOmittedProperties: Set<String> { ["cache"] }
  var cache = 1
  var wetness = 2
}

/// Whether this is a debug build. Only debug builds look for mistakes.
private let isDebugBuild: Bool = {
  var isDebugBuild = false
  assert({ isDebugBuild = true }() == ())
  return isDebugBuild
}()

/// The mistakes that debug builds find in a program's types.
@Suite(.enabled(if: isDebugBuild)) struct ArchiveWarningTests {
  // MARK: Forgotten properties

  @Test func aSubclassThatOmitsItsPropertiesIsReportedOnce() throws {
    let warnings = Warnings()
    try warnings.encode([Truck(), Truck(), Vehicle()] as [Vehicle])
    try warnings.encode(Truck())
    let warning = try #require(warnings.all.first)
    #expect(warnings.all.count == 1)
    #expect(warning.kind == .omittedProperties)
    #expect(warning.typeName.hasSuffix("Truck"))
    #expect(warning.tag == "Truck")
    #expect(warning.properties == ["load", "cargo"])
    #expect(warning.message.contains("adds to its superclass: load, cargo. They are lost."))
    #expect("\(warning)".hasPrefix("omittedProperties: "))
    #expect(try KeyedArchiveTests.warnings(storing: Truck()) == [warning])  // another registry
  }

  /// The standard library's methods for these integers throw an error unless a container has its own.
  @Test func integersOf128BitsHideNothing() throws {
    #expect(try warnings(storing: ForgetfulCounter()).map(\.properties) == [["step"]])
    #expect(try warnings(storing: ForgetfulTally<Int>()).map(\.properties) == [["step"]])
    #expect(try warnings(storing: ForgetfulTally<Int128>()).map(\.properties) == [["step"]])
    #expect(try warnings(storing: ForgetfulTally<UInt128>()).map(\.properties) == [["step"]])
  }

  @Test func everyLevelIsExamined() throws {
    #expect(try warnings(storing: Tanker()).map(\.tag) == ["Truck"])
    #expect(try warnings(storing: Pickup()).map(\.tag) == ["Truck"])
    #expect(try warnings(storing: CutListing()).map(\.properties) == [["second"]])
    let both = Warnings()
    try both.encode([Tanker(), Pickup(), Truck()] as [Vehicle])
    #expect(both.all.count == 1)
  }

  @Test func theClassIsFoundInEachPosition() throws {
    struct Fleet: Codable, Sendable { var vehicles: [String: [Vehicle]] }
    #expect(try warnings(storing: Fleet(vehicles: ["a": [Vehicle(), Truck()]])).count == 1)
    #expect(try warnings(storing: Polymorphic<[any Sendable]>(wrappedValue: [1, Truck()])).count == 1)
  }

  @Test func storedPropertiesAreNotReported() throws {
    let stored: [any Sendable] = [
      Vehicle(), Dog(name: "Rex", tricks: ["sit"]), Cat(name: "Tom", lives: 9), Star(points: 5), Renaming(), Wrapped(),
      Single(), Listing(), LongListing(), Foreign(), Nesting(), Shown(),
      Household(favourite: Dog(name: "Rex", tricks: []), animals: []),
    ]
    for value in stored { #expect(try warnings(storing: value) == []) }
  }

  @Test func nilAndUnstorablePropertiesAreReportedOnceTheyHaveAValue() throws {
    let warnings = Warnings()
    let trailer = Trailer()
    try warnings.encode([trailer, Trailer()])
    #expect(warnings.all == [])
    trailer.note = "there"
    try warnings.encode(trailer)
    #expect(warnings.all.map(\.properties) == [["note"]])
  }

  @Test func omissionsCanBeDeclared() throws {
    #expect(try warnings(storing: Fern()) == [])
    #expect(try warnings(storing: Moss()).map(\.properties) == [["wetness"]])
    let warnings = Warnings()
    warnings.registry.allowOmittedProperties(of: Truck.self)
    try warnings.encode([Truck(), Tanker(), Pickup()] as [Vehicle])
    #expect(warnings.all == [])
  }

  // MARK: Tag clashes

  @Test func twoTypesUnderOneTagAreReportedOnce() throws {
    func first() -> any Sendable {
      struct Slot: Codable, Sendable { var number = 1 }
      return Slot()
    }
    func second() -> any Sendable {
      struct Slot: Codable, Sendable { var number = 2 }
      return Slot()
    }
    let warnings = Warnings()
    try warnings.encode([first(), first()] as [any Sendable])
    #expect(warnings.all == [])
    try warnings.encode([second(), first(), second()] as [any Sendable])
    try warnings.encode(second())
    let warning = try #require(warnings.all.first)
    #expect(warnings.all.count == 1)
    #expect(warning.kind == .tagClash)
    #expect(warning.tag == "ArchiveWarningTests.Slot")
    #expect(warning.properties == [])
    #expect(warning.message.contains(#"archive tag "ArchiveWarningTests.Slot", which KeyedArchiveTests."#))
  }

  @Test func aTypeUnderTheTagOfARegisteredOneIsReported() throws {
    struct CarInfo: Codable, Sendable {}
    struct Versioned: Archivable {
      static let archiveTag: ArchiveTag = "CarInfo"
      static let archiveVersion = 2
    }
    let warnings = Warnings()
    try warnings.registry.register(TestSupport.CarInfo.self)
    try warnings.encode(TestSupport.CarInfo("B 1"))
    #expect(warnings.all == [])
    try warnings.encode(CarInfo())  // has another tag, because it is declared here
    #expect(warnings.all == [])
    try warnings.encode([Versioned()])
    #expect(warnings.all.map(\.tag) == ["CarInfo"])
  }

  @Test func classesAndCollectionsClashToo() throws {
    class First: Codable, @unchecked Sendable {}
    final class Taker: Archivable, Sendable {
      static let archiveTag: ArchiveTag = "ArchiveWarningTests.First"
    }
    let warnings = Warnings()
    try warnings.encode([First(), Taker()] as [any Sendable])
    #expect(warnings.all.map(\.tag) == ["ArchiveWarningTests.First"])
    let collections = Warnings()
    try collections.encode([Set([1]), ["a": [1]], Set([2]), [Date?]()] as [any Sendable])
    #expect(collections.all == [])
  }
}
