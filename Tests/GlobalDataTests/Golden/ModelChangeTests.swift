import Foundation
import GlobalData
import GlobalDataTesting
import ModelMapping
import TestSupport
import Testing

/// One change of a stored type, and the expected result of the check.
private struct ModelChange: Sendable, CustomTestStringConvertible {
  enum Verdict {
    /// Nothing is lost, and the check passes.
    case passes
    /// Something is lost, and the check fails.
    case fails
    /// The archived value happens to survive; others of its type would not, and the check fails.
    case failsThoughThisValueFits
  }

  let testDescription: String
  let verdict: Verdict
  private let old: GoldenModel
  private let new: GoldenModel
  private let types: [any (Codable & Sendable).Type]
  private let survives: @Sendable (GoldenArchives) throws -> Bool

  // A value survives if the current type reads everything from the old archive that was stored.
  init<Old: Codable & Sendable, New: Codable & Sendable>(
    _ name: String, _ verdict: Verdict, from old: Old, to new: New, knowing types: [any (Codable & Sendable).Type] = [],
    survives: @escaping @Sendable (New) -> Bool
  ) {
    testDescription = name
    self.verdict = verdict
    self.old = GoldenModel("key", old)
    self.new = GoldenModel("key", new)
    self.types = types
    self.survives = { archives in
      try archives.object(New.self, forKey: "key", in: "1").map(survives) ?? false
    }
  }

  func recorded(in folder: URL) throws -> GoldenArchives {
    try GoldenArchives(in: folder, models: [old], registry: TypeRegistry()).record(release: "1")
    let registry = TypeRegistry()
    try registry.register(types)
    return GoldenArchives(in: folder, models: [new], registry: registry)
  }

  func valueSurvives(_ archives: GoldenArchives) -> Bool {
    do { return try survives(archives) } catch { return false }
  }
}

@Suite struct ModelChangeTests {
  @TemporaryFolder private var folder

  @Test(arguments: fieldChanges + modelChanges + handWrittenChanges + typeChanges)
  fileprivate func theCheckFailsExactlyIfSomethingIsLost(change: ModelChange) async throws {
    let archives = try change.recorded(in: folder)
    var problems: [String] = []
    do { try archives.check() } catch let error as GoldenArchivesError {
      problems = error.problems.map(\.description)
    }
    #expect(problems.isEmpty == (change.verdict == .passes), "\(problems)")
    #expect(change.valueSurvives(archives) == (change.verdict != .fails))
  }

  @Test func aSampleNeedsValuesOnlyForStoredFields() async throws {
    let archives = GoldenArchives(in: folder, models: [GoldenModel("key", Fields.Old())], registry: TypeRegistry())
    try archives.record(release: "1")
    let schema = try String(contentsOf: folder.appending(path: "1.schema"), encoding: .utf8)
    #expect(
      schema == """
        GlobalData schema 1
        key key: Changing
        type Changing 1
          a\\.b: Int
          empty: String?
          id: Int
          loadedAt: Int
          place.city: String

        """)
  }
}

// MARK: - Fields of plain types

private enum Plain {
  struct Old: Archivable {
    var count: Int32 = 5
    var name = "n"
    static let archiveTag: ArchiveTag = "Changing"
  }
  struct Renamed: Archivable {
    var count: Int32 = 5
    var title: String?
    static let archiveTag: ArchiveTag = "Changing"
  }
  struct RenamedAndSaid: Archivable {
    var count: Int32 = 5
    var title = "n"
    static let archiveTag: ArchiveTag = "Changing"
    static let formerFieldNames = ["title": ["name"]]
  }
  struct Removed: Archivable {
    var count: Int32 = 5
    static let archiveTag: ArchiveTag = "Changing"
  }
  struct Kept: Archivable {
    var count: Int32 = 5
    @UnknownFields var rest
    static let archiveTag: ArchiveTag = "Changing"
  }
  struct Wider: Archivable {
    var count = 5
    var name: String? = "n"
    static let archiveTag: ArchiveTag = "Changing"
  }
  struct Narrower: Archivable {
    var count: Int8 = 5
    var name = "n"
    static let archiveTag: ArchiveTag = "Changing"
  }
  struct Retyped: Archivable {
    var count: Int32 = 5
    var name = 0
    static let archiveTag: ArchiveTag = "Changing"
  }
  struct Added: Archivable {
    var count: Int32 = 5
    var name = "n"
    var more = 1
    static let archiveTag: ArchiveTag = "Changing"
  }
  struct AddedWithDefault: Archivable {
    var count: Int32 = 5
    var name = "n"
    var more = 1
    var optional: Bool?
    static let archiveTag: ArchiveTag = "Changing"
    static var archiveDefaults: [String: any Encodable & Sendable] { ["more": 1] }
  }
  struct AddedObject: Archivable {
    var count: Int32 = 5
    var name = "n"
    var more = Optionals()
    static let archiveTag: ArchiveTag = "Changing"
    struct Optionals: Codable {
      var note: String?
    }
  }
}

