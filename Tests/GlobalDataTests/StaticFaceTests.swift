import Foundation
import GlobalData
import TestSupport
import Testing

@Suite struct StaticFaceTests {
  @Test func theStaticCallsGoToTheCurrentStore() async throws {
    let store = GlobalData.inMemory()
    try await GlobalData.withStore(store) {
      GlobalData.register(CarInfo.self)
      try await GlobalData.set(CarInfo("HH-GD 1"), forKey: "car")
      try await GlobalData.set([CarInfo("HH-GD 1"), "note", 3] as [any Sendable], forKey: "mixed")
      #expect(try GlobalData.object(CarInfo.self, forKey: "car") == CarInfo("HH-GD 1"))
      #expect(try GlobalData.object(forKey: "car") as? CarInfo == CarInfo("HH-GD 1"))
      #expect(GlobalData.contains("mixed"))
      #expect(GlobalData.allKeys == ["car", "mixed"])
      try await GlobalData.removeObject(forKey: "mixed")
      try await GlobalData.clear(keeping: ["car"])
      #expect(GlobalData.allKeys == ["car"])
      try await GlobalData.clear()
      #expect(GlobalData.allKeys.isEmpty)
    }
  }

  @Test func theStaticCallsThatObserveGoToTheCurrentStore() async throws {
    try await withTemporaryDirectory { folder in
      let store = GlobalData(at: folder.file("store"))
      try await GlobalData.withStore(store) {
        var changes = GlobalData.changes(of: [Self.volume, Self.name]).makeAsyncIterator()
        try await GlobalData.set(1, forKey: "other")
        try await GlobalData.set(0.5, forKey: "volume")
        #expect(await changes.next()?.keys == ["volume"])
        var diagnostics = GlobalData.diagnostics.makeAsyncIterator()
        try await GlobalData.set("text", forKey: "name")
        #expect(await changes.next()?.keys == ["name"])
        #expect(store[Self.name] == 1)
        #expect(await diagnostics.next()?.message.contains("\"name\"") == true)
        try await store.close()
        try FileManager.default.removeItem(at: folder.file("store"))
        try await GlobalData.refresh()
        #expect(GlobalData.allKeys.isEmpty)
      }
    }
  }

  private static let volume = GlobalData.Key("volume", default: 0.1)
  private static let name = GlobalData.Key("name", default: 1)

  /// A class that is not `Sendable`.
  private final class Counter: Codable {
    var count = 0
  }

  @Test func typesThatAreNotSendableAreReadFromTheCurrentStoreAndTransaction() async throws {
    try await GlobalData.withStore(.inMemory()) {
      var stored = ArchiveObject(tag: "StaticFaceTests.Counter")
      stored["count"] = 3
      try await GlobalData.set(ArchiveValue.object(stored), forKey: "counter")
      #expect(try GlobalData.object(Counter.self, forKey: "counter")?.count == 3)
      #expect(try GlobalData.object(Counter.self, forKey: "absent") == nil)
      #expect(throws: GlobalDataError.self) { try GlobalData.object(Counter.self, forKey: "") }
      try await GlobalData.update { data in
        stored["count"] = 4
        try data.set(ArchiveValue.object(stored), forKey: "counter")
        let counter = try data.object(Counter.self, forKey: "counter")
        #expect(counter?.count == 4)
      }
    }
  }

  @Test func storesInParallelTasksAreSeparate() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          try await GlobalData.withStore(.inMemory()) {
            try await GlobalData.set(number, forKey: "one key")
            await Task.yield()
            #expect(try GlobalData.object(Int.self, forKey: "one key") == number)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func theCodeOfManyElementsFindsTheCurrentStoreOnEachThread() async throws {
    try await GlobalData.withStore(.inMemory()) {
      let finders = GlobalData.collection(of: Finder.self)
      try await finders.insert((0..<3000).map { Finder(id: $0) })
      let stores = Set(finders.all.map(\.foundStore))
      #expect(stores == [ObjectIdentifier(GlobalData.current)])
    }
  }

  @Test func theDefaultStoreIsInThePlatformsDataFolder() throws {
    let url = try #require(GlobalData(named: "GlobalData").url)
    #expect(url.lastPathComponent == "GlobalData.archive")
    #expect(
      GlobalData(named: "session").url == url.deletingLastPathComponent().appendingPathComponent("session.archive"))
  }
}

private struct Finder: Identifiable, Codable, Sendable {
  var id: Int
  let foundStore = ObjectIdentifier(GlobalData.current)

  private enum CodingKeys: CodingKey { case id }
}
