import Foundation
import GlobalData
import GlobalDataTesting
import ModelMapping
import Testing

/// Objects of the library are shown by their parts: by `dump`, by a debugger, and by a test that fails, which does that with all that stands
/// in its expectation. What is behind a lock is none of these parts.
@Suite struct MirrorTests {
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

  @Test func aStoreAndWhatComesFromItCanBeShown() async throws {
    let store = GlobalData.inMemory()
    let notes = store.collection(of: Note.self)
    try await notes.insert(Note())
    let key = GlobalData.Keys.Key("count", default: 0)
    let updates = store.updates(of: key)
    let snapshot = try store.snapshot()
    for value in [
      store, notes, key, updates, updates.makeAsyncIterator(), store.changes, snapshot,
      snapshot.collection(of: Note.self),
      store.configuration, store.diagnostics,
    ] as [Any] {
      #expect(!Self.text(of: value).isEmpty)
    }
    #expect(Self.text(of: store).contains("location"))
    try await store.update { data in #expect(!Self.text(of: data).isEmpty) }
  }

  @MainActor @Test func whatViewsObserveCanBeShown() async throws {
    let store = GlobalData.inMemory()
    let value = store.observable(GlobalData.Keys.Key("count", default: 0))
    let elements = store.observable(store.collection(of: Note.self))
    for value in [value, elements] as [Any] { #expect(!Self.text(of: value).isEmpty) }
  }

  @Test func whatNeedsNoStoreCanBeShown() async throws {
    let report = try Note.decode(json: #"{"id": "2"}"#)
    for value in [
      KeyedArchiveEncoder(), KeyedArchiveDecoder(), TypeRegistry(), ["a": 1] as ArchiveValue, Note(), report,
      FaultInjector(),
    ] as [Any] {
      #expect(!Self.text(of: value).isEmpty)
    }
    let error = await #expect(throws: GlobalDataError.self) {
      try await GlobalData(at: URL(filePath: "/dev/null")).set(1, forKey: "a")
    }
    #expect(Self.text(of: try #require(error)).contains("/dev/null"))
  }

  /// Shows the coders and their containers while it is coded.
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

  @Test func codersCanBeShownWhileTheyAreAtWork() throws {
    #expect(try KeyedArchiveDecoder().decode(Shown.self, from: KeyedArchiveEncoder().encode(Shown())) == Shown())
  }

  @Test func aTestOfAnAppThatFailsSaysSoAndGoesOn() async throws {
    let store = GlobalData.inMemory()
    withKnownIssue { #expect(store.contains("missing")) }
    try await store.set(1, forKey: "missing")
    #expect(store.contains("missing"))
  }
}