private let fieldChanges: [ModelChange] = [
  ModelChange("nothing", .passes, from: Plain.Old(), to: Plain.Old()) { $0.count == 5 && $0.name == "n" },
  ModelChange("renamed", .fails, from: Plain.Old(), to: Plain.Renamed(title: "")) { $0.title == "n" },
  ModelChange("renamed, and said so", .passes, from: Plain.Old(), to: Plain.RenamedAndSaid()) { $0.title == "n" },
  ModelChange("removed", .fails, from: Plain.Old(), to: Plain.Removed()) { _ in false },
  ModelChange("removed, and kept as unknown", .passes, from: Plain.Old(), to: Plain.Kept()) {
    $0.rest["name"]?.string == "n"
  },
  ModelChange("of a wider type", .passes, from: Plain.Old(), to: Plain.Wider()) { $0.count == 5 && $0.name == "n" },
  ModelChange("of a narrower type", .failsThoughThisValueFits, from: Plain.Old(), to: Plain.Narrower()) {
    $0.count == 5
  },
  ModelChange("of another type", .fails, from: Plain.Old(), to: Plain.Retyped()) { _ in true },
  ModelChange("added", .fails, from: Plain.Old(), to: Plain.Added()) { _ in true },
  ModelChange("added with a default", .passes, from: Plain.Old(), to: Plain.AddedWithDefault()) { $0.name == "n" },
  ModelChange("an added object whose fields are all optional", .fails, from: Plain.Old(), to: Plain.AddedObject()) {
    _ in true
  },
]

// MARK: - Fields of models

