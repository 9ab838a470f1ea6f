import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing
import ThrownErrors

/// Objects of classes that the map does not name, kept as trees.
@Suite struct UnknownClassesTests {
  private func object(_ tag: ArchiveTag, _ fields: KeyValuePairs<String, ArchiveValue>) -> ArchiveValue {
    var object = ArchiveObject(tag: tag)
    for (name, value) in fields { object[name] = value }
    return .object(object)
  }

  private func importing(_ archive: Data) async throws -> (store: GlobalData, report: ImportReport) {
    let store = ArchiveFixtures.store()
    return (store, try await store.importKeyedArchive(archive, unknownClasses: .keepAsTrees))
  }

  @Test(arguments: ArchiveFixtures.urls(of: "garage"))
  func objectsAreTreesWithTheNamesOfTheirClasses(url: URL) async throws {
    let store = ArchiveFixtures.store()
    let report = try await store.importKeyedArchive(at: url, unknownClasses: .keepAsTrees)
    let car = object("CarInfo", ["_note": nil, "_plate": "B 123", "isOnline": true, "speed": 60])
    let tree = try #require(try store.object(ArchiveValue.self, forKey: "root"))
    #expect(tree.object?.tag == "Garage" && tree["favourite"] == car && tree["owner"] == "Ada")
    #expect(tree["_cars"]?.array?.count == 3 && tree["_cars"]?[0] == car && tree["carsByLevel"]?["ground"] == [car])
    #expect(tree["opened"]?.date == Date(timeIntervalSinceReferenceDate: 86_400.5))
    // Without naming a type, an object is read as the type that is registered under its class.
    #expect(throws: GlobalDataError.self) { try store.object(forKey: "root") }
    let conversions = report.conversions.map { "\($0.stored) \($0.imported) \($0.count)" }
    // An object in four positions is one object.
    #expect(Set(conversions) == ["Garage ArchiveValue 1", "CarInfo ArchiveValue 2"])
  }

  @Test func aClassCanBeMappedToATree() async throws {
    let archive = ArchiveFixtures.archive(
      [("a", 2), ("list", 4)],
      [
        ArchiveFixtures.type("Car", "NSObject"), ArchiveFixtures.object(ofClass: 1, [("_plate", "<string>B</string>")]),
        ArchiveFixtures.type("NSArray", "NSObject"),
        ArchiveFixtures.object(
          ofClass: 3, [("NS.objects", "<array>\(ArchiveFixtures.reference(2))\(ArchiveFixtures.reference(2))</array>")]),
      ])
    let types: [any (Codable & Sendable).Type] = [
      ArchiveValue.self, ArchiveValue?.self, AnyCar.self, Polymorphic<any Sendable>.self,
    ]
    for type in types {
      let store = ArchiveFixtures.store()
      let report = try await store.importKeyedArchive(archive, as: ["Car": type])
      let car = object("Car", ["_plate": "B"])
      let expected = type == AnyCar.self ? .named("AnyCar", version: 1, car) : car
      #expect(try store.object(ArchiveValue.self, forKey: "a") == expected, "\(type)")
      #expect(try store.object(ArchiveValue.self, forKey: "list") == [expected, expected], "\(type)")
      #expect(report.conversions.contains { $0.stored == "Car" && $0.imported == "ArchiveValue" })
    }
  }

  @Test func aPropertyOfATypeThatReadsATreeIsThatTree() async throws {
    let archive = ArchiveFixtures.archive(
      [("a", 2)],
      [
        ArchiveFixtures.type("Lot", "NSObject"),
        ArchiveFixtures.object(ofClass: 1, [("car", ArchiveFixtures.reference(4))]),
        ArchiveFixtures.type("Car", "NSObject"), ArchiveFixtures.object(ofClass: 3, [("plate", "<string>B</string>")]),
      ])
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(archive, as: ["Lot": Lot.self, "Car": AnyCar.self])
    #expect(try store.object(Lot.self, forKey: "a")?.car.tree == object("Car", ["plate": "B"]))
  }

  @Test func aLimitThatAllowsNoTagIsAnError() async throws {
    var configuration = GlobalData.Configuration()
    configuration.limits.maximumTagLength = 0
    let store = GlobalData.inMemory(configuration: configuration)
    let archive = ArchiveFixtures.archive(
      [("a", 2)], [ArchiveFixtures.type("Car", "NSObject"), ArchiveFixtures.object(ofClass: 1, [])])
    let error = try await requireError(GlobalDataError.self) {
      try await store.importKeyedArchive(archive, unknownClasses: .keepAsTrees)
    }
    #expect(error.message.contains("the name of a class has 3 bytes"), "\(error)")
  }

