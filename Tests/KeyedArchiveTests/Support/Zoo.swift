import Foundation
import KeyedArchive
import TestSupport

/// A value that contains everything that an archive can hold: the basis for damage and comparisons.
struct Zoo: Codable, Sendable {
  var numbers: [Int128] = [0, -1, 23, 24, 65_536, .max, .min]
  var doubles: [Double] = [1.5, -.infinity]
  var bytes: [UInt8] = [1, 2, 3]
  var half = 0.5
  var text = "repeated text"
  var again = ["repeated text", "repeated text", ""]
  var data = Data([0xd8, 0x1c, 0x00])
  var date = Date(timeIntervalSince1970: 1_363_896_240)
  var exactDate = Date(timeIntervalSinceReferenceDate: 0.1)
  var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var url = URL(string: "c", relativeTo: URL(string: "https://a.example/"))
  var decimals = [Decimal(string: "-12.50"), Decimal.nan, nil]
  var set: Set<String> = ["x", "y"]
  var keyed: [Int: [Weekday: Bool]] = [1: [.monday: true], -1: [:]]
  var command = Command.afterwards(.turn(degrees: 90, isLeft: true), then: .stop)
  var nothing: Int?? = .some(nil)
  var garage = Garage.sample
  var animals: [Animal]
  var favourite: Animal?

  init() {
    let rex = Dog(name: "Rex", tricks: ["sit", "roll"])
    animals = [rex, Cat(name: "Tom", lives: 9), Animal(name: "It"), rex]
    favourite = rex
  }

  /// A registry that knows all the types in a zoo.
  static func registry() throws -> TypeRegistry {
    let registry = TypeRegistry()
    try registry.register(
      Zoo.self, Garage.self, CarInfo.self, Garage.Slot.self, Command.self, Weekday.self, Animal.self, Dog.self,
      Cat.self)
    return registry
  }

  /// A zoo in a mixed collection, encoded.
  static func encoded() throws -> Data {
    let mixed: [any Sendable] = [Zoo(), "repeated text", ["k": CarInfo("B 1")] as [String: any Sendable]]
    return try KeyedArchiveEncoder(registry: registry()).encode(mixed)
  }
}