private enum Fields {
  struct Old: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "id") var id = 7
    @Ignored(.json) var loadedAt = 8
    @Ignored(.storage) var token = ""
    @Field("place", "city") var city = "Rome"
    @Field("a.b") var dotted = 9
    @Field var empty: String?
    @Ignored(.writing) var serverTime = 0
  }
  /// Has other properties and other JSON, but the same storage.
  struct OtherJSON: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: ["user", "id"], stored: "id") var userID = 0
    @Field(json: "loaded", stored: "loadedAt") var date = 0
    @Field(json: "city", stored: ["place", "city"]) var town = ""
    @Field(json: "ab", stored: "a.b") var dotted = 0
    @Field var empty: String?
  }
  struct RenamedIgnored: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "id") var id = 0
    @Ignored(.json) var readAt = 0
    @Field("place", "city") var city = ""
    @Field("a.b") var dotted = 0
    @Field var empty: String?
  }
  struct OtherStoredKey: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "key") var id = 0
    @Ignored(.json) var loadedAt = 0
    @Field("place", "city") var city = ""
    @Field("a.b") var dotted = 0
    @Field var empty: String?
  }
  struct OtherStoredKeySaid: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "key", formerly: "id") var id = 0
    @Ignored(.json) var loadedAt = 0
    @Field("address", "town", formerly: ["place", "city"]) var city = ""
    @Field("a.b") var dotted = 0
    @Field var empty: String?
  }
  struct OtherStoredPath: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "id") var id = 0
    @Ignored(.json) var loadedAt = 0
    @Field("place", "town") var city = ""
    @Field("a.b") var dotted = 0
    @Field var empty: String?
  }
  struct PathForDot: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "id") var id = 0
    @Ignored(.json) var loadedAt = 0
    @Field("place", "city") var city = ""
    @Field("a", "b") var dotted = 0
    @Field var empty: String?
  }
  struct NotStored: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: nil) var id = 0
    @Ignored(.json) var loadedAt = 0
    @Field("place", "city") var city = ""
    @Field("a.b") var dotted = 0
    @Field var empty: String?
  }
  struct NowIgnored: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "id") var id = 0
    @Ignored var loadedAt = 0
    @Field("place", "city") var city = ""
    @Field("a.b") var dotted = 0
    @Field var empty: String?
  }
  struct OnlyWritten: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "id", options: .writeOnly) var id = 0
    @Ignored(.json) var loadedAt = 0
    @Field("place", "city") var city = ""
    @Field("a.b") var dotted = 0
    @Field var empty: String?
  }
  struct OnlyRead: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "id", options: .readOnly) var id = 0
    @Ignored(.json) var loadedAt = 0
    @Field("place", "city") var city = ""
    @Field("a.b") var dotted = 0
    @Field var empty: String?
  }
  struct WithoutEmpty: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "ID", stored: "id") var id = 0
    @Ignored(.json) var loadedAt = 0
    @Field("place", "city") var city = ""
    @Field("a.b") var dotted = 0
  }
  struct KeepingUnknown: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field("place", "city") var city = ""
    @Field(json: nil) var rest = UnknownFields()
  }
  struct MigratedForgetfully: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    static let archiveVersion = 2
    static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
      object.rename("id", to: "key")
      object["a.b"] = nil
      object["place"] = nil
    }
    @Field(json: "ID", stored: "key") var id = 0
    @Ignored(.json) var readAt = 0
  }
  struct Migrated: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    static let archiveVersion = 2
    static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
      object.rename("id", to: "key")
      object.rename("loadedAt", to: "readAt")
      object["a.b"] = nil
      object["place"] = nil
    }
    @Field(json: "ID", stored: "key") var id = 0
    @Ignored(.json) var readAt = 0
  }
  struct Converted: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(as: .text, json: "n", stored: "number") var number: Number? = Number("1")
  }
  struct NoLongerConverted: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(json: "n", stored: "number") var number: Int? = 1
  }
  struct ConvertedElsewhere: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field(as: .text, json: "n", stored: "n") var number: Number? = Number("1")
  }
  /// Not `Codable`, so storage has it in the form of its converter.
  struct Number: LosslessStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
  }
}

private enum Places {
  struct Paths: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field("place", "city") var city = "Rome"
    @Field("place", "zip.code") var zip = 5
  }
  struct Whole: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field var place = Place()
  }
  struct Place: Model {
    @Field var city = "Rome"
    @Field("zip.code") var zip: Int? = 5
  }
  struct Nested: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field var home = Home()
    struct Home: Model {
      @Field var place = Place()
    }
  }
  struct LongPaths: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field("home", "place", "city") var city = "Rome"
    @Field("home", "place", "zip.code") var zip = 5
  }
  struct WithoutZip: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field var place: Town?
    struct Town: Model {
      @Field var city = ""
    }
    static func sample() -> WithoutZip {
      var value = WithoutZip()
      value.place = Town()
      return value
    }
  }
  struct OnePath: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field("place", "city") var city = ""
  }
  struct Moved: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field("town", formerly: ["place", "city"]) var city = ""
    @Field("post", "code", formerly: ["place", "zip.code"]) var zip: Int? = 0
  }
  struct PartlyMoved: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field("town", formerly: ["place", "city"]) var city = ""
  }
  struct WithNumberZip: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field var place = SmallPlace()
    struct SmallPlace: Model {
      @Field var city = "Rome"
      @Field("zip.code") var zip: Int8? = 5
    }
  }
  struct WithVersionedPlace: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field var place = VersionedPlace()
    struct VersionedPlace: Model, Archivable {
      static let archiveTag: ArchiveTag = "Place"
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {}
      @Field var city = "Rome"
      @Field("zip.code") var zip: Int? = 5
    }
  }
  struct PathsAndLaterPlace: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field("place", "city") var city = "Rome"
    @Field("place", "zip.code") var zip = 5
    @Field var next: LaterPlace? = LaterPlace()
    struct LaterPlace: Model, Archivable {
      static let archiveTag: ArchiveTag = "Place"
      static let archiveVersion = 3
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {}
      @Field var city = "Rome"
      @Field("zip.code") var zip: Int? = 5
    }
  }
  struct WithCommand: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field var command: Command.Old? = moving
  }
  struct PathsIntoCommand: Model, Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    @Field("command", "move", "by") var distance = 0
    @Field("command", "move", "label") var label = ""
  }
}

