import Foundation
import GlobalData
import GlobalDataTesting
import ModelMapping
import TestSupport
import Testing
import ThrownErrors

/// The models of the first release of an app. Later releases store theirs under the same tags.
private enum First {
  struct Car: Archivable, Equatable {
    var plate: String
    var speed: Int32
    var owner: Person?
    var trips: [Trip]
    static let archiveTag: ArchiveTag = "GoldenCar"
  }
  struct Person: Archivable, Equatable {
    var name: String
    static let archiveTag: ArchiveTag = "GoldenPerson"
  }
  struct Trip: Archivable, Equatable {
    var length: Double
    var kind: Kind
    static let archiveTag: ArchiveTag = "GoldenTrip"
  }
  enum Kind: String, Archivable {
    case work, home
    static let archiveTag: ArchiveTag = "GoldenKind"
  }

  static let car = Car(
    plate: "HH-GD 1", speed: 50, owner: Person(name: "Ada"), trips: [Trip(length: 2.5, kind: .work)])
}

/// Compatible with ``First``: one more optional field, a default, a new name, a wider type, a renamed type.
private enum Second {
  struct Car: Archivable, Equatable {
    var licencePlate: String
    var speed: Int
    var owner: Owner?
    var trips: [First.Trip]
    var wheels: Int
    var note: String?
    static let archiveTag: ArchiveTag = "GoldenCar"
    static let formerFieldNames = ["licencePlate": ["plate"]]
    static var archiveDefaults: [String: any Encodable & Sendable] { ["wheels": 4] }
  }
  struct Owner: Archivable, Equatable {
    var name: String
    static let archiveTag: ArchiveTag = "GoldenOwner"
    static let formerArchiveTags: [ArchiveTag] = ["GoldenPerson"]
  }

  static let car = Car(
    licencePlate: "B 2", speed: 1, owner: Owner(name: "Bo"), trips: First.car.trips, wheels: 3, note: "n")
}

/// Has a version of its own, with a migration.
private struct MigratedCar: Archivable, Equatable {
  var name: String
  static let archiveTag: ArchiveTag = "GoldenCar"
  static let archiveVersion = 2
  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    object.rename("plate", to: "name")
    for field in object.fields where field.name != "name" { object.remove(field.name) }
  }
}

private protocol GoldenShape: Codable, Sendable {}

private protocol GoldenFigure: Codable, Sendable {}

private struct GoldenCircle: GoldenShape, GoldenFigure {
  var radius = 1
}

/// Stored in the same way for each protocol.
private struct Drawing<Shape: Sendable>: Archivable {
  @Polymorphic var shapes: [Shape]
  @Polymorphic var background: Shape?
  @Polymorphic var byName: [String: [Shape]]
  static var archiveTag: ArchiveTag { "GoldenDrawing" }

  init(_ shapes: [Shape]) {
    self.shapes = shapes
    background = shapes.first
    byName = ["all": shapes]
  }
}

private struct GoldenBox<Content: Codable & Sendable>: Codable, Sendable {
  var content: Content
}

/// A renamed generic type.
private struct GoldenCrate<Content: Codable & Sendable>: Archivable {
  var content: Content

  static var formerArchiveTags: [ArchiveTag] {
    [ArchiveTag(TypeRegistry.shared.tag(for: Self.self).name.replacing("GoldenCrate", with: "GoldenBox"))]
  }
}

private struct GoldenPair<First: Codable & Sendable, Second: Codable & Sendable>: Codable, Sendable {
  var first: First
  var second: Second
}

/// A generic type that contains itself.
private struct GoldenTree<Content: Codable & Sendable>: Codable, Sendable {
  var content: Content
  var children: [GoldenTree] = []
}

private class OldVehicle: Archivable, @unchecked Sendable {
  class var archiveTag: ArchiveTag { "GoldenOldVehicle" }
}

private final class OldTruck: OldVehicle, @unchecked Sendable {
  override class var archiveTag: ArchiveTag { "GoldenTruck" }
}

private class NewVehicle: Archivable, @unchecked Sendable {
  class var archiveTag: ArchiveTag { "GoldenNewVehicle" }
  class var formerArchiveTags: [ArchiveTag] { ["GoldenOldVehicle"] }
}

private final class NewTruck: NewVehicle, @unchecked Sendable {
  override class var archiveTag: ArchiveTag { "GoldenTruck" }
}

