import Foundation
import GlobalData
import ModelMapping
import TestSupport
import Testing
import ThrownErrors

// Two versions of one app. The later one has other fields, but no higher versions, and both use one store.

private enum Earlier {
  enum Color: String, Codable, Sendable {
    case red
  }

  enum Drive: Codable, Sendable {
    case gasoline(tank: Int)
  }

  struct Car: Archivable, Equatable {
    var plate: String
    var wheels: Int
    static let archiveTag: ArchiveTag = "Car"
    static let formerFieldNames = ["plate": ["licence"]]
    static var archiveDefaults: [String: any Encodable & Sendable] { ["wheels": 4] }
  }

  /// A class whose subclass stores its fields in an object of their own.
  class Vehicle: Archivable, @unchecked Sendable {
    class var archiveTag: ArchiveTag { "Vehicle" }
    var wheels = 0
    class var archiveDefaults: [String: any Encodable & Sendable] { ["wheels": 4] }
  }

  final class Van: Vehicle, @unchecked Sendable {
    override class var archiveTag: ArchiveTag { "Van" }
    private enum CodingKeys: String, CodingKey { case load }
    var load = 0

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      load = try container.decode(Int.self, forKey: .load)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(load, forKey: .load)
      try super.encode(to: container.superEncoder())
    }
  }

  struct Garage: Archivable {
    var cars: [String: [Car?]]
    static let archiveTag: ArchiveTag = "Garage"
    static let formerArchiveTags: [ArchiveTag] = ["Shed"]
  }

  struct Contact: Model, Archivable {
    @Field("phones", "home", formerly: "tel") var phone = ""
    @Field var friends: [Contact] = []
    static let archiveTag: ArchiveTag = "Contact"
  }

  struct Note: Archivable {
    var text: String
    var size: Int
    @UnknownFields var unknownFields
    static let archiveTag: ArchiveTag = "Note"
    static var archiveDefaults: [String: any Encodable & Sendable] { ["size": 1] }
  }

  /// A type whose version says that all values of version 1 are of earlier programs.
  struct Trip: Archivable {
    var car: Car
    var isDone: Bool
    static let archiveTag: ArchiveTag = "Trip"
    static let archiveVersion = 2
    static func migrate(_ object: inout ArchiveObject, from version: Int) throws { object["isDone"] = true }
  }
}

@Suite struct LaterVersionTests {
  @TemporaryFolder private var folder

  private func store(in folder: URL, appending: Bool) throws -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.persistence = appending ? .appending : .rewriting
    configuration.registry = TypeRegistry()
    try configuration.registry.register(
      Earlier.Car.self, Earlier.Garage.self, Earlier.Contact.self, Earlier.Note.self, Earlier.Trip.self,
      Earlier.Van.self)
    return GlobalData(at: folder.appending(path: "a.archive"), configuration: configuration)
  }

  private func object(_ tag: ArchiveTag, _ fields: ArchiveValue, version: Int = 1) throws -> ArchiveValue {
    var object = ArchiveObject(tag: tag, version: version)
    for field in try #require(fields.object).fields { object[field.name] = field.value }
    return .object(object)
  }

  @Test(arguments: [false, true])
  func migratingAllEntriesKeepsTheFieldsThatALaterVersionAdded(appending: Bool) async throws {
    let store = try store(in: folder, appending: appending)
    let later: KeyValuePairs<String, ArchiveValue> = [
      // A field with a default was removed and another one added.
      "car": try object("Car", ["plate": "B 1", "color": "red"]),
      "garage": try object("Garage", ["cars": ["a": [nil, ["plate": "B 1", "color": "red"]]]]),
      // A type and a field still have the names that another branch of the app has changed.
      "shed": try object("Shed", ["cars": [:], "doors": ["front": 1]]),
      "licence": try object("Car", ["licence": "B 1", "wheels": 4, "color": "red"]),
      "contact": try object("Contact", ["tel": "1", "mail": "a@b"]),
      "van": try object("Van", ["load": 1, "super": ["color": "red"]]),
      "friends": try object("Contact", ["friends": [["tel": "1", "phones": ["work": "2"]]]]),
    ]
    for (key, value) in later { try await store.set(value, forKey: key) }
    let report = try await store.migrateAll()
    for (key, value) in later { #expect(try store.object(ArchiveValue.self, forKey: key) == value) }
    #expect(report.migratedKeys.isEmpty && report.unchangedCount == 0)
    #expect(
      report.unreadFields == [
        "car": ["color"], "garage": ["cars.a[1].color"], "shed": ["doors"], "licence": ["color"],
        "contact": ["mail"], "van": ["super.color"], "friends": ["friends[0].phones.work"],
      ])
    #expect(try store.object(Earlier.Car.self, forKey: "car") == Earlier.Car(plate: "B 1", wheels: 4))
  }

  @Test func entriesWhoseFieldsAreAllKeptAreMigrated() async throws {
    let store = try store(in: folder, appending: false)
    try await store.set(try object("Note", ["text": "a", "color": "red"]), forKey: "note")
    // A higher version says which of the fields are needed.
    try await store.set(try object("Trip", ["car": ["plate": "B 1"], "distance": 3]), forKey: "trip")
    try await store.set(try object("Van", ["load": 1, "super": [:]]), forKey: "van")
    let report = try await store.migrateAll()
    #expect(report.migratedKeys == ["note", "trip", "van"] && report.unreadFields.isEmpty)
    let note = try store.object(ArchiveValue.self, forKey: "note")
    #expect(note?["size"] == 1 && note?["color"] == "red")
    #expect(try store.object(ArchiveValue.self, forKey: "van")?["super"]?["wheels"] == 4)
    let trip = try store.object(ArchiveValue.self, forKey: "trip")
    #expect(trip?["car"]?["wheels"] == 4 && trip?["isDone"] == true && trip?["distance"] == nil)
  }

  @Test func anErrorOfAnEarlierVersionSaysWhatHelpsIfALaterOneWroteTheValue() async throws {
    let store = GlobalData.inMemory()
    func advice<Value: Codable & Sendable>(reading value: ArchiveValue, as type: Value.Type) async throws -> String {
      try await store.set(value, forKey: "a")
      return expectError(GlobalDataError.self) { try store.object(type, forKey: "a") }?.advice ?? ""
    }
    let advice = [
      try await advice(reading: ["green"], as: [Earlier.Color].self),  // a new case
      try await advice(reading: ["electric": ["battery": 50]], as: Earlier.Drive.self),
      try await advice(reading: ["gasoline": ["capacity": 50]], as: Earlier.Drive.self),  // a renamed field
      try await advice(reading: ["wheels": 4], as: Earlier.Car.self),  // a removed field
      try await advice(reading: ["plate": ["B", 1]], as: Earlier.Car.self),  // another type of a field
      try await advice(reading: object("Automobile", ["plate": "B 1"]), as: Earlier.Car.self),  // another name
      try await advice(reading: object("Trip", [:], version: 3), as: Earlier.Trip.self),  // a higher version
    ]
    for advice in advice { #expect(advice.contains("pdate the app")) }
  }
}
