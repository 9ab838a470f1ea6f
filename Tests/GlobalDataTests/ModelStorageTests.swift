import Foundation
import GlobalData
import ModelMapping
import TestSupport
import Testing
import ThrownErrors

// The model of DESIGN.md, as it is documented.
private struct Member: Model {
  @Field("level") var vipLevel = 1
  @Field var accountID: Int? = nil
  @Field("profile", "nick_name") var nickName = ""
  @Field("registered", as: .unixSeconds) var registered = Date()
  @Field("tel", formerly: "phone") var tel = ""
  @Field(json: "id", stored: "memberID") var memberID = ""
  @Ignored var selected = false
}

private struct OldPoint: Codable, Sendable {
  var x = 1
  var label = "7"
}

private struct Point: Model, Archivable {
  static let formerArchiveTags: [ArchiveTag] = ["OldPoint"]

  @Field var x = 0.0
  @Field var label = 0
  @Field var added = "new"
  @Field(as: .iso8601) var date = Date(timeIntervalSince1970: 0.123456789)
  @Field(stored: nil) var token = ""
}

// Each test has its own instances, which it uses on one thread at a time.
private class Shape: Model, @unchecked Sendable {
  @Field("shape_name") var name = "shape"
  required init() {}
}

private final class Disc: Shape, @unchecked Sendable {
  @Field var radius = 1.0
  @Field var center: Shape?
}

private struct Page: Model {
  @Field var shapes: [Shape] = []
  @Field var twice: Int?? = .some(nil)
}

// Debian's compilers, 6.0 and 6.2 so far, were built with assertions, which fail for two wrappers if the outer one takes
// its initial value as an autoclosure. Compilers without assertions accept both.
#if compiler(>=6.3)

private struct Mixture: Model {
  @Field @Polymorphic var mixed: [any Sendable] = []
}

#endif

/// Stores its only value, which may be null, by itself.
private struct Wrapped: Codable, Sendable, Equatable {
  var value: Int?

  init(value: Int?) { self.value = value }
  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int?.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

private struct Signed: Model, @unchecked Sendable {
  @Field(as: .secureCoding) var id = NSUUID()
  @Field(as: .secureCoding) var url: NSURL?
}

private struct Item: Model, Identifiable {
  @Field(json: "item_id", stored: "id") var id = 0
  @Field var price = 0.0
}

private struct Deep: Model {
  @Field var inner: [Deep] = []
}

private struct Number<Value: Codable & Sendable & FieldDefault>: Model, Archivable {
  static var archiveTag: ArchiveTag { "StoredNumber" }
  @Field var number = Value.fieldDefault
}

private protocol FieldDefault {
  static var fieldDefault: Self { get }
}

extension Double: FieldDefault { fileprivate static var fieldDefault: Double { 0 } }
extension Float: FieldDefault { fileprivate static var fieldDefault: Float { 0 } }
extension Int64: FieldDefault { fileprivate static var fieldDefault: Int64 { 0 } }
extension UInt64: FieldDefault { fileprivate static var fieldDefault: UInt64 { 0 } }
extension Decimal: FieldDefault { fileprivate static var fieldDefault: Decimal { 0 } }
extension String: FieldDefault { fileprivate static var fieldDefault: String { "" } }

/// A number of any type, as a release stored it.
private struct StoredNumber<Value: Codable & Sendable>: Archivable {
  static var archiveTag: ArchiveTag { "StoredNumber" }
  var number: Value
}

// One model in two releases: the earlier one cannot read the cars of the later one.
private struct LaterGarage: Model, Archivable {
  static let archiveTag: ArchiveTag = "CautiousGarage"
  struct Car: Codable, Sendable, Archivable {
    static let archiveTag: ArchiveTag = "LossyCar"
    static let archiveVersion = 2
    var plate = "HH"
  }
  @Field var cars = [Car()]
  @Field var byName = ["a": Car()]
  @Field var first = Car()
}

private struct CautiousGarage: Model, Archivable {
  static let archiveTag: ArchiveTag = "CautiousGarage"
  struct Car: Codable, Sendable, Hashable, Archivable {
    static let archiveTag: ArchiveTag = "LossyCar"
    var plate = ""
  }
  @Field(options: .lossy) var cars: [Car] = []
}

private struct CautiousSet: Model, Archivable {
  static let archiveTag: ArchiveTag = "CautiousGarage"
  @Field("cars", options: .lossy) var cars: Set<CautiousGarage.Car> = []
}

private struct CautiousDictionary: Model, Archivable {
  static let archiveTag: ArchiveTag = "CautiousGarage"
  @Field("byName", options: .lossy) var cars: [String: CautiousGarage.Car] = [:]
}

private struct CautiousValue: Model, Archivable {
  static let archiveTag: ArchiveTag = "CautiousGarage"
  @Field("first", ifInvalid: CautiousGarage.Car()) var car = CautiousGarage.Car()
}

private struct CautiousNesting: Model, Archivable {
  static let archiveTag: ArchiveTag = "CautiousGarage"
  @Field("cars", "deep", ifInvalid: 9) var deep = 0
}

private struct CautiousFormer: Model, Archivable {
  static let archiveTag: ArchiveTag = "CautiousGarage"
  @Field(formerly: ["first", "plate", "deep"], ifInvalid: 9) var deep = 0
}

/// A key that is a name in JSON, and its own fields in an archive.
private struct PlayerID: Codable, Hashable, Sendable, CodingKeyRepresentable {
  var number: Int

