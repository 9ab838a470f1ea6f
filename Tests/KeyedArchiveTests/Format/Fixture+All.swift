import Foundation
import KeyedArchive
import TestSupport

extension Fixture {
  /// At least one fixture for each representation of the specification, in its order.
  static let all = scalars + collections + objects + numbered + foundation

  private static let scalars = [
    Fixture(exactly: "bools", [true, false, nil] as [Bool?]),
    Fixture(
      exactly: "integers",
      [0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, -1, -24, -25, -256, -257, .min, .max, nil]
        as [Int?]),
    Fixture(
      exactly: "big-integers",
      [1 << 63, 1 << 64 - 1, 1 << 64, -1 << 64, -1 << 64 - 1, -1 << 63 - 1, .min, .max, 0] as [Int128]),
    Fixture(exactly: "greatest-integer", UInt128.max),
    Fixture(
      exactly: "doubles",
      [
        0, -0.0, 1.5, 65_504, 5.960464477539063e-8, 0.1, 3.4028234663852886e38, 1.401298464324817e-45,
        .leastNonzeroMagnitude,
        .greatestFiniteMagnitude, .infinity, -.infinity, .nan, Double(bitPattern: 0x7ff0_0000_0000_0001),
        Double(bitPattern: 0xfff0_0400_0000_0000), Double(bitPattern: 0x7ff0_0000_2000_0000), nil,
      ] as [Double?]),
    Fixture(exactly: "floats", [0.1, 1.5, Float(bitPattern: 0x7f80_0001), -0.0, nil] as [Float?]),
    Fixture(
      exactly: "texts", ["", "Ada", "caf\u{e9}", "cafe\u{301}", "\u{0}\u{10ffff}", String(repeating: "x", count: 256)]),
    Fixture(exactly: "data", [Data(), Data([1, 2, 3]), Data(repeating: 0xff, count: 300)]),
    Fixture(
      exactly: "dates",
      [
        Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1_363_896_240.5), .distantPast, .distantFuture,
        Date(timeIntervalSinceReferenceDate: 0.1), Date(timeIntervalSinceReferenceDate: -0.0),
        Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: .nan),
      ]),
    Fixture(exactly: "uuid", UUID(uuid: (0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255))),
    Fixture(
      exactly: "urls",
      [
        URL(string: "http://a.example/?q=%20#x"), URL(string: "c/d", relativeTo: URL(string: "https://a.example/b/")),
        URL(string: "e", relativeTo: URL(string: "..", relativeTo: URL(string: "a"))),
      ]),
    Fixture(
      exactly: "decimals",
      [0, 1.25, -100, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, Decimal(string: "1e-127")]),
    Fixture(exactly: "nested-optionals", [nil, .some(nil), .some(.some(nil)), 5] as [Int???]),
  ]

  private static let collections = [
    Fixture(exactly: "arrays", [["a"], [], ["b", "c"]]),
    Fixture("typed-arrays", NumberArrays(), registering: NumberArrays.self),
    Fixture(exactly: "sets", [Set(["b", "a", "e\u{301}", "\u{e9}\\"]), []]),
    Fixture(exactly: "set-of-doubles", Set([1.5, .nan, -.infinity])),
    Fixture(exactly: "dictionary-text", ["b": 1, "": 2, "\u{e9}": 3]),
    Fixture(exactly: "dictionary-integers", [2: "two", -1: "minus one", 300: "many"]),
    Fixture(exactly: "dictionary-enum", [Weekday.sunday: true, .monday: false]),
    Fixture(exactly: "dictionary-uuid", [UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)): 1.5]),
    Fixture(exactly: "dictionary-struct", [CarInfo("B 1", speed: 5): ["x"], CarInfo("A 2", note: ""): []]),
    Fixture(exactly: "many-elements", (0..<300).map { $0.isMultiple(of: 2) ? $0 : nil }),
    Fixture(exactly: "ranges", [1..<5, -3 ..< -1]),
    Fixture(exactly: "closed-range", Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 1)),
    Fixture(exactly: "vector", SIMD4<Float>(1, -0.0, .infinity, 0.1)),
  ]

  private static let objects = [
    Fixture("object", Garage.sample, registering: Garage.self),
    Fixture(
      "enum-with-payloads", Command.afterwards(.turn(degrees: 90, isLeft: true), then: .drive(-1)),
      registering: Command.self),
    Fixture(exactly: "raw-enum", Weekday.monday),
    Fixture("versioned", [Versioned(count: 5)], registering: Versioned.self),
    Fixture(
      exactly: "generic", Pair<Int, [Either<String, Bool>]>(first: 1, second: [.left("a"), .right(nil), .neither])),
    Fixture("superclass-fields", Cat(name: "Tom", lives: 9), by: { [$0.name, "\($0.lives)"] }, registering: Cat.self),
    Fixture(
      "subclasses", Household(favourite: Dog(name: "Rex", tricks: ["sit"]), animals: [Animal(name: "It")]),
      by: { ($0.animals + [$0.favourite]).map { "\(type(of: $0)) \($0.name)" } },
      registering: Household.self, Animal.self, Dog.self),
  ]

  private static let numbered = [
    Fixture(exactly: "string-references", (0..<40).map { "repeated text \($0 % 25)" }),
    Fixture("key-references", (0..<30).map { CarInfo("B \($0)", speed: $0) }, registering: CarInfo.self),
    Fixture(
      "shared-instances", sharing, by: { house in house.animals.map { $0 === house.favourite && $0 === house.guest } },
      registering: Household.self, Animal.self, Dog.self),
    Fixture(
      "tree",
      [ArchiveValue]([
        .null, .undefined, .tagged(1000, ["a": 1]), .simple(99), .map([.init(key: 1, value: "b")]), .set([1, 2]),
        .named("Unknown", version: 3, 5), object("Other", ["x": 1.5]), .numbers(tag: 65, bytes: Data([0, 1])),
      ]), by: { $0 }),
  ]

  private static let sharing: Household = {
    let rex = Dog(name: "Rex", tricks: ["sit"])
    return Household(favourite: rex, guest: rex, animals: [rex, Animal(name: "It"), rex])
  }()
}

/// An array of each type that is stored as a block.
private struct NumberArrays: Codable, Equatable {
  var int = [1, -2]
  var int8: [Int8] = [.min, .max]
  var int16: [Int16] = [.min, .max]
  var int32: [Int32] = [.min, .max]
  var int64: [Int64] = [.min, .max]
  var uint: [UInt] = [.min, .max]
  var uint8: [UInt8] = [.min, .max]
  var uint16: [UInt16] = [.min, .max]
  var uint32: [UInt32] = [.min, .max]
  var uint64: [UInt64] = [.min, .max]
  var float: [Float] = [0.1, -0.0]
  var double = [0.1, -0.0]
  var empty: [Double] = []
}

private struct Versioned: Archivable, Equatable {
  static let archiveTag: ArchiveTag = "Versioned"
  static let archiveVersion = 3

  var count: Int
}
