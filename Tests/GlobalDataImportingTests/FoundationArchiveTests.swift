import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing
import ThrownErrors

#if canImport(CoreGraphics)
import CoreGraphics
#endif

/// Archives that Foundation's own `NSKeyedArchiver` writes on the platform of the test.
@Suite struct FoundationArchiveTests {
  private struct Car: Codable, Equatable, Sendable {
    var plate: String
    var speed: Int
    var isOnline: Bool
    var load: Float
    var mileage: Double
    var place: CGPoint
    var frame: CGRect
    var colours: [String]
    var gears: [Int: String]
    var numbers: Set<Int>
    var id: UUID
    var site: URL
    var version: String
    var offset: Int8
    var own: String
    var sibling: Never?
    var color: String?

    private enum CodingKeys: String, CodingKey {
      case plate, speed, isOnline, load, mileage, place, frame, colours, gears, numbers, id, site, version, offset
      case sibling, color
      case own = "$own"
    }
  }

  private static let formats: [PropertyListSerialization.PropertyListFormat] = [.binary, .xml]

  /// Archives values by name, or one value as the root.
  private func archive(
    _ values: [String: Any], _ format: PropertyListSerialization.PropertyListFormat, to url: URL
  ) throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.outputFormat = format
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { archiver.encode(value, forKey: name) }
    archiver.finishEncoding()
    try archiver.encodedData.write(to: url)
  }

  /// Archives values, and imports the archive into a store.
  private func imported(
    _ values: [String: Any], _ format: PropertyListSerialization.PropertyListFormat = .binary,
    as types: [String: any (Codable & Sendable).Type] = ["LegacyCar": Car.self]
  ) async throws -> (GlobalData, ImportReport) {
    try await withTemporaryDirectory { folder in
      let url = folder.appending(path: "legacy.plist")
      try archive(values, format, to: url)
      let store = ArchiveFixtures.store()
      return (store, try await store.importKeyedArchive(at: url, as: types))
    }
  }

  private static let fixtures = FixtureFolder(
    bundle: .module,
    sourceFolder: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures"))

  /// The expected value of a ``LegacyCar``.
  private func expected() throws -> Car {
    Car(
      plate: "B 123", speed: 60, isOnline: true, load: 0.5, mileage: 0.1, place: CGPoint(x: 1, y: 2.5),
      frame: CGRect(x: 1, y: 2, width: 3, height: 4), colours: ["red", "blue"], gears: [1: "one", 2: "two"],
      numbers: [1, 2], id: try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0EFF")),
      site: try #require(URL(string: "https://a.example/b")), version: "7.25", offset: -5, own: "own")
  }

  @Test(arguments: formats)
  func aCommittedArchiveOfFoundationOnLinuxIsRead(
    format: PropertyListSerialization.PropertyListFormat
  ) async throws {
    let name = "Importing/foundation-on-linux.\(format == .xml ? "xml." : "")plist"
    let url = try await Self.fixtures.url(of: name) {
      try await withTemporaryDirectory { folder in
        let url = folder.appending(path: "new.plist")
        try archive(["root": NSDictionary(dictionary: ["car": LegacyCar("B 123", 60), "count": 3])], format, to: url)
        return try Data(contentsOf: url)
      }
    }
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(at: url, as: ["LegacyCar": Car.self])
    #expect(try store.object(Car.self, forKey: "car") == expected())
    #expect(try store.object(Int.self, forKey: "count") == 3)
  }

  @Test(arguments: formats)
  func anObjectIsDecodedAsTheTypeOfTheMap(format: PropertyListSerialization.PropertyListFormat) async throws {
    let car = LegacyCar("B 123", 60)
    let (store, report) = try await imported(["car": car], format)
    #expect(try store.object(Car.self, forKey: "car") == expected())
    #expect(try store.object(forKey: "car") as? Car == expected())
    #expect(report.importedKeys == ["car"] && report.unreadFields.isEmpty && report.conversions.isEmpty)
  }

  @Test(arguments: formats)
  func foundationValuesAreRestored(format: PropertyListSerialization.PropertyListFormat) async throws {
    let date = Date(timeIntervalSinceReferenceDate: 12345.678)
    let relative = NSURL(string: "c/d", relativeTo: URL(string: "https://a.example/b/"))
    let (store, report) = try await imported(
      [
        "text": "Grüße 🚚" as NSString, "number": NSNumber(value: 2.5),
        "largest": NSNumber(value: UInt64.max), "date": date as NSDate, "data": Data([1, 2]) as NSData,
        "mutable": NSMutableData(data: Data([3])), "url": try #require(relative), "null": NSNull(),
        "ordered": NSOrderedSet(array: ["b", "a"]), "set": NSSet(array: ["x"]),
        "list": NSArray(array: [1, "x", NSNull()]), "nested": NSDictionary(dictionary: ["a": ["b": 1]]),
        "range": NSValue(range: NSRange(location: 3, length: 4)), "locale": NSLocale(localeIdentifier: "de_DE"),
        "indices": NSIndexSet(indexesIn: NSRange(location: 3, length: 4)),
        "attributed": NSAttributedString(string: "bold"),
      ], format)
    #expect(report.skipped.map(\.key) == ["null"])
    #expect(try store.object(String.self, forKey: "text") == "Grüße 🚚")
    #expect(try store.object(Double.self, forKey: "number") == 2.5)
    #expect(try store.object(UInt64.self, forKey: "largest") == .max)
    #expect(try store.object(Date.self, forKey: "date") == date)
    #expect(try store.object(Data.self, forKey: "data") == Data([1, 2]))
    #expect(try store.object(Data.self, forKey: "mutable") == Data([3]))
    #expect(try store.object(URL.self, forKey: "url")?.absoluteString == "https://a.example/b/c/d")
    #expect(try store.object(URL.self, forKey: "url")?.baseURL?.absoluteString == "https://a.example/b/")
    #expect(try store.object([String].self, forKey: "ordered") == ["b", "a"])
    #expect(try store.object(Set<String>.self, forKey: "set") == ["x"])
    #expect(try store.object(ArchiveValue.self, forKey: "list") == [1, "x", nil])
    #expect(try store.object([String: [String: Int]].self, forKey: "nested") == ["a": ["b": 1]])
    #expect(try store.object(NSRange.self, forKey: "range") == NSRange(location: 3, length: 4))
    #expect(try store.object(Locale.self, forKey: "locale") == Locale(identifier: "de_DE"))
    #expect(try store.object(IndexSet.self, forKey: "indices") == IndexSet(integersIn: 3..<7))
    #expect(try store.object(String.self, forKey: "attributed") == "bold")
  }

  #if os(macOS) || os(Linux)  // elsewhere, these calls belong to UIKit
  @Test(arguments: formats)
  func pointsAndSizesAreRestored(format: PropertyListSerialization.PropertyListFormat) async throws {
    let (store, _) = try await imported(
      ["point": NSValue(point: NSPoint(x: 1, y: 2)), "size": NSValue(size: NSSize(width: 3, height: 4))], format)
    #expect(try store.object(CGPoint.self, forKey: "point") == CGPoint(x: 1, y: 2))
    #expect(try store.object(CGSize.self, forKey: "size") == CGSize(width: 3, height: 4))
  }
  #endif

  // Without the number 1: Foundation on Linux considers it and true one object, and writes whichever comes first.
  @Test(arguments: [[String: Bool](), ["a": true], ["a": true, "b": false]])
  func aRootDictionaryBecomesItsEntries(values: [String: Bool]) async throws {
    let (store, report) = try await imported(["root": NSDictionary(dictionary: values)])
    #expect(Set(report.importedKeys) == Set(values.keys))
    for (key, value) in values { #expect(try store.object(Bool.self, forKey: key) == value) }
  }

  @Test func arraysOfObjectsAreReadAsArraysOfTheirType() async throws {
    struct Plate: Codable, Equatable, Sendable { var plate: String }
    let cars = NSArray(array: [LegacyCar("A", 1), LegacyCar("B", 2)])
    let (store, report) = try await imported(
      ["root": NSDictionary(dictionary: ["cars": cars])], as: ["LegacyCar": Plate.self])
    #expect(try store.object([Plate].self, forKey: "cars") == [Plate(plate: "A"), Plate(plate: "B")])
    #expect(try store.object(forKey: "cars") as? [Plate] == [Plate(plate: "A"), Plate(plate: "B")])
    #expect(report.unreadFields[NSStringFromClass(LegacyCar.self)]?.contains("_mileage") == true)
  }

  @Test func valuesOfUnknownTypesAreReadByTheMap() async throws {
    struct Plate: Codable, Equatable, Sendable { var plate: String }
    struct ImportedLot: Codable, Sendable {
      @Polymorphic var things: [any Sendable]
      @Polymorphic var one: (any Sendable)?
      @Polymorphic var none: (any Sendable)?
      var tree: ArchiveValue
    }
    let name = NSStringFromClass(LegacyLot.self)
    let (store, _) = try await imported(
      ["lot": LegacyLot()], as: [name: ImportedLot.self, "LegacyCar": Plate.self])
    let lot = try #require(try store.object(ImportedLot.self, forKey: "lot"))
    #expect(lot.things.count == 3 && lot.things[0] as? Plate == Plate(plate: "A") && lot.things[2] as? Int == 3)
    #expect(lot.one as? Plate == Plate(plate: "B") && lot.none == nil)
    #expect(lot.tree == ["a": [1, "x"]])
  }

  @Test func aSwiftClassIsFoundWithoutItsModule() async throws {
    struct Volume: Codable, Sendable { var volume: Double }
    try await withTemporaryDirectory { folder in
      let url = folder.appending(path: "legacy.plist")
      let archiver = NSKeyedArchiver(requiringSecureCoding: false)
      archiver.encode(LegacySettings(), forKey: "root")
      try archiver.encodedData.write(to: url)
      for name in ["LegacySettings", NSStringFromClass(LegacySettings.self)] {
        let store = ArchiveFixtures.store()
        try await store.importKeyedArchive(at: url, as: [name: Volume.self])
        #expect(try store.object(Volume.self, forKey: "root")?.volume == 0.5)
      }
    }
  }

  /// A type for any JSON tries one after the other.
  @Test func aDictionaryIsNotReadAsAnArray() async throws {
    enum ArrayFirst: Codable, Equatable, Sendable {
      case number(Int)
      case text(String)
      case list([ArrayFirst])
      case fields([String: ArrayFirst])

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
          self = .number(number)
        } else if let text = try? container.decode(String.self) {
          self = .text(text)
        } else if let list = try? container.decode([ArrayFirst].self) {
          self = .list(list)
        } else {
          self = .fields(try container.decode([String: ArrayFirst].self))
        }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .fields(let fields): try container.encode(fields)
        }
      }
    }
    struct Lot: Codable, Equatable, Sendable {
      var tree: ArrayFirst
    }
    let (store, _) = try await imported(
      ["root": NSDictionary(dictionary: ["lot": LegacyLot()])], as: ["LegacyLot": Lot.self, "LegacyCar": Car.self])
    let lot = try store.object(Lot.self, forKey: "lot")
    #expect(lot == Lot(tree: .fields(["a": .list([.number(1), .text("x")])])))
  }

  /// In an archive, Codable values contain nil as the text `$null`.
  @Test func theTextForNilIsNilAsInFoundation() async throws {
    let list = NSArray(array: ["a", "$null"])
    let archive = try NSKeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: false)
    let text = try NSKeyedArchiver.archivedData(withRootObject: "$null" as NSString, requiringSecureCoding: false)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSString.self, from: text) == nil)
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(archive)
    #expect(try store.object([String?].self, forKey: "root") == ["a", nil])
    let report = try await store.importKeyedArchive(text)
    #expect(report.skipped.map(\.reason) == [.noValue])
  }

  /// All their fields are optional, so an archived object, whose fields have other names, would become an empty value.
  @Test func componentsAreNotReadAsEmpty() async throws {
    struct Due: Codable, Sendable {
      var date: DateComponents?
      var name: PersonNameComponents?
    }
    for (field, name) in [("date", "NSDateComponents"), ("name", "NSPersonNameComponents")] {
      let archive = ArchiveFixtures.archive(
        [("due", 4)],
        [
          ArchiveFixtures.type("Due", "NSObject"), ArchiveFixtures.type(name, "NSObject"),
          ArchiveFixtures.object(ofClass: 2, [("NS.year", "<integer>2024</integer>")]),
          ArchiveFixtures.object(ofClass: 1, [(field, ArchiveFixtures.reference(3))]),
        ])
      let error = try await requireError(GlobalDataError.self) {
        try await ArchiveFixtures.store().importKeyedArchive(archive, as: ["Due": Due.self])
      }
      #expect(error.codingPath.map(\.stringValue) == [field] && error.message.contains("but found \(name)"))
    }
  }

  @Test func aTypeMismatchIsReportedWithItsPath() async throws {
    struct Wrong: Codable, Sendable {
      var plate: Int
    }
    struct Late: Codable, Sendable {
      var speed: Date
    }
    for (type, path, reason) in [
      (Wrong.self as any (Codable & Sendable).Type, "plate", "expected Int, but found text"),
      (Late.self, "speed", "expected Date, but found an integer"),
    ] {
      let error = try await requireError(GlobalDataError.self) {
        _ = try await imported(["root": NSDictionary(dictionary: ["car": LegacyCar("A", 1)])], as: ["LegacyCar": type])
      }
      #expect(error.code == .importFailed && error.key == "car" && error.codingPath.map(\.stringValue) == [path])
      #expect(error.message.contains(reason), "\(error)")
      #expect(reason.hasPrefix("expected \(error.wantedType ?? ""),"))
    }
  }
}