  init(_ number: Int) { self.number = number }

  var codingKey: any CodingKey { AnyKey(stringValue: "p\(number)") }

  init?<Key: CodingKey>(codingKey: Key) {
    guard let number = Int(codingKey.stringValue.dropFirst()) else { return nil }
    self.init(number)
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

private struct Scores: Model {
  @Field(options: .lossy) var points: [PlayerID: Int] = [:]
  @Field var wins: [PlayerID: Int] = [:]
  @Field var rounds: [[PlayerID: Int]] = []
}

private struct OldScores: Archivable {
  static let archiveTag: ArchiveTag = "Scores"
  var wins: [PlayerID: String]
}

@Suite struct ModelStorageTests {
  @Test func aDictionaryWhoseKeysAreNamesInJSONOnlyIsReadFromAnArchive() throws {
    var scores = Scores()
    scores.points = [PlayerID(1): 10, PlayerID(2): 20]
    scores.wins = [PlayerID(3): 1]
    scores.rounds = [[PlayerID(4): 2]]
    let copies = [
      try KeyedArchiveDecoder().decode(Scores.self, from: KeyedArchiveEncoder().encode(scores)),
      try Scores(json: scores.json()),
    ]
    for copy in copies {
      #expect(copy.points == scores.points && copy.wins == scores.wins && copy.rounds == scores.rounds)
    }
    // Not a number: an error, and not an empty dictionary, which the next write would store.
    let old = try KeyedArchiveEncoder().encode(OldScores(wins: [PlayerID(3): "many"]))
    #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode(Scores.self, from: old) }
  }

  @Test func keysThatAreDifferentInStorageAreNeverOneKey() throws {
    struct Names: Model {
      @Field var names: [Int: String] = [:]
    }
    func read(_ names: ArchiveValue) throws -> [Int: String] {
      let data = try KeyedArchiveEncoder().encode(["names": names] as ArchiveValue)
      let model = try KeyedArchiveDecoder().decode(Names.self, from: data)
      return model.names
    }
    #expect(try read(["1": "one", "2": 2]) == [1: "one", 2: "2"])
    #expect(throws: DecodingError.self) { try read(["1": "one", "+1": "plus one"]) }
    #expect(throws: DecodingError.self) { try read(["1": "one", "01": 1]) }
  }

  @Test func unreadableStoredValuesAreNeverDroppedOrReplaced() async throws {
    let store = GlobalData.inMemory()
    try await store.set(LaterGarage(), forKey: "garage")
    func code<Value: Codable & Sendable>(_ type: Value.Type) -> GlobalDataError.Code? {
      expectError(GlobalDataError.self) { try store.object(type, forKey: "garage") }?.code
    }
    #expect(code(CautiousGarage.self) == .newerVersion)
    #expect(code(CautiousSet.self) == .newerVersion)
    #expect(code(CautiousDictionary.self) == .newerVersion)
    #expect(code(CautiousValue.self) == .newerVersion)
    #expect(code(CautiousNesting.self) == .typeMismatch)
    #expect(code(CautiousFormer.self) == .typeMismatch)
  }

  @Test func anErrorNamesTheStoredValueThatDoesNotFit() throws {
    let stored = try KeyedArchiveEncoder().encode(StoredNumber(number: ["a": 1]))
    let error = try requireError(DecodingError.self) {
      try KeyedArchiveDecoder().decode(Number<Int64>.self, from: stored)
    }
    #expect("\(error)".contains("Expected Int64, but found a map.") && "\(error)".contains("number"))
  }

  @Test func aStoredNumberIsReadAsAnotherTypeOnlyIfNothingIsLost() throws {
    func read<Stored: Codable & Sendable, Value: Codable & Sendable & FieldDefault>(
      _ stored: Stored, as type: Value.Type
    ) throws -> Value {
      try KeyedArchiveDecoder().decode(
        Number<Value>.self, from: KeyedArchiveEncoder().encode(StoredNumber(number: stored))
      )
      .number
    }
    #expect(try read(Int64(1) << 53, as: Double.self) == 0x1p53)
    #expect(try read(0.5, as: Float.self) == 0.5)
    #expect(try read(0x1p63, as: UInt64.self) == 1 << 63)
    #expect(try read(Decimal(string: "0.1"), as: Double.self) == 0.1)
    #expect(try read("0.1", as: Float.self) == 0.1)
    #expect(try read(0.1, as: Decimal.self) == Decimal(string: "0.1"))
    #expect(try read(Int128(1) << 70, as: String.self) == "1180591620717411303424")
    #expect(try read(Int128.min, as: String.self) == "-170141183460469231731687303715884105728")
    #expect(try read(UInt128(1) << 127, as: String.self) == "170141183460469231731687303715884105728")
    #expect(try read(UInt128.max, as: String.self) == "340282366920938463463374607431768211455")
    #expect(throws: DecodingError.self) { try read((Int64(1) << 53) + 1, as: Double.self) }
    #expect(throws: DecodingError.self) { try read(UInt64.max, as: Float.self) }
    // The nearest binary number prints like this integer, but is a different number.
    #expect(throws: DecodingError.self) { try read(Int128(10_000_000_000) * 10_000_000_000_000, as: Double.self) }
    #expect(throws: DecodingError.self) { try read("16777217", as: Float.self) }
    #expect(throws: DecodingError.self) { try read("3.14159265358979323846", as: Double.self) }
    #expect(throws: DecodingError.self) { try read(0.1, as: Float.self) }
    #expect(throws: DecodingError.self) { try read(1e300, as: Float.self) }
    #expect(throws: DecodingError.self) { try read(0x1p63, as: Int64.self) }
    #expect(throws: DecodingError.self) { try read(Decimal(string: "0.12345678901234567890"), as: Double.self) }
  }

  @Test func theDocumentedCallsReadJSONAndReport() async throws {
    let data = Data(
      #"{"level": "3", "profile": {"nick_name": "Ada"}, "registered": 1700000000, "phone": "040", "id": 17, "x": 1}"#
        .utf8)
    let member = try Member(json: data)
    #expect(member.vipLevel == 3 && member.nickName == "Ada" && member.tel == "040" && member.memberID == "17")
    let members = try [Member](json: Data("{\"body\": {\"data\": [{}, {\"level\": 2}]}}".utf8), at: "body", "data")
    #expect(members.map(\.vipLevel) == [1, 2])
    let (value, report) = try Member.decode(json: data)
    #expect(value.accountID == nil)
    #expect(Set(report.entries.map(\.kind)) == [.coercion, .unknownKey])
    #expect(try Member(json: member.json()).memberID == "17")
  }

  @Test func storageHasItsOwnKeysAndNoConverters() async throws {
    let store = GlobalData.inMemory()
    var member = Member()
    member.memberID = "m"
    member.registered = Date(timeIntervalSinceReferenceDate: 0.1234567890123)
    member.selected = true
    try await store.set(member, forKey: "member")
    let tree = try #require(try store.object(ArchiveValue.self, forKey: "member").flatMap(\.object))
    #expect(tree["memberID"]?.string == "m" && tree["id"] == nil && tree["registered"]?.date == member.registered)
    #expect(tree["selected"] == nil && tree["accountID"] == nil && tree["profile"]?.object?["nick_name"] == "")
    let copy = try #require(try store.object(Member.self, forKey: "member"))
    #expect(copy.memberID == "m" && copy.registered == member.registered && !copy.selected)
  }

  @Test func anyJSONInAModelIsReadAsExactlyAsItCanBeAndReportedOnce() throws {
    struct Holder: Model {
      @Field var any: ArchiveValue = nil
    }
    func rounded(_ number: String) throws -> Int {
      let text = #"{"any": {"list": [\#(number)]}}"#
      let (_, report) = try Holder.decode(json: text)
      return report.entries(.rounding).count
    }
    for exact in ["0.12345678901234567890", "-0.0", "0.1", "1e300", "340282366920938463463374607431768211455"] {
      #expect(try rounded(exact) == 0, "\(exact)")
    }
    #expect(try rounded("1.\(String(repeating: "7", count: 60))") == 1)
    #expect {
      try Holder(json: #"{"any": 1e400}"#)
    } throws: { error in
      "\(error)".contains("number out of range") && !"\(error)".contains("String")
    }
  }

  @Test func theArchivesCodersUseStorageKeysByThemselves() throws {
    var member = Member()
    member.memberID = "m"
    let data = try KeyedArchiveEncoder().encode(member)
    #expect(try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data).object?["memberID"] == "m")
    #expect(try KeyedArchiveDecoder().decode(Member.self, from: data).memberID == "m")
    let forOthers = try KeyedArchiveEncoder(userInfo: [.modelKeys: ModelKeys.json]).encode(member)
    #expect(try KeyedArchiveDecoder().decode(ArchiveValue.self, from: forOthers).object?["id"] == "m")
  }

  @Test func aModelOpensWhatAPlainTypeStoredWithNewAndRetypedFields() async throws {
    let collector = ReportCollector()
    let decoder = KeyedArchiveDecoder(userInfo: [.reportCollector: collector])
    let point = try decoder.decode(Point.self, from: KeyedArchiveEncoder().encode(OldPoint()))
    #expect(point.x == 1 && point.label == 7 && point.added == "new")
    #expect(collector.report.entries(.missing).map(\.path.description) == ["added", "date"])
    #expect(collector.report.entries(.coercion).map(\.path.description) == ["label"])
  }

  @Test func aStoredFieldThatOnlyAReadOnlyFieldReadsIsReported() throws {
    struct Profile: Model {
      @Field("user", options: .readOnly) var all: [String: String] = [:]
      @Field("user", "name") var name = ""
    }
    let collector = ReportCollector()
    let stored: ArchiveValue = ["user": ["age": "36", "name": "Ada"]]
    let decoder = KeyedArchiveDecoder(userInfo: [.reportCollector: collector])
    let profile = try decoder.decode(Profile.self, from: KeyedArchiveEncoder().encode(stored))
    #expect(profile.all["age"] == "36" && profile.name == "Ada")
    #expect(collector.report.entries.map(\.description) == ["user.age: unknown key"])
  }

  @Test func fieldsOutsideOfStorageAreNotInTheArchive() async throws {
    let store = GlobalData.inMemory()
    var point = Point()
    point.token = "secret"
    try await store.set(point, forKey: "point")
    let copy = try #require(try store.object(Point.self, forKey: "point"))
    #expect(copy.token.isEmpty && copy.date == point.date)
  }

  @Test func subclassesKeepTheirClasses() async throws {
    let registry = TypeRegistry()
    try registry.register(Shape.self, Disc.self)
    let disc = Disc()
    disc.name = "disc"
    disc.radius = 2
    disc.center = Shape()
    var page = Page()
    page.shapes = [disc, Shape(), disc]
    let data = try KeyedArchiveEncoder(registry: registry).encode(page)
    let copy = try KeyedArchiveDecoder(registry: registry).decode(Page.self, from: data)
    let first = try #require(copy.shapes.first as? Disc)
    #expect(first.name == "disc" && first.radius == 2 && first.center?.name == "shape")
    #expect(copy.shapes[2] === first && !(copy.shapes[1] is Disc))
    #expect(copy.twice == .some(.none))
  }

  #if compiler(>=6.3)

  @Test func mixedValuesAreAField() throws {
    var mixture = Mixture()
    mixture.mixed = [1, "two", Date(timeIntervalSince1970: 3)]
    let copy = try KeyedArchiveDecoder().decode(Mixture.self, from: KeyedArchiveEncoder().encode(mixture))
    #expect(copy.mixed.count == 3 && copy.mixed[1] as? String == "two")
  }

  #endif

  @Test func secureCodingObjectsAreRestoredFromAStore() async throws {
    try await withTemporaryDirectory { folder in
      var signed = Signed()
      signed.url = NSURL(string: "https://a.example")
      let url = folder.appendingPathComponent("store")
      let store = GlobalData(at: url)
      try await store.set(signed, forKey: "signed")
      try await store.close()
      let copy = try #require(try GlobalData(at: url).object(Signed.self, forKey: "signed"))
      #expect(copy.id.isEqual(signed.id) && copy.url?.absoluteString == "https://a.example")
    }
  }

  @Test func modelsCanBeElementsOfCollections() async throws {
    let store = GlobalData.inMemory()
    let items = store.collection(of: Item.self)
    try await items.insert(try [Item](json: #"[{"item_id": "1", "price": "2.5"}, {"item_id": 2, "price": 9}]"#))
    try await items.update(1) { $0.price = 20 }
    let dear = items.filter(#Predicate { $0.price > 5 }, sortedBy: [SortDescriptor(\.price, order: .reverse)])
    #expect(dear.map(\.id) == [1, 2])
  }

  @Test func deepModelsAreStoredAndReadOnTheStackOfATask() async throws {
    var deep = Deep()
    for _ in 0..<120 {
      var outer = Deep()
      outer.inner = [deep]
      deep = outer
    }
    let store = GlobalData.inMemory()
    try await store.set(deep, forKey: "deep")
    var (levels, next) = (0, try store.object(Deep.self, forKey: "deep"))
    while let level = next { (levels, next) = (levels + 1, level.inner.first) }
    #expect(levels == 121)
  }

  @Test func nilIsStoredIfInitAssignsAValue() throws {
    struct Settings: Model, Equatable {
      @Field var count: Int? = 3
      @Field var name: String? = "Ada"
      @Field("place", "city") var city: String? = "Kiel"
      @Field(as: .unixSeconds) var date: Date? = Date(timeIntervalSince1970: 5)
      @Field var lists: [Int]? = [1]
      @Field var twice: Int?? = .some(nil)
      @Field var json: ArchiveValue = 5
      @Field var wrapped = Wrapped(value: 4)
      @Field var number = 7
      @Ignored(.json) var note: String? = "note"
    }
    var settings = Settings()
    (settings.count, settings.name, settings.city, settings.date, settings.lists) = (nil, nil, nil, nil, nil)
    (settings.twice, settings.json, settings.wrapped, settings.note) = (nil, .null, Wrapped(value: nil), nil)
    let data = try KeyedArchiveEncoder().encode(settings)
    #expect(try KeyedArchiveDecoder().decode(Settings.self, from: data) == settings)

    // A missing field still has its default, and so has a null that the field cannot hold.
    let missing = try KeyedArchiveEncoder().encode(["number": nil] as ArchiveValue)
    #expect(try KeyedArchiveDecoder().decode(Settings.self, from: missing) == Settings())
    // In JSON, null means the same as a missing key.
    #expect(try Settings(json: #"{"count": null, "json": null}"#) == Settings())
    // Another coder has a decoder for a missing key, too.
    let decoder = JSONDecoder()
    decoder.userInfo[.modelKeys] = ModelKeys.stored
    #expect(try decoder.decode(Settings.self, from: Data("{}".utf8)) == Settings())
  }

  @Test func theUnknownFieldsOfANestedObjectAreInItsOwnField() throws {
    struct Person: Model {
      @Field("profile", "name") var name = ""
      @Field("profile", "rest") var profile = UnknownFields()
      @Field var rest = UnknownFields()
    }
    let stored: ArchiveValue = ["level": 2, "profile": ["age": 36, "name": "Ada"]]
    let person = try KeyedArchiveDecoder().decode(Person.self, from: KeyedArchiveEncoder().encode(stored))
    #expect(person.profile.wrappedValue.fields.map(\.name) == ["age"])
    #expect(person.rest.wrappedValue.fields.map(\.name) == ["level"])
    let copy = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: KeyedArchiveEncoder().encode(person))
    let fields = try #require(copy.object)
    #expect(Set(fields.fields.map(\.name)) == ["level", "profile"])
    #expect(fields["profile"]?.object?["age"] == 36 && fields["profile"]?.object?["name"] == "Ada")
  }

  @Test func nilIsAlsoReadFromAFormerPath() throws {
    struct Old: Model, Archivable {
      static let archiveTag: ArchiveTag = "Person"
      @Field("phone") var tel: String? = "none"
      @Field("contact", "city") var city: String? = "Kiel"
      @Field var age: Int? = 3
      @Field var number: Int? = 7
    }
    struct New: Model, Archivable {
      static let archiveTag: ArchiveTag = "Person"
      @Field("contact", "tel", formerly: "tel", "phone") var tel: String? = "unknown"
      @Field(formerly: ["contact", "city"], ["place", "city"]) var city: String? = "Bonn"
      @Field("person", "age", formerly: "age") var age: Int? = 4
      @Field("count", formerly: "number") var number = 8
    }
    var old = Old()
    (old.tel, old.city, old.age, old.number) = (nil, nil, nil, nil)
    let new = try KeyedArchiveDecoder().decode(New.self, from: KeyedArchiveEncoder().encode(old))
    #expect(new.tel == nil && new.city == nil && new.age == nil)
    // A null that the field cannot hold is no value.
    #expect(new.number == 8)
    // In JSON, null means the same as a missing key.
    #expect(try New(json: #"{"phone": null, "place": {"city": "Ulm"}}"#).tel == "unknown")
    #expect(try New(json: #"{"contact": null}"#).city == "Bonn")
  }

  @Test func aNilObjectOfAConverterIsRestoredAsNil() throws {
    struct Signature: Model, @unchecked Sendable {
      @Field(as: .secureCoding) var id: NSUUID? = NSUUID()
    }
    var signature = Signature()
    signature.id = nil
    let data = try KeyedArchiveEncoder().encode(signature)
    #expect(try KeyedArchiveDecoder().decode(Signature.self, from: data).id == nil)
  }

  @Test(arguments: [nil, .null, .named("Optional", version: 1, .null), 3] as [ArchiveValue?])
  func anOptionalOfATypeThatStoresNullIsReadBackEqual(json: ArchiveValue?) throws {
    struct Parts: Model, Equatable {
      @Field var json: ArchiveValue?
      @Field var wrapped: Wrapped?
      @Field var twice: Wrapped??
    }
    for wrapped in [nil, Wrapped(value: nil), Wrapped(value: 1)] {
      for twice in [nil, .some(nil), Wrapped(value: nil), Wrapped(value: 1)] as [Wrapped??] {
        var parts = Parts()
        (parts.json, parts.wrapped, parts.twice) = (json, wrapped, twice)
        let data = try KeyedArchiveEncoder().encode(parts)
        #expect(try KeyedArchiveDecoder().decode(Parts.self, from: data) == parts)
      }
    }
  }
}
