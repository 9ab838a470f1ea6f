import Foundation
import GlobalData
import TestSupport
import Testing

extension GlobalData.Keys {
  fileprivate static let uploadsLocation = GlobalData.Key("uploadsLocation", default: false)
  fileprivate static let visits = GlobalData.Key("visits", default: 0)
}

private struct Car: Identifiable, Codable, Equatable, Sendable {
  var id: Int
  var gpsname: String
  var speed = 0
  var isOnline = true
}

/// The calls as a user writes them. It is a promise that they compile in this form.
@Suite struct DesignTests {
  @Test func everydayCallsCompileAsDocumented() async throws {
    try await GlobalData.withStore(.inMemory()) {
      let car = Car(id: 1, gpsname: "one")
      try await GlobalData.set(car, forKey: "car")
      try await GlobalData.set([car, "note", 3] as [any Sendable], forKey: "mixed")
      #expect(try GlobalData.object(Car.self, forKey: "car") == car)
      try await GlobalData.removeObject(forKey: "car")
      #expect(!GlobalData.contains("car") && GlobalData.allKeys == ["mixed"])
      #expect(GlobalData[.uploadsLocation] == false)
      try await GlobalData.set(true, for: .uploadsLocation)
      try await GlobalData.update { data in
        data[.visits] += 1
        try data.set(car, forKey: "user")
        data.removeObject(forKey: "mixed")
      }
      #expect(GlobalData[.visits] == 1)
      try await GlobalData.clear(keeping: ["user"])
      #expect(GlobalData.allKeys == ["user"])
      try await GlobalData.clear()

      let cars = GlobalData.collection(of: Car.self)
      try await cars.insert(car)
      try await cars.insert([Car(id: 2, gpsname: "two", speed: 70), Car(id: 3, gpsname: "three", speed: 90)])
      try await cars.update(1) { $0.isOnline = false }
      try await cars.delete(where: #Predicate { !$0.isOnline })
      #expect(cars[2]?.gpsname == "two" && cars.all.count == 2 && cars.count == 2)
      let found = cars.filter(#Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.gpsname)], limit: 10)
      #expect(found.map(\.id) == [3, 2])
    }
  }

  @MainActor @Test func watchingCompilesAsDocumented() async throws {
    try await GlobalData.withStore(.inMemory()) {
      for await visits in GlobalData.updates(of: .visits) {
        #expect(visits == 0)
        break
      }
      let visits = GlobalData.observable(.visits)
      #expect(visits.value == 0)
      let watching = GlobalData.changes
      try await GlobalData.set(2, for: .visits)
      for await change in watching {
        #expect(change.keys == ["visits"] && change.origin == .thisStore)
        break
      }
    }
  }

  @Test func ownStoresWorkAsDocumented() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let store = GlobalData(at: folder.appendingPathComponent("store"))
      try await store.open()
      try await store.set(1, forKey: "a")
      try await store.close()
      #expect(try store.object(Int.self, forKey: "a") == 1)
    }
  }
}
