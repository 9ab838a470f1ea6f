import Foundation
import TestSupport
import Testing

@testable import KeyedArchive

/// Values that are decoded as their own types, although the reader does not name a type.
@Suite struct DynamicDecodingTests {
  /// Expects a value of exactly the encoded type.
  private func expectSame<Value: Codable & Sendable & Equatable>(
    _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let registry = TypeRegistry()
    try registry.register(CarInfo.self, Garage.self, Garage.Slot.self, Command.self, Weekday.self)
    func read(_ data: Data) throws -> (any Sendable)? { try KeyedArchiveDecoder(registry: registry).decode(from: data) }

    // Once with a type that the compiler knows, once with an unknown one, and once inside a mixed collection.
    let encoder = KeyedArchiveEncoder(registry: registry)
    for data in [try encoder.encode(value), try encoder.encode(value as any Sendable)] {
      let copy = try #require(try read(data), sourceLocation: sourceLocation)
      #expect(type(of: copy) == Value.self, sourceLocation: sourceLocation)
      #expect(copy as? Value == value, sourceLocation: sourceLocation)
    }
    let mixed = try read(
      encoder.encode(["k": [1, value, "x"] as [any Sendable]] as [String: any Sendable] as any Sendable))
    let elements = (mixed as? [String: any Sendable])?["k"] as? [any Sendable]
    #expect(elements?.count == 3, sourceLocation: sourceLocation)
    let element = try #require(elements?[1], sourceLocation: sourceLocation)
    #expect(type(of: element) == Value.self, sourceLocation: sourceLocation)
    #expect(element as? Value == value, sourceLocation: sourceLocation)
  }

  @Test func numbersKeepTheirTypes() throws {
    try expectSame(5)
    try expectSame(Int.min)
    try expectSame(Int8(5))
    try expectSame(Int16.max)
    try expectSame(Int32.min)
    try expectSame(Int64(5))
    try expectSame(Int128.min)
    try expectSame(Int128(5))
    try expectSame(UInt(5))
    try expectSame(UInt.max)
    try expectSame(UInt8(5))
    try expectSame(UInt16(5))
    try expectSame(UInt32(5))
    try expectSame(UInt64.max)
    try expectSame(UInt128.max)
    try expectSame(1.0)
    try expectSame(-0.0)
    try expectSame(Float(1.5))
    try expectSame(CGFloat(1.5))
    try expectSame(true)
    try expectSame(false)
    try expectSame(Decimal(string: "1.25") ?? 0)
  }

