import Foundation
import GlobalData
import GlobalDataImporting
import Testing
import ThrownErrors

#if canImport(CoreGraphics)
import CoreGraphics
#endif

/// Archives of a writer in another language that shares no code with the reader or with Foundation.
@Suite struct IndependentArchiveTests {
  private let store = ArchiveFixtures.store()
  private static let car = Imported.Car(plate: "B 123", speed: 60, isOnline: true)
  private static let garage = Imported.Garage(
    owner: "Ada", cars: [car, Imported.Car(plate: "HH 7", speed: 0, isOnline: false, note: "blue"), car],
    carsByLevel: ["ground": [car], "top": []], favourite: car,
    opened: Date(timeIntervalSinceReferenceDate: 86_400.5), site: URL(fileURLWithPath: "/"))

  private static func garage(_ site: String) throws -> Imported.Garage {
    var garage = garage
    garage.site = try #require(URL(string: site))
    return garage
  }

  @Test(arguments: ArchiveFixtures.urls(of: "garage"))
  func aSingleObjectBecomesTheEntryRoot(url: URL) async throws {
    let report = try await store.importKeyedArchive(at: url, as: Imported.garage)
    #expect(report.importedKeys == ["root"] && report.skipped.isEmpty && report.unreadFields.isEmpty)
    let expected = try Self.garage("https://garage.example/a")
    #expect(try store.object(Imported.Garage.self, forKey: "root") == expected)
    #expect(try store.object(forKey: "root") as? Imported.Garage == expected)
  }

