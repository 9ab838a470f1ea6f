import Foundation
import GlobalData
import GlobalDataTesting
import ModelMapping
import TestSupport
import Testing
import ThrownErrors

// One model in two releases of an app, under one tag.

private struct OldPerson: Model, Archivable, Equatable {
  static let archiveTag: ArchiveTag = "Person"
  @Field var name = ""
  @Field("years") var age = 0
  @Field var unknownFields = UnknownFields()
}

private struct NewPerson: Model, Archivable, Equatable {
  static let archiveTag: ArchiveTag = "Person"
  @Field var name = ""
  @Field("age", formerly: "years") var age = 0
  @Field var city = "Hamburg"
  @Field("address", "street") var street = ""
  @Field var unknownFields = UnknownFields()
}

/// A release that does not declare the former name of the age.
private struct ForgetfulPerson: Model, Archivable, Equatable {
  static let archiveTag: ArchiveTag = "Person"
  @Field var name = ""
  @Field("age") var age = 0
}

/// A release that moved a field out of an object, and leaves the rest of the object to the unknown fields.
private struct MovedPerson: Model, Archivable, Equatable {
  static let archiveTag: ArchiveTag = "Person"
  @Field("street", formerly: ["address", "street"]) var street = ""
  @Field var unknownFields = UnknownFields()
}

private struct Settled: Archivable {
  static let archiveTag: ArchiveTag = "Person"
  struct Address: Codable, Sendable, Equatable {
    var street = "Jungfernstieg"
    var code = "20354"
  }
  var address = Address()
}

/// A release that knows a part of an object, and a part of an object inside it.
private struct PartlyPerson: Model, Archivable, Equatable {
  static let archiveTag: ArchiveTag = "Person"
  @Field("home", "street") var street = ""
  @Field("home", "place", "city") var city: String?
  @Field("work", "street", options: .readOnly) var workStreet = ""
  @Field var unknownFields = UnknownFields()
}

private struct Wholly: Archivable, Equatable {
  static let archiveTag: ArchiveTag = "Person"
  struct Home: Codable, Sendable, Equatable {
    var street = "Jungfernstieg"
    var code = "20354"
    var place = Place()
  }
  struct Place: Codable, Sendable, Equatable {
    var city: String? = "Hamburg"
    var country = "DE"
    var coordinates = [53.55, 9.99]
  }
  struct Work: Codable, Sendable, Equatable {
    var street = "Neuer Wall"
    var floor = 3
  }
  var home = Home()
  var work = Work()
  var name = "Ada"
}

/// A type with raw values that mean something else than in version 1.
private enum NewGear: String, Archivable {
  case low, high
  static let archiveTag: ArchiveTag = "Gear"
  static let archiveVersion = 2

  static func migrate(_ value: inout ArchiveValue, from version: Int) throws {
    if value.string == "low" { throw Refusal() }
    value = "no case"
  }

  struct Refusal: Error {}
}

private enum OldGear: String, Archivable {
  case low, high
  static let archiveTag: ArchiveTag = "Gear"
}

private struct Gearbox<Gears: Codable & Sendable>: Model, Archivable {
  static var archiveTag: ArchiveTag { "Gearbox" }
  @Field var gears: Gears?
}

/// Models with fields, from one version of an app to the next.
@Suite struct ModelEvolutionTests {
  private func store() -> GlobalData {
    GlobalData.inMemory(configuration: .with { $0.registry = TypeRegistry() })
  }

  @Test func aNewModelReadsWhatAnOldOneStored() async throws {
    let store = store()
    var old = OldPerson()
    old.name = "Ada"
    old.age = 36
    try await store.set(old, forKey: "person")
    let new = try #require(try store.object(NewPerson.self, forKey: "person"))
    #expect(new.name == "Ada" && new.age == 36 && new.city == "Hamburg" && new.street.isEmpty)
  }

