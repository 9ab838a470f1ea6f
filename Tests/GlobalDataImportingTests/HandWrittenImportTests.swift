import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing
import ThrownErrors

/// An archived object with one field. Foundation on Linux archives only classes that are at the top level.
final class ArchivedBox: NSObject, NSCoding {
  private let value: Any

  init(_ value: Any) { self.value = value }

  init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) { coder.encode(value, forKey: "_value") }
}

/// Types with hand-written coding are read from the objects of an archive, and so are values of other types than those
/// of their properties.
@Suite struct HandWrittenImportTests {
  private struct Holder: Codable, Sendable {
    var value: HandWrittenCoding
  }

  @Test func everyCallOfAContainerReadsAnArchive() async throws {
    let list = try PropertyListSerialization.propertyList(
      from: PropertyListEncoder().encode(HandWrittenCoding()), options: [], format: nil)
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(ArchivedBox(list), forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(archiver.encodedData, as: ["ArchivedBox": Holder.self])
    #expect(try store.object(Holder.self, forKey: "root")?.value == HandWrittenCoding())
  }

  /// Imports an object with some fields, and further objects of which the first has the number 3.
  private func imported<Value: Codable & Sendable>(
    _ type: Value.Type, _ fields: [(String, String)], _ others: String...
  ) async throws -> Value? {
    let object = ArchiveFixtures.object(ofClass: 1, fields.map { (name: $0.0, value: $0.1) })
    let store = ArchiveFixtures.store()
    try await store.importKeyedArchive(
      ArchiveFixtures.archive([("root", 2)], [ArchiveFixtures.type("Value", "NSObject"), object] + others),
      as: ["Value": Value.self])
    return try store.object(Value.self, forKey: "root")
  }

  private struct Numbers: Codable, Equatable, Sendable {
    var whole = 3
    var flag = 1
    var isOn = true
    var share = 2.0
    var price = Decimal(string: "0.1")
    var ratio: Float?
  }

  @Test func numbersAreReadAsAnyTypeThatHoldsThem() async throws {
    let fields = [
      ("whole", "<real>3</real>"), ("flag", "<true/>"), ("isOn", "<integer>1</integer>"),
      ("share", "<integer>2</integer>"), ("price", "<real>0.1</real>"),
    ]
    #expect(try await imported(Numbers.self, fields) == Numbers())
    let wrong = [
      ("whole", "<real>3.5</real>"), ("isOn", "<integer>2</integer>"), ("share", "<integer>9007199254740993</integer>"),
      ("ratio", "<real>1e300</real>"),
    ]
    for field in wrong {
      let error = try await requireError(GlobalDataError.self) {
        _ = try await imported(Numbers.self, fields.filter { $0.0 != field.0 } + [field])
      }
      #expect(error.codingPath.map(\.stringValue) == [field.0], "\(error)")
    }
  }

  /// Foundation writes these fields with other types.
  private struct Forms: Codable, Equatable, Sendable {
    var date = Date(timeIntervalSinceReferenceDate: 60)
    var amount = Decimal(-7)
  }

  @Test func fieldsOfFoundationsObjectsMayBeIntegers() async throws {
    let date = ArchiveFixtures.object(ofClass: 3, [("NS.time", "<integer>60</integer>")])
    let amount = ArchiveFixtures.object(
      ofClass: 4,
      [
        ("NS.length", "<integer>1</integer>"), ("NS.exponent", "<integer>0</integer>"),
        ("NS.negative", "<integer>1</integer>"), ("NS.mantissa", "<data>BwA=</data>"),
      ])
    let fields = [("date", ArchiveFixtures.reference(5)), ("amount", ArchiveFixtures.reference(6))]
    let types = [ArchiveFixtures.type("NSDate", "NSObject"), ArchiveFixtures.type("NSDecimalNumber", "NSNumber")]
    #expect(try await imported(Forms.self, fields, types[0], types[1], date, amount) == Forms())
  }

  /// A type that asks for each mark whether it is null, and for the names of its fields.
  private struct Marks: Codable, Equatable, Sendable {
    var marks: [Int?] = [4, nil, 5]
    var names: Set<String> = ["marks", "color"]

    enum CodingKeys: CodingKey {
      case marks, names, color
    }

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      // In the store, the type has its own form.
      if container.contains(.names) {
        marks = try container.decode([Int?].self, forKey: .marks)
        names = try container.decode(Set<String>.self, forKey: .names)
        return
      }
      var list = try container.nestedUnkeyedContainer(forKey: .marks)
      marks = []
      while !list.isAtEnd { marks.append(try list.decodeNil() ? nil : list.decode(Int.self)) }
      names = Set(container.allKeys.map(\.stringValue))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(marks, forKey: .marks)
      try container.encode(names, forKey: .names)
    }
  }

