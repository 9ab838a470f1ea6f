import Foundation
import KeyedArchive
import TestSupport
import Testing
import ThrownErrors

private struct Point: Codable, Hashable {
  var x: Int
  var y: Int
}

private enum Level: Int, Codable {
  case low = 1
  case high = 300
}

/// A key that has a name for other coders, and stores its own fields here.
private struct Seat: Codable, Hashable, CodingKeyRepresentable {
  var number: Int

  init(_ number: Int) { self.number = number }

  var codingKey: any CodingKey { AnyKey(stringValue: "seat \(number)") }

  init?<Key: CodingKey>(codingKey: Key) {
    guard let number = Int(codingKey.stringValue.dropFirst(5)) else { return nil }
    self.init(number)
  }
}

/// A value that encodes itself, like the value of many property wrappers.
private struct Bare<Value: Codable & Equatable>: Codable, Equatable {
  var value: Value

  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// A JSON value that tries a dictionary before an array.
private enum DictionaryFirst: Codable, Equatable {
  case text(String)
  case fields([String: DictionaryFirst])
  case list([DictionaryFirst])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let fields = try? container.decode([String: DictionaryFirst].self) {
      self = .fields(fields)
    } else if let list = try? container.decode([DictionaryFirst].self) {
      self = .list(list)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .fields(let fields): try container.encode(fields)
    case .list(let list): try container.encode(list)
    }
  }
}

@Suite struct CollectionTests {
  @Test func aKeyIsReadFromItsNameForOtherCoders() throws {
    try expectRoundTrip(Bare([Seat(1): "a", Seat(20): "b"]))
    try expectRoundTrip([Seat(1): "a"])
    #expect(try decode([Seat: Int].self, "a1 66 736561742035 01") == [Seat(5): 1])
    #expect(try complaint { try decode([Seat: Int].self, "a1 61 78 01") }.kind == .typeMismatch)
  }

  @Test func dictionariesWithAnyKeysAreMaps() throws {
    try expectRoundTrip(
      ["b": 1, "a": 2], stored: "d81b 82 6c 5b537472696e673a496e745d a2 6161 02 6162 01")  // 27(["[String:Int]", …])
    try expectRoundTrip([2: "two", -1: "minus one", 300: "many"])
    try expectRoundTrip([Weekday.sunday: 1, .monday: 2])
    try expectRoundTrip([Level.high: true, .low: false])
    try expectRoundTrip([Point(x: 1, y: 2): "a", Point(x: 2, y: 1): "b"])
    try expectRoundTrip([Date(timeIntervalSinceReferenceDate: 0.1): 1, Date(timeIntervalSince1970: 0): 2])
    try expectRoundTrip([true: 1, false: 0])
    try expectRoundTrip([1.5: "x", -.infinity: "y"])
    try expectRoundTrip([[1, 2]: ["a"], []: []])
    try expectRoundTrip([Int?.none: 1, 5: 2])
    try expectRoundTrip([Command.drive(3): 1, .stop: 2, .turn(degrees: -0.0, isLeft: true): 3])
    try expectRoundTrip([Data([1]): Data([2])])
    let keys = (0..<50).map { _ in UUID() }
    try expectRoundTrip(Dictionary(uniqueKeysWithValues: keys.map { ($0, $0.uuidString) }))
    try expectRoundTrip([String: Int]())
  }