/// Types that encode themselves in nested or unkeyed containers.
private enum ByHand {
  struct Nested: Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    enum CodingKeys: CodingKey { case place }
    enum PlaceKeys: CodingKey { case city }
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var place = container.nestedContainer(keyedBy: PlaceKeys.self, forKey: .place)
      try place.encode("Rome", forKey: .city)
    }
  }
  struct Synthesized: Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    var place = Place()
    struct Place: Codable {
      var city = "Rome"
    }
  }
  struct SynthesizedWithMore: Archivable {
    static let archiveTag: ArchiveTag = "Changing"
    var place = Place()
    struct Place: Codable {
      var city = "Rome"
      var street = ""
    }
  }
  /// Stores its elements in an unkeyed container.
  struct Row<Element: Codable & Sendable>: Archivable {
    static var archiveTag: ArchiveTag { "Changing" }
    var elements: [Element]
    init(_ elements: [Element]) { self.elements = elements }
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      elements = []
      while !container.isAtEnd { elements.append(try container.decode(Element.self)) }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    }
  }
}

private let handWrittenChanges: [ModelChange] = [
  ModelChange("a nested container that becomes a value", .passes, from: ByHand.Nested(), to: ByHand.Synthesized()) {
    $0.place.city == "Rome"
  },
  ModelChange(
    "a nested container that becomes a value with more fields", .fails, from: ByHand.Nested(),
    to: ByHand.SynthesizedWithMore()
  ) { _ in true },
  ModelChange(
    "elements of a wider type", .passes, from: ByHand.Row([1 as Int32]), to: ByHand.Row([1 as Int64])
  ) { $0.elements == [1] },
  ModelChange(
    "elements of a narrower type", .failsThoughThisValueFits, from: ByHand.Row([1 as Int32]),
    to: ByHand.Row([1 as Int8])
  ) { $0.elements == [1] },
  ModelChange(
    "elements with a renamed field", .fails, from: ByHand.Row([Part.Old()]), to: ByHand.Row([Part.Renamed()])
  ) { $0.elements.first?.width == 3 },
]

