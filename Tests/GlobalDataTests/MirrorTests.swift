import Foundation
import GlobalData
import GlobalDataTesting
import ModelMapping
import Testing
import ThrownErrors

/// `dump`, debuggers and failing tests show the parts of an object. This must not end the process, whatever the object.
/// Values protected by a lock are not shown, and neither are the entries of a store, because there may be many.
@Suite struct MirrorTests {
  private let store = GlobalData.inMemory()

  private struct Note: Model, Identifiable {
    @Field var id = 1
    @Field var text: String?
    @Field var tags: [String] = []
  }

  private static func text(of value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test func mirrorsOfAStoreAndItsPartsWork() async throws {
    let notes = store.collection(of: Note.self)
    let key = GlobalData.Keys.Key("count", default: 0)
    try await store.set("protected", forKey: "entry")
    let updates = store.updates(of: key)
    let snapshot = try store.snapshot()
    for (value, part) in [
      (store, "location"), (notes, "location"), (key, "count"), (updates, "location"),
      (updates.makeAsyncIterator(), "location"), (store.changes, "AsyncStream"), (snapshot, "generation"),
      (snapshot.collection(of: Note.self), "generation"), (store.configuration, "limits"),
      (store.diagnostics, "AsyncStream"),
    ] as [(Any, String)] {
      let text = Self.text(of: value)
      #expect(text.contains(part), "\(type(of: value))")
      #expect(!text.contains("protected"), "\(type(of: value))")
    }
  }

  @Test func mirrorsOfAChangeShowItsKeysButNotTheOldValues() async throws {
    try await store.set("protected", forKey: "entry")
    var changes = store.changes.makeAsyncIterator()
    try await store.removeObject(forKey: "entry")
    let change = try #require(await changes.next())
    #expect("\(change)".contains(#"keys: Set(["entry"])"#) && !"\(change)".contains("record"))
    #expect(Self.text(of: change).split(separator: "\n").count < 20)
    #expect(try change.oldValue(String.self, forKey: "entry") == "protected")
  }

  @Test func mirrorsOfSnapshotsAndTransactionsAreShort() async throws {
    func lines(_ count: Int) async throws -> [Int] {
      let store = GlobalData.inMemory()
      try await store.update { data in
        for index in 0..<count { try data.set(index, forKey: "\(index)") }
      }
      let transaction = try await store.update { data in Self.text(of: data) }
      return [Self.text(of: try store.snapshot()), transaction].map { $0.split(separator: "\n").count }
    }
    #expect(try await lines(1) == lines(1_000))
  }

  @MainActor @Test func mirrorsOfObservedValuesWork() async throws {
    let value = store.observable(GlobalData.Keys.Key("count", default: 0))
    let elements = store.observable(store.collection(of: Note.self))
    for value in [value, elements] as [Any] { #expect(Self.text(of: value).contains("location")) }
  }

  @Test func mirrorsOfValuesWithoutAStoreWork() async throws {
    let report = try Note.decode(json: #"{"id": "2"}"#)
    for (value, part) in [
      (KeyedArchiveEncoder(), "registry"), (KeyedArchiveDecoder(), "registry"), (TypeRegistry(), "Locked"),
      (["a": 1] as ArchiveValue, "a"), (Note(), "tags"), (report, "entries"), (FaultInjector(), "FaultInjector"),
    ] as [(Any, String)] {
      #expect(Self.text(of: value).contains(part))
    }
    let error = await expectError(GlobalDataError.self) {
      try await GlobalData(at: URL(filePath: "/dev/null")).set(1, forKey: "a")
    }
    #expect(Self.text(of: try #require(error)).contains("/dev/null"))
  }

  /// Shows the coders and their containers while it is being coded.
  private struct Shown: Codable, Equatable {
    var numbers = [1, 2]

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var list = try container.nestedUnkeyedContainer(forKey: .numbers)
      numbers = [try list.decode(Int.self), try list.decode(Int.self)]
      for value in [decoder, container, list] as [Any] { #expect(!MirrorTests.text(of: value).isEmpty) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var list = container.nestedUnkeyedContainer(forKey: .numbers)
      for number in numbers { try list.encode(number) }
      for value in [encoder, container, list] as [Any] { #expect(!MirrorTests.text(of: value).isEmpty) }
    }

    private enum CodingKeys: CodingKey { case numbers }
  }

  @Test func mirrorsOfActiveCodersWork() throws {
    #expect(try KeyedArchiveDecoder().decode(Shown.self, from: KeyedArchiveEncoder().encode(Shown())) == Shown())
  }

  @Test func aFailedExpectationAboutAStoreDoesNotCrash() async throws {
    withKnownIssue { #expect(store.contains("missing")) }
    try await store.set(1, forKey: "missing")
    #expect(store.contains("missing"))
  }
}
