import Foundation
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

@Suite struct UpdateTests {
  @TemporaryFolder private var folder
  private let store = GlobalData.inMemory()

  private struct Refused: Error {}

  @Test func allChangesAreOneWrite() async throws {
    let url = folder.appendingPathComponent("store")
    let store = GlobalData(at: url)
    try await store.set("draft", forKey: "draft")
    let before = try Data(contentsOf: url)
    let sum = try await store.update { data in
      try data.set(1, forKey: "a")
      try data.set(CarInfo("HH-GD 1"), forKey: "car")
      try data.set([1, "two"] as [any Sendable], forKey: "mixed")
      data.removeObject(forKey: "draft")
      #expect(data.allKeys == ["a", "car", "mixed"])
      #expect(!data.contains("draft"))
      #expect(try data.object(CarInfo.self, forKey: "car") == CarInfo("HH-GD 1"))
      #expect(try data.object(forKey: "a") as? Int == 1)
      return 3
    }
    #expect(sum == 3)
    #expect(store.allKeys == ["a", "car", "mixed"])
    let generation = { (bytes: Data) in bytes[43] }
    #expect(try generation(Data(contentsOf: url)) == generation(before) + 1)
  }

  @Test func readingATooLongKeyInAnUpdateIsAnError() async throws {
    let key = String(repeating: "k", count: 5_000)
    try await store.update { data in
      let any = expectError(GlobalDataError.self) { try data.object(forKey: key) }
      let typed = expectError(GlobalDataError.self) { try data.object(Int.self, forKey: key) }
      #expect(any?.code == .invalidKey && typed?.code == .invalidKey)
    }
  }

  /// The subscript cannot throw, so the whole update does.
  @Test func aValueThatCannotBeEncodedFailsTheWholeUpdate() async throws {
    struct Refusing: Codable, Sendable {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws { throw Refused() }
    }
    let error = await expectError(GlobalDataError.self) {
      try await store.update { data in
        data[GlobalData.Key("number", default: 0)] = 1
        data[GlobalData.Key("refusing", default: Refusing?.none)] = Refusing()
        data[GlobalData.Key("other", default: 0)] = 2
      }
    }
    #expect(error?.code == .encodingFailed && error?.key == "refusing")
    #expect(store.allKeys.isEmpty)
  }

  @Test func anErrorUndoesEverythingAndLeavesOtherWritesAlone() async throws {
    try await store.set(1, forKey: "a")
    await #expect(throws: Refused.self) {
      try await store.update { data in
        try data.set(2, forKey: "a")
        try data.set(3, forKey: "b")
        throw Refused()
      }
    }
    let error = await expectError(GlobalDataError.self) {
      try await store.update { data in
        data.clear()
        try data.set(1, forKey: "")
      }
    }
    #expect(error?.code == .invalidKey)
    #expect(try store.object(Int.self, forKey: "a") == 1)
    #expect(store.allKeys == ["a"])
  }

  @Test func anInvalidKeyFailsTheWholeUpdate() async throws {
    let error = await expectError(GlobalDataError.self) {
      try await store.update { data in
        try data.set(1, forKey: "a")
        data.removeObject(forKey: "")
      }
    }
    #expect(error?.code == .invalidKey)
    #expect(store.allKeys.isEmpty)
  }

  @Test func aTransactionContinuesAfterAClear() async throws {
    for key in ["a", "b", "c"] { try await store.set(key, forKey: key) }
    try await store.update { data in
      data.clear(keeping: ["b"])
      #expect(data.allKeys == ["b"])
      #expect(try data.object(forKey: "a") == nil)
      try data.set("new", forKey: "a")
    }
    #expect(store.allKeys == ["a", "b"] || store.allKeys == ["b", "a"])
    #expect(try store.object(String.self, forKey: "a") == "new")
    #expect(!store.contains("c"))
  }

  @Test func anUpdateThatRemovesEverythingRemovesTheFile() async throws {
    let store = GlobalData(at: folder.appendingPathComponent("store"))
    try await store.set(1, forKey: "a")
    try await store.update { data in
      data.clear()
      try data.set(2, forKey: "b")
      data.removeObject(forKey: "b")
      data.removeObject(forKey: "a")
    }
    #expect(store.stateOnceOpen == .absent)
    #expect(try folderContents(folder).isEmpty)
  }

  @Test func keysHaveTheOrderInWhichAnUpdateSetThem() async throws {
    try await store.set(0, forKey: "first")
    try await store.update { data in
      data.removeObject(forKey: "a")
      try data.set(1, forKey: "b")
      try data.set(2, forKey: "c")
      try data.set(3, forKey: "a")
      data.removeObject(forKey: "b")
      try data.set(4, forKey: "b")
      try data.set(5, forKey: "first")
      #expect(data.allKeys == ["first", "c", "a", "b"])
      data.clear(keeping: ["a", "b", "first"])
      try data.set(6, forKey: "c")
    }
    #expect(store.allKeys == ["first", "a", "b", "c"])
  }

  @Test func concurrentIncrementsAllArrive() async throws {
    let store = GlobalData(at: folder.appendingPathComponent("store"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<500 {
        group.addTask {
          try await store.update { try $0.set(($0.object(Int.self, forKey: "n") ?? 0) + 1, forKey: "n") }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.object(Int.self, forKey: "n") == 500)
  }

  /// Such an update takes the elements from those that readers have, and has to run again if another process has
  /// changed one of them, even one that the update does not change.
  @Test func anUpdateSeesAllElementsOfAnotherProcess() async throws {
    struct Counter: Codable, Identifiable, Sendable {
      var id: Int
      var count = 0
    }
    let url = folder.file("store")
    let configuration = GlobalData.Configuration.with { $0.durability = .processCrash }
    let stores = (0..<2).map { _ in GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls()) }
    try await stores[0].collection(of: Counter.self).insert((0..<20).map { Counter(id: $0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (own, store) in stores.enumerated() {
        group.addTask {
          let counters = store.collection(of: Counter.self)
          for round in 0..<60 {
            if round.isMultiple(of: 2) {
              var greatest = 0
              let isOwn = { (counter: Counter) in
                greatest = max(greatest, counter.count)
                return counter.id == own
              }
              try await counters.update(where: isOwn) { $0.count = greatest + 1 }
            } else {
              try await store.update { data in
                let greatest = try data.all(of: counters).map(\.count).max() ?? 0
                try data.upsert(Counter(id: own, count: greatest + 1), into: counters)
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await stores[0].refresh()
    #expect(stores[0].collection(of: Counter.self).all.map(\.count).max() == 120)
  }

  @Test func staticUpdatesChangeTheCurrentStore() async throws {
    try await GlobalData.withStore(.inMemory()) {
      try await GlobalData.update { try $0.set(true, forKey: "seen") }
      #expect(try GlobalData.object(Bool.self, forKey: "seen") == true)
    }
  }
}
