import Foundation
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// Keys that are equal in Swift but have different bytes.
@Suite struct KeySpellingTests {
  @TemporaryFolder private var folder
  private let store = GlobalData.inMemory()
  private static let composed = "caf\u{e9}"
  private static let decomposed = "cafe\u{301}"

  private struct Named: Identifiable, Codable, Equatable, Sendable {
    var id: String
    var note = ""
  }

  @Test func oneUpdateCannotSetBothSpellings() async throws {
    let error = await expectError(GlobalDataError.self) {
      try await store.update { data in
        try data.set("one", forKey: Self.composed)
        try data.set("two", forKey: Self.decomposed)
      }
    }
    #expect(error?.code == .invalidKey)
    #expect(store.allKeys.isEmpty)
  }

  @Test func aRemovedKeyIsFreeForAnotherSpelling() async throws {
    let store = GlobalData(at: folder.file("store"), system: POSIXSystemCalls())
    try await store.set(1, forKey: Self.composed)
    try await store.removeObject(forKey: Self.decomposed)
    try await store.set(2, forKey: Self.decomposed)
    try await store.close()
    #expect(store.allKeys.map { Array($0.utf8) } == [Array(Self.decomposed.utf8)])
    #expect(try store.object(Int.self, forKey: Self.composed) == 2)
  }

  @Test(arguments: GlobalData.Persistence.allCases)
  func anUpdateMayReplaceAKeyByAnotherSpelling(persistence: GlobalData.Persistence) async throws {
    let configuration = GlobalData.Configuration.with { $0.persistence = persistence }
    let store = GlobalData(at: folder.file("store"), configuration: configuration, system: POSIXSystemCalls())
    try await store.set(1, forKey: Self.composed)
    try await store.update { data in
      data.removeObject(forKey: Self.composed)
      try data.set(2, forKey: Self.decomposed)
    }
    #expect(store.allKeys.map { Array($0.utf8) } == [Array(Self.decomposed.utf8)])
    try await store.close()
    #expect(store.allKeys.map { Array($0.utf8) } == [Array(Self.decomposed.utf8)])
    try await store.update { data in
      data.clear()
      try data.set(3, forKey: "first")
      try data.set(3, forKey: Self.composed)
    }
    try await store.close()
    #expect(store.allKeys.map { Array($0.utf8) } == [Array("first".utf8), Array(Self.composed.utf8)])
    let error = await expectError(GlobalDataError.self) {
      try await store.update { data in
        data.clear(keeping: [Self.decomposed])
        try data.set(4, forKey: Self.decomposed)
      }
    }
    #expect(error?.code == .invalidKey)
  }

  /// An element has the same key in both, so a write in one of two collections would reach the other.
  @Test(arguments: GlobalData.Persistence.allCases)
  func aCollectionHasOneNameInAllSpellings(persistence: GlobalData.Persistence) async throws {
    let configuration = GlobalData.Configuration.with { $0.persistence = persistence }
    let store = GlobalData(at: folder.file("store"), configuration: configuration, system: POSIXSystemCalls())
    let composed = store.collection(of: Named.self, named: Self.composed)
    let decomposed = store.collection(of: Named.self, named: Self.decomposed)
    #expect(composed.isEmpty && decomposed.isEmpty)
    try await composed.insert([Named(id: "1"), Named(id: "2")])
    try await decomposed.upsert([Named(id: "3"), Named(id: "1", note: "replaced")])
    try await store.set(0, forKey: "\(Self.composed)s/4")
    for isReopened in [false, true] {
      if isReopened { try await store.close() }
      for cafes in [composed, decomposed] {
        #expect(cafes.all.map(\.id) == ["1", "2", "3"] && cafes.count == 3 && cafes["1"]?.note == "replaced")
        #expect(try store.snapshot().collection(of: Named.self, named: cafes.name).count == 3)
        #expect(try await store.update { try $0.all(of: cafes).count } == 3)
      }
    }
    let ids = try await store.update { data in
      try data.upsert(Named(id: "5"), into: decomposed)
      return try data.all(of: composed).map(\.id)
    }
    #expect(ids == ["1", "2", "3", "5"])
    try await decomposed.deleteAll()
    #expect(composed.all.isEmpty && store.allKeys == ["\(Self.composed)s/4"])
  }

  /// The Kelvin sign is another spelling of a letter.
  @Test func aCollectionWithKeysOfASCIIHasOtherSpellings() async throws {
    let kelvin = store.collection(of: Named.self, named: "\u{212a}")
    #expect(kelvin.isEmpty)
    try await store.collection(of: Named.self, named: "K").insert(Named(id: "1"))
    #expect(kelvin.all.map(\.id) == ["1"] && kelvin["1"] != nil)
    #expect(try store.snapshot().collection(of: Named.self, named: "\u{212a}").count == 1)
  }

  @Test func aCollectionIsObservedInAllSpellingsOfItsName() async throws {
    let observed = store.collection(of: Named.self, named: Self.composed)
    var updates = observed.updates.makeAsyncIterator()
    #expect(await updates.next()?.count == 0)
    try await store.collection(of: Named.self, named: Self.decomposed).insert(Named(id: "1"))
    #expect(await updates.next()?.map(\.id) == ["1"])
  }

  @Test func anElementIsReplacedInAnySpellingOfItsIdentifier() async throws {
    let names = store.collection(of: Named.self)
    try await names.insert(Named(id: Self.composed))
    try await names.replace(Named(id: Self.decomposed, note: "replaced"))
    #expect(names[Self.composed]?.note == "replaced")
    try await names.update(Self.decomposed) { $0.note = "updated" }
    #expect(names.all.map(\.note) == ["updated"])
  }

  /// An element that is removed and set again within one update is one element, in either spelling.
  @Test func anElementMayBeSetAgainInAnotherSpelling() async throws {
    let names = store.collection(of: Named.self)
    #expect(names.isEmpty)
    try await store.update { data in
      try data.insert([Named(id: Self.composed)], into: names)
      data.delete(Self.composed, from: names)
      try data.insert([Named(id: Self.decomposed)], into: names)
    }
    #expect(names.count == 1)
    #expect(names.all.map { Array($0.id.utf8) } == [Array(Self.decomposed.utf8)])
    try await names.delete(Self.composed)
    #expect(names.isEmpty && names.all.isEmpty && store.allKeys.isEmpty)
  }
}
