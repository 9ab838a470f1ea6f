import Foundation
import GlobalData
import GlobalDataTesting
import TestSupport
import Testing

extension GlobalData.Keys {
  fileprivate static let visits = Key("visits", default: 0)
}

private struct Car: Identifiable, Codable {
  var id: Int
  var plate: String
  var speed = 0
  var isOnline = true
}

@Suite struct ReadmeExamples {
  struct CarInfo: Codable {
    var carID: String
    var plate: String
  }

  @Test func theFirstExampleCompilesAndHolds() async throws {
    var configuration = GlobalData.Configuration(location: .memory)
    configuration.registry = TypeRegistry()
    try await GlobalData.withStore(GlobalData(configuration)) {
      GlobalData.register(CarInfo.self)  // once, at launch: types that come back without being named

      let car = CarInfo(carID: "40211", plate: "HH-GD 4021")
      try await GlobalData.set(car, forKey: "car")  // returns when the file holds it
      try await GlobalData.set([car, "note", 3] as [any Sendable], forKey: "mixed")

      let same = try GlobalData.object(CarInfo.self, forKey: "car")  // CarInfo?, from memory, no await
      let any = try GlobalData.object(forKey: "mixed")  // (any Sendable)?, with a CarInfo, a String, an Int in it
      print(GlobalData.allKeys, GlobalData.contains("car"))  // ["car", "mixed"] true
      #expect(same?.carID == car.carID)
      #expect((any as? [any Sendable])?.last as? Int == 3)
      #expect(GlobalData.allKeys == ["car", "mixed"])

      try await GlobalData.update { data in  // several changes, one write: all or nothing
        try data.set((data.object(Int.self, forKey: "visits") ?? 0) + 1, forKey: "visits")
        data.removeObject(forKey: "mixed")
      }
      #expect(GlobalData.allKeys == ["car", "visits"])

      try await GlobalData.clear(keeping: ["deviceID"])  // logout
      try await GlobalData.clear()  // nothing in memory, and no file
      #expect(GlobalData.allKeys.isEmpty)
    }
  }

  @Test func keysAndCollectionsCompileAndHold() async throws {
    let loadedCars = [Car(id: 1, plate: "HH 1", speed: 90), Car(id: 2, plate: "HH 2", isOnline: false)]
    try await GlobalData.withStore(.inMemory()) {
      let cars = GlobalData.collection(of: Car.self)
      try await cars.upsert(loadedCars)
      try await cars.delete(where: #Predicate { !$0.isOnline })
      let fast = cars.filter(#Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.plate)], limit: 10)
      #expect(fast.map(\.id) == [1] && cars.count == 1)

      let watching = Task {
        print(GlobalData[.visits])  // Int, at once
        try await GlobalData.update { $0[.visits] += 1 }
        for await visits in GlobalData.updates(of: .visits) {
          print(visits)
        }
      }
      for await visits in GlobalData.updates(of: .visits) where visits == 1 { break }
      watching.cancel()
      try await watching.value
    }
  }

  @Test func storesAndFaultsCompileAndHold() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store")
      Self.makeStores(url)
      let faults = FaultInjector()  // real files, with faults in between
      let store = GlobalData.faulty(at: url, faults)
      faults.fail(.write, with: .noSpace)
      await #expect(throws: GlobalDataError.self) { try await store.set(1, forKey: "a") }
    }
  }

  private static func makeStores(_ url: URL) {
    let store = GlobalData(at: url)  // a file of your choice
    let session = GlobalData(named: "session")  // beside the default file
    let group = GlobalData(inAppGroup: "group.org.example.app")  // with the app's extensions
    let memory = GlobalData.inMemory()  // no file: tests, previews
    #expect(store.url == url && session.url != nil && group.url != nil && memory.url == nil)
  }
}

#if compiler(>=6.1)

private func logIn() async throws {
  try await GlobalData.set("Ada", forKey: "user")
}

enum ReadmeTrait {
  @Suite(.inMemoryStore) struct LoginTests {  // each test has a store of its own, in memory
    @Test func loggingInStoresTheUser() async throws {
      try await logIn()
      #expect(GlobalData.contains("user"))
    }
  }
}

#endif
