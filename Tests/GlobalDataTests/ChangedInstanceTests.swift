import Foundation
import TestSupport
import Testing

@testable import GlobalData

private final class Account: Codable, @unchecked Sendable {
  var name: String
  var tags: Set<String> = ["a", "b", "c", "d", "e", "f"]

  init(name: String) { self.name = name }
}

/// Cannot be encoded without a name.
private final class Strict: Codable {
  struct Refused: Error {}
  var name = ""

  init() {}
  init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }
  func encode(to encoder: any Encoder) throws {
    guard !name.isEmpty else { throw Refused() }
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

/// Two types of what is stored under one name.
private final class Person: Archivable, @unchecked Sendable {
  var name = ""
  static let archiveTag: ArchiveTag = "Person"
}

private final class Member: Archivable, @unchecked Sendable {
  var name = ""
  static let archiveTag: ArchiveTag = "Person"
}

private class Shape: Codable {
  var width = 1
}

private struct Drawing: Codable {
  var title = "untitled"
  var shape = Shape()
}

extension GlobalData.Keys {
  fileprivate static let account = Key("account", default: Account(name: "guest"))
  fileprivate static let friend = Key<Account?>("friend")
  fileprivate static let drawing = Key("drawing", default: Drawing())
  fileprivate static let accented = Key<Account?>("caf\u{e9}")
  fileprivate static let friends = Key("friends", default: [Account(name: "Kim")])
  fileprivate static let best = Key<Account?>("best", default: Account(name: "Kim"))
  fileprivate static let strict = Key("strict", default: Strict())
  fileprivate static let person = Key("person", default: Person())
  fileprivate static let member = Key("person", default: Member())
}

/// Instances of classes that an update changes in place, for which Swift calls no setter.
@Suite struct ChangedInstanceTests {
  private let store = GlobalData.inMemory()

  @Test func anInstanceChangedInAnUpdateIsStored() async throws {
    try await store.set(Account(name: "Kim"), for: .friend)
    try await store.update { data in
      data[.friend]?.name = "Robin"
      data[.friend]?.tags = []
      let friend = try data.object(Account.self, forKey: "friend")
      #expect(friend?.name == "Robin")
      data[.drawing].shape.width = 7
      data[.drawing].title = "a square"
      data[.drawing].shape.width += 1
    }
    #expect(store[.friend]?.name == "Robin")
    #expect(store[.friend]?.tags == [])
    #expect(store[.drawing].shape.width == 8)
    #expect(store[.drawing].title == "a square")
  }

  @Test func changesAreKeptIfTheValueIsReadAgainAsAnotherType() async throws {
    try await store.update { data in
      data[.person].name = "Robin"
      let name = data[.member].name
      #expect(name == "Robin")
    }
    #expect(try store.object(Person.self, forKey: "person")?.name == "Robin")
  }

  @Test func aChangedDefaultIsStoredAndTheKeysDefaultIsUnchanged() async throws {
    store[.account].name = "nobody"
    #expect(store[.account].name == "guest", "each reader has a copy")
    try await store.update { data in
      #expect(data[.account].name == "guest")
      #expect(data[.drawing].shape.width == 1)
    }
    #expect(store.allKeys.isEmpty, "what was only read is not stored")
    try await store.update { $0[.account].name = "Kim" }
    #expect(store[.account].name == "Kim")
    #expect(GlobalData.inMemory()[.account].name == "guest")
  }

  @Test func defaultsOfAllShapesAreCopied() async throws {
    try await store.update { data in
      data[.friends][0].name = "Robin"
      data[.best]?.name = "Robin"
      #expect(data.contains("best"))
      #expect(Set(data.allKeys) == ["best", "friends"])
    }
    #expect(store[.friends][0].name == "Robin" && store[.best]?.name == "Robin")
    let other = GlobalData.inMemory()
    #expect(other[.friends][0].name == "Kim" && other[.best]?.name == "Kim")
  }

  @Test func aValueIsStoredOnceItCanBeEncoded() async throws {
    try await store.set("", forKey: "strict")
    try await store.update { #expect($0[.strict].name == "") }
    #expect(try store.object(String.self, forKey: "strict") == "")
    try await store.update { $0[.strict].name = "Kim" }
    #expect(store[.strict].name == "Kim")
    await #expect(throws: GlobalDataError.self) { try await store.update { $0[.strict].name = "" } }
    #expect(store[.strict].name == "Kim")
  }

  @Test func oneNameIsReadAsTwoTypes() async throws {
    let (shape, tree) = (GlobalData.Key<Shape?>("shape"), GlobalData.Key<ArchiveValue?>("shape"))
    try await store.set(Shape(), for: shape)
    try await store.update { data in
      data[shape]?.width = 2
      #expect(data[tree]?["width"]?.int == 2)
      data[shape]?.width += 1
    }
    #expect(store[shape]?.width == 3)
  }

  @Test func aSetEndsTheTrackingOfAnInstance() async throws {
    try await store.update { data in
      let kim = data[.friends][0]
      data[.friends].append(Account(name: "Robin"))
      kim.name = "too late"
      data[.friends][1].name = "in time"
    }
    #expect(store[.friends].map(\.name) == ["Kim", "in time"])
  }

  @Test func aSetThatFailsDoesNotEndTheTrackingOfAnInstance() async throws {
    try await store.set(Account(name: "Kim"), for: .accented)
    try await store.update { data in
      data[.accented]?.name = "Robin"
      do {
        try data.set(1, forKey: "cafe\u{301}")
        Issue.record("The key equals another one.")
      } catch {
        #expect((error as? GlobalDataError)?.code == .invalidKey)
      }
    }
    #expect(store[.accented]?.name == "Robin")
  }

  @Test func readingAnInstanceWritesNothing() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.file("store")
      let store = GlobalData(at: url)
      try await store.set(Account(name: "Kim"), for: .account)
      let before = try Data(contentsOf: url)
      let name = try await store.update { $0[.account].name }
      #expect(name == "Kim")
      #expect(try Data(contentsOf: url) == before)
    }
  }

  @Test func laterSetsAndRemovalsTakeEffect() async throws {
    try await store.set(Account(name: "Kim"), for: .account)
    try await store.set(Account(name: "Lee"), for: .friend)
    try await store.update { data in
      let account = data[.account]
      account.name = "changed"
      try data.set(Account(name: "set"), for: .account)
      account.name = "too late"
      #expect(data[.account].name == "set")
      data[.friend]?.name = "changed"
      data.clear(keeping: [.account])
    }
    #expect(store[.account].name == "set")
    #expect(store[.friend] == nil)
    try await store.update { data in
      data[.account].name = "changed"
      data.reset(.account)
    }
    #expect(store[.account].name == "guest")
  }

  @Test func anUpdateThatThrowsChangesNothing() async throws {
    struct Refused: Error {}
    try await store.set(Account(name: "Kim"), for: .account)
    await #expect(throws: Refused.self) {
      try await store.update { data in
        data[.account].name = "changed"
        throw Refused()
      }
    }
    #expect(store[.account].name == "Kim")
  }
}