private let modelChanges: [ModelChange] = [
  ModelChange("a value whose fields move elsewhere, and said so", .passes, from: Places.Whole(), to: Places.Moved()) {
    $0.city == "Rome" && $0.zip == 5
  },
  ModelChange("a value of which one field moves elsewhere", .fails, from: Places.Whole(), to: Places.PartlyMoved()) {
    _ in false
  },
  ModelChange("paths that become a value", .passes, from: Places.Paths(), to: Places.Whole()) {
    $0.place.city == "Rome" && $0.place.zip == 5
  },
  ModelChange("a value that becomes paths", .passes, from: Places.Whole(), to: Places.Paths()) {
    $0.city == "Rome" && $0.zip == 5
  },
  ModelChange("a value in a value that becomes paths", .passes, from: Places.Nested(), to: Places.LongPaths()) {
    $0.city == "Rome" && $0.zip == 5
  },
  ModelChange("paths that become a value in a value", .passes, from: Places.LongPaths(), to: Places.Nested()) {
    $0.home.place.city == "Rome" && $0.home.place.zip == 5
  },
  ModelChange("paths that become a smaller value", .fails, from: Places.Paths(), to: Places.WithoutZip.sample()) { _ in
    false
  },
  ModelChange(
    "paths that become a value with a narrower field", .failsThoughThisValueFits, from: Places.Paths(),
    to: Places.WithNumberZip()
  ) { $0.place.zip == 5 },
  ModelChange(
    "a value of a later version that becomes paths", .passes, from: Places.WithVersionedPlace(),
    to: Places.Paths()
  ) { $0.city == "Rome" && $0.zip == 5 },
  // Paths skip the migration to the present version.
  ModelChange(
    "a value that becomes paths and has a later version elsewhere", .failsThoughThisValueFits,
    from: Places.WithVersionedPlace(), to: Places.PathsAndLaterPlace()
  ) { $0.city == "Rome" && $0.zip == 5 },
  // A value with another case would have no such path.
  ModelChange(
    "an enum that becomes the paths of one case", .failsThoughThisValueFits, from: Places.WithCommand(),
    to: Places.PathsIntoCommand()
  ) { $0.distance == 1 && $0.label == "a" },
  ModelChange("a value that becomes fewer paths", .fails, from: Places.Whole(), to: Places.OnePath()) { _ in false },
  ModelChange("a model's nothing", .passes, from: Fields.Old(), to: Fields.Old()) { $0.id == 7 && $0.loadedAt == 8 },
  ModelChange("JSON keys and properties", .passes, from: Fields.Old(), to: Fields.OtherJSON()) {
    ($0.userID, $0.date, $0.town, $0.dotted) == (7, 8, "Rome", 9)
  },
  ModelChange("a renamed @Ignored(.json)", .fails, from: Fields.Old(), to: Fields.RenamedIgnored()) { $0.readAt == 8 },
  ModelChange("another stored key", .fails, from: Fields.Old(), to: Fields.OtherStoredKey()) { $0.id == 7 },
  ModelChange("another stored key and path, and said so", .passes, from: Fields.Old(), to: Fields.OtherStoredKeySaid())
  {
    $0.id == 7 && $0.city == "Rome"
  },
  ModelChange("another stored path", .fails, from: Fields.Old(), to: Fields.OtherStoredPath()) { $0.city == "Rome" },
  ModelChange("a path for a key with a dot", .fails, from: Fields.Old(), to: Fields.PathForDot()) { $0.dotted == 9 },
  ModelChange("no longer stored", .fails, from: Fields.Old(), to: Fields.NotStored()) { $0.id == 7 },
  ModelChange("ignored everywhere", .fails, from: Fields.Old(), to: Fields.NowIgnored()) { $0.loadedAt == 8 },
  ModelChange("only written", .fails, from: Fields.Old(), to: Fields.OnlyWritten()) { $0.id == 7 },
  ModelChange("only read", .failsThoughThisValueFits, from: Fields.Old(), to: Fields.OnlyRead()) { $0.id == 7 },
  ModelChange("an optional that was nil", .failsThoughThisValueFits, from: Fields.Old(), to: Fields.WithoutEmpty()) {
    $0.id == 7
  },
  ModelChange("kept as unknown", .passes, from: Fields.Old(), to: Fields.KeepingUnknown()) {
    ($0.rest.wrappedValue["loadedAt"]?.int, $0.rest.wrappedValue["id"]?.int, $0.city) == (8, 7, "Rome")
  },
  ModelChange("a migration that forgets", .fails, from: Fields.Old(), to: Fields.MigratedForgetfully()) {
    $0.id == 7 && $0.readAt == 8
  },
  ModelChange("a migration", .passes, from: Fields.Old(), to: Fields.Migrated()) { $0.id == 7 && $0.readAt == 8 },
  ModelChange("a converted value", .passes, from: Fields.Converted(), to: Fields.Converted()) {
    $0.number?.description == "1"
  },
  ModelChange(
    "a value that is no longer converted", .failsThoughThisValueFits, from: Fields.Converted(),
    to: Fields.NoLongerConverted()
  ) { $0.number == 1 },
  ModelChange("a converted value elsewhere", .fails, from: Fields.Converted(), to: Fields.ConvertedElsewhere()) { _ in
    false
  },
]

// MARK: - Types of fields

private enum Kind: String, Codable, Sendable { case work, home }
private enum Level: Int, Codable, Sendable { case low, high }
private enum FewerKinds: String, Codable, Sendable { case home }
private enum Named: String, Codable, Sendable, CodingKeyRepresentable { case first, second }

private enum Command {
  enum Old: Archivable {
    case move(by: Int32, label: String)
    case stop
    static let archiveTag: ArchiveTag = "Command"
  }
  enum Wider: Archivable {
    case move(by: Int, label: String?)
    case stop
    static let archiveTag: ArchiveTag = "Command"
  }
  enum WithoutLabel: Archivable {
    case move(by: Int32)
    case stop
    static let archiveTag: ArchiveTag = "Command"
  }
  enum WithoutMove: Archivable {
    case stop
    static let archiveTag: ArchiveTag = "Command"
  }
}

