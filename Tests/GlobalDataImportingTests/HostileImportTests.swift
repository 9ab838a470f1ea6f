import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing
import ThrownErrors

/// Malicious files: each is an error, immediately and in little memory.
@Suite struct HostileImportTests {
  private func importing(_ bytes: Data) async throws {
    let store = ArchiveFixtures.store()
    if BinaryListWriter.isArchive(bytes) {
      try await store.importKeyedArchive(
        bytes,
        as: [
          "Person": Imported.Person.self, "Garage": Imported.Garage.self, "CarInfo": Imported.Car.self,
          "Animal": Imported.Animal.self, "Dog": Imported.Dog.self,
        ])
    } else {
      try await store.importPropertyList(bytes)
    }
  }

  private func expectRefusal(
    _ bytes: Data, _ reason: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = try await requireError(GlobalDataError.self, sourceLocation: sourceLocation) {
      try await importing(bytes)
    }
    #expect(reason.isEmpty || error.message.contains(reason), "\(error)", sourceLocation: sourceLocation)
  }

  private static func fixture(_ name: String) throws -> Data {
    try Data(contentsOf: ArchiveFixtures.folders[0].appending(path: name))
  }

  /// Imports a file that may be read or refused, with any other outcome as a failure.
  ///
  /// - Returns: Whether it was read.
  private func isImported(_ bytes: Data) async throws -> Bool {
    do {
      try await importing(bytes)
      return true
    } catch is GlobalDataError {
      return false
    }
  }

  @Test(arguments: ["garage.plist", "several.xml.plist"])
  func aTruncatedArchiveIsRefused(name: String) async throws {
    let bytes = try Self.fixture(name)
    let end = name.hasSuffix(".xml.plist") ? bytes.count - 10 : bytes.count
    for count in (0..<end).oneIn(8) { try await expectRefusal(bytes.prefix(count)) }
  }

  /// Bytes with some flipped bits: three ways for the small archives, one for the large one.
  @Test(
    arguments: [
      ("garage.plist", [0x01, 0x80, 0xff]), ("superclass.plist", [0x01, 0x80, 0xff]), ("foundation.plist", [0x11]),
    ] as [(String, [UInt8])])
  func anArchiveWithAnyByteChangedIsReadOrRefused(name: String, changes: [UInt8]) async throws {
    let bytes = try Self.fixture(name)
    try await importing(bytes)
    var (readCount, count) = (0, 0)
    for index in bytes.indices.oneIn(11) {
      for change in changes {
        var damaged = bytes
        damaged[index] ^= change
        count += 1
        if try await isImported(damaged) { readCount += 1 }
      }
    }
    // A changed letter or digit does not make a list unreadable. A changed size or reference does.
    #expect(count / 10..<count * 9 / 10 ~= readCount, "\(readCount) of \(count)")
  }

  @Test func countsAndOffsetsBeyondTheFileAreRefused() async throws {
    let list = BinaryListWriter(objects: [[0xa1, 0x01], [0x51, 0x61]])
    for (field, value) in [
      (\BinaryListWriter.objectCount, UInt64.max), (\.objectCount, 1 << 40), (\.root, 2), (\.root, .max),
      (\.offsetTable, .max), (\.offsetTable, 0), (\.offsetTable, 1 << 20),
    ] as [(WritableKeyPath<BinaryListWriter, UInt64?>, UInt64)] {
      var hostile = list
      hostile[keyPath: field] = value
      try await expectRefusal(hostile.data)
    }
    for size in [0, 9, 255] as [UInt8] {
      var hostile = list
      hostile.offsetSize = size
      try await expectRefusal(hostile.data)
      hostile = list
      hostile.referenceSize = size
      try await expectRefusal(hostile.data)
    }
    for object in [
      [0xaf, 0x13, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],  // an array of -1 elements
      [0xaf, 0x13, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0xaf, 0x12, 0x7f, 0xff, 0xff, 0xff],
      [0xdf, 0x12, 0x7f, 0xff, 0xff, 0xff], [0x4f, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0],
      [0x6f, 0x12, 0xff, 0xff, 0xff, 0xff],
      [0x5f, 0x14] + [UInt8](repeating: 0xff, count: 16), [0xaf, 0x51, 0x61], [0xa1, 0xff], [0xd1, 0x00, 0x00],
      [0x15], [0x24], [0x33, 0], [0x8f], [0x70], [0x0f], [0xf0], [0x51, 0xe9], [0x61, 0xd8, 0x00],
    ] as [[UInt8]] {
      try await expectRefusal(BinaryListWriter(objects: [[0xd1, 0x01, 0x02], [0x51, 0x61], object]).data)
    }
  }