  @Test func aTypeMayAskForNullAndForTheNamesOfItsFields() async throws {
    let elements = "<array><integer>4</integer>\(ArchiveFixtures.reference(0))<integer>5</integer></array>"
    let fields = [
      ("_marks", ArchiveFixtures.reference(4)), ("_color", "<integer>1</integer>"), ("_other", "<integer>1</integer>"),
    ]
    let list = ArchiveFixtures.object(ofClass: 3, [("NS.objects", elements)])
    #expect(try await imported(Marks.self, fields, ArchiveFixtures.type("NSArray", "NSObject"), list) == Marks())
  }

  private struct Table: Codable, Equatable, Sendable {
    var table: [Double: String]
  }

  private struct Names: Codable, Equatable, Sendable {
    var table: [String: String]
  }

  /// Imports an object with a dictionary of two texts.
  private func importedTable<Value: Codable & Sendable>(
    _ type: Value.Type, keys: String, values: String = "<string>a</string><string>b</string>"
  ) async throws -> Value? {
    let dictionary = ArchiveFixtures.object(
      ofClass: 3, [("NS.keys", "<array>\(keys)</array>"), ("NS.objects", "<array>\(values)</array>")])
    let fields = [("table", ArchiveFixtures.reference(4))]
    return try await imported(type, fields, ArchiveFixtures.type("NSDictionary", "NSObject"), dictionary)
  }