  @Test(arguments: ArchiveFixtures.urls(of: "stranger"))
  func aFoundationClassInAnUnknownFormBecomesATree(url: URL) async throws {
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(at: url, unknownClasses: .keepAsTrees)
    #expect(store.allKeys == ["stranger", "known", "counted"])
    #expect(try store.object(ArchiveValue.self, forKey: "counted")?.object?.tag == "NSCountedSet")
    #expect(try store.object(ArchiveValue.self, forKey: "counted")?["NS.count"] == 1)
  }

  @Test(
    arguments: [
      ("NSTimeZone", [("NS.name", "<string>Mars/Olympus_Mons</string>")]), ("__NSLocalTimeZone", []),
      ("NSURL", [("NS.path", "<string>/a</string>")]), ("NSDate", [("NS.seconds", "<real>1</real>")]),
    ] as [(String, [(String, String)])])
  func anObjectOfFoundationThatCannotBeReadIsATree(name: String, fields: [(String, String)]) async throws {
    let superclass = name == "__NSLocalTimeZone" ? "NSTimeZone" : name
    let archive = ArchiveFixtures.archive(
      [("a", 2), ("list", 4), ("b", 3)],
      [
        ArchiveFixtures.type(name, superclass, "NSObject"), ArchiveFixtures.object(ofClass: 1, fields),
        "<string>b</string>",
        ArchiveFixtures.object(ofClass: 5, [("NS.objects", "<array>\(ArchiveFixtures.reference(2))</array>")]),
        ArchiveFixtures.type("NSArray", "NSObject"),
      ])
    let (store, report) = try await importing(archive)
    #expect(store.allKeys == ["a", "list", "b"])
    let tree = try store.object(ArchiveValue.self, forKey: "a")
    #expect(tree?.object?.tag?.name == name && tree?.object?.fields.map(\.name) == fields.map(\.0))
    #expect(try store.object(ArchiveValue.self, forKey: "list") == tree.map { [$0] })
    #expect(report.conversions.map(\.stored) == [name])
    await #expect(throws: GlobalDataError.self) { try await store.importKeyedArchive(archive) }
  }