  @Test(arguments: [[0xaf], [0xdf], [0x4f], [0x5f], [0x6f]] as [[UInt8]])
  func aListThatEndsBeforeTheCountOfAnObjectIsTruncated(object: [UInt8]) async throws {
    try await expectRefusal(
      BinaryListWriter(objects: [[0xd1, 0x01, 0x02], [0x51, 0x61], object]).data, "it is truncated")
  }

  @Test func aPropertyListThatContainsItselfIsRefused() async throws {
    try await expectRefusal(
      BinaryListWriter(objects: [[0xd1, 0x01, 0x02], [0x51, 0x61], [0xa1, 0x02]]).data, "contains itself")
    try await expectRefusal(
      BinaryListWriter(objects: [[0xd1, 0x01, 0x02], [0x51, 0x61], [0xd1, 0x01, 0x00]]).data, "contains itself")
  }

  @Test func exponentialArraysDoNotExhaustMemory() async throws {
    // Object 2 + n is an array that contains object 3 + n twice.
    var objects: [[UInt8]] = [[0xd1, 0x01, 0x02], [0x51, 0x61]]
    for level in 0..<100 { objects.append([0xa2, UInt8(level + 3), UInt8(level + 3)]) }
    objects.append([0x51, 0x62])
    try await expectRefusal(BinaryListWriter(objects: objects).data, "exhaust memory")
  }

  @Test func anEntryThatWouldExhaustMemoryDoesNotMakeOthersUnreadable() async throws {
    let arrays = (0..<100).map { level in
      let next = ArchiveFixtures.reference(level + 3)
      return ArchiveFixtures.object(ofClass: 1, [("NS.objects", "<array>\(next)\(next)</array>")])
    }
    let archive = ArchiveFixtures.archive(
      [("a", 2), ("b", 102), ("c", 2), ("d", 102)],
      [ArchiveFixtures.type("NSArray")] + arrays + ["<string>text</string>"])
    let report = try await ArchiveFixtures.store().importKeyedArchive(archive, skipping: .unreadable)
    #expect(report.importedKeys == ["b", "d"] && report.skipped.map(\.key) == ["a", "c"])
  }

  @Test func exponentialArchivesDoNotExhaustMemory() async throws {
    let people = (0..<100).map { level in
      """
      <dict><key>$class</key><dict><key>CF$UID</key><integer>1</integer></dict><key>name</key><string>\(level)</string>\
      <key>next</key><array><dict><key>CF$UID</key><integer>\(level + 3)</integer></dict>\
      <dict><key>CF$UID</key><integer>\(level + 3)</integer></dict></array></dict>
      """
    }
    let archive = """
      <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key>\
      <integer>100000</integer><key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>2</integer></dict></dict>\
      <key>$objects</key><array><string>$null</string><dict><key>$classname</key><string>Person</string></dict>\
      \(people.joined())<dict><key>$class</key><dict><key>CF$UID</key><integer>1</integer></dict><key>name</key>\
      <string>last</string></dict></array></dict></plist>
      """
    try await expectRefusal(Data(archive.utf8), "exhaust memory")
  }

  @Test func exponentialTreesWithReferencesBackDoNotExhaustMemory() async throws {
    let objects = (0..<14).map { level in
      let next = ArchiveFixtures.reference(level + 3)
      let nulls = (0..<40).map { (name: "n\($0)", value: ArchiveFixtures.reference(0)) }
      return ArchiveFixtures.object(ofClass: 1, [("a", next), ("b", next)] + nulls)
    }
    let last = ArchiveFixtures.object(ofClass: 1, [("root", ArchiveFixtures.reference(2))])
    let archive = ArchiveFixtures.archive([("root", 2)], [ArchiveFixtures.type("Node")] + objects + [last])
    let error = try await requireError(GlobalDataError.self) {
      try await ArchiveFixtures.store().importKeyedArchive(archive, unknownClasses: .keepAsTrees)
    }
    #expect(error.message.contains("exhaust memory"))
  }

  // Found by FuzzImport: the stored value could not be read again.
  @Test func aDictionaryWithAKeyTwiceIsRefused() async throws {
    for key in ["<integer>1</integer>", "<string>a</string>"] {
      let archive = """
        <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key>\
        <integer>100000</integer><key>$top</key><dict><key>a</key><dict><key>CF$UID</key><integer>2</integer></dict></dict>\
        <key>$objects</key><array><string>$null</string><dict><key>$classname</key><string>NSDictionary</string></dict>\
        <dict><key>$class</key><dict><key>CF$UID</key><integer>1</integer></dict>\
        <key>NS.keys</key><array>\(key)\(key)</array><key>NS.objects</key><array><true/><false/></array></dict>\
        </array></dict></plist>
        """
      try await expectRefusal(Data(archive.utf8), "twice")
    }
  }

