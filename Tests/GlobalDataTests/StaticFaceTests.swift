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
