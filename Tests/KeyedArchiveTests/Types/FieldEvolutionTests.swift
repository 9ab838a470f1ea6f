import Foundation
import KeyedArchive
import Observation
import TestSupport
import Testing

private struct Color: Codable, Hashable {
  var red: Int
}

/// A model whose first version only had an `id` and a `licence`.
private struct Car: Archivable, Equatable {
  var id: String
  var plate: String
  var wheels: Int
  var color: Color
  var tags: [String]
  var note: String?

  static let formerFieldNames = ["plate": ["number", "licence"]]
  static var archiveDefaults: [String: any Encodable & Sendable] {
    ["wheels": 4, "color": Color(red: 255), "tags": [String]()]
  }
}

/// A class whose first version only had a `title`.
private class Animal: Archivable, @unchecked Sendable {
  var name: String
  var legs: Int

  class var formerFieldNames: [String: [String]] { ["name": ["title"]] }
  class var archiveDefaults: [String: any Encodable & Sendable] { ["legs": 4] }

  init(name: String, legs: Int) { (self.name, self.legs) = (name, legs) }
}

private class Dog: Animal, @unchecked Sendable {
  var tricks: [String]

  private enum CodingKeys: String, CodingKey {
    case tricks
  }

  override init(name: String, legs: Int) {
    tricks = []
    super.init(name: name, legs: legs)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    tricks = try container.decode([String].self, forKey: .tricks)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(tricks, forKey: .tricks)
    try super.encode(to: container.superEncoder())
  }
}

private final class Puppy: Dog, @unchecked Sendable {
  override init(name: String, legs: Int) { super.init(name: name, legs: legs) }

  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder.container(keyedBy: AnyKey.self).superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try super.encode(to: container.superEncoder())
  }
}

private struct Note: Codable, Equatable, Sendable {
  var text: String
  @UnknownFields var unknownFields
  var size = 0
}

private struct SmallNote: Codable, Equatable {
  var text: String
  var size: Int
}

private enum Payment: Archivable {
  static let archiveTag = ArchiveTag("Payment")

  case card(number: Int)
  case cash
}

/// The enum with other names, and with another part in one case.
private enum LaterPayment: Archivable, Equatable {
  static let archiveTag = ArchiveTag("Payment")
  static let formerFieldNames = ["credit": ["card"], "coins": ["cash"]]

  case credit(number: Int, holder: String?)
  case coins
}

/// The macro stores `name` in a property `_name`.
@Observable private final class Player: Codable {
  private enum CodingKeys: String, CodingKey {
    case _name = "name"
  }

  var name: String
}

@Suite struct FieldEvolutionTests {
  private func decode<Value: Decodable>(_ type: Value.Type, _ tree: ArchiveValue) throws -> Value {
    try KeyedArchiveDecoder().decode(type, from: KeyedArchiveEncoder().encode(tree))
  }

  // MARK: Defaults and names

  @Test func anAddedFieldTakesItsDefaultAndARenamedOneItsOldValue() throws {
    let expected = Car(id: "1", plate: "B 1", wheels: 4, color: Color(red: 255), tags: [])
    #expect(try decode(Car.self, ["id": "1", "licence": "B 1"]) == expected)
    #expect(try decode(Car.self, ["number": "B 1", "licence": "B 2", "id": "1"]) == expected)
    #expect(try decode(Car.self, ["plate": "B 1", "licence": "B 2", "id": "1"]) == expected)
    #expect(try decode(Car.self, ["licence": "B 2", "plate": "B 1", "id": "1"]) == expected)
    #expect(try decode([String: [Car?]].self, ["k": [["id": "1", "licence": "B 1"], nil]]) == ["k": [expected, nil]])
    let other = Car(id: "2", plate: "", wheels: 3, color: Color(red: 0), tags: ["a"], note: "n")
    try expectRoundTrip(other)
  }

  @Test func separateFieldsOfASuperclassHaveDefaultsAndFormerNames() throws {
    let dog = try decode(Dog.self, ["tricks": ["sit"], "super": ["title": "Rex"]])
    #expect(dog.name == "Rex" && dog.legs == 4 && dog.tricks == ["sit"])
    let dogs = try decode([Animal].self, [["title": "Tom"], ["name": "It", "legs": 3]])
    #expect(dogs.map(\.name) == ["Tom", "It"] && dogs.map(\.legs) == [4, 3])
    let puppy = try decode(Puppy.self, ["super": ["tricks": [], "super": ["title": "Fips"]]])
    #expect(puppy.name == "Fips" && puppy.legs == 4)
    let three = Puppy(name: "Ix", legs: 3)
    let copy = try KeyedArchiveDecoder().decode(Puppy.self, from: KeyedArchiveEncoder().encode(three))
    #expect(copy.name == "Ix" && copy.legs == 3)
    let complaint = try complaint { try decode(Dog.self, ["tricks": [], "super": ["legs": 4]]) }
    #expect(complaint == Complaint(kind: .keyNotFound, path: "super", message: #"There is no value for "name"."#))
  }

