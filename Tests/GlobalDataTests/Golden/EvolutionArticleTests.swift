import Foundation
import GlobalData
import GlobalDataTesting
import Testing
import ThrownErrors

// The code of the articles on evolution, as a user writes it.

private struct User: Codable, Sendable, Equatable {
  var name: String
  var address: Address
}

private struct Address: Codable, Sendable, Equatable {
  var city: String
}

private struct Car: Archivable {
  var plate: String
  var wheels: Int
  var tags: [String]

  static let formerFieldNames = ["plate": ["licence"]]
  static var archiveDefaults: [String: any Encodable & Sendable] { ["wheels": 4, "tags": [String]()] }
}

private struct People: Archivable {
  var name: String
  var favoriteBooks: [String]
  var habits: [String]
  var address: Address

  static let archiveTag: ArchiveTag = "People"
  static let formerArchiveTags: [ArchiveTag] = ["Person"]
  static let archiveVersion = 3

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    if version < 2 { object["habits"] = [] }
    if version < 3 {
      object.rename("books", to: "favoriteBooks")
      object.move("city", to: "address", "city")
    }
  }
}

private struct Note: Codable {
  var text: String
  @UnknownFields var unknownFields
}

extension Car: Equatable {}

extension People: Equatable {}

@Suite struct EvolutionTests {
  static let archives = GoldenArchives(models: [
    GoldenModel("user", User(name: "Ada", address: Address(city: "Hamburg"))),
    GoldenModel("cars", [Car(plate: "HH-GD 1", wheels: 4, tags: ["new"])]),
  ])

  @Test func archivesOfAllReleasesStillOpen() throws {
    try Self.archives.check()
    let user = try Self.archives.object(User.self, forKey: "user", in: "1.0")
    #expect(user?.name == "Ada")
  }

  // RELEASE=1.0 swift test --filter recordRelease
  @Test(.enabled(if: ProcessInfo.processInfo.environment["RELEASE"] != nil)) func recordRelease() throws {
    try Self.archives.record(release: #require(ProcessInfo.processInfo.environment["RELEASE"]))
  }

  @Test func theArticlesModelsReadWhatTheirEarlierVersionsStored() async throws {
    let store = GlobalData.inMemory()
    var person = ArchiveObject(tag: "Person")
    person["name"] = "Ada"
    person["books"] = ["Emma"]
    person["city"] = "London"
    try await store.set(.object(person) as ArchiveValue, forKey: "person")
    try await store.set(["licence": "B 1"] as ArchiveValue, forKey: "car")
    try await store.set(["text": "a", "later": 5] as ArchiveValue, forKey: "note")
    #expect(
      try store.object(People.self, forKey: "person")
        == People(name: "Ada", favoriteBooks: ["Emma"], habits: [], address: Address(city: "London")))
    #expect(try store.object(Car.self, forKey: "car") == Car(plate: "B 1", wheels: 4, tags: []))
    #expect(try store.object(Note.self, forKey: "note")?.unknownFields["later"] == 5)
  }

  @Test func objectsAreEditedByNameAndPath() throws {
    var object = ArchiveObject()
    object["price"] = 250
    object["owner"] = ["tel": "040"]
    object["rooms"] = [["size": 12], ["size": 20]]
    object["draft"] = "x"
    object["circle"] = ["r": 1]
    object["home", "zip"] = "20095"  // through nested objects
    object.transform("price") { price in .double((price.double ?? 0) / 100) }
    try object.updateObject("owner") { owner in owner.rename("tel", to: "phone") }
    try object.updateObjects(in: "rooms") { room in room["area"] = room["size"] }
    try object.updateObject("circle") { circle in circle.rename("r", to: "radius") }  // the label of an enum's case
    object.remove("draft")
    #expect(
      ArchiveValue.object(object) == [
        "price": 2.5, "owner": ["phone": "040"], "rooms": [["size": 12, "area": 12], ["size": 20, "area": 20]],
        "circle": ["radius": 1], "home": ["zip": "20095"],
      ])
  }

  @Test func anObstacleToAnEditIsNamedOrSkipped() throws {
    var object = ArchiveObject()
    object["text"] = "a"
    object["rooms"] = [["size": 1], 5]
    object["nothing"] = nil as ArchiveValue?
    let before = object
    object.move("missing", to: "text", "deep")
    object.transform("missing") { _ in 1 }
    try object.updateObject("missing") { $0["a"] = 1 }
    object["missing", "deep"] = nil
    #expect(object == before)
    let error = expectError(KeyedArchiveError.self) { try object.updateObjects(in: "rooms") { $0["a"] = 1 } }
    #expect(error?.message == "The field rooms.1 is not an object: it holds 5.")
    #expect(throws: KeyedArchiveError.self) { try object.updateObject("text") { $0["a"] = 1 } }
    #expect(object == before)
    object.transform("text") { _ in nil }
    #expect(object["text"] == nil)
  }

  @Test func migrateAllWorksAsInTheArticle() async throws {
    try await GlobalData.withStore(.inMemory(configuration: .with { $0.registry = TypeRegistry() })) {
      var person = ArchiveObject(tag: "Person")
      person["name"] = "Ada"
      person["books"] = []
      person["city"] = "London"
      try await GlobalData.set(.object(person) as ArchiveValue, forKey: "user")
      try await GlobalData.set(.object(ArchiveObject(tag: "Draft")) as ArchiveValue, forKey: "draft")
      GlobalData.register(People.self, Car.self)
      let report = try await GlobalData.migrateAll { progress in
        #expect(progress.totalCount == 2)
      }
      #expect(report.migratedKeys == ["user"])
      #expect(report.unregisteredTypes == ["draft": "Draft"])
    }
  }
}