  @Test func aDictionaryIsReadWithKeysOfOtherTypesThanText() async throws {
    let keys = "<real>1.5</real><integer>2</integer>"
    #expect(try await importedTable(Table.self, keys: keys) == Table(table: [1.5: "a", 2: "b"]))
    #expect(
      try await importedTable(Names.self, keys: "<string>x</string><integer>2</integer>")
        == Names(table: ["x": "a", "2": "b"]))
  }

  @Test func aDictionaryWhoseKeysDoNotFitIsRefused() async throws {
    let asNames = try await requireError(GlobalDataError.self) {
      _ = try await importedTable(Names.self, keys: "<real>1.5</real><integer>2</integer>")
    }
    #expect(asNames.message.hasSuffix("with a number as a key, which is neither a string nor an integer"))
    let uneven = try await requireError(GlobalDataError.self) {
      _ = try await importedTable(Table.self, keys: "<real>1.5</real>")
    }
    #expect(uneven.message.hasSuffix("a dictionary has 1 key and 2 values"))
  }

  private struct One<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    var value: Value
  }

  private func value<Value: Codable & Equatable & Sendable>(_ stored: String, as _: Value.Type) async throws -> Value? {
    try await imported(One<Value>.self, [("value", stored)])?.value
  }

  @Test func integersOfAnySizeAreReadAsAnyTypeThatHoldsThem() async throws {
    let half = "<integer>9223372036854775808</integer>"
    let double = "<integer>36893488147419103232</integer>"
    #expect(try await value(half, as: UInt64.self) == 1 << 63)
    #expect(try await value(half, as: Int128.self) == 1 << 63)
    #expect(try await value(half, as: Double.self) == 0x1p63)
    #expect(try await value(half, as: Decimal.self) == Decimal(UInt64(1) << 63))
    #expect(try await value(double, as: Int128.self) == 1 << 65)
    #expect(try await value(double, as: UInt128.self) == 1 << 65)
    #expect(try await value(double, as: Float.self) == 0x1p65)
    #expect(try await value("<array>\(double)<integer>1</integer></array>", as: [UInt128].self) == [1 << 65, 1])
    #expect(try await value("<real>-4</real>", as: Int128.self) == -4)
    #expect(try await value("<false/>", as: UInt8.self) == 0)
    #expect(try await value("<true/>", as: Bool?.self) == true)
  }

  private typealias Readable = Codable & Equatable & Sendable

  private static let tooLarge: [(stored: String, type: any Readable.Type)] = [
    ("<integer>9223372036854775808</integer>", Int.self), ("<integer>36893488147419103232</integer>", UInt64.self),
    ("<integer>-1</integer>", UInt128.self), ("<integer>18446744073709551615</integer>", Double.self),
    ("<integer>36893488147419103233</integer>", Double.self), ("<real>0.5</real>", Int128.self),
  ]

  @Test(arguments: tooLarge.indices) func anIntegerIsNotReadAsATypeThatCannotHoldIt(index: Int) async throws {
    let (stored, type) = Self.tooLarge[index]
    let error = try await requireError(GlobalDataError.self) { _ = try await value(stored, as: type) }
    #expect(error.message.contains(": \(type) cannot hold the stored ") && error.codingPath.count == 1, "\(error)")
  }

  private static let ofOtherKinds: [(stored: String, type: any Readable.Type)] = [
    ("<string>1</string>", Double.self), ("<string>1</string>", UInt128.self), ("<true/>", String.self),
    ("<real>1</real>", Bool.self), ("<array/>", Float.self), (ArchiveFixtures.reference(0), Int.self),
  ]

  @Test(arguments: ofOtherKinds.indices) func aValueOfAnotherKindIsNotReadAsANumber(index: Int) async throws {
    let (stored, type) = Self.ofOtherKinds[index]
    let error = try await requireError(GlobalDataError.self) { _ = try await value(stored, as: type) }
    #expect(error.message.contains(": expected \(type), but found "), "\(error)")
  }

  /// A type that reads a part of its fields with a decoder under a key, as for a superclass.
  private struct Derived: Codable, Equatable, Sendable {
    struct Base: Codable, Equatable, Sendable {
      var name: String
    }

    var size: Int
    var base: Base

    init(size: Int, name: String) { (self.size, base) = (size, Base(name: name)) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      size = try container.decode(Int.self, forKey: .size)
      base = try Base(from: container.superDecoder(forKey: .base))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(size, forKey: .size)
      try base.encode(to: container.superEncoder(forKey: .base))
    }

    enum CodingKeys: CodingKey {
      case size, base
    }
  }

  @Test func theFieldsOfASuperclassAreThoseOfTheSameObject() async throws {
    let fields = [("size", "<integer>3</integer>"), ("_name", "<string>Ada</string>")]
    #expect(try await imported(Derived.self, fields) == Derived(size: 3, name: "Ada"))
    let base = ArchiveFixtures.object(ofClass: 3, [("name", "<string>Bob</string>")])
    let nested = [("base", ArchiveFixtures.reference(4))] + fields
    #expect(
      try await imported(Derived.self, nested, ArchiveFixtures.type("Base", "NSObject"), base)
        == Derived(size: 3, name: "Bob"))
  }

  @Test func aValueThatCannotBecomePartOfATreeIsRefusedWithTheReason() async throws {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    configuration.limits.maximumTagLength = 3
    let value = ArchiveFixtures.object(ofClass: 1, [("name", "<string>Ada</string>")])
    let table = ArchiveFixtures.object(
      ofClass: 3,
      [
        ("NS.keys", "<array><integer>1</integer></array>"),
        ("NS.objects", "<array>\(ArchiveFixtures.reference(2))</array>"),
      ])
    let objects = [ArchiveFixtures.type("Value"), value, ArchiveFixtures.type("NSDictionary"), table]
    let archive = ArchiveFixtures.archive([("a", 4), ("b", 4)], objects)
    let error = try await requireError(GlobalDataError.self) {
      try await GlobalData.inMemory(configuration: configuration)
        .importKeyedArchive(archive, as: ["Value": Derived.Base.self])
    }
    #expect(error.message.contains("under the key \"a\"") && error.message.contains("could not be imported: "))
    #expect(error.message.contains("a tag can have 1 to 3") && error.code == .importFailed, "\(error)")
  }
}