  @Test(arguments: ArchiveFixtures.urls(of: "cyclic"))
  func aReferenceBackBecomesNullAndIsReported(url: URL) async throws {
    let store = ArchiveFixtures.store()
    let report = try await store.importKeyedArchive(at: url, unknownClasses: .keepAsTrees)
    let child = object("Node", ["_name": "child", "_next": nil, "_parent": nil])
    #expect(
      try store.object(ArchiveValue.self, forKey: "family")
        == object("Node", ["_name": "parent", "_next": child, "_parent": nil]))
    #expect(report.conversions.first { $0.imported == "null" }?.count == 2)
    #expect(report.description.contains("converted 2 of reference back to Node to null"))
  }

  @Test func aCutReferenceIsCompleteElsewhere() async throws {
    // Two objects refer to each other, and each is an entry.
    let archive = ArchiveFixtures.archive(
      [("a", 2), ("b", 3)],
      [
        ArchiveFixtures.type("Friend", "NSObject"),
        ArchiveFixtures.object(ofClass: 1, [("name", "<string>A</string>"), ("friend", ArchiveFixtures.reference(3))]),
        ArchiveFixtures.object(ofClass: 1, [("name", "<string>B</string>"), ("friend", ArchiveFixtures.reference(2))]),
      ])
    let store = try await importing(archive).store
    func friends(_ name: String, _ other: String) -> ArchiveValue {
      object("Friend", ["name": .string(name), "friend": object("Friend", ["name": .string(other), "friend": nil])])
    }
    #expect(try store.object(ArchiveValue.self, forKey: "a") == friends("A", "B"))
    #expect(try store.object(ArchiveValue.self, forKey: "b") == friends("B", "A"))
  }

  @Test func aTextWithAttributesIsReportedOnceHoweverOftenItIsRead() async throws {
    struct Label: Codable, Sendable {
      enum Title: String, Codable { case hello }
      var title: Title
      var other: String
    }
    let archive = ArchiveFixtures.archive(
      [("a", 2)],
      [
        ArchiveFixtures.type("Label", "NSObject"),
        ArchiveFixtures.object(
          ofClass: 1, [("title", ArchiveFixtures.reference(3)), ("other", ArchiveFixtures.reference(3))]),
        ArchiveFixtures.object(ofClass: 4, [("NSString", "<string>hello</string>")]),
        ArchiveFixtures.type("RichText", "NSAttributedString", "NSObject"),
      ])
    let report = try await ArchiveFixtures.store().importKeyedArchive(archive, as: ["Label": Label.self])
    let conversions = report.conversions.map { "\($0.stored) \($0.imported) \($0.count)" }
    #expect(conversions == ["NSAttributedString String 1", "RichText NSAttributedString 1"])
  }

  @Test func eachFindingOfAReportIsOneLine() async throws {
    let archive = ArchiveFixtures.archive(
      [("a&#10;b", 2)],
      [
        ArchiveFixtures.type("Foo&#10;imported 3 entries"),
        ArchiveFixtures.object(ofClass: 1, [("f&#10;g", "<true/>")]),
      ])
    let kept = try await importing(archive).report.description
    #expect(kept.split(separator: "\n").count == 2 && kept.hasPrefix(#"imported 1 entry: "a\nb""#), "\(kept)")
    struct Foo: Codable, Sendable { var other: Int? }
    let read = try await ArchiveFixtures.store().importKeyedArchive(archive, as: ["Foo\nimported 3 entries": Foo.self])
    #expect(read.description.split(separator: "\n").count == 2 && read.description.hasSuffix(#": "f\ng""#), "\(read)")
  }

  @Test func objectsThatReferToEachOtherAreRefusedImmediately() async throws {
    let count = 40
    let friends = (0..<count).map { ArchiveFixtures.reference($0 + 2) }.joined()
    let object = ArchiveFixtures.object(ofClass: 1, [("friends", "<array>\(friends)</array>")])
    let archive = ArchiveFixtures.archive(
      [("a", 2)], [ArchiveFixtures.type("Friend")] + Array(repeating: object, count: count))
    let error = try await requireError(GlobalDataError.self) { try await importing(archive) }
    #expect(error.message.contains("exhaust memory"))
  }

  @Test func namesThatBeginWithADollarSignAreKept() async throws {
    let fields = [("$$own", "<integer>1</integer>"), ("$0", "<integer>2</integer>"), ("plain", "<integer>3</integer>")]
    let archive = ArchiveFixtures.archive(
      [("a", 2)], [ArchiveFixtures.type("App.Legacy", "NSObject"), ArchiveFixtures.object(ofClass: 1, fields)])
    let (store, report) = try await importing(archive)
    #expect(
      try store.object(ArchiveValue.self, forKey: "a") == object("Legacy", ["$own": 1, "$0": 2, "plain": 3]))
    #expect(report.unreadFields.isEmpty && report.conversions.map(\.stored) == ["App.Legacy"])
  }

  /// Swift archives nested, private and generic classes under mangled names.
  @Test(arguments: [
    ("App.Slot", "Slot"), ("_TtCC3App6Garage4Slot", "Garage.Slot"), ("_TtCVO3App6Garage4Slot4Door", "Garage.Slot.Door"),
    ("_TtC3AppP33_0123456789ABCDEF0123456789ABCDEF4Slot", "Slot"), ("App.Box<App.Car>", "Box<App.Car>"),
    ("_TtGC3App3BoxSi_", "_TtGC3App3BoxSi_"), ("_TtC3App", "_TtC3App"), ("_TtC3App99Slot", "_TtC3App99Slot"),
    ("_Tt", "_Tt"), ("_TtC3App4SlotP", "_TtC3App4SlotP"),
  ])
  func theTagOfASwiftClassIsItsNameWithoutTheModule(archived: String, tag: String) async throws {
    struct Slot: Codable, Sendable { var x: Int }
    let name = archived.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    let archive = ArchiveFixtures.archive(
      [("a", 2)],
      [ArchiveFixtures.type(name, "NSObject"), ArchiveFixtures.object(ofClass: 1, [("x", "<integer>1</integer>")])])
    let tree = try await importing(archive).store.object(ArchiveValue.self, forKey: "a")
    #expect(tree?.object?.tag?.name == tag)
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(archive, as: [tag: Slot.self])
    #expect(try store.object(Slot.self, forKey: "a")?.x == 1)
  }

  @Test func aClassNamedLikeATypeBecomesAReadableTree() async throws {
    for name in ["Date", "Optional", "Int8", "URL", "Set&lt;Int&gt;", "[Int]", "Range&lt;Int&gt;", "Decimal", "String"]
    {
      let archive = ArchiveFixtures.archive(
        [("a", 2), ("b", 3)],
        [
          ArchiveFixtures.type(name), ArchiveFixtures.object(ofClass: 1, [("x", "<integer>1</integer>")]),
          ArchiveFixtures.object(ofClass: 1, []),
        ])
      let store = try await importing(archive).store
      #expect(try store.object(ArchiveValue.self, forKey: "a")?["x"] == 1, "\(name)")
      #expect(try store.object(ArchiveValue.self, forKey: "b")?.object?.fields.isEmpty == true, "\(name)")
    }
  }

  @Test func aClassWithoutANameIsRefused() async throws {
    let archive = ArchiveFixtures.archive(
      [("a", 2)], [ArchiveFixtures.type(""), ArchiveFixtures.object(ofClass: 1, [])])
    let error = try await requireError(GlobalDataError.self) { try await importing(archive) }
    #expect(error.code == .importFailed && error.message.contains("the name of a class has 0 bytes"))
  }

  @Test func setsOfObjectsAreSetsIfTheObjectsDiffer() async throws {
    func archive(_ first: Int, _ second: Int) -> Data {
      let objects = ArchiveFixtures.reference(3) + ArchiveFixtures.reference(4)
      return ArchiveFixtures.archive(
        [("a", 5)],
        [
          ArchiveFixtures.type("Thing"), ArchiveFixtures.type("NSSet"),
          ArchiveFixtures.object(ofClass: 1, [("x", "<integer>\(first)</integer>")]),
          ArchiveFixtures.object(ofClass: 1, [("x", "<integer>\(second)</integer>")]),
          ArchiveFixtures.object(ofClass: 2, [("NS.objects", "<array>\(objects)</array>")]),
        ])
    }
    let different = try await importing(archive(1, 2)).store
    #expect(
      try different.object(ArchiveValue.self, forKey: "a")
        == .set([object("Thing", ["x": 1]), object("Thing", ["x": 2])]))
    let equal = try await importing(archive(1, 1)).store
    #expect(try equal.object(ArchiveValue.self, forKey: "a") == [object("Thing", ["x": 1]), object("Thing", ["x": 1])])
  }

  /// Foundation compares texts by their bytes, and objects without their own `isEqual` by identity.
  @Test func noElementOfASetIsLostBecauseItEqualsAnotherInSwift() async throws {
    struct Thing: Codable, Hashable, Sendable { var x: Int }
    let text = [3, 4].map(ArchiveFixtures.reference).joined()
    let things = [5, 6].map(ArchiveFixtures.reference).joined()
    let archive = ArchiveFixtures.archive(
      [("text", 7), ("things", 8)],
      [
        ArchiveFixtures.type("Thing"), ArchiveFixtures.type("NSSet"), "<string>e\u{301}</string>",
        "<string>\u{e9}</string>", ArchiveFixtures.object(ofClass: 1, [("x", "<integer>1</integer>")]),
        ArchiveFixtures.object(ofClass: 1, [("x", "<integer>1</integer>")]),
        ArchiveFixtures.object(ofClass: 2, [("NS.objects", "<array>\(text)</array>")]),
        ArchiveFixtures.object(ofClass: 2, [("NS.objects", "<array>\(things)</array>")]),
      ])
    let store = ArchiveFixtures.store()
    let report = try await store.importKeyedArchive(archive, as: ["Thing": Thing.self])
    #expect(try store.object([String].self, forKey: "text")?.map(\.unicodeScalars.count) == [2, 1])
    #expect(try store.object([Thing].self, forKey: "things") == [Thing(x: 1), Thing(x: 1)])
    #expect(report.conversions.map { "\($0.stored) \($0.imported) \($0.count)" } == ["NSSet Array 2"])
  }

  @Test(arguments: ArchiveFixtures.urls(of: "superclass"))
  func theNearestSuperclassInTheMapIsPreferred(url: URL) async throws {
    let store = ArchiveFixtures.store()
    let types: [String: any (Codable & Sendable).Type] = ["Animal": Imported.Animal.self]
    try await store.importKeyedArchive(at: url, as: types, unknownClasses: .keepAsTrees)
    #expect(try store.object(Imported.Animal.self, forKey: "dog")?.name == "Rex")
    try await store.importKeyedArchive(at: url, unknownClasses: .keepAsTrees)
    #expect(try store.object(ArchiveValue.self, forKey: "dog") == object("Dog", ["_name": "Rex", "_tricks": ["sit"]]))
  }

  @Test func anAppsSubclassOfAFoundationClassIsReportedOnce() async throws {
    let archive = ArchiveFixtures.archive(
      [("root", 1)],
      [
        ArchiveFixtures.object(
          ofClass: 2,
          [
            ("NS.keys", "<array>\(ArchiveFixtures.reference(3))\(ArchiveFixtures.reference(4))</array>"),
            ("NS.objects", "<array>\(ArchiveFixtures.reference(5))\(ArchiveFixtures.reference(5))</array>"),
          ]),
        ArchiveFixtures.type("Settings", "NSDictionary", "NSObject"), "<string>a</string>", "<string>b</string>",
        ArchiveFixtures.object(ofClass: 6, [("NS.intval", "<integer>5</integer>"), ("unit", "<string>m</string>")]),
        ArchiveFixtures.type("Length", "NSNumber", "NSValue", "NSObject"),
      ])
    let report = try await ArchiveFixtures.store().importKeyedArchive(archive)
    #expect(report.importedKeys == ["a", "b"])
    let conversions = report.conversions.map { "\($0.stored) \($0.imported) \($0.count)" }
    #expect(conversions == ["Settings NSDictionary 1", "Length NSNumber 1"])
  }

  @Test(arguments: ["NSDictionary", "NSDate"])
  func fieldsOfAnAppsSubclassOfAFoundationClassAreKept(superclass: String) async throws {
    let pairs = [("NS.keys", ArchiveFixtures.reference(3)), ("NS.objects", ArchiveFixtures.reference(3))]
    var fields = pairs.map { (name: $0, value: "<array>\($1)</array>") }
    if superclass == "NSDate" { fields = [("NS.time", "<real>1.5</real>")] }
    fields.append(("_zone", ArchiveFixtures.reference(3)))
    let archive = ArchiveFixtures.archive(
      [("root", 2)],
      [
        ArchiveFixtures.type("Own", superclass, "NSObject"), ArchiveFixtures.object(ofClass: 1, fields),
        "<string>a</string>",
      ])
    let (store, report) = try await importing(archive)
    let tree = try store.object(ArchiveValue.self, forKey: "root")
    #expect(tree?.object?.tag == "Own" && tree?["_zone"] == "a")
    #expect(tree?["NS.objects"] == (superclass == "NSDate" ? nil : ["a"]))
    #expect(report.conversions.map { "\($0.stored) \($0.imported) \($0.count)" } == ["Own ArchiveValue 1"])
  }

  @Test func aFileOfAnyFormatIsReadWithUnknownClasses() async throws {
    for url in ArchiveFixtures.urls(of: "stranger") {
      let store = ArchiveFixtures.store()
      await #expect(throws: GlobalDataError.self) { try await store.importFile(at: url) }
      try await store.importFile(at: url, unknownClasses: .keepAsTrees)
      #expect(try store.object(ArchiveValue.self, forKey: "stranger") == object("Stranger", ["secret": "x"]))
    }
  }

  @Test func anArchiveInDataIsReadWithoutTypes() async throws {
    let archive = try Data(contentsOf: ArchiveFixtures.urls(of: "stranger")[0])
    let list = try PropertyListSerialization.data(fromPropertyList: ["old": archive], format: .binary, options: 0)
    let store = ArchiveFixtures.store()
    try await store.importPropertyList(list)
    #expect(try store.object(Data.self, forKey: "old") == archive)
    try await store.importPropertyList(list, unknownClasses: .keepAsTrees)
    #expect(try store.object(ArchiveValue.self, forKey: "old")?["stranger"] == object("Stranger", ["secret": "x"]))
  }
}

private struct Lot: Codable {
  let car: AnyCar
}

/// Reads an object of any class as a tree.
private struct AnyCar: Codable {
  let tree: ArchiveValue

  init(from decoder: any Decoder) throws {
    tree = try decoder.singleValueContainer().decode(ArchiveValue.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(tree)
  }
}