  @Test func anOldModelKeepsWhatANewOneStored() async throws {
    let store = store()
    var new = NewPerson()
    new.name = "Ada"
    new.city = "London"
    new.street = "St James's Square"
    try await store.set(new, forKey: "person")
    var old = try #require(try store.object(OldPerson.self, forKey: "person"))
    #expect(old.unknownFields.wrappedValue.fields.map(\.name).sorted() == ["address", "age", "city"])
    old.name = "Ada Lovelace"
    try await store.set(old, forKey: "person")
    let again = try #require(try store.object(NewPerson.self, forKey: "person"))
    #expect(again.name == "Ada Lovelace")
    #expect(again.city == "London" && again.street == "St James's Square")
  }

  @Test func unknownFieldsInsideAnObjectAreKept() async throws {
    let store = store()
    try await store.set(Wholly(), forKey: "person")
    var person = try #require(try store.object(PartlyPerson.self, forKey: "person"))
    #expect(person.street == "Jungfernstieg" && person.city == "Hamburg" && person.workStreet == "Neuer Wall")
    let unknown = person.unknownFields.wrappedValue
    #expect(unknown.fields.map(\.name) == ["home", "work", "name"])
    #expect(unknown["home"]?.object?.fields.map(\.name) == ["code", "place"])
    #expect(unknown["home"]?["place"]?.object?.fields.map(\.name) == ["country", "coordinates"])

    // JSON, which does not keep the order, has them in a separate object.
    let again = try PartlyPerson(json: person.json()).unknownFields.wrappedValue
    #expect(Set(again.fields.map(\.name)) == ["home", "work", "name"])
    #expect(again["home"]?["code"] == "20354" && again["home"]?["place"]?["country"] == "DE")
    #expect(again["home"]?.object?.fields.count == 2 && again["work"] == ["floor": 3])

    person.street = "Alsterufer"
    person.city = nil
    try await store.set(person, forKey: "person")
    let tree = try #require(try store.object(ArchiveValue.self, forKey: "person"))
    #expect(tree["home"]?["street"] == "Alsterufer" && tree["home"]?["code"] == "20354")
    #expect(tree["home"]?["place"]?["city"] == nil && tree["home"]?["place"]?["country"] == "DE")
    #expect(tree["home"]?["place"]?["coordinates"]?.array?.count == 2 && tree["name"] == "Ada")
    // A field that is only read is not written, but its neighbors are.
    #expect(tree["work"]?.object?.fields.map(\.name) == ["floor"])
  }

  @Test func fieldsBesideAFormerPathAreKept() async throws {
    let store = store()
    try await store.set(Settled(), forKey: "person")
    var person = try #require(try store.object(MovedPerson.self, forKey: "person"))
    #expect(person.street == "Jungfernstieg")
    person.street = "Neuer Wall"
    try await store.set(person, forKey: "person")
    let again = try #require(try store.object(MovedPerson.self, forKey: "person"))
    #expect(again.street == "Neuer Wall")
    #expect(again.unknownFields.wrappedValue["address"]?.object?["code"] == "20354")
  }

  @Test func aRemovedValueDoesNotReappearFromAFormerPath() throws {
    struct Contact: Model {
      @Field(formerly: ["contact", "phone"], ["old", "deep", "phone"]) var phone: String?
      @Field("old", "name") var name = ""
      @Field var unknownFields = UnknownFields()
    }
    let forms: [ArchiveValue] = [
      ["contact": ["phone": "1", "fax": "2"]], ["old": ["deep": ["phone": "1"], "fax": "2"]],
    ]
    for phone in forms {
      let stored = try KeyedArchiveEncoder().encode(phone)
      var contact = try KeyedArchiveDecoder().decode(Contact.self, from: stored)
      #expect(contact.phone == "1")
      contact.phone = nil
      let data = try KeyedArchiveEncoder().encode(contact)
      #expect(try KeyedArchiveDecoder().decode(Contact.self, from: data).phone == nil)
      // The fields next to it remain.
      let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
      #expect(tree["contact"]?["fax"] == phone["contact"]?["fax"] && tree["old"]?["fax"] == phone["old"]?["fax"])
    }
    // A different value in place of the former object is unknown.
    let other = try KeyedArchiveEncoder().encode(["phone": "3", "contact": "Ada"] as ArchiveValue)
    let contact = try KeyedArchiveDecoder().decode(Contact.self, from: other)
    #expect(contact.phone == "3" && contact.unknownFields.wrappedValue["contact"] == "Ada")
  }

