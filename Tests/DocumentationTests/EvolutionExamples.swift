import Foundation
import GlobalData
import GlobalDataTesting
import Testing

extension GlobalData.Keys {
  fileprivate static let uploads = Key("uploads", default: [Upload]())
}

private struct Upload: Codable, Sendable {
  var name = "a"
  static let sample = Upload()
}

private struct User: Codable, Sendable, Equatable {
  var name: String
  var address: Address
  static let sample = User(name: "Ada", address: Address(city: "Hamburg"))
}

private struct Address: Codable, Sendable, Equatable {
  var city: String
}

private struct Car: Codable, Sendable {
  var plate: String
  var wheels: Int
  static let sample = Car(plate: "HH-GD 1", wheels: 4)
}

private struct People: Codable, Sendable, Equatable {
  var name: String
  var habits: [String]
  var favoriteBooks: [String]
}

extension People: Archivable {
  static let archiveTag: ArchiveTag = "People"
  static let formerArchiveTags: [ArchiveTag] = ["Person"]
  static let archiveVersion = 3
  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    if version < 2 { object["habits"] = [] }
    if version < 3 { object.rename("books", to: "favoriteBooks") }
  }
}

enum TestingArticle {
  @Suite struct EvolutionTests {
    fileprivate static let archives = GoldenArchives(models: [
      GoldenModel("user", User(name: "Ada", address: Address(city: "Hamburg"))),
      GoldenModel("cars", [Car(plate: "HH-GD 1", wheels: 4)]),
    ])

    @Test func archivesOfAllReleasesStillOpen() throws {
      try Self.archives.check()
    }

    // RELEASE=1.0 swift test --filter recordRelease
    @Test(.enabled(if: ProcessInfo.processInfo.environment["RELEASE"] != nil)) func recordRelease() throws {
      try Self.archives.record(release: #require(ProcessInfo.processInfo.environment["RELEASE"]))
    }
  }
}

enum Reference {
  @Suite struct EvolutionTests {
    fileprivate static let archives = GoldenArchives(models: [
      GoldenModel("user", User.sample),
      GoldenModel("cars", [Car.sample]),
    ])

    @Test func archivesOfAllReleasesStillOpen() throws {
      try Self.archives.check()
    }
  }
}

@Suite struct EvolutionExamples {
  @Test func aReleaseCanBeLookedAt() throws {
    let archives = TestingArticle.EvolutionTests.archives
    #expect(try archives.object(User.self, forKey: "user", in: "1.0") == User.sample)
    let models = [
      GoldenModel("user", User(name: "Ada", address: Address(city: "Hamburg"))),
      GoldenModel(.uploads, [Upload.sample]),
    ]
    #expect(models.map(\.key) == ["user", "uploads"])
  }

  @Test func theStoreIsBroughtUpToDate() async throws {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    try await GlobalData.withStore(.inMemory(configuration: configuration)) {
      try await GlobalData.set(User.sample, forKey: "user")
      func readAndWrite() async throws {
        let user = try GlobalData.object(User.self, forKey: "user")
        try await GlobalData.set(user, forKey: "user")
      }
      try await readAndWrite()
      func migrate() async throws -> ([String], [String: String]) {
        GlobalData.register(User.self, Car.self)
        let report = try await GlobalData.migrateAll { progress in
          print("\(progress.key): \(progress.completedCount) of \(progress.totalCount)")
        }
        return (report.migratedKeys, report.unregisteredTypes)
      }
      #expect(try await migrate().0.isEmpty)
    }
  }

  @Test func aMigrationOfTheReferenceRuns() async throws {
    var person = ArchiveObject(tag: "Person")
    person["name"] = "Ada"
    person["books"] = ["Emma"]
    let store = GlobalData.inMemory()
    try await store.set(.object(person) as ArchiveValue, forKey: "person")
    #expect(
      try store.object(People.self, forKey: "person") == People(name: "Ada", habits: [], favoriteBooks: ["Emma"]))
  }

  @Test func objectsAreEdited() throws {
    var object = ArchiveObject()
    object["address", "city"] = "Hamburg"
    object["address", "zip"] = "20095"
    object["city"] = "Kiel"
    object["rooms"] = [["size": 1]]
    object["price"] = 250
    object.move("city", to: "address", "town")
    object.transform("price") { price in .double((price.double ?? 0) / 100) }
    try object.updateObject("address") { address in address.rename("zip", to: "postalCode") }
    try object.updateObjects(in: "rooms") { room in room.rename("size", to: "area") }
    #expect(
      ArchiveValue.object(object) == [
        "address": ["city": "Hamburg", "postalCode": "20095", "town": "Kiel"], "rooms": [["area": 1]], "price": 2.5,
      ])
  }
}