  @Test func standardValuesKeepTheirTypes() throws {
    try expectSame("")
    try expectSame("text")
    try expectSame(Data([1, 2]))
    try expectSame(Date(timeIntervalSince1970: 5))
    try expectSame(Date(timeIntervalSinceReferenceDate: 0.1))
    try expectSame(UUID())
    try expectSame(#require(URL(string: "https://a.example/b")))
    try expectSame(#require(URL(string: "c", relativeTo: URL(string: "https://a.example/b/"))))
    try expectSame(1..<5)
    try expectSame(IndexPath(indexes: [1, 2]))
    try expectSame(Locale(identifier: "de_CH"))
    try expectSame(DateComponents(year: 2024))
  }

  @Test func modelsKeepTheirTypes() throws {
    try expectSame(CarInfo("B 123", speed: 60))
    try expectSame(Garage.sample)
    try expectSame(Garage.Slot(number: 1))
    try expectSame(Command.turn(degrees: 1, isLeft: false))
    try expectSame(Weekday.sunday)
  }

  @Test func collectionsOfOneTypeKeepTheirTypes() throws {
    try expectSame([CarInfo("B 1"), CarInfo("B 2")])
    try expectSame([CarInfo]())
    try expectSame(["text", ""])
    try expectSame([true, false])
    try expectSame([1, 2])
    try expectSame([Int8]())
    try expectSame([[1.5], []])
    try expectSame(Set([CarInfo("B 1")]))
    try expectSame(["a": CarInfo("B 1")])
    try expectSame([1: [CarInfo("B 1")], 2: []])
    try expectSame([Weekday.monday: Set([1, 2])])
    try expectSame([CarInfo("B 1"): UUID()])
    try expectSame([CarInfo("B 1"), nil])
    try expectSame([1, nil] as [Int?])
    try expectSame(["a": nil, "b": 5] as [String: Int8?])
    try expectSame([Garage.Slot: [String: [Command?]]]())
  }

  @Test func anyMixedValuesAreRestored() throws {
    let uuid = UUID()
    let nothing: CarInfo? = nil
    let mixed: [String: any Sendable] = [
      "car": CarInfo("B 1"), "int": 1, "byte": UInt8(2), "text": "x", "yes": true, "nothing": nothing, "id": uuid,
      "cars": [CarInfo("B 2")], "empty": [] as [any Sendable], "emptyMap": [:] as [String: any Sendable],
      "list": [
        1, nil as Int?,
        [2.5, ["deep": [Weekday.sunday, nil as String?] as [any Sendable]] as [String: any Sendable]]
          as [any Sendable],
      ] as [any Sendable],
    ]
    let copy = try #require(
      try roundTripDynamically(mixed, registering: CarInfo.self, Weekday.self) as? [String: any Sendable])
    #expect(Set(copy.keys) == Set(mixed.keys))
    #expect(copy["car"] as? CarInfo == CarInfo("B 1"))
    #expect(copy["int"] as? Int == 1)
    #expect(copy["byte"] as? UInt8 == 2)
    #expect(copy["byte"] as? Int == nil)
    #expect(copy["yes"] as? Bool == true)
    #expect(copy["yes"] as? Int == nil)
    #expect(copy["id"] as? UUID == uuid)
    #expect(copy["cars"] as? [CarInfo] == [CarInfo("B 2")])
    #expect((copy["empty"] as? [any Sendable])?.isEmpty == true)
    #expect((copy["emptyMap"] as? [String: any Sendable])?.isEmpty == true)
    #expect(copy["nothing"].map { "\($0)" } == "nil")
    let list = try #require(copy["list"] as? [any Sendable])
    #expect(list.count == 3)
    #expect("\(list[1])" == "nil")
    let inner = try #require(list[2] as? [any Sendable])
    #expect(inner[0] as? Double == 2.5)
    let deep = try #require((inner[1] as? [String: any Sendable])?["deep"] as? [any Sendable])
    #expect(deep[0] as? Weekday == .sunday)
    #expect("\(deep[1])" == "nil")

    // The decoded value can be stored again, with the same bytes.
    let again = try roundTripDynamically(copy, registering: CarInfo.self, Weekday.self)
    #expect((again as? [String: any Sendable])?["car"] as? CarInfo == CarInfo("B 1"))
    let encoder = KeyedArchiveEncoder()
    #expect(try encoder.encode(copy as any Sendable) == encoder.encode(mixed as any Sendable))
  }

  @Test func nilNullAndUndefinedAreNil() throws {
    #expect(try roundTripDynamically(nil as Int?) == nil)
    #expect(try KeyedArchiveDecoder().decode(from: Data(hex: "f6")) == nil)
    #expect(try KeyedArchiveDecoder().decode(from: Data(hex: "f7")) == nil)
  }

  @Test func valuesWithoutATypeAreReadAsTrees() throws {
    func read(_ hex: String) throws -> (any Sendable)? { try KeyedArchiveDecoder().decode(from: Data(hex: hex)) }
    #expect(try read("d81863 616263") as? ArchiveValue == .tagged(24, "abc"))
    #expect(try read("f0") as? ArchiveValue == .simple(16))
    #expect(
      try read("a2 01 02 6161 03") as? ArchiveValue == .map([.init(key: 1, value: 2), .init(key: "a", value: 3)]))
    #expect(try (read("82 01 e0") as? [any Sendable])?[1] as? ArchiveValue == .simple(0))
    #expect(try read("d90102 82 01 02") as? ArchiveValue == .set([1, 2]))
    #expect(try read("c0 63 6e6f77") as? ArchiveValue == .tagged(0, "now"))
    let big = "c2 51 0100000000000000000000000000000000"  // 2^128
    #expect(try read(big) as? ArchiveValue == decode(ArchiveValue.self, big))
    #expect(try read("1bffffffffffffffff") as? UInt64 == .max)
    #expect(try read("3bffffffffffffffff") as? Int128 == -0x1_0000_0000_0000_0000)
    #expect(
      try read("c074323031332d30332d32315432303a30343a30305a") as? Date == Date(timeIntervalSince1970: 1_363_896_240))
  }

  @Test func aValueThatIsNotEncodableIsNamedWithItsPath() {
    struct Secret: Sendable {}
    let error = expectFailure(.notEncodable) {
      try KeyedArchiveEncoder().encode(
        ["a": [1, Secret()] as [any Sendable]] as [String: any Sendable] as any Sendable)
    }
    #expect(error?.codingPath.map(\.stringValue) == ["a", "Index 1"])
    #expect(error?.message.contains("Secret") == true)
    expectFailure(.notEncodable) { try KeyedArchiveEncoder().encode(Secret() as any Sendable) }
    expectFailure(.notEncodable) { try KeyedArchiveEncoder().encode([1: Secret()] as any Sendable) }
  }

  /// Items, also of other writers and of no valid form, and the names of their types.
  private static let typeNames: [(hex: String, name: String)] = [
    ("05", "Int"), ("3b 7fffffffffffffff", "Int"), ("1b 8000000000000000", "UInt64"), ("3b 8000000000000000", "Int128"),
    ("c2 41 05", "UInt128"), ("c3 41 05", "Int128"), ("c4 82 20 05", "Decimal"), ("c1 00", "Date"),
    ("c0 61 61", "Date"),
    ("d820 61 61", "URL"), ("d825 50" + String(repeating: "00", count: 16), "UUID"), ("d90102 80", "Set"),
    ("d840 42 0102", "[UInt8]"), ("d84b 48 0000000000000001", "[Int]"), ("d853 50", "numbers"),
    ("d9d9f7 d90100 d81c 61 61", "String"), (String(repeating: "d9d9f7", count: 9) + "05", "tag 55799"),
    (String(repeating: "d9d9f7", count: 8) + "05", "Int"), ("d863 05", "tag 99"),
    ("d81b 82 63 436172 a0", "Car"), ("d81b 9f 63 436172 a0 ff", "tag 27"), ("d81b a0", "tag 27"),
    ("d81b 82 05 a0", "tag 27"), ("d81b 82 7f 61 61 ff a0", "tag 27"), ("41 00", "Data"), ("80", "[Any]"),
    ("a0", "[String:Any]"), ("f5", "Bool"), ("f4", "Bool"), ("f6", "nil"), ("f9 3c00", "Double"), ("e5", "nil"),
  ]

  @Test(arguments: typeNames.indices) func theFirstBytesOfAnItemNameItsType(index: Int) {
    let (hex, name) = Self.typeNames[index]
    let bytes = SharedBytes(copying: Data(hex: hex))
    #expect(KeyedArchiveDecoder().storedTypeName(of: bytes) == name)
  }

  @Test(arguments: ["", "1c", "d9", "d81b", "d81b 82", "d81b 82 63 4361", "d81b 82 61 ff a0", "fb 00"])
  func theTypeOfABrokenItemIsCalledMalformed(hex: String) {
    let bytes = SharedBytes(copying: Data(hex: hex))
    #expect(KeyedArchiveDecoder().storedTypeName(of: bytes).hasPrefix("malformed: "))
  }
}
