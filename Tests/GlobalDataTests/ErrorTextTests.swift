import Foundation
import GlobalDataImporting
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

private struct Inner: Codable, Sendable {
  var number: Int
  var date: Date
}

private struct Outer: Codable, Sendable {
  var list: [Inner]
}

private struct Numbered: Codable, Sendable {
  var name: String

  private enum CodingKeys: Int, CodingKey {
    case name = 7
  }
}

private enum Signal: Codable {
  case red, green
}

private struct Refusing: Codable, Sendable {
  struct Reason: Error, CustomStringConvertible {
    var description: String { "the moon is full" }
  }

  init() {}
  init(from decoder: any Decoder) throws { throw Reason() }
  func encode(to encoder: any Encoder) throws { throw Reason() }
}

private struct Migrating: Archivable {
  static let archiveTag: ArchiveTag = "ErrorTextTests.Migrating"
  static let archiveVersion = 2
  var number = 1

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws { throw Refusing.Reason() }
}

/// A type whose raw value used to be an integer.
private enum Level: String, Archivable {
  static let archiveTag: ArchiveTag = "ErrorTextTests.Level"
  case low, high
}

/// The text of each error says what failed, and states each cause once.
@Suite struct ErrorTextTests {
  @TemporaryFolder private var folder
  private let store = GlobalData.inMemory()

  /// The runs of four words that a text contains twice.
  private func repetitions(in text: String) -> [String] {
    let words = text.split { " ():;,".contains($0) }
    var seen: Set<String> = []
    return words.indices.dropLast(3).map { words[$0..<$0 + 4].joined(separator: " ") }.filter {
      !seen.insert($0).inserted
    }
  }