  private func indexSet(_ numbers: Data) -> [String] {
    [
      "<dict><key>$classname</key><string>NSIndexSet</string></dict>",
      """
      <dict><key>$class</key><dict><key>CF$UID</key><integer>1</integer></dict><key>NSRangeCount</key>\
      <integer>\(numbers.count / 2)</integer><key>NSRangeData</key><data>\(numbers.base64EncodedString())</data></dict>
      """,
    ]
  }

  private func decimal(length: Int, exponent: Int, _ mantissa: Data) -> Data {
    let number = """
      <dict><key>$class</key><dict><key>CF$UID</key><integer>1</integer></dict>\
      <key>NS.exponent</key><integer>\(exponent)</integer><key>NS.length</key><integer>\(length)</integer>\
      <key>NS.negative</key><false/><key>NS.compact</key><false/>\
      <key>NS.mantissa</key><data>\(mantissa.base64EncodedString())</data></dict>
      """
    return ArchiveFixtures.archive(
      [("a", 2)], ["<dict><key>$classname</key><string>NSDecimalNumber</string></dict>", number])
  }

  @Test func aTooLargeDecimalIsRefusedAndNotRounded() async throws {
    try await expectRefusal(decimal(length: 1, exponent: 127, Data([0xe8, 0x03])), "too large")
  }

  @Test func aDecimalWithOtherDigitsThanItsLengthSaysIsRefused() async throws {
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(decimal(length: 2, exponent: 0, Data([1, 0, 1, 0])))
    #expect(try store.object(Decimal.self, forKey: "a") == 65537)
    try await expectRefusal(decimal(length: 2, exponent: 0, Data([1, 0, 1])), "NSDecimalNumber")
    try await expectRefusal(decimal(length: 9, exponent: 0, Data(repeating: 1, count: 18)), "NSDecimalNumber")
    try await expectRefusal(decimal(length: 1, exponent: 128, Data([1, 0])), "NSDecimalNumber")
  }

  @Test func indexSetsAreReadWithRangesInAnyOrder() async throws {
    let starts = stride(from: 120, through: 0, by: -2).map { UInt8($0) }
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(ArchiveFixtures.archive([("a", 2)], indexSet(Data(starts.flatMap { [$0, 1] }))))
    #expect(try store.object(IndexSet.self, forKey: "a") == IndexSet(starts.map { Int($0) }))
  }

  @Test func anIndexSetThatEndsInsideANumberIsRefused() async throws {
    try await expectRefusal(ArchiveFixtures.archive([("a", 2)], indexSet(Data([1, 2, 3, 4, 0x85]))), "NSIndexSet")
  }

  private static func indices(_ prefix: String, _ count: Int, _ numbers: [UInt8]) -> [(name: String, value: String)] {
    let count = (name: "\(prefix)\(prefix == "NSRange" ? "Count" : "Length")", value: "<integer>\(count)</integer>")
    return [count, (name: "\(prefix)Data", value: "<data>\(Data(numbers).base64EncodedString())</data>")]
  }

  private static func integers(_ fields: KeyValuePairs<String, Int>) -> [(name: String, value: String)] {
    fields.map { (name: $0.key, value: "<integer>\($0.value)</integer>") }
  }

