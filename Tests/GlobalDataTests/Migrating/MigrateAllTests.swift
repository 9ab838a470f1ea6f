import Foundation
import GlobalData
import GlobalDataTesting
import ModelMapping
import Synchronization
import TestSupport
import Testing
import ThrownErrors

/// The second version of a model. Version 1 had `books` and no habits.
private struct Reader: Archivable, Equatable, Identifiable {
  var id: Int
  var habits: [String]
  var favoriteBooks: [String]

  static let archiveTag: ArchiveTag = "Reader"
  static let archiveVersion = 2

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    guard object["books"]?.array != nil else { throw Refusal() }
    object["habits"] = []
    object.rename("books", to: "favoriteBooks")
  }
}

private struct Refusal: Error {}

/// Compared with its first version, it has another tag, another name of a field and one more field, but no version.
private struct Place: Archivable, Equatable {
  var town: String
  var country: String

  static let archiveTag: ArchiveTag = "Place"
  static let formerArchiveTags: [ArchiveTag] = ["Location"]
  static let formerFieldNames = ["town": ["city"]]
  static var archiveDefaults: [String: any Encodable & Sendable] { ["country": "DE"] }
}

private struct Contact: Model, Archivable {
  @Field("phones", "home", formerly: "tel", ["phone", "home"]) var phone = ""
  @Field var friends: [Contact] = []
  static let archiveTag: ArchiveTag = "Contact"
}

/// A length, which version 1 stored as a number.
private struct Length: Archivable, Equatable {
  var meters: Double

  static let archiveVersion = 2

  static func migrate(_ value: inout ArchiveValue, from version: Int) throws {
    value = ["meters": value]
  }
}

/// The reports of two migrations are compared by all that they contain.
@Suite struct MigrationReportTests {
  private func report(_ values: KeyValuePairs<String, ArchiveValue>) async throws -> GlobalData.MigrationReport {
    let store = GlobalData.inMemory(configuration: .with { $0.registry = TypeRegistry() })
    for (key, value) in values { try await store.set(value, forKey: key) }
    return try await store.migrateAll()
  }

  @Test func equalReportsAreOneElementOfASet() async throws {
    let unknown = ArchiveValue.named("MigrationReportTests.Unknown", version: 1, 1)
    let reports = [
      try await report(["a": 1, "b": unknown]), try await report(["a": 1, "b": unknown]),
      try await report(["a": 1, "c": unknown]), try await report(["a": 1, "b": 2]), try await report(["a": 1]),
    ]
    #expect(reports.map(\.unchangedCount) == [1, 1, 1, 2, 1])
    #expect(reports[0].unregisteredTypes == ["b": "MigrationReportTests.Unknown"])
    #expect(Set(reports).count == 4 && reports[0].hashValue == reports[1].hashValue)
    #expect(reports[3].hashValue != reports[4].hashValue)
  }
}

private struct Track: Archivable, Equatable {
  var laps: [Length]
  static let archiveTag: ArchiveTag = "Track"
}

/// A class whose subclasses store its fields in an object of their own, where its default applies, too.
private class Vehicle: Archivable, @unchecked Sendable {
  var wheels: Int
  class var archiveDefaults: [String: any Encodable & Sendable] { ["wheels": 4] }

  init(wheels: Int) { self.wheels = wheels }
}

private final class Van: Vehicle, @unchecked Sendable {
  private enum CodingKeys: String, CodingKey {
    case load
  }

  var load = 0

  override init(wheels: Int) { super.init(wheels: wheels) }

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

@Suite struct MigrateAllTests {
  @TemporaryFolder private var folder

  private func old(_ id: Int, books: ArchiveValue = ["Emma"], version: Int = 1) -> ArchiveValue {
    var object = ArchiveObject(tag: "Reader", version: version)
    object["id"] = .int(id)
    object["books"] = books
    return .object(object)
  }

  private func configuration(registering types: any (Codable & Sendable).Type...) throws -> GlobalData.Configuration {
    let configuration = GlobalData.Configuration.with { $0.registry = TypeRegistry() }
    try configuration.registry.register(types)
    return configuration
  }

  private let emma = Reader(id: 1, habits: [], favoriteBooks: ["Emma"])