private enum Part {
  struct Old: Archivable, Hashable {
    var size = 3
    static let archiveTag: ArchiveTag = "Part"
  }
  struct Renamed: Archivable, Hashable {
    var width: Int? = 3
    static let archiveTag: ArchiveTag = "Part"
  }
}

/// A value that is stored only as its content, as property wrappers and tagged types are.
private struct Wrapped<Value: Codable & Sendable>: Codable, Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension Wrapped: Equatable where Value: Equatable {}
extension Wrapped: Hashable where Value: Hashable {}

/// A value in a field of a generic type.
private struct Box<Value: Codable & Sendable>: Codable, Sendable {
  var content: Value
}

private struct Identifier: RawRepresentable, Codable, Sendable, Hashable {
  var rawValue: String
}

/// One field of a type, so that each type needs no model of its own.
private struct Holder<Value: Codable & Sendable>: Archivable {
  var value: Value
  static var archiveTag: ArchiveTag { "Holder" }
}

/// The same as a model.
private struct ModelHolder<Value: Codable & Sendable>: Model, Archivable {
  static var archiveTag: ArchiveTag { "Holder" }
  @Field(json: "v", stored: "value") var value: Value?
  init() {}
  init(_ value: Value) { self.value = value }
}

private protocol Shape: Codable, Sendable {}
extension Part.Old: Shape {}
extension Part.Renamed: Shape {}

private struct Drawing: Archivable {
  @Polymorphic var shapes: [any Shape]
  static let archiveTag: ArchiveTag = "Drawing"
}

private enum Fleet {
  class Vehicle: Model, Archivable, @unchecked Sendable {
    class var archiveTag: ArchiveTag { "Vehicle" }
    @Field var wheels = 4
    required init() {}
  }
  final class Truck: Vehicle, @unchecked Sendable {
    override class var archiveTag: ArchiveTag { "Truck" }
    @Field(json: "l", stored: "load") var load = 2.5
    required init() { super.init() }
  }
  final class LighterTruck: Vehicle, @unchecked Sendable {
    override class var archiveTag: ArchiveTag { "Truck" }
    @Field(json: "l", stored: "weight") var load = 0.0
    required init() { super.init() }
  }
}

/// The change of a value's type, as the field of a plain type and of a model.
private func changes<Old: Codable & Sendable, New: Codable & Sendable>(
  _ name: String, _ verdict: ModelChange.Verdict, from old: Old, to new: New,
  survives: @escaping @Sendable (New) -> Bool
) -> [ModelChange] {
  [
    ModelChange(name, verdict, from: Holder(value: old), to: Holder(value: new)) { survives($0.value) },
    ModelChange("\(name), in a model", verdict, from: ModelHolder(old), to: ModelHolder(new)) {
      $0.value.map(survives) ?? false
    },
    ModelChange("\(name), optional", verdict, from: Holder(value: Optional(old)), to: Holder(value: Optional(new))) {
      $0.value.map(survives) ?? false
    },
    ModelChange("\(name), in an array", verdict, from: Holder(value: [old]), to: Holder(value: [new])) {
      $0.value.first.map(survives) ?? false
    },
    ModelChange("\(name), in a dictionary", verdict, from: ModelHolder(["a": old]), to: ModelHolder(["a": new])) {
      $0.value?["a"].map(survives) ?? false
    },
    ModelChange("\(name), wrapped", verdict, from: Holder(value: Wrapped(old)), to: Holder(value: Wrapped(new))) {
      survives($0.value.value)
    },
  ]
}

/// The same for types that can only be compared unchanged, because the names of generic types change with their
/// arguments.
private func sameTypes<Value: Codable & Sendable & Equatable>(_ name: String, _ value: Value) -> [ModelChange] {
  changes(name, .passes, from: value, to: value) { $0 == value }
}

private let typeChanges: [ModelChange] = [unchangedTypes, changedTypes, elementChanges].flatMap(\.self)

private let unchangedTypes: [ModelChange] = [
  sameTypes("an open enum", OpenEnum<Kind>(rawValue: "abroad")),
  sameTypes("an enum", Kind.work),
  sameTypes("a raw value", Identifier(rawValue: "a")),
  sameTypes("a dictionary with enum keys", [Kind.work: 1]),
  sameTypes("a dictionary with keys that are coding keys", [Named.second: [Kind.work]]),
  sameTypes("a dictionary with keys of a struct", [Identifier(rawValue: "a"): Part.Old()]),
  sameTypes("a set of structs", Set([Part.Old()])),
  sameTypes("a range", 0..<3),
  sameTypes("wrapped twice", Wrapped(Wrapped(Part.Old()))),
].flatMap(\.self)

