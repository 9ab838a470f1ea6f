import Foundation
import GlobalData
import GlobalDataImporting
import Testing
import ThrownErrors

/// Archives of code that is older than keys: `encode(_:)` and `encodeRootObject(_:)`. `NSKeyedArchiver` numbers what they
/// archive: `$0`, `$1`, and so on.
@Suite struct UnkeyedObjectsTests {
  private let store = ArchiveFixtures.store()

  private struct Car: Codable, Sendable {
    var plate: String
    var speed: Int?

    enum CodingKeys: String, CodingKey {
      case plate = "$0"
      case speed
    }
  }

  private func archive(_ encode: (NSKeyedArchiver) -> Void) -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    encode(archiver)
    archiver.finishEncoding()
    return archiver.encodedData
  }

  @Test func aRootObjectWithoutAKeyIsImportedLikeOneWithAKey() async throws {
    let dictionary = archive { $0.encodeRootObject(NSDictionary(dictionary: ["a": 1, "b": "x"])) }
    #expect(try await store.importKeyedArchive(dictionary).importedKeys.sorted() == ["a", "b"])
    let list = archive { $0.encode(NSArray(array: ["x", "y"])) }
    #expect(try await store.importKeyedArchive(list).importedKeys == ["root"])
    #expect(try store.object([String].self, forKey: "root") == ["x", "y"])
  }

  @Test func severalObjectsWithoutKeysAreImportedUnderTheirNumbers() async throws {
    let objects = archive {
      $0.encode("x" as NSString)
      $0.encode("y" as NSString)
      $0.encode("z" as NSString, forKey: "name")
    }
    try await store.importKeyedArchive(objects)
    #expect(try ["$0", "$1", "name"].map { try store.object(String.self, forKey: $0) } == ["x", "y", "z"])
  }

  /// The archiver writes the name "$0" as "$$0", and an object without a name as "$0".
  @Test func anObjectWithoutAKeyDoesNotReplaceOneWhoseKeyIsANumberWithADollarSign() async throws {
    let archive = ArchiveFixtures.archive(
      [("$0", 1), ("$$0", 2)], ["<string>x</string>", "<string>y</string>"])
    let error = try await requireError(GlobalDataError.self) {
      try await ArchiveFixtures.store().importKeyedArchive(archive)
    }
    #expect(error.code == .importFailed && error.message.contains("$0"), "\(error)")
  }

  @Test func aRootObjectWithoutAKeyIsReadInDataToo() async throws {
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["old": archive { $0.encode(NSArray(array: [1, 2])) }], format: .binary, options: 0)
    try await store.importPropertyList(list, unknownClasses: .keepAsTrees)
    #expect(try store.object([Int].self, forKey: "old") == [1, 2])
  }

  @Test func severalObjectsInDataBecomeADictionary() async throws {
    let objects = archive {
      $0.encode("x" as NSString, forKey: "a")
      $0.encode(NSArray(array: [1, 2]), forKey: "b")
    }
    let list = try PropertyListSerialization.data(fromPropertyList: ["old": objects], format: .binary, options: 0)
    try await store.importPropertyList(list, unknownClasses: .keepAsTrees)
    #expect(try store.object(ArchiveValue.self, forKey: "old") == ["a": "x", "b": [1, 2]])
  }

  @Test func aFieldWithoutAKeyIsReadByItsNumberOrReportedAsUnread() async throws {
    let fields = [("$0", "<string>B 1</string>"), ("$1", "<integer>9</integer>")]
    let archive = ArchiveFixtures.archive(
      [("car", 2)], [ArchiveFixtures.type("Car", "NSObject"), ArchiveFixtures.object(ofClass: 1, fields)])
    let report = try await store.importKeyedArchive(archive, as: ["Car": Car.self])
    #expect(try store.object(Car.self, forKey: "car")?.plate == "B 1")
    #expect(report.unreadFields == ["Car": ["$1"]])
  }

  @Test func aCollectionThatArchivesItselfWithoutKeysIsNotReadAsEmpty() async throws {
    let archive = ArchiveFixtures.archive(
      [("list", 2)],
      [
        ArchiveFixtures.type("Stack", "NSArray", "NSObject"),
        ArchiveFixtures.object(ofClass: 1, [("$0", "<string>x</string>")]),
      ])
    await #expect(throws: GlobalDataError.self) { try await store.importKeyedArchive(archive) }
    try await store.importKeyedArchive(archive, unknownClasses: .keepAsTrees)
    #expect(try store.object(ArchiveValue.self, forKey: "list")?["$0"] == "x")
  }
}