  /// Objects that no archiver writes, with their classes.
  private static let malformedObjects: [(type: String, fields: [(name: String, value: String)])] = [
    ("NSIndexSet", indices("NSRange", 2, [1, 2, 3])), ("NSIndexSet", indices("NSRange", 3, [1, 2, 5, 2])),
    ("NSIndexSet", indices("NSRange", -1, [])), ("NSIndexSet", integers(["NSRangeCount": 2])),
    ("NSIndexSet", indices("NSRange", 2, [1, 2, 5] + [UInt8](repeating: 0xff, count: 9) + [1])),
    ("NSIndexSet", integers(["NSRangeCount": 1, "NSLocation": -1, "NSLength": 3])),
    ("NSIndexSet", integers(["NSRangeCount": 1, "NSLocation": 1, "NSLength": -1])),
    ("NSIndexSet", integers(["NSRangeCount": 1, "NSLocation": 1, "NSLength": .max])),
    ("NSIndexSet", integers(["NSRangeCount": 1, "NSLocation": 1])),
    ("NSIndexPath", indices("NSIndexPath", 3, [1, 2])), ("NSIndexPath", indices("NSIndexPath", 2, [1, 0x82])),
    ("NSIndexPath", indices("NSIndexPath", -2, [1, 2])), ("NSIndexPath", integers(["NSIndexPathLength": 1])),
    ("NSUUID", [("NS.uuidbytes", "<data>AAAAAAAAAAAAAAAAAAAA</data>")]), ("NSUUID", [("NS.uuidbytes", "<true/>")]),
    ("NSDecimalNumber", integers(["NS.length": -1, "NS.exponent": 0, "NS.negative": 0])),
    ("NSDecimalNumber", integers(["NS.length": 0, "NS.exponent": 0])),
    ("NSDecimalNumber", integers(["NS.length": 1, "NS.exponent": 0, "NS.negative": 0])),
    ("NSValue", [("NS.special", "<integer>1</integer>"), ("NS.pointval", "<string>{1, 2, 3}</string>")]),
    ("NSValue", [("NS.special", "<integer>3</integer>"), ("NS.rectval", "<string>{{1, 2}, {3, x}}</string>")]),
    ("NSValue", integers(["NS.special": 4, "NS.rangeval.location": 4])), ("NSValue", [("NS.special", "<true/>")]),
    ("NSNumber", [("NS.other", "<true/>")]), ("NSDate", [("NS.time", "<string>1</string>")]),
    ("NSData", integers(["NS.data": 1])), ("NSMutableString", [("NS.bytes", "<data>/w==</data>")]),
    ("NSURL", [("NS.relative", "<string>a</string>"), ("NS.base", "<string>b</string>")]),
    ("NSURL", [("NS.relative", "<string>a</string>"), ("NS.base", "<array/>")]),
  ]

  @Test(arguments: malformedObjects.indices)
  func anObjectInAnotherFormThanThatOfItsClassIsRefusedOrATree(index: Int) async throws {
    let (type, fields) = Self.malformedObjects[index]
    let objects = [ArchiveFixtures.type(type, "NSObject"), ArchiveFixtures.object(ofClass: 1, fields)]
    let archive = ArchiveFixtures.archive([("a", 2)], objects)
    try await expectRefusal(archive, "an object of the class \"\(type)\" does not have the form of its class")
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(archive, unknownClasses: .keepAsTrees)
    let tree = try #require(try store.object(ArchiveValue.self, forKey: "a")?.object)
    #expect(tree.tag?.name == type && tree.fields.map(\.name) == fields.map(\.name))
  }