private let moving = Command.Old.move(by: 1, label: "a")

private let changedTypes: [ModelChange] = [
  changes("payloads of wider types", .passes, from: moving, to: Command.Wider.move(by: 1, label: "a")) {
    if case .move(1, "a") = $0 { true } else { false }
  },
  changes("a payload that is gone", .fails, from: moving, to: Command.WithoutLabel.move(by: 1)) { _ in false },
  changes("a new case", .passes, from: Command.WithoutMove.stop, to: moving) {
    if case .stop = $0 { true } else { false }
  },
  changes("a case that is gone", .fails, from: moving, to: Command.WithoutMove.stop) { _ in true },
  changes("a renamed field inside", .fails, from: Part.Old(), to: Part.Renamed()) { $0.width == 3 },
  changes("an enum that keeps cases it does not know", .passes, from: Kind.work, to: OpenEnum(Kind.home)) {
    $0 == .work
  },
  changes("a text that becomes an open enum", .passes, from: "abroad", to: OpenEnum(Kind.home)) {
    $0.rawValue == "abroad"
  },
  changes("a text that becomes an enum", .failsThoughThisValueFits, from: "work", to: Kind.home) { $0 == .work },
  changes("an integer that becomes an open enum of texts", .fails, from: 1, to: OpenEnum(Kind.home)) { _ in false },
  changes("a raw value that becomes its text", .failsThoughThisValueFits, from: Identifier(rawValue: "a"), to: "") {
    $0 == "a"
  },
  changes("an open enum that becomes a text", .passes, from: OpenEnum<Kind>(rawValue: "abroad"), to: "home") {
    $0 == "abroad"
  },
  changes("an enum that becomes an integer", .passes, from: Level.high, to: 0) { $0 == 1 },
  changes("an enum that becomes a narrower integer", .failsThoughThisValueFits, from: Level.high, to: 0 as Int8) {
    $0 == 1
  },
  changes("an integer that becomes a floating-point number", .passes, from: 200 as UInt8, to: 1 as CGFloat) {
    $0 == 200
  },
  changes("an enum that has lost a case", .fails, from: Kind.work, to: FewerKinds.home) { _ in true },
].flatMap(\.self)

private let elementChanges: [ModelChange] = [
  ModelChange(
    "a renamed field in a box", .fails, from: Holder(value: Box(content: Part.Old())),
    to: Holder(value: Box(content: Part.Renamed()))
  ) { $0.value.content.width == 3 },
  ModelChange(
    "a renamed field of a key", .fails, from: ModelHolder([Part.Old(): 1]), to: ModelHolder([Part.Renamed(): 1])
  ) { $0.value?.keys.first?.width == 3 },
  ModelChange(
    "a renamed field of a polymorphic element", .fails, from: Drawing(shapes: [Part.Old()]),
    to: Drawing(shapes: [Part.Renamed()]), knowing: [Part.Renamed.self]
  ) { ($0.shapes.first as? Part.Renamed)?.width == 3 },
  ModelChange(
    "polymorphic elements", .passes, from: Drawing(shapes: [Part.Old()]), to: Drawing(shapes: [Part.Old()]),
    knowing: [Part.Old.self]
  ) { ($0.shapes.first as? Part.Old)?.size == 3 },
  ModelChange(
    "instances of a subclass", .passes, from: ModelHolder<[Fleet.Vehicle]>([Fleet.Truck()]),
    to: ModelHolder<[Fleet.Vehicle]>([Fleet.Truck()]), knowing: [Fleet.Truck.self]
  ) { ($0.value?.first as? Fleet.Truck)?.load == 2.5 },
  ModelChange(
    "another stored key of a subclass", .fails, from: ModelHolder<[Fleet.Vehicle]>([Fleet.Truck()]),
    to: ModelHolder<[Fleet.Vehicle]>([Fleet.LighterTruck()]), knowing: [Fleet.LighterTruck.self]
  ) { ($0.value?.first as? Fleet.LighterTruck)?.load == 2.5 },
]
