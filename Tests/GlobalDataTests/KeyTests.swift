import Foundation
import GlobalData
import TestSupport
import Testing
import ThrownErrors

extension GlobalData.Keys {
  fileprivate static let uploadsLocation = GlobalData.Key("uploadsLocation", default: false)
  fileprivate static let visits = GlobalData.Key("visits", default: 0)
  fileprivate static let nickname = GlobalData.Key<String?>("nickname")
  fileprivate static let session = GlobalData.Key("session", default: UUID())
  fileprivate static let visitsAsText = GlobalData.Key("visits", default: "none")
  fileprivate static let cars = GlobalData.Key("cars", default: [CarInfo]())
}

@Suite struct KeyTests {
  private let store = GlobalData.inMemory()

  @Test func aKeyReturnsItsDefaultBeforeASetAndAfterAReset() async throws {
    try await GlobalData.withStore(.inMemory()) {
      #expect(GlobalData[.uploadsLocation] == false)
      #expect(!GlobalData.contains(.uploadsLocation))
      try await GlobalData.set(true, for: .uploadsLocation)
      #expect(GlobalData[.uploadsLocation])
      #expect(try GlobalData.value(for: .uploadsLocation))
      #expect(try GlobalData.object(Bool.self, forKey: "uploadsLocation") == true)
      #expect(GlobalData.contains(.uploadsLocation))
      try await GlobalData.reset(.uploadsLocation)
      #expect(GlobalData[.uploadsLocation] == false)
      #expect(GlobalData.allKeys.isEmpty)
    }
  }

  @Test func anOptionalKeyReadsNilAndSettingNilRemovesItsValue() async throws {
    #expect(store[.nickname] == nil)
    try await store.set("Ada", for: .nickname)
    #expect(store[.nickname] == "Ada")
    try await store.set(nil, for: .nickname)
    #expect(store[.nickname] == nil)
    #expect(store.allKeys.isEmpty)
  }

  @Test func aDefaultIsComputedOnceAndIsTheSameInEveryStoreAndOnEveryThread() async throws {
    let values = await withTaskGroup(of: UUID.self) { group in
      for _ in 0..<50 { group.addTask { GlobalData.inMemory()[.session] } }
      return await group.reduce(into: Set<UUID>()) { $0.insert($1) }
    }
    #expect(values.count == 1)
    try await store.update { data in #expect(data[.session] == values.first) }
    #expect(store.allKeys.isEmpty)
    try await store.set(UUID(), for: .session)
    #expect(store[.session] != values.first)
    try await store.reset(.session)
    #expect(store[.session] == values.first)
  }

  @Test func modelsAreValuesOfKeysToo() async throws {
    try await store.set([CarInfo("HH-GD 1")], for: .cars)
    #expect(store[.cars] == [CarInfo("HH-GD 1")])
  }

  @Test func anUnreadableValueIsReportedAndReadsAsTheDefault() async throws {
    var diagnostics = store.diagnostics.makeAsyncIterator()
    try await store.set("no number", forKey: "visits")
    #expect(store[.visits] == 0)
    #expect(store[.visits] == 0)
    let diagnostic = await diagnostics.next()
    #expect(diagnostic?.kind == .readFailed)
    #expect(diagnostic?.key == "visits")
    #expect(diagnostic?.error?.code == .typeMismatch)
    #expect(throws: GlobalDataError.self) { try store.value(for: .visits) }
    #expect(try store.object(String.self, forKey: "visits") == "no number", "the value stays as it is")
  }

  @Test func oneNameWithTwoTypesIsReportedInDebugBuilds() async throws {
    var diagnostics = store.diagnostics.makeAsyncIterator()
    #expect(store[.visits] == 0)
    #expect(store[.visitsAsText] == "none")
    try await store.set("marker", forKey: "nickname")
    var isDebug = false
    assert(
      {
        isDebug = true
        return true
      }())
    guard isDebug else { return }
    let diagnostic = await diagnostics.next()
    #expect(diagnostic?.kind == .keyClash)
    #expect(diagnostic?.message.contains("Int") == true && diagnostic?.message.contains("String") == true)
  }

  @Test func anUpdateReadsAndWritesDeclaredKeys() async throws {
    let visits = try await store.update { data in
      data[.visits] += 1
      data[.visits] += 1
      data[.nickname] = "Ada"
      data[.cars].append(CarInfo("HH-GD 1"))
      try data.set(true, for: .uploadsLocation)
      return data[.visits]
    }
    #expect(visits == 2)
    #expect(store[.visits] == 2 && store[.nickname] == "Ada" && store[.uploadsLocation] && store[.cars].count == 1)
    try await store.update { data in
      data[.nickname] = nil
      data.reset(.visits)
    }
    #expect(store[.nickname] == nil)
    #expect(store.allKeys.sorted() == ["cars", "uploadsLocation"])
  }

  @Test func updatesAndSnapshotsContainTheSameDeclaredKeysAsTheStore() async throws {
    let found = try await store.update { data in
      let before = data.contains(.visits)
      data[.visits] += 1
      let between = data.contains(.visits)
      data.reset(.visits)
      try data.set("Ada", for: .nickname)
      return [before, between, data.contains(.visits), data.contains(.nickname)]
    }
    #expect(found == [false, true, false, true])
    #expect(!store.contains(.visits) && store.contains(.nickname))
    let snapshot = try store.snapshot()
    #expect(!snapshot.contains(.visits) && snapshot.contains(.nickname))
  }

  @Test func aSnapshotThrowsForADeclaredKeyThatItCannotRead() async throws {
    try await store.set("text", forKey: "visits")
    let snapshot = try store.snapshot()
    #expect(try snapshot.value(for: .nickname) == nil)
    #expect(throws: GlobalDataError.self) { try snapshot.value(for: .visits) }
    #expect(snapshot[.visits] == 0)
  }

  @Test func anUpdateDoesNotOverwriteAnUnreadableValue() async throws {
    try await store.set("not a number", forKey: "visits")
    let error = await expectError(GlobalDataError.self) {
      try await store.update { data in
        data[.visits] += 1
        data[.nickname] = "Ada"
      }
    }
    #expect(error?.code == .typeMismatch)
    #expect(try store.object(String.self, forKey: "visits") == "not a number")
    #expect(store[.nickname] == nil)
  }
}