  @Test func anEntryIsMigratedWhenItIsReadAndInTheFileWithItsNextWrite() async throws {
    let store = GlobalData(
      at: folder.appending(path: "a.archive"), configuration: try configuration(registering: Reader.self))
    try await store.set(old(1), forKey: "reader")
    #expect(try store.object(Reader.self, forKey: "reader") == emma)
    #expect(try store.object(forKey: "reader") as? Reader == emma)
    #expect(try store.object(ArchiveValue.self, forKey: "reader") == old(1))  // reading changes nothing
    try await store.update { data in
      let reader = try data.object(Reader.self, forKey: "reader")
      try data.set(reader, forKey: "reader")
    }
    #expect(try store.object(ArchiveValue.self, forKey: "reader")?.object?.version == 2)
  }

  @Test func allEntriesAreMigratedInOneWriteAndTheReportSaysWhich() async throws {
    let url = folder.appending(path: "a.archive")
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults, configuration: try configuration(registering: Reader.self))
    var stranger = ArchiveObject(tag: "Stranger")
    stranger["reader"] = old(9)
    let unknown = ArchiveValue.object(stranger)
    try await store.update { [old1 = old(1), old2 = old(2), old3 = old(3), emma] data in
      try data.set(old1, forKey: "one")
      try data.set(["list": [old2, 5]] as ArchiveValue, forKey: "mixed")
      try data.set(emma, forKey: "new")
      try data.set(5, forKey: "number")
      try data.set(old3, forKey: "readers/3")
      try data.set(unknown, forKey: "stranger")
    }
    faults.reset()
    let steps = Mutex<[GlobalData.MigrationProgress]>([])
    let report = try await store.migrateAll { progress in steps.withLock { $0.append(progress) } }
    #expect(report.migratedKeys == ["one", "mixed", "readers/3"])
    #expect(report.unchangedCount == 2)
    #expect(report.unregisteredTypes == ["stranger": "Stranger"])
    #expect(faults.calls.count { $0.operation == .rename } == 1)
    #expect(steps.withLock { $0 }.map(\.completedCount) == [1, 2, 3, 4, 5, 6])
    #expect(steps.withLock { $0.last?.fraction } == 1)
    #expect(steps.withLock { $0.last?.key } == "stranger")

    // Another store finds the current form in the file, and unmigrated values unchanged.
    try await store.close()
    let other = GlobalData(at: url, configuration: try configuration(registering: Reader.self))
    #expect(try other.object(ArchiveValue.self, forKey: "one")?["favoriteBooks"] == ["Emma"])
    #expect(try other.object(ArchiveValue.self, forKey: "one")?.object?.version == 2)
    #expect(try other.object(ArchiveValue.self, forKey: "stranger") == unknown)
    let mixed = try #require(try other.object(forKey: "mixed") as? [String: any Sendable])
    #expect(
      (mixed["list"] as? [any Sendable])?.first as? Reader == Reader(id: 2, habits: [], favoriteBooks: ["Emma"]))
    #expect(other.collection(of: Reader.self, named: "readers")[3]?.favoriteBooks == ["Emma"])

