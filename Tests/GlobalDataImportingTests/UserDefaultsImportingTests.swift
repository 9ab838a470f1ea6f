import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing
import ThrownErrors

@Suite struct UserDefaultsImportingTests {
  /// Calls a function with its own suite, which is removed afterward.
  private func withSuite(_ values: [String: Any], _ body: (String) async throws -> Void) async throws {
    let name = "GlobalDataTests-\(UUID().uuidString)"
    try set(values, in: name)
    defer { UserDefaults.standard.removePersistentDomain(forName: name) }
    try await body(name)
  }

  private func set(_ values: [String: Any], in suite: String) throws {
    let defaults = try #require(UserDefaults(suiteName: suite))
    for (key, value) in values { defaults.set(value, forKey: key) }
    defaults.register(defaults: ["registered": 1])
    defaults.synchronize()
  }

  private static let archivedCar: Data = {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(LegacyPlainCar(), forKey: "root")
    return archiver.encodedData
  }()

  @Test func everythingThatWasSetIsImported() async throws {
    let date = Date(timeIntervalSinceReferenceDate: 1000)
    let values: [String: Any] = [
      "truth": true, "one": 1, "real": 2.5, "text": "x", "data": Data([1]), "date": date, "list": [1, 2],
      "tree": ["a": ["b", "c"]],
    ]
    try await withSuite(values) { suite in
      let store = ArchiveFixtures.store()
      let report = try await store.importUserDefaults(suite: suite)
      #expect(report.importedKeys == values.keys.sorted() && report.skipped.isEmpty)
      #expect(try store.object(forKey: "truth") as? Bool == true)
      #expect(try store.object(forKey: "one") as? Int == 1)
      #expect(try store.object(Double.self, forKey: "real") == 2.5)
      #expect(try store.object(String.self, forKey: "text") == "x")
      #expect(try store.object(Data.self, forKey: "data") == Data([1]))
      #expect(try store.object(Date.self, forKey: "date") == date)
      #expect(try store.object([Int].self, forKey: "list") == [1, 2])
      #expect(try store.object([String: [String]].self, forKey: "tree") == ["a": ["b", "c"]])
    }
  }

  /// `UserDefaults` converts such values when they are read. The article Moving from UserDefaults says that a store does
  /// not.
  @Test func aNumberIsNotReadAsABooleanAsUserDefaultsDoes() async throws {
    try await withSuite(["one": 1, "text": "42", "real": 0.1]) { suite in
      let store = ArchiveFixtures.store()
      try await store.importUserDefaults(suite: suite)
      #expect(try store.object(Int.self, forKey: "one") == 1)
      #expect(throws: GlobalDataError.self) { try store.object(Bool.self, forKey: "one") }
      #expect(throws: GlobalDataError.self) { try store.object(Int.self, forKey: "text") }
      #expect(throws: GlobalDataError.self) { try store.object(Float.self, forKey: "real") }
      let key = GlobalData.Key("one", default: false)
      #expect(!store[key])
    }
  }

  @Test func onlyTheGivenKeysAreImported() async throws {
    try await withSuite(["a": 1, "b": 2]) { suite in
      let store = ArchiveFixtures.store()
      let report = try await store.importUserDefaults(suite: suite, keys: ["b", "none", "b"])
      #expect(report.importedKeys == ["b"] && store.allKeys == ["b"])
      #expect(report.skipped.map(\.key) == ["none"] && report.skipped.map(\.reason) == [.noValue])
    }
  }

  @Test func archivesInDataAreReadWhereTypesAreGiven() async throws {
    try await withSuite(["car": Self.archivedCar, "data": Data("bplist00 or not".utf8)]) { suite in
      let store = ArchiveFixtures.store()
      try await store.importUserDefaults(suite: suite, as: ["LegacyPlainCar": Imported.Car.self])
      #expect(try store.object(forKey: "car") as? Imported.Car == Imported.Car(plate: "B 1", speed: 5, isOnline: true))
      #expect(try store.object(Data.self, forKey: "data") == Data("bplist00 or not".utf8))
      try await store.importUserDefaults(suite: suite)
      #expect(try store.object(Data.self, forKey: "car") == Self.archivedCar)
    }
  }

  @Test func archivesInDataInsideOfCollectionsAreReadToo() async throws {
    let values: [String: Any] = [
      "cars": [Self.archivedCar, Self.archivedCar, Data([1])], "byName": ["mine": ["car": Self.archivedCar]],
    ]
    try await withSuite(values) { suite in
      let store = ArchiveFixtures.store()
      let car = Imported.Car(plate: "B 1", speed: 5, isOnline: true)
      let report = try await store.importUserDefaults(suite: suite, as: ["LegacyPlainCar": Imported.Car.self])
      let cars = try #require(try store.object(forKey: "cars") as? [any Sendable])
      #expect(cars.compactMap { $0 as? Imported.Car } == [car, car] && cars.last as? Data == Data([1]))
      #expect(try store.object([String: [String: Imported.Car]].self, forKey: "byName") == ["mine": ["car": car]])
      #expect(report.unreadFields.isEmpty)
      try await store.importUserDefaults(suite: suite)
      #expect(try store.object([Data].self, forKey: "cars")?.first == Self.archivedCar)
      // An archive that cannot be read fails its entry, and the error has the path to it.
      let error = try await requireError(GlobalDataError.self) {
        try await store.importUserDefaults(suite: suite, keys: ["byName"], as: ["Other": Imported.Car.self])
      }
      #expect(error.codingPath.map(\.stringValue) == ["mine", "car"] && error.advice.contains("LegacyPlainCar"))
      try await store.importUserDefaults(suite: suite, keys: ["byName"], unknownClasses: .keepAsTrees)
      #expect(try store.object(ArchiveValue.self, forKey: "byName")?["mine"]?["car"]?["_plate"] == "B 1")
    }
  }

  @Test func theStandardDefaultsAreTheAppsOwn() async throws {
    let key = "GlobalDataTests-\(UUID().uuidString)"
    UserDefaults.standard.set("mine", forKey: key)
    defer { UserDefaults.standard.removeObject(forKey: key) }
    let store = ArchiveFixtures.store()
    let report = try await GlobalData.withStore(store) { try await GlobalData.importUserDefaults(keys: [key]) }
    #expect(report.importedKeys == [key])
    #expect(try store.object(String.self, forKey: key) == "mine")
  }
}
