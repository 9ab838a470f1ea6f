import Foundation
import KeyedArchive
import TestSupport

// The values, in the order of the format's specification. `.ci/cbor2_zoo.py` has the same values under the same names.

let specimens: [Specimen] = scalars + dates + numbers + collections + objects + instances

private let scalars = [
  Specimen("true", true), Specimen("false", false), Specimen("nil", Int?.none),
  Specimen("text-empty", ""), Specimen("text", "Gr\u{fc}\u{df}e, \u{4eac}A \u{1f69a}\n\u{0}"),
  Specimen("text-long", String(repeating: "x", count: 70_000)),
  Specimen("data-empty", Data()), Specimen("data", Data([0xd8, 0x1c, 0x00])),
  Specimen("uuid", UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
  Specimen("url", URL(string: "https://a.example/b?c=d#e")),
  Specimen("url-relative", URL(string: "c/d?e", relativeTo: URL(string: "https://a.example/b/"))),
  Specimen("decimal", decimal("1.25")), Specimen("decimal-negative", decimal("-12345678901234567890.123456789")),
  Specimen("decimal-largest", decimal("340282366920938463463374607431768211455")),
  Specimen("decimal-small", decimal("1e-100")), Specimen("decimal-nan", Decimal.nan),
  Specimen("optional-some", Optional(Optional(5))), Specimen("optional-inner-nil", Int??.some(nil)),
  Specimen("optional-inmost-nil", Int???.some(.some(nil))),
]

private func decimal(_ text: String) -> Decimal {
  guard let value = Decimal(string: text) else { preconditionFailure("\(text) is no decimal") }
  return value
}

private let dates = [
  Specimen("date", Date(timeIntervalSince1970: 1_363_896_240)),
  Specimen("date-fraction", Date(timeIntervalSince1970: 1_363_896_240.5)),
  Specimen("date-before-1970", Date(timeIntervalSince1970: -86_400)),
  Specimen("date-inexact", Date(timeIntervalSinceReferenceDate: 0.1)),
  Specimen("date-distant", Date(timeIntervalSinceReferenceDate: 1e300)),
  Specimen("date-range", Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 60)),
]

private let numbers =
  [0, 1, 10, 23, 24, 100, 1000, 1_000_000, .max, -1, -10, -24, -25, -256, -257, .min].map {
    (value: Int) in Specimen("int\(value)", value)
  } + [
    Specimen("uint64-largest", UInt64.max), Specimen("int128-wide", Int128(UInt64.max) + 1),
    Specimen("int128-minus-2-64", -Int128(UInt64.max) - 1), Specimen("int128-minus-2-64-1", -Int128(UInt64.max) - 2),
    Specimen("int128-smallest", Int128.min), Specimen("uint128-largest", UInt128.max), Specimen("int8", Int8(-3)),
    Specimen("half", 1.5), Specimen("single", 100_000.0), Specimen("double", 0.1), Specimen("minus-zero", -0.0),
    Specimen("infinity", Double.infinity), Specimen("minus-infinity", -Double.infinity), Specimen("nan", Double.nan),
    Specimen("smallest-double", Double.leastNonzeroMagnitude),
    Specimen("largest-double", Double.greatestFiniteMagnitude),
    Specimen("float", Float(0.1)),
  ]

private let collections = [
  Specimen("array-uint8", [1, 2, 255] as [UInt8]), Specimen("array-uint16", [1, 2, .max] as [UInt16]),
  Specimen("array-uint32", [1, 2, .max] as [UInt32]), Specimen("array-uint64", [1, 2, .max] as [UInt64]),
  Specimen("array-int8", [1, -2, .min] as [Int8]), Specimen("array-int16", [1, -2, .min] as [Int16]),
  Specimen("array-int32", [1, -2, .min] as [Int32]), Specimen("array-int64", [1, -2, .min] as [Int64]),
  Specimen("array-int", [1, -2, .min] as [Int]), Specimen("array-float", [1, -0.5, .infinity] as [Float]),
  Specimen("array-double", [1, 0.1, -.infinity] as [Double]), Specimen("array-int-empty", [Int]()),
  Specimen("array-int128", [1, .min] as [Int128]), Specimen("array-bool", [true, false]),
  Specimen("array-text", ["a", "", "a"]), Specimen("array-text-empty", [String]()),
  Specimen("array-optional", [1, nil, 3]), Specimen("array-nested", [[1], [], [2, 3]]),
  Specimen("array-decimal", [decimal("0.5"), decimal("100")]),
  Specimen("array-repeated", ["repeated", "repeated", "other", "repeated", "other"]),
  Specimen("array-many-texts", (0..<300).map { "text number \($0 % 280)" }),
  Specimen("set-int", Set([3, 1, 2])), Specimen("set-text", Set(["b", "a"])), Specimen("set-empty", Set<String>()),
  Specimen("dictionary", ["b": 1, "a": 2]), Specimen("dictionary-empty", [String: Int]()),
  Specimen("dictionary-int", [1: "one", -1: "minus one", 1000: "thousand"]),
  Specimen("dictionary-enum", [Weekday.monday: true, .sunday: false]),
  Specimen("dictionary-uuid", [UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)): 1]),
  Specimen("dictionary-nested", ["a": ["b": [1: [true]]]]),
  Specimen("dictionary-struct-keys", [Garage.Slot(number: 1): "one", Garage.Slot(number: 2): "two"]),
  Specimen("range", 1..<5), Specimen("closed-range", -1.5...2),
]

private let objects = [
  Specimen("car", CarInfo("B 123", speed: 60, isOnline: true)),
  Specimen("car-with-note", CarInfo("HH 7", note: "blue")),
  Specimen("cars", [CarInfo("B 123", speed: 60), CarInfo("HH 7", note: "blue")]), Specimen("garage", Garage.sample),
  Specimen("nothing", Nothing()), Specimen("versioned", Versioned(number: 7)), Specimen("weekday", Weekday.sunday),
  Specimen("command-plain", Command.stop), Specimen("command-unlabelled", Command.drive(5)),
  Specimen("command-labelled", Command.turn(degrees: 90, isLeft: true)),
  Specimen("command-nested", Command.sequence([.stop, .afterwards(.drive(1), then: nil)])),
  Specimen(
    "mixed", mixed: [1, true, "text", 2.5, Data([1]), CarInfo("B 1"), [1, "two"] as [any Sendable]] as [any Sendable]),
  Specimen("mixed-dictionary", mixed: ["car": CarInfo("B 1"), "count": 2] as [String: any Sendable]),
]

private let instances: [Specimen] = {
  let dog = Dog(name: "Rex", tricks: ["sit", "roll"])
  let cat = Cat(name: "Tom", lives: 9)
  let animal = Animal(name: "It")
  return [
    Specimen("animal", animal), Specimen("cat", cat), Specimen("animals", [dog, cat, animal] as [Animal]),
    Specimen("household", Household(favourite: animal, guest: animal, animals: [animal, cat, cat])),
    Specimen("household-of-subclasses", Household(favourite: dog, guest: nil, animals: [dog, cat])),
    Specimen("instance-twice", [animal, animal]),
  ]
}()

struct Nothing: Codable, Sendable {}

struct Versioned: Archivable, Codable, Sendable {
  static let archiveTag: ArchiveTag = "Versioned"
  static let archiveVersion = 3

  var number: Int
}