    // Values in their current form are not written again.
    faults.reset()
    let again = try await store.migrateAll()
    #expect(again.migratedKeys == [])
    #expect(again.unchangedCount == 5)
    #expect(!faults.calls.contains { $0.operation == .write })
  }

  @Test func valuesWithoutVersionsAreMigratedToTheirCurrentForm() async throws {
    let store = GlobalData.inMemory(configuration: try configuration(registering: Place.self))
    let fields: [[(String, ArchiveValue)]] = [
      [("town", "Kiel"), ("country", "DE")], [("city", "Kiel"), ("country", "DE")], [("town", "Kiel")],
    ]
    for (tag, fields) in [("Location", fields[0]), ("Place", fields[1]), ("Place", fields[2]), ("Place", fields[0])] {
      var object = ArchiveObject(tag: ArchiveTag(tag))
      for (name, value) in fields { object[name] = value }
      try await store.set(.object(object) as ArchiveValue, forKey: "\(store.allKeys.count)")
    }
    #expect(try await store.migrateAll().migratedKeys == ["0", "1", "2"])
    let present = try store.object(ArchiveValue.self, forKey: "3")
    for key in store.allKeys {
      #expect(try store.object(ArchiveValue.self, forKey: key) == present)
      #expect(try store.object(forKey: key) as? Place == Place(town: "Kiel", country: "DE"))
    }
  }

  @Test func anEntryWhoseCurrentFormIsThatInTheFileIsNotReportedAsMigrated() async throws {
    let store = GlobalData.inMemory(configuration: try configuration(registering: Van.self))
    try await store.set(Van(wheels: 6), forKey: "van")
    let report = try await store.migrateAll()
    #expect(report.migratedKeys.isEmpty && report.unchangedCount == 1)
    #expect(try store.object(Van.self, forKey: "van")?.wheels == 6)
  }

  @Test func aValueReadFromAFormerPathIsStoredUnderTheCurrentOne() async throws {
    let store = GlobalData.inMemory(configuration: try configuration(registering: Contact.self))
    let contacts: [ArchiveValue] = [
      ["tel": "1"], ["phone": ["home": "1"]], ["friends": [["tel": "1"]]], ["phones": ["home": "1"]],
    ]
    for (index, fields) in contacts.enumerated() {
      var object = try #require(fields.object)
      object.tag = "Contact"
      try await store.set(.object(object) as ArchiveValue, forKey: "\(index)")
    }
    #expect(try await store.migrateAll().migratedKeys == ["0", "1", "2"])
    for key in ["0", "1"] {
      let present = try store.object(ArchiveValue.self, forKey: key)
      #expect(present?["phones"] == ["home": "1"])
      #expect(present?["tel"] == nil && present?["phone"] == nil)
    }
    #expect(try await store.migrateAll().migratedKeys == [])
  }

  @Test func elementsStoredAsNumbersInOneByteStringAreMigrated() async throws {
    let store = GlobalData.inMemory(configuration: try configuration(registering: Track.self))
    let laps = [0.5, 400.25]
    var object = ArchiveObject(tag: "Track")
    object["laps"] = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: KeyedArchiveEncoder().encode(laps))
    try await store.set(.object(object) as ArchiveValue, forKey: "track")
    let track = Track(laps: laps.map { Length(meters: $0) })
    #expect(try store.object(Track.self, forKey: "track") == track)
    #expect(try await store.migrateAll().migratedKeys == ["track"])
    let present = try store.object(ArchiveValue.self, forKey: "track")
    #expect(present?["laps"]?[0]?["meters"] == 0.5)
    #expect(try store.object(Track.self, forKey: "track") == track)
    #expect(try await store.migrateAll().migratedKeys == [])
  }

  @Test func aThrowingMigrationChangesNothingAndNamesTheEntry() async throws {
    let url = folder.appending(path: "a.archive")
    let store = GlobalData(at: url, configuration: try configuration(registering: Reader.self))
    try await store.set(old(1), forKey: "good")
    try await store.set(["list": [old(2, books: "none")]] as ArchiveValue, forKey: "bad")
    let before = try Data(contentsOf: url)
    let error = await expectError(GlobalDataError.self) { try await store.migrateAll() }
    #expect(error?.code == .migrationFailed)
    #expect(error?.key == "bad")
    #expect(error?.codingPath.map(\.stringValue) == ["list", "Index 0"])
    #expect(error?.storedType == "Reader")
    #expect(error?.storedVersion == 1)
    #expect(error?.knownVersion == 2)
    #expect(error?.fileURL == url)
    #expect(error?.description.contains("migration of Reader from version 1 to 2 failed: Refusal()") == true)
    #expect(try Data(contentsOf: url) == before)
    // The other entries can be used.
    #expect(try store.object(Reader.self, forKey: "good") == emma)
  }

  @Test(arguments: [2, 3])
  func aCancelledMigrationChangesNothing(lastEntry: Int) async throws {
    let url = folder.appending(path: "a.archive")
    let store = GlobalData(at: url, configuration: try configuration(registering: Reader.self))
    for number in 1...3 { try await store.set(old(number), forKey: "\(number)") }
    let before = try Data(contentsOf: url)
    let seen = Mutex(0)
    let task = Task {
      try await store.migrateAll { progress in
        seen.withLock { $0 = progress.completedCount }
        if progress.completedCount == lastEntry { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(seen.withLock { $0 } == lastEntry)
    #expect(try Data(contentsOf: url) == before)
  }

  @Test func anEntryThatIsWrittenMeanwhileKeepsItsNewValue() async throws {
    let url = folder.appending(path: "a.archive")
    let configuration = try configuration(registering: Reader.self)
    let store = GlobalData(at: url, configuration: configuration)
    try await store.set(old(1), forKey: "a")
    try await store.set(old(2), forKey: "b")
    let before = try Data(contentsOf: url)
    // Like another process, which writes between reading the entries and the write.
    let newer = Reader(id: 7, habits: ["tea"], favoriteBooks: [])
    let other = GlobalData.faulty(at: url, FaultInjector(), configuration: configuration)
    try await other.set(newer, forKey: "a")
    let after = try Data(contentsOf: url)
    try before.write(to: url, options: .atomic)
    try await store.refresh()
    let isReplaced = Mutex(false)
    try await store.migrateAll { progress in
      guard progress.key == "b" else { return }
      isReplaced.withLock { $0 = (try? after.write(to: url, options: .atomic)) != nil }
    }
    #expect(isReplaced.withLock { $0 })
    #expect(try store.object(Reader.self, forKey: "a") == newer)
    #expect(try store.object(ArchiveValue.self, forKey: "b")?.object?.version == 2)
  }

  @Test func entriesThatAnotherProcessWroteAreMigratedToo() async throws {
    let url = folder.appending(path: "a.archive")
    let configuration = try configuration(registering: Reader.self)
    let store = GlobalData.faulty(at: url, FaultInjector(), configuration: configuration)
    try await store.set(5, forKey: "number")
    try await GlobalData(at: url, configuration: configuration).set(old(1), forKey: "reader")
    #expect(try await store.migrateAll().migratedKeys == ["reader"])
  }

  @Test func theStaticCallGoesToTheCurrentStore() async throws {
    try await GlobalData.withStore(.inMemory(configuration: try configuration(registering: Reader.self))) {
      try await GlobalData.set(old(1), forKey: "a")
      #expect(try await GlobalData.migrateAll().migratedKeys == ["a"])
      #expect(try GlobalData.object(Reader.self, forKey: "a") == emma)
    }
  }

  // MARK: Refusals

  @Test func aNewerValueIsRefusedWithItsVersionsAndOthersStayUsable() async throws {
    let store = GlobalData.inMemory(configuration: try configuration(registering: Reader.self))
    try await store.set(old(1, version: 3), forKey: "future")
    try await store.set(["readers": [old(1), old(2, version: 5)]] as ArchiveValue, forKey: "nested")
    try await store.set(old(1), forKey: "past")
    let error = expectError(GlobalDataError.self) { try store.object(Reader.self, forKey: "future") }
    #expect(error?.code == .newerVersion)
    #expect(
      error?.description.hasPrefix(
        """
        newerVersion: the value under the key "future", version 3 of Reader, could not be decoded \
        (stored: version 3 of Reader; expected: Reader; newest known version: 2). 
        """) == true)
    #expect(error?.advice.contains("Update the app") == true)
    let nested = expectError(GlobalDataError.self) { try store.object(forKey: "nested") }
    #expect(nested?.storedVersion == 5)
    #expect(nested?.codingPath.map(\.stringValue) == ["readers", "Index 1"])
    #expect(try store.object(Reader.self, forKey: "past") == emma)
    let refused = await expectError(GlobalDataError.self) { try await store.migrateAll() }
    #expect(refused?.code == .newerVersion)
  }

  @Test func aMismatchNamesTheFieldAndBothTypes() async throws {
    let store = GlobalData.inMemory(configuration: try configuration(registering: Reader.self))
    var reader = try #require(old(1, version: 2).object)
    reader["habits"] = []
    reader["favoriteBooks"] = ["Emma", 5]
    try await store.set(.object(reader) as ArchiveValue, forKey: "reader")
    let error = expectError(GlobalDataError.self) { try store.object(Reader.self, forKey: "reader") }
    #expect(error?.code == .typeMismatch)
    #expect(error?.key == "reader")
    #expect(error?.storedType == "the integer 5")
    #expect(error?.wantedType == "String")
    #expect(error?.codingPath.map(\.stringValue) == ["favoriteBooks", "Index 1"])
    #expect(error?.message == #"the value under the key "reader", version 2 of Reader, could not be decoded"#)
  }
}
