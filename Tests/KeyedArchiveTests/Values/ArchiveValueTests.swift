import Foundation
import KeyedArchive
import TestSupport
import Testing
import ThrownErrors

@Suite struct ArchiveValueTests {
  @Test func literalsAndSubscriptsMakeATree() throws {
    var value: ArchiveValue = [
      "plate": "B 123", "speed": 60, "ratio": 1.5, "isOnline": true, "note": nil, "tags": ["a", 2],
    ]
    #expect(value["plate"]?.string == "B 123")
    #expect(value["speed"]?.int == 60)
    #expect(value["ratio"]?.double == 1.5)
    #expect(value["isOnline"]?.bool == true)
    #expect(value["note"]?.isNull == true)
    #expect(value["tags"]?[1]?.int == 2)
    #expect(value["tags"]?[2] == nil)
    #expect(value["tags"]?[-1] == nil)
    #expect(value["absent"] == nil)
    #expect(value["speed"]?["x"] == nil)
    value["speed"] = 61
    value["new"] = ["x": 1]
    value["new"]?["y"] = 2
    value["plate"] = ArchiveValue?.none
    #expect(value.object?.fields.map(\.name) == ["speed", "ratio", "isOnline", "note", "tags", "new"])
    #expect(value["new"] == ["x": 1, "y": 2])
    try expectRoundTrip(value)
  }

  /// If adding each field copied all others, this would take many minutes.
  @Test(.timeLimit(.minutes(10))) func aTreeOfVeryManyFieldsIsBuiltOneByOne() {
    let count = 200_000
    var value: ArchiveValue = [:]
    var object = ArchiveObject()
    for index in 0..<count {
      value["\(index)"] = 1
      object["nested", "\(index)"] = 1
    }
    #expect(value.object?.fields.count == count && object["nested"] == value)
  }

  @Test func removingAFieldOfAValueWithoutFieldsKeepsTheValue() {
    for value in [5, "text", [1, 2], nil] as [ArchiveValue] {
      var copy = value
      copy["a"] = ArchiveValue?.none
      #expect(copy == value)
      var object: ArchiveValue = ["inner": value]
      object["inner"]?["a"] = ArchiveValue?.none
      #expect(object["inner"] == value)
    }
  }

  @Test func eachAccessorReturnsItsOwnKindOnly() throws {
    let date = Date(timeIntervalSince1970: 1)
    let id = UUID()
    let url = try #require(URL(string: "https://a.example"))
    let values: [ArchiveValue] = [
      .null, .bool(true), .int(-1), .uint(.max), .double(1.5), .decimal(2), .string("x"), .data(Data([1])), .date(date),
      .uuid(id), .url(url), .array([1]), .object(ArchiveObject()), .undefined, .simple(1), .tagged(99, 1),
    ]
    #expect(values.map { $0.bool != nil }.filter { $0 }.count == 1)
    #expect(values.compactMap(\.int) == [-1])
    #expect(values.compactMap(\.uint) == [.max])
    #expect(values.compactMap(\.double) == [-1, 1.5])
    #expect(values.compactMap(\.decimal) == [2])
    #expect(values.compactMap(\.string) == ["x"])
    #expect(values.compactMap(\.data) == [Data([1])])
    #expect(values.compactMap(\.date) == [date])
    #expect(values.compactMap(\.uuid) == [id])
    #expect(values.compactMap(\.url) == [url])
    #expect(values.compactMap(\.array) == [[1]])
    #expect(values.compactMap(\.object) == [ArchiveObject()])
    #expect(values.filter(\.isNull).count == 1)
    #expect(ArchiveValue.int(5).uint == 5)
    #expect(ArchiveValue.int(1 << 53).double == 0x1p53)
    #expect(ArchiveValue.int((1 << 53) + 1).double == nil)  // a Double cannot hold it
    #expect(ArchiveValue.set([1, 2]).array == [1, 2])
    #expect(ArchiveValue.numbers(tag: 77, bytes: Data([0xfe, 0xff, 5, 0])).array == [-2, 5])
  }

  @Test func valuesAreEqualIfTheyAreStoredAlike() {
    #expect(ArchiveValue.double(.nan) == .double(.nan))
    #expect(ArchiveValue.double(-0.0) != .double(0))
    #expect(ArchiveValue.int(1) != .double(1))
    #expect(ArchiveValue.string("\u{e9}") != .string("e\u{301}"))
    #expect(["caf\u{e9}": 1] as ArchiveValue != ["cafe\u{301}": 1])
    #expect(ArchiveValue.array([]) != .set([]))
    #expect(ArchiveValue.null != .undefined)
    #expect(["a": 1, "b": 2] as ArchiveValue != ["b": 2, "a": 1])  // fields have an order
    #expect(object("A", ["x": 1]) != ["x": 1])
    #expect(object("A", ["x": 1]) != object("B", ["x": 1]))
    #expect(object("A", ["x": 1]) != object("A", version: 2, ["x": 1]))
    #expect(object("A", ["x": 1]) != object("A", ["x": 1, "y": 2]))
    #expect([[1], [2]] as ArchiveValue != [[1], [3]])
    let same: [ArchiveValue] = [object("A", ["x": [.double(.nan)]]), object("A", ["x": [.double(.nan)]])]
    #expect(Set(same).count == 1)
  }