@Suite struct GoldenArchivesTests {
  @TemporaryFolder private var folder

  private func recordFirstRelease() throws {
    try archives(folder, First.car).record(release: "1.0")
  }

  private func archives(_ folder: URL, _ sample: some Codable & Sendable) -> GoldenArchives {
    GoldenArchives(in: folder, models: [GoldenModel("car", sample)], registry: TypeRegistry())
  }

  private func problems(_ archives: GoldenArchives, sourceLocation: SourceLocation = #_sourceLocation) -> [String] {
    let error = expectError(GoldenArchivesError.self, sourceLocation: sourceLocation) { try archives.check() }
    return error?.problems.map(\.description) ?? []
  }

  @Test func theRecordedFilesAreThoseOfARelease() async throws {
    try recordFirstRelease()
    #expect(try archives(folder, First.car).releases() == ["1.0"])
    let schema = try String(contentsOf: folder.appending(path: "1.0.schema"), encoding: .utf8)
    #expect(
      schema == """
        GlobalData schema 1
        key car: GoldenCar
        type GoldenCar 1
          owner: GoldenPerson?
          plate: String
          speed: Int32
          trips: [GoldenTrip]
        enum GoldenKind 1
          = String
        type GoldenPerson 1
          name: String
        type GoldenTrip 1
          kind: GoldenKind
          length: Double

        """)
    let store = GlobalData(at: folder.appending(path: "1.0.archive"))
    #expect(try store.object(First.Car.self, forKey: "car") == First.car)
    #expect(try archives(folder, First.car).object(First.Car.self, forKey: "car", in: "1.0") == First.car)
  }

  private struct Wide: Codable, Equatable {
    var signed: Int128 = -1
    var unsigned: UInt128 = .max
    var list: [Int128] = [1]
    var missing: UInt128?
  }

  @Test func integersOf128BitsAreRecordedAsOthersAre() async throws {
    let golden = GoldenArchives(in: folder, models: [GoldenModel("wide", Wide())], registry: TypeRegistry())
    try golden.record(release: "1.0")
    try golden.check()
    #expect(try String(contentsOf: folder.appending(path: "1.0.schema"), encoding: .utf8).contains("signed: Int128"))
  }

  private struct Empty: Codable, Equatable {
    var bool: Bool?
    var string: String?
    var double: Double?
    var float: Float?
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var int128: Int128?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var uint128: UInt128?
    var date: Date?
  }

  @Test func aFieldThatIsNilIsRecordedWithItsType() async throws {
    try archives(folder, Empty()).record(release: "1.0")
    let schema = try String(contentsOf: folder.appending(path: "1.0.schema"), encoding: .utf8)
    for field in Mirror(reflecting: Empty()).children {
      let type = "\(type(of: field.value))".dropFirst("Optional<".count).dropLast()
      #expect(schema.contains("  \(field.label ?? ""): \(type)?\n"))
    }
  }

  @Test func everyCallOfAContainerRecordsItsFields() async throws {
    try archives(folder, HandWrittenCoding()).record(release: "1.0")
    try archives(folder, HandWrittenCoding()).check()
    let schema = try String(contentsOf: folder.appending(path: "1.0.schema"), encoding: .utf8)
    #expect(
      schema.contains(
        """
        type HandWrittenCoding 1
          list: [Any]
          nested.numbers: [Any]
          nested.scalars: HandWrittenCoding.Scalars
          parent.name: String

        """))
  }

  @Test func recordingTwiceChangesNoByteAndAnotherShapeIsRefused() async throws {
    try recordFirstRelease()
    let files = ["1.0.archive", "1.0.schema"].map { folder.appending(path: $0) }
    let before = try files.map { try Data(contentsOf: $0) }
    var other = First.car
    other.plate = "another value"
    try archives(folder, other).record(release: "1.0")
    #expect(try files.map { try Data(contentsOf: $0) } == before)
    let error = expectError(GoldenArchivesError.self) {
      try archives(folder, Second.car).record(release: "1.0")
    }
    #expect(error?.description.contains("release 1.0: it was recorded before") == true)
    #expect(try files.map { try Data(contentsOf: $0) } == before)
    // In another folder, the same samples give the same bytes.
    let twin = GoldenArchives(in: folder.appending(path: "twin"), models: [GoldenModel("car", First.car)])
    try twin.record(release: "1.0")
    #expect(try Data(contentsOf: folder.appending(path: "twin/1.0.archive")) == before[0])
  }

  @Test func modelsThatDeclareTheirChangesPass() async throws {
    try recordFirstRelease()
    try archives(folder, First.car).check()
    try archives(folder, Second.car).check()
    try archives(folder, MigratedCar(name: "x")).check()
    try archives(folder, Second.car).record(release: "1.10")
    let opened = try archives(folder, Second.car).object(Second.Car.self, forKey: "car", in: "1.0")
    #expect(opened?.licencePlate == "HH-GD 1")
    #expect(opened?.wheels == 4)
    #expect(opened?.owner?.name == "Ada")
    try archives(folder, Second.car).record(release: "1.9")
    #expect(try archives(folder, Second.car).releases() == ["1.0", "1.9", "1.10"])
  }

  @Test func aRemovedFieldFailsAndIsNamed() async throws {
    struct Car: Archivable {
      var plate: String
      var speed: Int32
      var owner: First.Person?
      static let archiveTag: ArchiveTag = "GoldenCar"
    }
    try recordFirstRelease()
    let sample = Car(plate: "", speed: 0, owner: First.Person(name: ""))
    let problems = problems(archives(folder, sample))
    #expect(problems.count == 2)
    #expect(
      problems.first == """
        release 1.0: GoldenCar: the field "trips" of type [GoldenTrip] is gone; the next write loses its stored values. If \
        it was renamed, add its old name to formerFieldNames, or to a model's formerly:. Otherwise raise archiveVersion \
        and remove it in migrate(_:from:).
        """)
    #expect(
      problems.last == """
        release 1.0: key "car": the stored field trips is read by no model and is lost with the next write
        """)
  }

  @Test func anAddedFieldWithoutADefaultFails() async throws {
    struct Car: Archivable {
      var plate: String
      var speed: Int32
      var owner: First.Person?
      var trips: [First.Trip]
      var wheels: Int
      static let archiveTag: ArchiveTag = "GoldenCar"
    }
    try recordFirstRelease()
    let sample = Car(plate: "", speed: 0, owner: First.car.owner, trips: First.car.trips, wheels: 4)
    let problems = problems(archives(folder, sample))
    #expect(problems.first?.hasPrefix(#"release 1.0: GoldenCar: the field "wheels" of type Int was added"#) == true)
    #expect(problems.last?.contains(#"key "car": it cannot be opened: "#) == true)
  }

  @Test func aNestedTypeThatCannotHoldTheOldValuesFails() async throws {
    struct Trip: Archivable {
      var length: Float
      var kind: First.Kind
      static let archiveTag: ArchiveTag = "GoldenTrip"
    }
    struct Car: Archivable {
      var plate: String
      var speed: Int8
      var owner: First.Person
      var trips: [Trip]
      static let archiveTag: ArchiveTag = "GoldenCar"
    }
    try recordFirstRelease()
    let sample = Car(plate: "", speed: 0, owner: First.Person(name: ""), trips: [Trip(length: 1, kind: .home)])
    let problems = problems(archives(folder, sample))
    // The values of this archive happen to fit. Only the shapes show the problems.
    #expect(problems.count == 3)
    #expect(problems[0].contains(#"GoldenCar: the field "owner" was optional and is no longer"#))
    #expect(problems[1].contains(#"GoldenCar: the field "speed" changed from type Int32 to Int8"#))
    #expect(problems[2].contains(#"GoldenTrip: the field "length" changed from type Double to Float"#))
  }

  private struct Old: Archivable {
    static let archiveTag: ArchiveTag = "GoldenCollections"
    var numbers: Set<Int32> = [1]
    var counts: [String: Int32] = ["a": 1]
    var places: [Int32: [UInt8?]] = [1: [1]]
    var list: ContiguousArray<Int> = [1]
    var range: Range<Int16> = 0..<3
    var kind = First.Kind.work
    var kinds: [First.Kind: Int] = [.home: 1]
    var names: [Int: String] = [1: "a"]
    var patch: Int?? = 1
  }

  @Test func collectionsOfTypesThatHoldAllOldValuesPass() async throws {
    struct New: Archivable {
      static let archiveTag: ArchiveTag = "GoldenCollections"
      var numbers = [0]
      var counts: [String: Int?] = ["a": 1]
      var places: [Int: [UInt16?]] = [1: [1]]
      var list = [1]
      var range = 0..<1
      var kind = ""
      var kinds: [String: Int] = ["": 1]
      var names: [Int: String?] = [1: "a"]
      var patch: Int?? = 1
    }
    try archives(folder, Old()).record(release: "1.0")
    try archives(folder, New()).check()
  }

  @Test func collectionsOfTypesThatMayNotHoldAnOldValueFail() async throws {
    struct New: Archivable {
      static let archiveTag: ArchiveTag = "GoldenCollections"
      var numbers: Set<Int8> = [0]
      var counts: [String: Float] = ["a": 1]
      var places: [Int32: [UInt8]] = [1: [1]]
      var list: Set = [1]
      var range: Range<Int8> = 0..<1
      var kind = First.Kind.work
      var kinds: [First.Kind: Int8] = [.home: 1]
      var names: [Int: URL] = [1: URL(filePath: "/")]
      var patch: Int? = 1
    }
    try archives(folder, Old()).record(release: "1.0")
    let problems = problems(archives(folder, New()))
    // The values of this archive happen to fit. Only the shapes show the problems.
    #expect(problems.count == 8)
    #expect(problems.allSatisfy { $0.contains("which cannot hold all its values") })
  }

  private enum Trip: Archivable {
    case drive(miles: Int)
    static let archiveTag: ArchiveTag = "GoldenTripKind"
  }

  @Test func aLabelOfACaseIsRenamedInAMigration() async throws {
    enum Forgotten: Archivable {
      case drive(distance: Int)
      static let archiveTag: ArchiveTag = "GoldenTripKind"
      static let formerFieldNames = ["distance": ["miles"]]
    }
    enum Migrated: Archivable {
      case drive(distance: Int)
      static let archiveTag: ArchiveTag = "GoldenTripKind"
      static let archiveVersion = 2

      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
        try object.updateObject("drive") { drive in drive.rename("miles", to: "distance") }
      }
    }
    try archives(folder, Trip.drive(miles: 3)).record(release: "1.0")
    let problems = problems(archives(folder, Forgotten.drive(distance: 1)))
    #expect(problems.first?.contains("\"drive.miles\" of type Int is gone") == true)
    #expect(problems.first?.contains("formerFieldNames") == false)
    try archives(folder, Migrated.drive(distance: 1)).check()
  }

  @Test func aGenericTypeMayBeRenamedInCollections() async throws {
    struct Old: Archivable {
      static let archiveTag: ArchiveTag = "GoldenShelf"
      var list = [GoldenBox(content: 1)]
      var named: [String: GoldenBox<Int>?] = ["a": GoldenBox(content: 1)]
      var nested = [GoldenBox(content: [GoldenBox(content: 1)])]
      var pair = [GoldenPair(first: GoldenBox(content: 1), second: 2)]
    }
    struct New: Archivable {
      static let archiveTag: ArchiveTag = "GoldenShelf"
      var list = [GoldenCrate(content: 1)]
      var named: [String: GoldenCrate<Int>?] = ["a": GoldenCrate(content: 1)]
      var nested = [GoldenCrate(content: [GoldenCrate(content: 1)])]
      var pair = [GoldenPair(first: GoldenCrate(content: 1), second: 2)]
    }
    struct Other: Archivable {
      static let archiveTag: ArchiveTag = "GoldenShelf"
      var list = [GoldenPair(first: 1, second: 2)]
    }
    try archives(folder, Old()).record(release: "1.0")
    try archives(folder, New()).check()
    #expect(
      problems(archives(folder, Other())).contains {
        $0.contains(#"the field "list" changed from type [GoldenBox<Int>] to [GoldenPair<Int, Int>]"#)
      })
  }

  @Test func aGenericTypeMayContainItself() async throws {
    enum Level: Int, Codable, Sendable { case low, high }
    struct Old: Archivable {
      static let archiveTag: ArchiveTag = "GoldenShelf"
      var tree = GoldenTree(content: Level.low, children: [GoldenTree(content: Level.high)])
    }
    struct New: Archivable {
      static let archiveTag: ArchiveTag = "GoldenShelf"
      var tree = GoldenTree(content: 0, children: [GoldenTree(content: 1)])
    }
    struct Narrower: Archivable {
      static let archiveTag: ArchiveTag = "GoldenShelf"
      var tree = GoldenTree(content: 0 as Int8, children: [GoldenTree(content: 1)])
    }
    try archives(folder, Old()).record(release: "1.0")
    try archives(folder, New()).check()
    #expect(!problems(archives(folder, Narrower())).isEmpty)
  }

  @Test func aProtocolMayBeRenamedBecauseItIsNotStored() async throws {
    func archives(_ folder: URL, _ sample: some Codable & Sendable) throws -> GoldenArchives {
      let registry = TypeRegistry()
      try registry.register(GoldenCircle.self)
      return GoldenArchives(in: folder, models: [GoldenModel("drawing", sample)], registry: registry)
    }
    try archives(folder, Drawing<any GoldenShape>([GoldenCircle()])).record(release: "1.0")
    try archives(folder, Drawing<any GoldenFigure>([GoldenCircle()])).check()
    try archives(folder, Drawing<any Sendable>([GoldenCircle()])).record(release: "1.1")
    #expect(problems(try archives(folder, Drawing<any GoldenFigure>([GoldenCircle()]))).count == 3)
  }

  @Test func aClassMayBeRenamedIfOnlyItsSubclassesAreStored() async throws {
    let registry = TypeRegistry()
    try registry.register(OldTruck.self)
    let old = GoldenModel("vehicles", [OldTruck()] as [OldVehicle])
    try GoldenArchives(in: folder, models: [old], registry: registry).record(release: "1.0")
    let newRegistry = TypeRegistry()
    try newRegistry.register(NewTruck.self)
    let new = GoldenModel("vehicles", [NewTruck()] as [NewVehicle])
    try GoldenArchives(in: folder, models: [new], registry: newRegistry).check()
  }

  @Test func aRenamedTypeWithoutItsFormerTagFails() async throws {
    struct Vehicle: Codable, Sendable {
      var plate: String
      var speed: Int32
      var owner: First.Person?
      var trips: [First.Trip]
    }
    try recordFirstRelease()
    let car = First.car
    let sample = Vehicle(plate: car.plate, speed: car.speed, owner: car.owner, trips: car.trips)
    let problems = problems(archives(folder, sample))
    #expect(problems.first?.contains(#"key "car": changed from type GoldenCar to "#) == true)
    #expect(problems.first?.contains("formerArchiveTags") == true)
    #expect(problems.last?.contains("cannot be opened") == true)
  }

  @Test func aMigrationThatForgetsAFieldOrThrowsFails() async throws {
    struct Forgetful: Archivable {
      var name: String
      static let archiveTag: ArchiveTag = "GoldenCar"
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
        object.rename("plate", to: "name")
        object["speed"] = nil
        object["owner"] = nil
      }
    }
    struct Throwing: Archivable {
      var name: String
      static let archiveTag: ArchiveTag = "GoldenCar"
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws { throw CancellationError() }
    }
    try recordFirstRelease()
    #expect(
      problems(archives(folder, Forgetful(name: ""))) == [
        #"release 1.0: key "car": the stored field trips is read by no model and is lost with the next write"#
      ])
    #expect(problems(archives(folder, Throwing(name: ""))).first?.contains("from version 1 to 2 failed") == true)
    try archives(folder, MigratedCar(name: "")).record(release: "2.0")
    let lowered = problems(archives(folder, First.car))
    #expect(lowered.contains { $0.contains("version 2 was released, but this is version 1") })
  }

  @Test func anElementThatWouldBeDroppedFails() async throws {
    struct Throwing: Archivable {
      var plate: String
      static let archiveTag: ArchiveTag = "GoldenCar"
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws { throw CancellationError() }
    }
    struct NewGarage: Model, Archivable {
      static let archiveTag: ArchiveTag = "GoldenGarage"
      @Field(options: .lossy) var cars: [Throwing] = []
    }
    struct OldGarage: Model, Archivable {
      static let archiveTag: ArchiveTag = "GoldenGarage"
      @Field(options: .lossy) var cars: [First.Car] = []
    }
    var old = OldGarage()
    old.cars = [First.car]
    try archives(folder, old).record(release: "1.0")
    var new = NewGarage()
    new.cars = [Throwing(plate: "")]
    #expect(problems(archives(folder, new)).contains { $0.contains("from version 1 to 2 failed") })
  }

  @Test(arguments: ["archive", "schema"]) func aReleaseWithAMissingFileFails(kind: String) async throws {
    try recordFirstRelease()
    let archives = archives(folder, First.car)
    try archives.record(release: "1.1")
    try FileManager.default.removeItem(at: folder.appending(path: "1.0.\(kind)"))
    #expect(problems(archives).contains { $0.hasPrefix("release 1.0: its \(kind) cannot be read") })
  }

  @Test func aSchemaWithoutItsArchiveIsOnlyCompletedByModelsOfItsShape() async throws {
    try recordFirstRelease()
    let schema = try Data(contentsOf: folder.appending(path: "1.0.schema"))
    try FileManager.default.removeItem(at: folder.appending(path: "1.0.archive"))
    let error = expectError(GoldenArchivesError.self) { try archives(folder, Second.car).record(release: "1.0") }
    #expect(error?.description.contains("release 1.0: it was recorded before") == true)
    try archives(folder, First.car).record(release: "1.0")
    #expect(try Data(contentsOf: folder.appending(path: "1.0.schema")) == schema)
    try archives(folder, First.car).check()
  }

  @Test func anUnreadKeyMustBeRetired() async throws {
    try recordFirstRelease()
    let without = GoldenArchives(in: folder, models: [GoldenModel("other", 5)])
    #expect(problems(without).first?.contains(#"key "car": its model is gone"#) == true)
    try GoldenArchives(in: folder, models: [GoldenModel("other", 5)], retiredKeys: ["car"]).check()
  }

  @Test func aKeyMayBeAnyText() async throws {
    let keys = ["two\nlines", "a: b", #"a\nb"#, " ", "type T 1"]
    let archives = GoldenArchives(in: folder, models: keys.map { GoldenModel($0, 5) })
    try archives.record(release: "1.0")
    try archives.check()
    try GoldenArchives(in: folder, models: [GoldenModel("a: b", 5)], retiredKeys: Set(keys)).check()
  }

  @Test func aReleaseThatWasNotRecordedHasNoObjects() async throws {
    try recordFirstRelease()
    let archives = archives(folder, First.car)
    let error = expectError(GoldenArchivesError.self) {
      _ = try archives.object(First.Car.self, forKey: "car", in: "2.0")
    }
    #expect(error?.description.contains("2.0.archive") == true)
  }

  private static let unusableNames = [
    "", ".", ".1", ".\u{301}1", "../1.0", "1/0", "1/\u{301}0", "1\0", String(repeating: "1", count: 201),
  ]

  @Test(arguments: unusableNames)
  func aReleaseNameThatCannotBeAFileNameIsRefused(name: String) async throws {
    let archives = GoldenArchives(in: folder.appending(path: "archives"), models: [GoldenModel("a", 5)])
    let error = expectError(GoldenArchivesError.self) { try archives.record(release: name) }
    #expect(error?.description.contains("use a name without slashes") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func aSampleWithoutAValueOfATypeIsRefused() async throws {
    var car = First.car
    car.trips = []
    let error = expectError(GoldenArchivesError.self) { try archives(folder, car).record(release: "1.0") }
    #expect(
      error?.description.contains("no sample has a value of type GoldenTrip in GoldenCar.trips") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "1.0.archive").path))
  }

  @Test func aKeyWhoseSampleDoesNotShowItsTypeIsRefused() async throws {
    for model in [
      GoldenModel("trips", [First.Trip]()), GoldenModel("trips", First.Trip?.none),
      GoldenModel("trips", [String: [First.Trip]]()),
    ] {
      let archives = GoldenArchives(in: folder, models: [model, GoldenModel("names", [String]())])
      let error = expectError(GoldenArchivesError.self) { try archives.record(release: "1.0") }
      #expect(error?.problems.count == 1)
      #expect(error?.description.contains(#"no sample has a value of type GoldenTrip in key "trips""#) == true)
    }
  }

  @Test func twoSamplesOfOneKeyAreRefused() async throws {
    let archives = GoldenArchives(
      in: folder, models: [GoldenModel("car", First.car), GoldenModel("kind", 1), GoldenModel("car", First.car)])
    let error = expectError(GoldenArchivesError.self) { try archives.record(release: "1.0") }
    #expect(error?.description.contains(#"the key "car" has two samples"#) == true)
    #expect(problems(archives).first?.contains(#"the key "car" has two samples"#) == true)
  }

  @Test func withoutAnyRecordedReleaseTheCheckFails() async throws {
    let archives = archives(folder.appending(path: "none"), First.car)
    #expect(problems(archives).first?.contains("no release was recorded in") == true)
  }

  @Test func aDamagedArchiveIsReported() async throws {
    try recordFirstRelease()
    let url = folder.appending(path: "1.0.archive")
    var data = try Data(contentsOf: url)
    data[data.count - 20] ^= 1
    try data.write(to: url)
    #expect(problems(archives(folder, First.car)).first?.contains("its archive cannot be read") == true)
  }

  @Test func enumsWithPayloadsDictionariesAndClassesHaveShapes() async throws {
    final class Node: Codable, Sendable {
      let name: String
      let next: Node?
      init(_ name: String, _ next: Node?) {
        self.name = name
        self.next = next
      }
    }
    enum Command: Codable, Sendable {
      case move(by: Int, label: String?)
      case stop
    }
    struct Everything: Codable, Sendable {
      var commands: [String: Command]
      var node: Node
      var range: Range<Int>
      @UnknownFields var rest
      @Polymorphic var anything: [any Sendable]
    }
    var sample = Everything(
      commands: ["a": .move(by: 1, label: nil), "b": .stop], node: Node("a", Node("b", nil)), range: 0..<1,
      anything: [First.Person(name: "")])
    sample.rest["later"] = 5
    let archives = archives(folder, sample)
    try archives.registry.register(First.Person.self)
    try archives.record(release: "1")
    try archives.check()
    let schema = try String(contentsOf: folder.appending(path: "1.schema"), encoding: .utf8)
    for line in [
      "  move.by: Int", "  move.label: String?", "  next: ", "  range: Range<Int>", "type GoldenPerson 1", "enum ",
    ] {
      #expect(schema.contains(line), "\(line) in \(schema)")
    }
    #expect(!schema.contains("later"))
  }

  @Test func aSampleWhoseInstancesReferToEachOtherIsRefused() async throws {
    final class Node: Codable, @unchecked Sendable {
      var next: Node?
    }
    let node = Node()
    node.next = Node()
    node.next?.next = node
    defer { node.next = nil }
    let error = try requireError(GoldenArchivesError.self) { try archives(folder, node).record(release: "1") }
    #expect(error.problems.count == 1)
    #expect(error.description.contains("An instance of Node contains itself."))
  }

  @Test func aSeparatelyStoredSuperclassIsRead() async throws {
    class Animal: Codable, @unchecked Sendable {
      var name = "Rex"
      init() {}
    }
    final class Dog: Animal, @unchecked Sendable {
      private enum Keys: CodingKey { case isLoud }
      let isLoud: Bool
      override init() {
        isLoud = true
        super.init()
      }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        isLoud = try container.decode(Bool.self, forKey: .isLoud)
        try super.init(from: container.superDecoder())
      }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(isLoud, forKey: .isLoud)
        try super.encode(to: container.superEncoder())
      }
    }
    struct Kennel: Codable, Sendable {
      var dogs: [Dog]
    }
    let archives = archives(folder, Kennel(dogs: [Dog()]))
    try archives.record(release: "1")
    try archives.check()
  }

  @Test func aFieldOfAnyTypeMayBecomeATree() async throws {
    struct Old: Archivable {
      var owner: First.Person
      var tags: [String]
      var note: String?
      static let archiveTag: ArchiveTag = "Kept"
    }
    struct New: Archivable {
      var owner: ArchiveValue
      var tags: [ArchiveValue]
      var note: ArchiveValue?
      static let archiveTag: ArchiveTag = "Kept"
    }
    struct Strict: Archivable {
      var owner: ArchiveValue
      var tags: [ArchiveValue]
      var note: ArchiveValue
      static let archiveTag: ArchiveTag = "Kept"
    }
    try archives(folder, Old(owner: First.Person(name: "Ada"), tags: ["a"], note: "b")).record(release: "1.0")
    try archives(folder, New(owner: "", tags: ["a"], note: "b")).check()
    let problems = problems(archives(folder, Strict(owner: "", tags: ["a"], note: "b")))
    #expect(problems.count == 1)
    #expect(problems.first?.contains(#"the field "note" was optional and is no longer"#) == true)
  }
}