  @Test func theLargestFormsOfFoundationsObjectsAreRead() async throws {
    func object<Value: Codable & Sendable>(
      _ valueType: Value.Type, _ type: String, _ fields: [(name: String, value: String)]
    ) async throws -> Value? {
      let objects = [ArchiveFixtures.type(type, "NSObject"), ArchiveFixtures.object(ofClass: 1, fields)]
      let store = ArchiveFixtures.store()
      try await store.importKeyedArchive(ArchiveFixtures.archive([("a", 2)], objects))
      return try store.object(Value.self, forKey: "a")
    }
    let greatest = [UInt8](repeating: 0xff, count: 8) + [0x7f]
    #expect(
      try await object(IndexPath.self, "NSIndexPath", Self.indices("NSIndexPath", 2, [5] + greatest)) == [5, .max])
    #expect(try await object(IndexPath.self, "NSIndexPath", Self.integers(["NSIndexPathLength": 0])) == IndexPath())
    #expect(try await object(IndexSet.self, "NSIndexSet", Self.integers(["NSRangeCount": 0])) == IndexSet())
    let last = Self.integers(["NSRangeCount": 1, "NSLocation": .max - 2, "NSLength": 2])
    #expect(try await object(IndexSet.self, "NSIndexSet", last) == IndexSet(integersIn: .max - 2 ..< .max))
    let digits = Self.integers(["NS.length": 8, "NS.exponent": -128, "NS.negative": 1, "NS.mantissa.bo": 2])
    let units = Data(repeating: 0xff, count: 16).base64EncodedString()
    let mantissa = [(name: "NS.mantissa", value: "<data>\(units)</data>")]
    let most = Decimal(sign: .minus, exponent: -128, significand: Decimal(string: "\(UInt128.max)") ?? 0)
    #expect(try await object(Decimal.self, "NSDecimalNumber", digits + mantissa) == most)
    let none = Self.integers(["NS.length": 0, "NS.exponent": 0, "NS.negative": 1])
    #expect(try await object(Decimal.self, "NSDecimalNumber", none)?.isNaN == true)
  }

  @Test func oneIndexSetUnderManyKeysDoesNotExhaustMemory() async throws {
    let objects = indexSet(Data(repeating: 0, count: 1 << 18))
    try await importing(ArchiveFixtures.archive([("a", 2)], objects))
    try await expectRefusal(ArchiveFixtures.archive((0..<100).map { ("a\($0)", 2) }, objects), "exhaust memory")
  }

  @Test func anAppThatRaisesItsLimitForItemsCanImportMoreReferences() async throws {
    let text = "<string>" + String(repeating: "a", count: 1 << 18) + "</string>"
    let archive = ArchiveFixtures.archive((0..<340).map { ("a\($0)", 1) }, [text])
    let error = try await requireError(GlobalDataError.self) { try await importing(archive) }
    #expect(error.message.contains("exhaust memory") && error.advice.contains("Raise maximumItems"), "\(error)")
    var configuration = GlobalData.Configuration()
    configuration.limits.maximumItems *= 2
    let report = try await GlobalData.inMemory(configuration: configuration).importKeyedArchive(archive)
    #expect(report.importedKeys.count == 340)
  }

  // Each set of sets has another type. With a raised limit, thousands of such levels ended the process.
  @Test func setsInSetsBecomeArraysBeforeTheirTypesAreTooLong() async throws {
    let depth = 100
    let sets = (0..<depth).map { level in
      ArchiveFixtures.object(ofClass: 1, [("NS.objects", "<array>\(ArchiveFixtures.reference(level + 3))</array>")])
    }
    let archive = ArchiveFixtures.archive([("a", 2)], [ArchiveFixtures.type("NSSet")] + sets + ["<string>b</string>"])
    let store = ArchiveFixtures.store()
    let report = try await store.importKeyedArchive(archive)
    #expect(report.conversions.map(\.stored) == ["NSSet"])
    let notation = try store.object(ArchiveValue.self, forKey: "a")?.diagnostic ?? ""
    #expect(notation.count { $0 == "[" } >= depth && notation.contains("\"b\""))
  }

  @Test func oneArchiveInTheDataOfManyEntriesDoesNotExhaustMemory() async throws {
    let arrays = (0..<16).map { level in
      let next = ArchiveFixtures.reference(level + 3)
      return ArchiveFixtures.object(ofClass: 1, [("NS.objects", "<array>\(next)\(next)</array>")])
    }
    let archive = ArchiveFixtures.archive(
      [("root", 2)], [ArchiveFixtures.type("NSArray")] + arrays + ["<string>a</string>"])
    let data = (Data("<?xml version=\"1.0\"?>".utf8) + archive).base64EncodedString()
    func list(_ count: Int) -> Data {
      let entries = (0..<count).map { "<key>a\($0)</key><data>\(data)</data>" }
      return Data("<plist><dict>\(entries.joined())</dict></plist>".utf8)
    }
    try await ArchiveFixtures.store().importPropertyList(list(2), unknownClasses: .keepAsTrees)
    let error = try await requireError(GlobalDataError.self) {
      try await ArchiveFixtures.store().importPropertyList(list(40), unknownClasses: .keepAsTrees)
    }
    #expect(error.message.contains("exhaust memory"))
  }

  @Test func deepNestingIsRefused() async throws {
    var objects: [[UInt8]] = [[0xd1, 0x00, 0x01, 0x00, 0x02], [0x51, 0x61]]
    for level in 0..<20_000 { objects.append([0xa1, UInt8((level + 3) >> 8), UInt8((level + 3) & 0xff)]) }
    objects.append([0x51, 0x62])
    var list = BinaryListWriter(objects: objects)
    (list.offsetSize, list.referenceSize) = (4, 2)
    try await expectRefusal(list.data, "more than 256 levels")
    let levels = 100_000
    let xml =
      "<plist><dict><key>a</key>" + String(repeating: "<array>", count: levels)
      + String(repeating: "</array>", count: levels) + "</dict></plist>"
    try await expectRefusal(Data(xml.utf8), "more than 256 levels")
  }

  @Test func oneLargeTextUnderManyKeysDoesNotExhaustMemory() async throws {
    // 60 dictionaries with 250 keys each, all of which are one text of a megabyte.
    let text = [0x5f, 0x12, 0x00, 0x10, 0x00, 0x00] + [UInt8](repeating: 0x61, count: 1 << 20)
    let references = [UInt8](repeating: 0x02, count: 250)
    let array = [0xaf, 0x10, 250] + references
    var list = BinaryListWriter(objects: [[0xd1, 0x01, 0x03], [0x51, 0x61], text, array])
    list.offsetSize = 4
    try await expectRefusal(list.data, "exhaust memory")
  }

  @Test(arguments: [
    "", "<", "<plist", "<plist>", "<plist></plist>", "<plist><dict></plist>",
    "<plist><dict><key>a</key></dict></plist>",
    "<plist><dict><string>a</string></dict></plist>", "<plist><dict/><dict/></plist>", "<plist><dict/></plist>x",
    "<plist><dict><key>a</key><key>b</key></dict></plist>",
    "<plist><dict><key>a</key><integer>x</integer></dict></plist>",
    "<plist><dict><key>a</key><integer>170141183460469231731687303715884105728</integer></dict></plist>",
    "<plist><dict><key>a</key><real>0x1p3</real></dict></plist>",
    "<plist><dict><key>a</key><date>today</date></dict></plist>",
    "<plist><dict><key>a</key><date>2001-14-01T00:00:00Z</date></dict></plist>",
    "<plist><dict><key>a</key><date>2001-00-01T00:00:00Z</date></dict></plist>",
    "<dict/><dict/>", "<dict/></plist>", "<dict><key>a</key>", "<plist/>", "<integer>1</integer><integer>2</integer>",
    "<plist><dict><key>a</key><date>2001-01-01T00:00:00Z and more</date></dict></plist>",
    "<plist><dict><key>a</key><data>*</data></dict></plist>",
    "<plist><dict><key>a</key><string>&b;</string></dict></plist>",
    "<plist><dict><key>a</key><string>&#xD800;</string></dict></plist>",
    "<dict><key>a</key><string>&#+65;</string></dict>",
    "<dict><key>a</key><string>&#x+41;</string></dict>", "<plist><string>a</string>b</plist>",
    "<plist><dict><key>a</key><string><b/></string></dict></plist>", "<plist><dict><key>a</key><null/></dict></plist>",
    "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>", "<plist>text<dict/></plist>",
    "<!DOCTYPE plist [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><plist><dict/></plist>",
    "<!DOCTYPE plist SYSTEM \"a\" [<!ENTITY a SYSTEM \"file:///etc/passwd\">", "<!-- <plist><dict/></plist>",
    "<html><dict/></html>", "<plist><dict><key>a</key><string><![CDATA[b</string></dict></plist>",
  ])
  func malformedXMLIsRefused(text: String) async throws {
    try await expectRefusal(Data(text.utf8))
  }

  @Test(
    arguments: [
      ("<plist><array><string>a</string><true/></array></plist>", ["a", true]), ("<integer>1</integer>", 1),
      ("<plist><string>a</string></plist>", "a"),
    ] as [(String, ArchiveValue)])
  func aTopLevelValueWithoutKeysBecomesTheEntryRoot(text: String, expected: ArchiveValue) async throws {
    let store = GlobalData.inMemory()
    let report = try await store.importPropertyList(Data(text.utf8))
    #expect(try store.object(ArchiveValue.self, forKey: "root") == expected && report.importedKeys == ["root"])
  }

  @Test(arguments: [
    ("<string a=\"x>y</string>", "an attribute is not closed"), ("<string a='x", "an attribute is not closed"),
    ("<dict><key>a</key><ustring><b/></ustring></dict>", "unknown element \"ustring\""),
    ("<plist><plist><dict/></plist></plist>", "unknown element \"plist\""), ("<string>a", "truncated"),
    ("<string>a<b>c</b></string>", "\"string\" holds the element \"b\""), ("<string>a</b></string>", "not closed"),
    ("<dict><key>a</key></dict>", "the key \"a\" has no value"), ("<array></dict>", "unexpected closing tag \"dict\""),
    ("<>", "a tag has no name"), ("< dict/>", "a tag has no name"), ("</>", "a tag has no name"),
    ("<!ELEMENT a><dict/>", "an unknown declaration"), ("<string>&amp</string>", "an entity is not closed"),
    ("<string>&#x00000000000041;</string>", "an entity is not closed"), ("<dict></dict/>", "a slash at both ends"),
    ("<!DOCTYPE plist [ <!-- don't --> ]><dict/>", "own document type"), ("<!-->", "truncated"), ("<?>", "truncated"),
  ])
  func mistakesInXMLAreNamed(text: String, reason: String) async throws {
    try await expectRefusal(Data(text.utf8), reason)
  }

  @Test func textThatIsNotInItsEncodingIsRefused() async throws {
    let name = Data("<?xml version='1.0' encoding='windows-1252'?><string>".utf8)
    try await expectRefusal(name + Data([0x81]) + Data("</string>".utf8), "not valid in the encoding \"windows-1252\"")
    for text in [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]] as [[UInt8]] {
      try await expectRefusal(Data("<string>".utf8) + Data(text) + Data("</string>".utf8), "not valid UTF-8")
    }
    let wide = try #require("<string>a</string>".data(using: .utf16))
    try await expectRefusal(wide.dropLast(), "not in a Unicode encoding")
  }

  @Test func malformedXMLIsRefusedWithItsLine() async throws {
    try await expectRefusal(Data("<plist>\n<dict>\n<key>a</key><integer>x</integer></dict></plist>".utf8), "on line 3")
    try await expectRefusal(Data("<plist>\n<dict><key>a</key>".utf8), "on line 2")
  }

  private static let borders: [Int128] = [
    0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, -0x8000_0000_0000_0000, -0x8000_0000_0000_0001,
    0xffff_ffff_ffff_ffff, 0x1_0000_0000_0000_0000, .max, .min,
  ]

  @Test(arguments: borders) func integersKeepTheirValuesAtTheBordersOfTheirTypes(number: Int128) async throws {
    let store = ArchiveFixtures.store()
    try await store.importPropertyList(
      Data("<plist><dict><key>a</key><integer>\(number)</integer></dict></plist>".utf8))
    #expect(try store.object(Int128.self, forKey: "a") == number)
    var list = BinaryListWriter(objects: [[0xd1, 0x01, 0x02], [0x51, 0x61]])
    list.objects.append([0x14] + (0..<16).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    try await store.importPropertyList(list.data)
    #expect(try store.object(Int128.self, forKey: "a") == number)
  }

  @Test func everyLineBreakInXMLIsOneLineFeed() async throws {
    let store = GlobalData.inMemory()
    try await store.importPropertyList(Data("<string>a\r\nb\rc\r\r\nd\n\re&#13;&#10;</string>".utf8))
    #expect(try store.object(String.self, forKey: "root") == "a\nb\nc\n\nd\n\ne\r\n")
  }

  @Test(arguments: [
    ("<string a=\"x>y\" b='\"/>'>t</string>", "t"), ("<string a=\"/>\"/>", ""), ("<string a=\"'\" b = '>' />", ""),
    ("<?a '?><!-- \" --><!DOCTYPE plist PUBLIC \"a>b\" '[\"'><plist version='>'><string>t</string></plist>", "t"),
    ("<string>a<!--> b <c> --->d<!-->--><?>e?><!----><![CDATA[]]]]><![CDATA[>]]></string>", "ad]]>"),
  ])
  func marksInsideOfAttributesCommentsAndInstructionsEndNothing(text: String, expected: String) async throws {
    let store = GlobalData.inMemory()
    try await store.importPropertyList(Data(text.utf8))
    #expect(try store.object(String.self, forKey: "root") == expected)
  }

  @Test(
    arguments: [
      ("ISO-8859-1", .isoLatin1), ("windows-1252", .windowsCP1252), ("macintosh", .macOSRoman), ("UTF-8", .utf8),
      ("utf-16", .utf8), ("us-ascii", .utf8), ("iso-8859-1", .utf16), ("x-other", .utf16LittleEndian),
    ] as [(String, String.Encoding)])
  func xmlIsReadInItsDeclaredEncoding(name: String, encoding: String.Encoding) async throws {
    let text = "<?xml version='1.0' encoding = '\(name)' ?>\n<string>caf\u{e9}</string>"
    let store = GlobalData.inMemory()
    try await store.importPropertyList(try #require(text.data(using: encoding)))
    #expect(try store.object(String.self, forKey: "root") == "caf\u{e9}")
  }

  @Test func xmlInAnUnknownEncodingIsRefusedIfItsBytesDiffer() async throws {
    let start = "<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><string>"
    let store = GlobalData.inMemory()
    #expect(try await store.importPropertyList(Data("\(start)a</string>".utf8)).importedKeys == ["root"])
    for text in ["\u{e9}", "\u{1b}$B0!"] {
      try await expectRefusal(
        Data("\(start)\(text)</string>".utf8), "the encoding \"shift_jis\", which is not supported")
    }
  }

  @Test func anXMLReferenceIsADictionaryOutsideOfArchives() async throws {
    let store = GlobalData.inMemory()
    let text = "<dict><key>a</key><dict><key>CF$UID</key><integer>3</integer></dict></dict>"
    try await store.importPropertyList(Data(text.utf8))
    #expect(try store.object(ArchiveValue.self, forKey: "a") == ["CF$UID": 3])
    try await store.importPropertyList(Data(text.dropFirst(18).dropLast(7).utf8))
    #expect(try store.object(Int.self, forKey: "CF$UID") == 3)
    try await expectRefusal(
      BinaryListWriter(objects: [[0xd1, 0x01, 0x02], [0x51, 0x61], [0x80, 0x03]]).data, "is not one")
  }

  @Test func everyFormOfXMLIsRead() async throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- a comment -->
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version='1.0' >
      <dict >
        <key>a&amp;b</key> <string>&lt;&#65;&#x1F69A;&gt;<![CDATA[<&amp;>]]>&quot;&apos;</string>
        <key>empty</key><string/> <key/><integer>-0x1F</integer>
        <key>integer</key><integer> +7 </integer> <key>real</key><real>-1.5e3</real> <key>nan</key><real>nan</real>
        <key>date</key><date>2001-01-01T00:00:10Z</date> <key>data</key><data>
          AQID
          BA==
        </data>
        <key>list</key><array><true/><false></false><array/></array>
      </dict>
      </plist>
      <!-- the end -->
      """
    for bytes in [Data(text.utf8), Data([0xef, 0xbb, 0xbf]) + Data(text.utf8), try #require(text.data(using: .utf16))] {
      let store = ArchiveFixtures.store()
      let report = try await store.importPropertyList(bytes, skipping: .unreadable)
      // An entry cannot have an empty key.
      #expect(report.skipped.map(\.key) == [""])
      #expect(try store.object(String.self, forKey: "a&b") == "<A🚚><&amp;>\"'")
      #expect(try store.object(String.self, forKey: "empty") == "")
      #expect(try store.object(Int.self, forKey: "integer") == 7)
      #expect(try store.object(Double.self, forKey: "real") == -1500)
      #expect(try store.object(Double.self, forKey: "nan")?.isNaN == true)
      #expect(try store.object(Date.self, forKey: "date") == Date(timeIntervalSinceReferenceDate: 10))
      #expect(try store.object(Data.self, forKey: "data") == Data([1, 2, 3, 4]))
      #expect(try store.object(ArchiveValue.self, forKey: "list") == [true, false, []])
    }
  }

  /// Foundation's own `init(from:)` of these types stops the program at such parts.
  @Test func partsThatFoundationTrapsOnAreRefused() async throws {
    let cases: [(type: any (Codable & Sendable).Type, fields: [String: Any])] = [
      (Boxed<IndexSet>.self, ["indexes": [["location": 1, "length": -1]]]),
      (Boxed<CharacterSet>.self, ["bitmap": Data()]),
      (Boxed<URLComponents>.self, ["port": -1]),
      (Boxed<URLComponents>.self, ["scheme": "9 9"]),
    ]
    for (type, fields) in cases {
      let archiver = NSKeyedArchiver(requiringSecureCoding: false)
      archiver.encode(ArchivedBox(fields), forKey: NSKeyedArchiveRootObjectKey)
      archiver.finishEncoding()
      let archive = archiver.encodedData
      let error = try await requireError(GlobalDataError.self) {
        try await ArchiveFixtures.store().importKeyedArchive(archive, as: ["ArchivedBox": type])
      }
      #expect(error.message.contains("but found NSDictionary"), "\(error)")
    }
  }
}

private struct Boxed<Value: Codable & Sendable>: Codable, Sendable {
  var value: Value
}

/// Assembles a binary property list from objects, with any trailer.
private struct BinaryListWriter {
  var objects: [[UInt8]]
  var offsetSize: UInt8 = 2
  var referenceSize: UInt8 = 1
  var objectCount: UInt64?
  var root: UInt64?
  var offsetTable: UInt64?

  var data: Data {
    var data = Data("bplist00".utf8)
    var offsets = Data()
    for object in objects {
      let size = 1...8 ~= offsetSize ? Int(offsetSize) : 2
      offsets += bigEndian(UInt64(data.count)).suffix(size)
      data += object
    }
    let table = offsetTable ?? UInt64(data.count)
    data += offsets + [0, 0, 0, 0, 0, 0, offsetSize, referenceSize]
    return data + bigEndian(objectCount ?? UInt64(objects.count)) + bigEndian(root ?? 0) + bigEndian(table)
  }

  private func bigEndian(_ number: UInt64) -> Data {
    Data((0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
  }

  static func isArchive(_ bytes: Data) -> Bool {
    bytes.range(of: Data("NSKeyedArchiver".utf8)) != nil
  }
}