  @Test func theCodingPathHasTheNumberOfAnIntegerKey() throws {
    struct Placed: Codable, Equatable {
      var key: Int?

      init() { key = 7 }

      init(from decoder: any Decoder) { key = decoder.codingPath.last?.intValue }

      func encode(to encoder: any Encoder) { #expect(encoder.codingPath.last?.intValue == key) }
    }
    #expect(try roundTrip([7: Placed()]) == [7: Placed()])
  }

  @Test func keysAreShownInTheirOwnForm() throws {
    func map(_ value: some Encodable) throws -> ArchiveValue {
      try decode(ArchiveValue.self, encodedHex(["d": value]))["d"] ?? nil
    }
    #expect(try map([2: "b", 1: "a"]) == .map([.init(key: 1, value: "a"), .init(key: 2, value: "b")]))
    #expect(try map([Weekday.sunday: 1, .monday: 2]) == ["monday": 2, "sunday": 1])
    #expect(try map([Level.high: 1, .low: 2]) == .map([.init(key: 1, value: 2), .init(key: 300, value: 1)]))
    #expect(try map([Point(x: 1, y: 2): true]) == .map([.init(key: ["x": 1, "y": 2], value: true)]))
  }

  @Test func setsAreTaggedAndSorted() throws {
    // 27(["Set<Int>", 258([1, 2, 3])])
    try expectRoundTrip(Set([3, 1, 2]), stored: "d81b 82 68 5365743c496e743e d90102 83 01 02 03")
    try expectRoundTrip(Set(["b", "a"]))
    try expectRoundTrip(Set([Point(x: 1, y: 2), Point(x: 2, y: 1)]))
    try expectRoundTrip(Set([Set([1, 2]), Set([3]), []]))
    try expectRoundTrip(Set([1.5, .infinity, 0]))
    try expectRoundTrip(Set<UUID>())
    try expectRoundTrip(Set(Weekday.allCases))
    // A plain array can also be read as a set, because other programs may store one.
    #expect(try decode(Set<Int>.self, "83 01 02 03") == [1, 2, 3])
    #expect(try decode([Int].self, "d90102 82 01 02") == [1, 2])
  }

  @Test func modelsNestToAnyDepth() throws {
    try expectRoundTrip(Garage.sample)
    try expectRoundTrip([[Garage.sample], [], [.sample, .sample]])
    try expectRoundTrip(["a": [1: Garage.sample], "b": [:]])
    try expectRoundTrip([[["x": [[Garage.Slot(number: 1)]]]]])
  }

  @Test func enumsKeepTheirPayloads() throws {
    try expectRoundTrip(Command.stop)
    try expectRoundTrip(Command.turn(degrees: -12.5, isLeft: true))
    let nested = Command.sequence([
      .drive(.min), .afterwards(.sequence([]), then: nil), .afterwards(.stop, then: .drive(1)),
    ])
    try expectRoundTrip(nested)
    // The case is the only key: {"drive": {"_0": 5}}, under the type's name.
    #expect(try encodedHex(Command.drive(5)) == hex("d81b 82 67 436f6d6d616e64 a1 65 6472697665 a1 62 5f30 05"))
    try expectRoundTrip(Weekday.monday)
    try expectRoundTrip(Level.high)
    let complaint = try complaint { try decode([Weekday].self, "81 65 6d6f6e6e79") }
    #expect(complaint.kind == .dataCorrupted)
    #expect(complaint.path == "0")
  }

  private struct Choice: Codable, Hashable {
    var name: String
    var isSelected = false

    enum CodingKeys: CodingKey { case name }
  }

  @Test func keysThatAreStoredAlikeAreRefused() throws {
    let choices = [Choice(name: "a"): 1, Choice(name: "a", isSelected: true): 2]
    let error = try requireError(KeyedArchiveError.self) { try KeyedArchiveEncoder().encode(["x": choices]) }
    #expect(error.code == .invalidEncoding && error.message.contains("let encode(to:) of Choice write"), "\(error)")
  }

  /// A NaN does not equal another one, so a dictionary can have several, but a map cannot have one key twice.
  @Test func severalKeysThatAreNotNumbersAreRefused() throws {
    var pairs: [Double: Int] = [:]
    for value in 0..<10 { pairs[.nan] = value }
    let error = try requireError(KeyedArchiveError.self) { try KeyedArchiveEncoder().encode(["x": [pairs]]) }
    #expect(error.code == .invalidEncoding && error.message.contains("let encode(to:) of Double write"), "\(error)")
    // The dictionary is itself a key, which is encoded alone.
    expectError(KeyedArchiveError.self) { try KeyedArchiveEncoder().encode([pairs: 1, [0: 1]: 2]) }
    #expect(try roundTrip([Double.nan: 1, 0: 2]).values.sorted() == [1, 2])
    for stored in ["a2 f97e00 01 f97e00 02", "a2 f97e00 01 fb7ff8000000000000 02", "84 f97e00 01 f97e00 02"] {
      let refusal = try complaint { try decode([Double: Int].self, stored) }
      #expect(refusal.kind == .dataCorrupted, "\(stored)")
    }
  }

  @Test(arguments: [ArchiveValue.int(1), "a"]) func aTreeWithAKeyTwiceIsNotWritten(key: ArchiveValue) throws {
    let tree: ArchiveValue = .array([.map([.init(key: key, value: 2), .init(key: key, value: 3)])])
    let error = try requireError(KeyedArchiveError.self) { try KeyedArchiveEncoder().encode(tree) }
    // Not the error of ``ReadBack``, which only tests have.
    #expect(error.code == .invalidEncoding && error.message == "A key appears twice in one map.", "\(error)")
  }

  @Test func aDuplicateKeyIsRefused() throws {
    let twice = "a2 6161 01 6161 02"
    #expect(
      try complaint { try decode([String: Int].self, twice) }.message == "The key a appears twice in one dictionary.")
    #expect(try complaint { try decode(ArchiveValue.self, twice) }.kind == .dataCorrupted)
    #expect(try complaint { try decode(ArchiveValue.self, "a2 01 6161 01 6162") }.kind == .dataCorrupted)
    #expect(try complaint { try KeyedArchiveDecoder().decode(from: Data(hex: twice)) }.kind == .dataCorrupted)
    #expect(try complaint { try decode([Int: Int].self, "a2 01 01 6131 02") }.kind == .dataCorrupted)
  }