  @Test(arguments: ArchiveFixtures.urls(of: "root-dictionary"))
  func eachKeyOfARootDictionaryBecomesAnEntry(url: URL) async throws {
    let report = try await store.importKeyedArchive(at: url, as: Imported.garage)
    #expect(report.importedKeys == ["garage", "car", "volume"] && store.allKeys == ["garage", "car", "volume"])
    #expect(try store.object(Imported.Garage.self, forKey: "garage")?.cars.count == 3)
    #expect(
      try store.object(Imported.Car.self, forKey: "car") == Imported.Car(plate: "B 9", speed: 1, isOnline: false))
    #expect(try store.object(Double.self, forKey: "volume") == 0.75)
  }

  @Test(arguments: ArchiveFixtures.urls(of: "several"))
  func valuesArchivedByNameBecomeEntries(url: URL) async throws {
    let report = try await store.importKeyedArchive(at: url, as: Imported.garage)
    #expect(Set(report.importedKeys) == ["car", "visits", "ratio", "isNew", "$odd"])
    #expect(report.skipped.map(\.key) == ["none"] && report.skipped.map(\.reason) == [.noValue])
    #expect(try store.object(Imported.Car.self, forKey: "car")?.plate == "B 1")
    #expect(try store.object(Int.self, forKey: "visits") == 3)
    #expect(try store.object(Double.self, forKey: "ratio") == 0.5)
    #expect(try store.object(Bool.self, forKey: "isNew") == true)
  }

  private struct WideCar: Codable, Sendable {
    var plate: String
    var speed: Int128
  }

  @Test(arguments: ArchiveFixtures.urls(of: "several"))
  func membersOf128BitsAreRead(url: URL) async throws {
    try await store.importKeyedArchive(at: url, as: ["CarInfo": WideCar.self])
    #expect(try store.object(WideCar.self, forKey: "car")?.speed == 5)
  }

  @Test(arguments: ArchiveFixtures.urls(of: "garage"))
  func anInstanceInSeveralPositionsStaysOne(url: URL) async throws {
    try await store.importKeyedArchive(
      at: url, as: ["Garage": Imported.SharingGarage.self, "CarInfo": Imported.SharedCar.self])
    let garage = try #require(try store.object(Imported.SharingGarage.self, forKey: "root"))
    #expect(garage.cars.count == 3 && garage.cars[0].plate == "B 123")
    #expect(garage.cars[0] === garage.cars[2] && garage.cars[0] === garage.favourite)
    #expect(garage.cars[0] !== garage.cars[1])
  }

  @Test(arguments: ArchiveFixtures.urls(of: "superclass"))
  func subclassesAndSuperclassesAreReadAsTheMapSays(url: URL) async throws {
    let report = try await store.importKeyedArchive(
      at: url, as: ["Dog": Imported.Dog.self, "Animal": Imported.Animal.self])
    #expect(report.conversions.isEmpty && report.unreadFields.isEmpty)
    let dog = try #require(try store.object(forKey: "dog") as? Imported.Dog)
    #expect(dog.name == "Rex" && dog.tricks == ["sit"])
    #expect(try store.object(forKey: "animal") is Imported.Animal)
  }

  @Test(arguments: ArchiveFixtures.urls(of: "superclass"))
  func anUnmappedClassIsReadAsItsSuperclassAndReported(url: URL) async throws {
    let report = try await store.importKeyedArchive(at: url, as: ["Animal": Imported.Animal.self])
    let dog = try #require(try store.object(forKey: "dog") as? Imported.Animal)
    #expect(dog.name == "Rex")
    #expect(report.conversions.map(\.stored) == ["Dog"] && report.conversions.map(\.imported) == ["Animal"])
    #expect(report.unreadFields == ["Dog": ["_tricks"]])
  }

  @Test(arguments: ArchiveFixtures.urls(of: "foundation"))
  func foundationValuesAreRestoredAsSwiftTypes(url: URL) async throws {
    let report = try await store.importKeyedArchive(at: url)
    #expect(report.skipped.map(\.key) == ["null"])
    func expect<Value: Codable & Sendable & Equatable>(
      _ key: String, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      #expect(try store.object(Value.self, forKey: key) == expected, sourceLocation: sourceLocation)
    }
    for (key, text) in [
      ("text", "plain"), ("text-wide", "Grüße, 京A 🚚"), ("text-empty", ""), ("text-mutable", "changed"),
      ("text-attributed", "bold"),
    ] { try expect(key, text) }
    for (key, number) in [("int", 7), ("int-negative", -7), ("int-large", Int.max), ("int-smallest", Int.min)] {
      try expect(key, number)
    }
    try expect("int-unsigned", UInt64.max)
    try expect("true", true)
    try expect("false", false)
    try expect("real", 2.5)
    try expect("real-inexact", 0.1)
    try expect("data", Data([0, 1, 0xff]))
    try expect("data-mutable", Data([2, 3]))
    try expect("date", Date(timeIntervalSinceReferenceDate: 1_000_000.25))
    try expect("uuid", try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0EFF")))
    try expect("url", try #require(URL(string: "https://a.example/b?c=d#e")))
    try expect("url-relative", try #require(URL(string: "c/d?e", relativeTo: URL(string: "https://a.example/b/"))))
    try expect("decimal", try #require(Decimal(string: "-1234567890123456789.012345678")))
    try expect("decimal-zero", Decimal(0))
    try expect("array-empty", [String]())
    try expect("set", Set([1, 2, 3]))
    try expect("ordered-set", ["b", "a"])
    try expect("dictionary-integers", [1: "one", -2: "minus two"])
    try expect("point", CGPoint(x: 1, y: 2.5))
    try expect("size", CGSize(width: 3, height: 4))
    try expect("rect", CGRect(x: 1, y: 2, width: 3, height: 4.5))
    try expect("range", NSRange(location: 3, length: 4))
    try expect("time-zone", try #require(TimeZone(identifier: "Europe/Berlin")))
    try expect("locale", Locale(identifier: "de_DE"))
    try expect("index-set", IndexSet([1, 2, 3]).union(IndexSet(integersIn: 300..<305)))
    try expect("index-path", IndexPath(indexes: [4, 300, 0]))
    try expect("index-path-short", IndexPath(index: 52))
    let array = try #require(try store.object(forKey: "array") as? [any Sendable])
    #expect(array.count == 3 && array[1] as? String == "two" && array[2] as? [Double] == [3.5])
    #expect(try store.object(ArchiveValue.self, forKey: "dictionary") == ["a": 1, "b": ["c": "d"]])
    #expect((try store.object(forKey: "set-mixed") as? [any Sendable])?.count == 2)
    #expect(Set(report.conversions.map(\.stored)) == ["NSAttributedString", "NSOrderedSet", "NSSet"])
  }

  @Test(arguments: ArchiveFixtures.urls(of: "cyclic"))
  func anObjectThatContainsItselfIsRefusedUnlessTheTypeOmitsTheReference(url: URL) async throws {
    let error = try await requireError(GlobalDataError.self) {
      try await store.importKeyedArchive(at: url, as: ["Node": Imported.Node.self])
    }
    #expect(error.code == .importFailed && error.key == "ring" && error.storedType == "Node")
    #expect(error.message.contains("contains itself") && error.codingPath.map(\.stringValue) == ["next"])
    #expect(store.allKeys.isEmpty)
    let report = try await store.importKeyedArchive(at: url, as: ["Node": Imported.Node.self], skipping: .unreadable)
    #expect(report.importedKeys == ["family", "number"] && report.skipped.map(\.key) == ["ring"])
    #expect(report.unreadFields == ["Node": ["_parent"]])
    let family = try #require(try store.object(Imported.Node.self, forKey: "family"))
    #expect(family.next == .node(Imported.Node(name: "child")))
  }

  @Test(arguments: ArchiveFixtures.urls(of: "stranger"))
  func anUnmappedClassFailsTheImportOrIsSkipped(url: URL) async throws {
    let error = try await requireError(GlobalDataError.self) { try await store.importKeyedArchive(at: url) }
    #expect(error.code == .importFailed && error.key == "stranger" && error.storedType == "Stranger")
    #expect(error.fileURL == url && error.advice.contains("\"Stranger\""))
    #expect(store.allKeys.isEmpty)
    let report = try await store.importKeyedArchive(at: url, skipping: .unreadable)
    #expect(store.allKeys == ["known"] && report.importedKeys == ["known"])
    #expect(report.skipped.map(\.key) == ["stranger", "counted"])
    #expect(report.skipped.map(\.reason) == [.unreadable, .unreadable])
    // A counted set has its own form, and must not be read as an empty set.
    #expect(report.skipped.map(\.error?.storedType) == ["Stranger", "NSCountedSet"])
    #expect(report.description.contains("skipped \"stranger\""))
  }
}