  private func expectClearText(
    _ what: String, mentioning expected: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("\(what) did not fail", sourceLocation: sourceLocation)
    } catch {
      let text = "\(error)"
      #expect(error is GlobalDataError, sourceLocation: sourceLocation)
      #expect(repetitions(in: text).isEmpty, "\(what): \(text)", sourceLocation: sourceLocation)
      #expect(text.contains(expected), "\(what): \(text)", sourceLocation: sourceLocation)
      #expect(!text.contains("..") && !text.contains("Debug description"), "\(text)", sourceLocation: sourceLocation)
      #expect(!text.contains("Error."), "\(what): \(text)", sourceLocation: sourceLocation)
      #expect(!error.localizedDescription.contains(".."), "\(what)", sourceLocation: sourceLocation)
    }
  }

  private func object(_ tag: ArchiveTag, _ fields: KeyValuePairs<String, ArchiveValue>) -> ArchiveValue {
    var object = ArchiveObject(tag: tag)
    for (name, value) in fields { object[name] = value }
    return .object(object)
  }

  @Test func anUnreadableValueStatesTheCauseOnce() async throws {
    store.register(Level.self)
    try await store.update { data in
      try data.set("text", forKey: "text")
      try data.set(object("Outer", ["list": [["number": "x"]]]), forKey: "mismatch")
      try data.set(object("Outer", ["list": [["number": 1]]]), forKey: "missing")
      try data.set(object("Outer", ["list": [["number": nil]]]), forKey: "null")
      try data.set(object("Outer", [:]), forKey: "empty")
      try data.set(object("Refusing", [:]), forKey: "refused")
      try data.set(object("ErrorTextTests.Migrating", ["number": 1]), forKey: "old")
      try data.set(object("ErrorTextTests.Unknown", [:]), forKey: "unknown")
      try data.set(ArchiveValue.named("[Signal]", version: 1, [["blue": [:]]]), forKey: "signals")
      try data.set(300, forKey: "wide")
      try data.set(object("Numbered", ["name": 1]), forKey: "numbered")
      try data.set(ArchiveValue.named("ErrorTextTests.Level", version: 1, 3), forKey: "single value")
    }
    await expectClearText("another type", mentioning: "stored: String; expected: Int") {
      _ = try store.object(Int.self, forKey: "text")
    }
    await expectClearText("another type inside", mentioning: "at list[0].number; stored: text; expected: Int") {
      _ = try store.object(Outer.self, forKey: "mismatch")
    }
    await expectClearText(
      "an unknown case inside",
      mentioning: "(at [0]; stored: [Signal]; expected: [Signal]; cause: Signal: Invalid number of keys found"
    ) {
      _ = try store.object([Signal].self, forKey: "signals")
    }
    await expectClearText("a field whose coding key has a number", mentioning: "at name; stored: ") {
      _ = try store.object(Numbered.self, forKey: "numbered")
    }
    await expectClearText("a null inside", mentioning: "cause: Expected Int, but found null)") {
      _ = try store.object(Outer.self, forKey: "null")
    }
    await expectClearText("a missing field inside", mentioning: "cause: There is no value for \"date\"") {
      _ = try store.object(Outer.self, forKey: "missing")
    }
    await expectClearText("a missing field", mentioning: "cause: There is no value for \"list\"") {
      _ = try store.object(Outer.self, forKey: "empty")
    }
    await expectClearText(
      "what to do about a missing field", mentioning: "give it a value in Archivable's archiveDefaults"
    ) {
      _ = try store.object(Outer.self, forKey: "missing")
    }
    await expectClearText("how to do it", mentioning: "Declare both with exactly the types that Archivable has.") {
      _ = try store.object(Outer.self, forKey: "missing")
    }
    await expectClearText(
      "what to do about a renamed type",
      mentioning: "add its old name to Archivable's formerArchiveTags, an [ArchiveTag]"
    ) {
      _ = try store.object(Inner.self, forKey: "empty")
    }
    for isNamed in [true, false] {
      await expectClearText("another single value", mentioning: "(stored: the integer 3; expected: String). Read") {
        _ = try isNamed ? store.object(Level.self, forKey: "single value") : store.object(forKey: "single value")
      }
    }
    await expectClearText("an error of the type", mentioning: "cause: the moon is full)") {
      _ = try store.object(Refusing.self, forKey: "refused")
    }
    await expectClearText("an error of the migration", mentioning: "from version 1 to 2 failed: the moon is full.") {
      _ = try store.object(Migrating.self, forKey: "old")
    }
    await expectClearText("an unknown type", mentioning: "stored: ErrorTextTests.Unknown)") {
      _ = try store.object(forKey: "unknown")
    }
    await expectClearText("a number that is too large", mentioning: "cause: Int8 cannot hold") {
      _ = try store.object(Int8.self, forKey: "wide")
    }
  }

  @Test func anErrorStatesTheVersionOfTheStoredValue() async throws {
    var object = ArchiveObject(tag: "ErrorTextTests.Later", version: 3)
    object["a"] = 1
    try await store.set(ArchiveValue.object(object), forKey: "object")
    try await store.set(ArchiveValue.named("ErrorTextTests.Later", version: 3, "text"), forKey: "single value")
    try await store.set(ArchiveValue.named("ErrorTextTests.Later", version: 1, "text"), forKey: "first")
    for key in ["object", "single value"] {
      let error = try requireError(GlobalDataError.self) { _ = try store.object(Date.self, forKey: key) }
      #expect(
        error.message
          == "the value under the key \"\(key)\", version 3 of ErrorTextTests.Later, could not be decoded")
    }
    let error = try requireError(GlobalDataError.self) { _ = try store.object(Date.self, forKey: "first") }
    #expect(error.message == "the value under the key \"first\" could not be decoded")
  }

  @Test func anErrorAdvisesReadingATreeOnlyIfTheValueHasOne() async throws {
    let values: KeyValuePairs<String, [UInt8]> = [
      "cut": [0x82, 0x01],
      "a key twice": [0xa2, 0x01, 0x01, 0x01, 0x02],
      "deep": Array(repeating: 0x81, count: 300) + [0x01],
      "half a number": [0xd8, 0x56, 0x41, 0x00],  // readable as a tree, but not as numbers
    ]
    let entries = values.map { key, value in
      value.withUnsafeBytes { StoredEntry(key: key, content: $0, sharesInstances: false) }
    }
    try ArchiveImage(identity: .random(), generation: 1, entries: entries).data.write(to: folder.file("store"))
    let store = GlobalData(at: folder.file("store"))
    func advice(_ key: String, _ read: (String) throws -> Any?) throws -> String {
      let error = try requireError(GlobalDataError.self) { try read(key) }
      #expect(error.code == .decodingFailed && error.key == key)
      return error.advice
    }
    for key in ["cut", "a key twice", "deep"] {
      #expect(try !advice(key) { try store.object(forKey: $0) }.contains("ArchiveValue"), "\(key)")
      #expect(try !advice(key) { try store.object(ArchiveValue.self, forKey: $0) }.contains("ArchiveValue"), "\(key)")
    }
    #expect(try advice("cut") { try store.object(forKey: $0) }.hasSuffix("Set the key again or remove it."))
    #expect(try advice("deep") { try store.object(forKey: $0) }.contains("limits"))
    #expect(try advice("half a number") { try store.object(forKey: $0) }.contains("ArchiveValue"))
  }

  @Test func anUnwritableValueStatesTheCauseOnce() async throws {
    await expectClearText("an error of the type", mentioning: "cause: the moon is full)") {
      try await store.set(Refusing(), forKey: "a")
    }
    await expectClearText("deep nesting", mentioning: "more than 256 levels") {
      try await store.set((0..<300).reduce(ArchiveValue.int(1)) { value, _ in [value] }, forKey: "a")
    }
    await expectClearText("an invalid tag", mentioning: "cause: Tag 29") {
      try await store.set(ArchiveValue.tagged(29, 0), forKey: "a")
    }
  }

  @Test func aFailedImportStatesTheCauseOnce() async throws {
    await expectClearText("JSON that ends", mentioning: "the text ends") {
      try await store.importJSON(Data(#"{"a": "#.utf8))
    }
    await expectClearText("a value of another type", mentioning: "found a string instead (at list[0].number") {
      try await store.importJSON(Data(#"{"a": {"list": [{"number": "x"}]}}"#.utf8), as: ["a": Outer.self])
    }
    await expectClearText("an error of the type", mentioning: "cause: the moon is full)") {
      try await store.importJSON(Data(#"{"a": {}}"#.utf8), as: ["a": Refusing.self])
    }
    await expectClearText("a property list that ends", mentioning: "it is truncated, on line 1") {
      try await store.importPropertyList(Data("<plist><dict><key>a</key>".utf8))
    }
  }

  @Test func anErrorAboutAFileStatesTheCauseOnce() async throws {
    await expectClearText("a folder", mentioning: "is a folder") {
      _ = try GlobalData(at: folder).object(forKey: "a")
    }
    let file = folder.appending(path: "file")
    try Data("something else that is long enough".utf8).write(to: file)
    await expectClearText("another file", mentioning: "is not an archive") {
      _ = try GlobalData(at: file).object(forKey: "a")
    }
    await expectClearText("a part of the path that is a file", mentioning: "is not a folder") {
      _ = try GlobalData(at: file.appending(path: "b")).object(forKey: "a")
    }
    let damaged = folder.appending(path: "damaged")
    try await GlobalData(at: damaged).set("the text", forKey: "key")
    var bytes = try Data(contentsOf: damaged)
    bytes[try #require(bytes.range(of: Data("the text".utf8))?.lowerBound)] ^= 1
    try bytes.write(to: damaged)
    var configuration = GlobalData.Configuration(location: .file(damaged))
    configuration.recoveryPolicy = .refuse
    await expectClearText("damage", mentioning: "the checksum of the entry \"key\"") {
      _ = try GlobalData(configuration).object(forKey: "key")
    }
    let faults = FaultInjector()
    let faulty = GlobalData.faulty(at: folder.appending(path: "faulty"), faults)
    faults.fail(.write, with: .noSpace)
    await expectClearText("a full disk", mentioning: "No space left on device") {
      try await faulty.set(1, forKey: "a")
    }
  }

  @Test func aNonFileURLIsTheOnlyProblemReported() async throws {
    let url = try #require(URL(string: "https://example.org/store"))
    let store = GlobalData(at: url)
    var diagnostics = store.diagnostics.makeAsyncIterator()
    await expectClearText(
      "a URL of another scheme", mentioning: "the URL https://example.org/store is not a file URL"
    ) {
      _ = try store.object(forKey: "a")
    }
    await expectClearText("writing to it", mentioning: "https://example.org/store is not a file URL") {
      try await store.set(1, forKey: "a")
    }
    let path = GlobalData(at: try #require(URL(string: "/tmp/store")))
    await expectClearText("a path as a URL", mentioning: "Create the URL of a path with URL(fileURLWithPath:).") {
      try await path.set(1, forKey: "a")
    }
    // This read, which cannot throw, is reported first.
    #expect(store.allKeys.isEmpty)
    #expect(await diagnostics.next()?.kind == .readFailed)
  }
}