  @Test func fieldsOfAnObjectAreEdited() throws {
    var object = ArchiveObject(tag: "Person", version: 2)
    object["books"] = ["a"]
    object["name"] = "Ada"
    object["age"] = 36
    object.rename("books", to: "favoriteBooks")
    #expect(object.fields.map(\.name) == ["favoriteBooks", "name", "age"])
    object.rename("absent", to: "name")  // nothing happens
    object.rename("age", to: "name")  // replaces
    #expect(object.fields.map(\.name) == ["favoriteBooks", "name"])
    #expect(object["name"] == 36)
    #expect(object.remove("favoriteBooks") == ["a"])
    #expect(object.remove("favoriteBooks") == ArchiveValue?.none)
    object["name"] = ArchiveValue?.none
    #expect(object.fields.isEmpty)
    object["last"] = 1
    #expect(object["last"] == 1)
    try expectRoundTrip(ArchiveValue.object(object))
  }

  @Test(arguments: 0..<8) func randomEditsOfAnObjectGiveTheFieldsOfAList(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (object, list) = (ArchiveObject(), [(name: String, value: Int)]())
    func name() -> String { "\(Int.random(in: 0..<30, using: &random))" }
    for step in 0..<300 {
      let (first, second) = (name(), name())
      let place = list.firstIndex { $0.name == first }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        object.remove(first)
        list.removeAll { $0.name == first }
      case 1:
        object.rename(first, to: second)
        guard let place, first != second else { break }
        list[place].name = second
        list = list.enumerated().filter { $0.offset == place || $0.element.name != second }.map(\.element)
      default:
        object[first] = .int(step)
        if let place { list[place].value = step } else { list.append((first, step)) }
      }
      #expect(object.fields.map(\.name) == list.map(\.name), "step \(step)")
      let found = (0..<30).map { object["\($0)"]?.int }
      #expect(found == (0..<30).map { name in list.first { $0.name == "\(name)" }?.value }, "step \(step)")
    }
  }

  @Test func tagsThatTheEncoderNumbersAreReserved() {
    for tag in [25, 28, 29, 256] as [UInt64] {
      let error = expectFailure(.invalidEncoding) { try encodedHex(["k": ArchiveValue.tagged(tag, 0)]) }
      #expect(error?.codingPath.map(\.stringValue) == ["k"])
    }
    for value in [24, 31] as [UInt8] {
      expectFailure(.invalidEncoding) { try encodedHex(ArchiveValue.simple(value)) }
    }
    expectFailure(.invalidEncoding) { try encodedHex(ArchiveValue.numbers(tag: 86, bytes: Data([1]))) }
    expectFailure(.invalidEncoding) { try encodedHex(ArchiveValue.numbers(tag: 99, bytes: Data())) }
  }

  /// A value that does not have the form that its tag requires is shown as it is stored, and written back unchanged.
  @Test(arguments: [
    "c2 05", "c4 05", "c4 82 00 6131", "d825 41 00", "d820 01", "d820 60", "c1 6131", "d81b 81 00",
    "d81b 83 6161 00 6161",
    "d81b 83 6161 00 00", "d81b 82 60 00", "d81b 82 01 00", "d81b 82 64 44617465 05", "d81b 82 63 55524c 82 6178 05",
    "d81b 82 64 44617465 c1 00", "d81b 82 64 44617465 f93c00", "d81b 82 63 55524c d820 6178",
    "d81b 82 63 55524c 82 63 612062 d820 64 783a2f2f", "d81b 82 67 446563696d616c c4 82 00 01",
    "d90102 a0", "c0 01", "d840 01", "d820 63 61 20 62",
  ])
  func aTagWithAnUnexpectedContentIsKept(bytes: String) throws {
    #expect(try encodedHex(decode(ArchiveValue.self, bytes)) == hex(bytes))
    #expect(throws: Never.self) { try decode([ArchiveValue].self, "82" + bytes + bytes) }
  }

  /// The tree contains such an integer like any other, and would differ when it is read again.
  @Test func aVersionMayBeStoredAsABigInteger() throws {
    let tree = try decode(ArchiveValue.self, "d81b 83 6161 a0 c2413d")  // 27(["a", {}, 2(h'3d')])
    #expect(tree == .object(ArchiveObject(tag: "a", version: 61)))
    #expect(try roundTrip(tree) == tree)
    for notAVersion in ["c240", "c34100", "c249010000000000000000", "c26161", "f93c00"] {
      let tree = try decode(ArchiveValue.self, "d81b 83 6161 a0 \(notAVersion)")
      #expect(try roundTrip(tree) == tree)
      #expect(throws: (any Error).self) { try decode(Garage.self, "d81b 83 66476172616765 a0 \(notAVersion)") }
    }
  }

  @Test func transparentTagsAreSkipped() throws {
    #expect(try decode(ArchiveValue.self, "d9d9f7 81 d81c 05") == [5])
    #expect(try decode([Int].self, "d9d9f7 d90100 d81c 82 d9d9f7 01 d81c 02") == [1, 2])
    #expect(try decode(CarInfo?.self, "d9d9f7 f6") == nil)
  }

  @Test(
    arguments: [
      ("-0.0", .double(-0.0)), ("-0", .double(-0.0)), ("0", 0), ("0.0", 0), ("5", 5), ("-7", -7), ("1.5", 1.5),
      ("0.1", 0.1),
      ("1.10", 1.1), ("1e3", 1000), ("18446744073709551615", .uint(.max)), ("1e-7", 1e-7),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("16777217", 16_777_217),
      ("9007199254740993", 9_007_199_254_740_993),
      ("18446744073709551616", .bigInteger(isNegative: false, magnitude: Data([1] + [UInt8](repeating: 0, count: 8)))),
      (
        "-9223372036854775809",
        .bigInteger(isNegative: true, magnitude: Data([0x80] + [UInt8](repeating: 0, count: 7)))
      ),
    ] as [(String, ArchiveValue)])
  func aNumberInJSONIsReadAsItIs(text: String, value: ArchiveValue) throws {
    #expect(try JSONDecoder().decode(ArchiveValue.self, from: Data(text.utf8)) == value)
    #expect(try JSONDecoder().decode([ArchiveValue].self, from: Data("[\(text)]".utf8)) == [value])
  }

  @Test(arguments: [
    "1.0000000000000001", "0.12345678901234567890123", "123456789.123456789123456789",
    "-100000000000000000000.000000000000000001", "1234567890123456789012345678901234567800000",
  ])
  func noDigitOfANumberInJSONIsLost(text: String) throws {
    let value = try JSONDecoder().decode(ArchiveValue.self, from: Data(text.utf8))
    let number = try #require(Decimal(string: text))
    #expect(value == .decimal(number))
    #expect(value.json() == (text.hasSuffix("0") && text.contains(".") ? String(text.dropLast()) : text))
  }

  @Test func valuesThatJSONDoesNotHaveAreTextInIt() throws {
    let id = UUID()
    let url = try #require(URL(string: "https://a.example/b"))
    let tree: ArchiveValue = [
      "id": .uuid(id), "url": .url(url), "big": .bigInteger(isNegative: true, magnitude: Data([0xff])),
    ]
    let coded = try JSONDecoder().decode([String: ArchiveValue].self, from: JSONEncoder().encode(tree))
    #expect(coded == ["id": .string(id.uuidString), "url": "https://a.example/b", "big": -256])
  }

  @Test func aTagIsCodedAsItsName() throws {
    let tags: [ArchiveTag] = ["Car", "[Car]"]
    #expect(String(decoding: try JSONEncoder().encode(tags), as: UTF8.self) == #"["Car","[Car]"]"#)
    #expect(try JSONDecoder().decode([ArchiveTag].self, from: JSONEncoder().encode(tags)) == tags)
    #expect(try roundTrip(tags) == tags)
  }

  @Test func unknownFieldsThatAreNotInAFieldAreAnObject() throws {
    let object = try #require((["a": [1, 2]] as ArchiveValue).object)
    let fields = [UnknownFields(wrappedValue: object), UnknownFields()]
    #expect(try roundTrip(fields) == fields)
    #expect(try JSONDecoder().decode([UnknownFields].self, from: JSONEncoder().encode(fields)) == fields)
  }

  @Test func theObjectsOfEachKindOfCollectionAreUpdated() throws {
    let tree: ArchiveValue = [
      "named": ["a": ["size": 1], "b": [["size": 2], nil]], "none": nil, "number": 3,
      "numbered": .map([.init(key: 1, value: ["size": 3])]), "mixed": ["a": ["size": 1], "b": 2],
    ]
    var object = try #require(tree.object)
    for name in ["named", "none", "absent", "numbered"] {
      try object.updateObjects(in: name) { $0.rename("size", to: "area") }
    }
    #expect(object["named"] == ["a": ["area": 1], "b": [["area": 2], nil]])
    #expect(object["numbered"] == .map([.init(key: 1, value: ["area": 3])]))
    #expect(object["none"] == .null && object["absent"] == nil)
    let messages = [
      "number": "The field number is not a collection of objects: it holds 3",
      "mixed": "The field mixed.b is not an object: it holds 2",
    ]
    for (name, message) in messages {
      let error = expectError(KeyedArchiveError.self) {
        try object.updateObjects(in: name) { $0.rename("size", to: "area") }
      }
      #expect(error?.code == .migrationFailed && error?.message.hasPrefix(message) == true, "\(name)")
      #expect(object[name] == tree[name])
    }
  }

  @Test func aTreeIsRestoredFromAPropertyList() throws {
    let tree: ArchiveValue = [
      "date": .date(Date(timeIntervalSince1970: 5)), "list": [.data(Data([1, 2])), .data(Data()), 1, "a", true, 2.5],
    ]
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      #expect(try PropertyListDecoder().decode(ArchiveValue.self, from: encoder.encode(tree)) == tree)
    }
  }
}