  /// Numbers of shared instances count from the start of an archive, which a default is not part of.
  @Test func aDefaultWithASharedInstanceIsReadAmongOtherSharedInstances() throws {
    struct SmallZoo: Archivable {
      var animals: [Animal]
      static let archiveTag: ArchiveTag = "Zoo"
    }
    struct Zoo: Archivable {
      var animals: [Animal]
      var guests: [Animal]
      static let archiveTag: ArchiveTag = "Zoo"
      static var archiveDefaults: [String: any Encodable & Sendable] {
        let guest = Animal(name: "guest", legs: 2)
        return ["guests": [guest, guest]]
      }
    }
    let animal = Animal(name: "It", legs: 4)
    for animals in [[], [animal, animal]] {
      let data = try KeyedArchiveEncoder(registry: TypeRegistry()).encode(SmallZoo(animals: animals))
      let zoo = try KeyedArchiveDecoder().decode(Zoo.self, from: data)
      #expect(zoo.animals.map(\.name) == animals.map(\.name))
      #expect(zoo.guests.map(\.name) == ["guest", "guest"])
    }
  }

  @Test func aCaseOfAnEnumIsReadUnderItsFormerName() throws {
    let data = try KeyedArchiveEncoder().encode([Payment.card(number: 3), .cash])
    let later = try KeyedArchiveDecoder().decode([LaterPayment].self, from: data)
    #expect(later == [.credit(number: 3, holder: nil), .coins])
  }