  @Test func dictionariesOfOtherCodersAreRead() throws {
    #expect(try decode([Int: String].self, "a1 61 31 61 61") == [1: "a"])  // digits, as in JSON
    #expect(try decode([Point: Int].self, "82 a2 6178 01 6179 02 05") == [Point(x: 1, y: 2): 5])  // keys and values
    #expect(try complaint { try decode([Point: Int].self, "81 a2 6178 01 6179 02") }.kind == .typeMismatch)
  }

  @Test func anArrayIsNotReadAsADictionaryWithTextOrIntegerKeys() throws {
    try expectRoundTrip(DictionaryFirst.list([.text("a"), .text("b"), .list([]), .fields([:])]))
    #expect(try complaint { try decode([String: Int].self, "82 6161 01") }.kind == .typeMismatch)
    #expect(try complaint { try decode([Int: Int].self, "80") }.kind == .typeMismatch)
  }

  @Test(arguments: [("+5", 5), ("-5", -5), ("007", 7), ("-9223372036854775808", Int.min)])
  func digitsAreReadAsIntegerKeys(text: String, key: Int) throws {
    let data = try KeyedArchiveEncoder().encode([text: 1])
    #expect(try KeyedArchiveDecoder().decode([Int: Int].self, from: data) == [key: 1])
  }

  @Test(arguments: [
    "", "-", "+", "1.0", "1 ", "0x1", "1e3", "9223372036854775808", "3402823669209384634633746074317682114550",
  ])
  func otherTextIsRefusedAsAnIntegerKey(text: String) throws {
    let data = try KeyedArchiveEncoder().encode([text: 1])
    #expect(throws: (any Error).self) { try KeyedArchiveDecoder().decode([Int: Int].self, from: data) }
  }

  @Test func textKeysAreSortedByTheirBytes() throws {
    let keys = [
      "", "a", "a\0", "a\0\0", "aa", "abcdefg", "abcdefgh", "abcdefgh\0", "abcdefghi", "abcdefghz", "b", "\u{e9}",
      "\u{4e2d}", "\u{1f600}",
    ]
    let data = try KeyedArchiveEncoder().encode(Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) }))
    #expect(try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data).object?.fields.map(\.name) == keys)
  }

  /// Two texts that are equal in Swift are different keys in CBOR, and different fields in other programs.
  @Test func canonicallyEqualKeysOfAForeignMapSurvive() throws {
    let both = "a2 62 c3bc 01 63 75cc88 02"  // u with diaeresis, composed and decomposed
    let tree = try decode(ArchiveValue.self, both)
    #expect(tree["\u{fc}"] == 1)
    #expect(tree["u\u{308}"] == 2)
    #expect(try encodedHex(tree) == hex(both))
    #expect(try KeyedArchiveDecoder().decode(from: Data(hex: both)) as? ArchiveValue == tree)
    #expect(try complaint { try decode([String: Int].self, both) }.kind == .dataCorrupted)
  }

  @Test func ofEqualElementsASetHasOne() throws {
    #expect(try decode(Set<Int>.self, "d90102 82 01 01") == [1])
    // A letter composed in two ways.
    let letters = "82 62 c3a9 63 65cc81"
    #expect(try decode(Set<String>.self, "d90102 \(letters)").map(\.utf8.count) == [2], "the first one")
    #expect(try decode(ArchiveValue.self, "d90102 \(letters)").array?.count == 2)
    // What is not stored made two elements of one.
    let choices: Set = [Choice(name: "a"), Choice(name: "a", isSelected: true)]
    let data = try KeyedArchiveEncoder().encode(choices)
    #expect(try KeyedArchiveDecoder().decode(Set<Choice>.self, from: data) == [Choice(name: "a")])
    // An array, the type of the property before, may have equal elements.
    #expect(try decode(Set<Int>.self, "82 01 01") == [1])
    #expect(try decode(Set<Int8>.self, "d848 42 0101") == [1])
  }
}