  @Test func aKnownNameAmongUnknownFieldsIsWrittenOnce() async throws {
    let store = store()
    var old = OldPerson()
    old.name = "Ada"
    old.unknownFields.wrappedValue["name"] = "another"
    old.unknownFields.wrappedValue["extra"] = 1
    try await store.set(old, forKey: "person")
    let read = try #require(try store.object(OldPerson.self, forKey: "person"))
    #expect(read.name == "Ada" && read.unknownFields.wrappedValue.fields.map(\.name) == ["extra"])
  }

  @Test func withJSONUnknownFieldsAreASeparateObject() throws {
    var old = OldPerson()
    #expect(try !String(decoding: old.json(), as: UTF8.self).contains("unknownFields"))
    old.unknownFields.wrappedValue["extra"] = 1
    let text = try String(decoding: old.json(), as: UTF8.self)
    #expect(text.contains(#""unknownFields":{"extra":1}"#))
    #expect(try OldPerson(json: text) == old)
    #expect(try OldPerson(json: #"{"unknownFields": null}"#) == OldPerson())
  }

  private func failure<Gears: Codable & Sendable>(
    reading type: Gears.Type, from gears: ArchiveValue
  ) async throws -> GlobalDataError? {
    let store = store()
    try await store.set(["gears": gears] as ArchiveValue, forKey: "gearbox")
    return expectError(GlobalDataError.self) { try store.object(Gearbox<Gears>.self, forKey: "gearbox") }
  }

  @Test func aFieldWhoseMigrationFailsIsNotReadUnmigrated() async throws {
    let failures = [
      try await failure(reading: NewGear.self, from: "low"),
      try await failure(reading: [NewGear].self, from: ["low"]),
      try await failure(reading: [String: NewGear?].self, from: ["first": "low"]),
      try await failure(reading: Set<NewGear>.self, from: ["low"]),
    ]
    for failure in failures {
      #expect(failure?.code == .migrationFailed)
      #expect(failure?.storedVersion == 1 && failure?.knownVersion == 2)
      #expect(failure?.codingPath.first?.stringValue == "gears")
    }
  }

  @Test func aFieldWhoseMigratedValueCannotBeReadIsNotReadUnmigrated() async throws {
    #expect(try await failure(reading: NewGear.self, from: "high") != nil)
    #expect(try await failure(reading: [NewGear].self, from: ["high"]) != nil)
  }

  @Test func aFieldThatALaterVersionWroteIsRefusedAsSuch() async throws {
    let store = store()
    var gearbox = Gearbox<[NewGear]>()
    gearbox.gears = [.high]
    try await store.set(gearbox, forKey: "gearbox")
    let error = expectError(GlobalDataError.self) { try store.object(Gearbox<[OldGear]>.self, forKey: "gearbox") }
    #expect(error?.code == .newerVersion)
    #expect(error?.storedVersion == 2 && error?.knownVersion == 1)
  }

  @Test func archivesOfReleasesAreCheckedForModelsOfFields() async throws {
    try await withTemporaryDirectory { folder in
      var old = OldPerson()
      old.name = "Ada"
      old.age = 36
      let released = GoldenArchives(in: folder, models: [GoldenModel("person", old)])
      try released.record(release: "1.0")
      try released.check()

      var new = NewPerson()
      new.name = "Ada"
      try GoldenArchives(in: folder, models: [GoldenModel("person", new)]).check()

      let error = expectError(GoldenArchivesError.self) {
        try GoldenArchives(in: folder, models: [GoldenModel("person", ForgetfulPerson())]).check()
      }
      #expect(error?.description.contains("years") == true)
    }
  }
}