  @Test func anObservableClassHasTheFieldsOfAPlainOne() throws {
    let player = try decode(Player.self, ["name": "Ada"])
    #expect(player.name == "Ada")
    let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: KeyedArchiveEncoder().encode(player))
    #expect(tree.object?.fields.map(\.name) == ["name"])
  }

  @Test func aDictionaryInPlaceOfTheFieldsNeedsNoNames() throws {
    struct Table: Archivable, Equatable {
      var rows: [Color: Int]

      static let formerFieldNames = ["rows": ["lines"]]
      static var archiveDefaults: [String: any Encodable & Sendable] { ["note": "none"] }

      init(rows: [Color: Int]) { self.rows = rows }

      init(from decoder: any Decoder) throws {
        rows = try decoder.singleValueContainer().decode([Color: Int].self)
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rows)
      }
    }
    try expectRoundTrip(Table(rows: [Color(red: 1): 2]))
  }

  @Test func aMissingFieldWithoutADefaultIsStillAnError() throws {
    let complaint = try complaint { try decode([Car].self, [["licence": "B 1"]]) }
    #expect(complaint == Complaint(kind: .keyNotFound, path: "0", message: #"There is no value for "id"."#))
  }

  @Test func addedOptionalAndRemovedFieldsNeedNoDeclaration() throws {
    struct Later: Codable, Equatable {
      var id: String
      var note: String?
    }
    #expect(try decode(Later.self, ["id": "1", "speed": 5, "parts": [["a": 1]]]) == Later(id: "1"))
  }

  @Test func anUnencodableDefaultIsAnErrorThatNamesIt() throws {
    struct Refusal: Error {}
    struct Unencodable: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws { throw Refusal() }
    }
    struct Broken: Archivable {
      var value: Int
      static var archiveDefaults: [String: any Encodable & Sendable] { ["value": Unencodable()] }
    }
    let error = expectFailure(.invalidEncoding) { try decode(Broken.self, [:]) }
    #expect(error?.message.contains(#"default of the field "value" of Broken"#) == true)
  }

  // MARK: Unknown fields

  @Test func unknownFieldsAreWrittenBackOnRequest() throws {
    let stored: ArchiveValue = ["text": "a", "size": 3, "later": ["b": [1, 2]], "flag": true]
    var note = try decode(Note.self, stored)
    #expect(note.unknownFields.fields.map(\.name) == ["later", "flag"])
    note.text = "changed"
    let data = try KeyedArchiveEncoder().encode([note])
    let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
    #expect(
      tree == .named("[Note]", version: 1, [["text": "changed", "later": ["b": [1, 2]], "flag": true, "size": 3]]))
    #expect(try KeyedArchiveDecoder().decode([Note].self, from: data) == [note])
  }

  @Test func anEmptyUnknownFieldsPropertyStoresNothing() throws {
    let data = try KeyedArchiveEncoder().encode([Note(text: "a", size: 1)])
    let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
    #expect(tree == .named("[Note]", version: 1, [["text": "a", "size": 1]]))
    let json = try JSONEncoder().encode(Note(text: "a", size: 1))
    #expect(try JSONDecoder().decode(SmallNote.self, from: json) == SmallNote(text: "a", size: 1))
    #expect(try JSONDecoder().decode([String: ArchiveValue].self, from: json).keys.sorted() == ["size", "text"])
    #expect(try JSONDecoder().decode(Note.self, from: json) == Note(text: "a", size: 1))
  }

  @Test func unknownFieldsSurviveOtherCoders() throws {
    var note = Note(text: "a", size: 1)
    note.unknownFields["later"] = [1, "two"]
    let json = try JSONEncoder().encode(note)
    #expect(try JSONDecoder().decode(Note.self, from: json) == note)
    #expect(try JSONDecoder().decode(ArchiveValue.self, from: json)["unknownFields"]?["later"] == [1, "two"])
  }

  // MARK: Types of fields

  /// A value, read as another type that can hold it.
  private func expectReads<Old: Codable & Equatable, New: Codable & Equatable>(
    _ old: Old, as new: New, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let data = try KeyedArchiveEncoder().encode(Row(value: old, values: [old]))
    let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
    // Without the name of the row, which contains the type.
    let fields = ArchiveValue.object(ArchiveObject(fieldsOf: tree))
    #expect(throws: Never.self, sourceLocation: sourceLocation) {
      let row = try decode(Row<New>.self, fields)
      #expect(row == Row(value: new, values: [new]), sourceLocation: sourceLocation)
    }
  }

  private struct Row<Value: Codable & Equatable>: Codable, Equatable {
    var value: Value
    var values: [Value]
  }

  @Test func aFieldMayGetATypeThatHoldsItsValue() throws {
    enum Level: String, Codable { case low, high }
    try expectReads(5 as Int32, as: 5 as Int64)
    try expectReads(5 as Int64, as: 5 as Int8)
    try expectReads(5, as: 5.0)
    try expectReads(5.0, as: 5)
    try expectReads(2.5 as Float, as: 2.5)
    try expectReads(0.5, as: 0.5 as Float)
    try expectReads(5, as: 5 as Decimal)
    try expectReads(2.5, as: Decimal(sign: .plus, exponent: -1, significand: 25))
    try expectReads(19.99, as: Decimal(sign: .plus, exponent: -2, significand: 1999))
    try expectReads(Decimal(sign: .plus, exponent: -2, significand: 1999), as: 19.99)
    try expectReads(URL(string: "https://example.org/a"), as: "https://example.org/a")
    try expectReads(
      UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), as: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    try expectReads(7 as UInt64, as: 7 as Int128)
    try expectReads(UInt128(1) << 127, as: 0x1p127)
    try expectReads(Int128.min, as: -0x1p127)
    try expectReads(Level.high, as: "high")
    try expectReads("high", as: Level.high)
    try expectReads("https://example.org/a", as: URL(string: "https://example.org/a"))
    try expectReads(
      "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", as: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    try expectReads([1, 2], as: Set([1, 2]))
    try expectReads(Set([1]), as: [1])
    try expectReads(Data([1, 2]), as: [1, 2] as [UInt8])
    try expectReads([1, 2] as [UInt8], as: Data([1, 2]))
    try expectReads(5, as: 5 as Int?)
    try expectReads(5 as Int?, as: 5)
    try expectReads(["a": 1], as: ["a": 1.0])
    try expectReads(["1": "a", "-20": "b"], as: [1: "a", -20: "b"])
  }

  @Test func aTopLevelCollectionMayBecomeAnotherKindOfList() throws {
    func read<New: Decodable>(_ old: some Encodable, as type: New.Type) throws -> New {
      try KeyedArchiveDecoder().decode(type, from: KeyedArchiveEncoder().encode(old))
    }
    #expect(try read(["a", "b"], as: Set<String>.self) == ["a", "b"])
    #expect(try read(Set(["a"]), as: [String].self) == ["a"])
    #expect(try read(Set([5 as Int8]), as: [Int].self) == [5])
    #expect(try read(ContiguousArray([1, 2]), as: [Int].self) == [1, 2])
    #expect(try read(["k": [["a"]]], as: [String: Set<Set<String>>].self) == ["k": [["a"]]])
    #expect(try complaint { try read(Set(["a"]), as: [String: Int].self) }.kind == .typeMismatch)
    #expect(try complaint { try read([Color(red: 1)], as: Set<String>.self) }.kind == .typeMismatch)
  }

  @Test func elementsOfATopLevelCollectionChangeLikeFields() throws {
    enum Level: String, Codable { case low, high }
    func read<New: Decodable>(_ old: some Encodable, as type: New.Type) throws -> New {
      try KeyedArchiveDecoder().decode(type, from: KeyedArchiveEncoder().encode(old))
    }
    #expect(try read([Color(red: 1)], as: [Color?].self) == [Color(red: 1)])
    #expect(try read([Color(red: 1)] as [Color?], as: [Color].self) == [Color(red: 1)])
    #expect(try read(["a": 1], as: [String: Int?].self) == ["a": 1])
    #expect(try read(["a": ["b"]], as: [String: [String?]?].self) == ["a": ["b"]])
    #expect(try read([1, 2] as [Int?], as: [Int].self) == [1, 2])
    #expect(try complaint { try read([1, nil] as [Int?], as: [Int].self) }.kind == .valueNotFound)
    #expect(try read(["high"], as: [Level].self) == [.high])
    #expect(try read(["high": true], as: [Level: Bool].self) == [.high: true])
    #expect(try read(["a": ["low"]], as: [String: Set<Level>].self) == ["a": [.low]])
    #expect(try read(["a": 1] as [String: Int?], as: [String: Double].self) == ["a": 1])
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    #expect(try read([date], as: [Date?].self) == [date])
    #expect(try read([date] as [Date?], as: [Date].self) == [date])
    #expect(try read(["a": Data([1, 2])], as: [String: [UInt8]].self) == ["a": [1, 2]])
    #expect(try complaint { try read(["top"], as: [Level].self) }.path == "0")
    #expect(try complaint { try read(["a"], as: [Color].self) }.kind == .typeMismatch)
    #expect(try complaint { try read([Color(red: 1)] as [Color?], as: [String?].self) }.kind == .typeMismatch)
  }

  @Test(arguments: [
    (ArchiveValue.int(300), "Int8 cannot hold the integer 300."),
    (.double(0.1), "Int8 cannot hold the number 0.1."),
    (.string("5"), "Expected Int8, but found text."),
    (.bool(true), "Expected Int8, but found a Boolean."),
  ])
  func aLossyConversionIsAnErrorThatNamesBothTypes(stored: ArchiveValue, message: String) throws {
    let complaint = try complaint { try decode([String: Int8].self, ["f": stored]) }
    #expect(complaint.message == message)
    #expect(complaint.path == "f")
  }

  @Test func aNumberThatDoesNotFitIntoAnotherArrayIsFoundByItsWholePath() throws {
    struct Table<Number: Codable>: Codable {
      var rows: [[Number]]
    }
    let integers = try tree(Table(rows: [[0], [0, 300]]))
    #expect(try complaint { try decode(Table<Int8>.self, integers) }.path == "rows.1.1")
    #expect(try complaint { try decode(Table<String>.self, integers) }.path == "rows.0.0")
    let fractions = try tree(Table(rows: [[1, 0.5]]))
    #expect(try complaint { try decode([String: Table<Int>].self, ["a": fractions]) }.path == "a.rows.0.1")
  }

  /// The tree of a value's fields, without the name of its type.
  private func tree(_ value: some Encodable) throws -> ArchiveValue {
    let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: KeyedArchiveEncoder().encode(value))
    return .object(ArchiveObject(fieldsOf: tree))
  }

  @Test func decimalsAndTextsThatDoNotFitAreRefused() throws {
    let long = try #require(Decimal(string: "0.1234567890123456789012345"))
    #expect(try complaint { try decode([String: Double].self, ["f": .decimal(long)]) }.kind == .dataCorrupted)
    #expect(try complaint { try decode([String: Decimal].self, ["f": .double(1e300)]) }.kind == .dataCorrupted)
    #expect(try complaint { try decode([String: Decimal].self, ["f": .double(.infinity)]) }.kind == .dataCorrupted)
    #expect(try complaint { try decode([String: URL].self, ["f": "a b"]) }.kind == .typeMismatch)
    #expect(try complaint { try decode([String: UUID].self, ["f": "E621E1F8"]) }.kind == .typeMismatch)
    #expect(
      try complaint { try decode([String: String].self, ["f": .date(Date(timeIntervalSince1970: 0))]) }.kind
        == .typeMismatch)
  }
}

extension ArchiveObject {
  /// The fields of an object without its tag.
  fileprivate init(fieldsOf value: ArchiveValue) {
    self.init()
    for field in value.object?.fields ?? [] { self[field.name] = field.value }
  }
}
