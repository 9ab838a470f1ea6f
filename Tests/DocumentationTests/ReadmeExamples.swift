import GlobalData
import Testing

@Suite struct ReadmeExamples {
  struct Car: Codable {
    var plate: String
  }

  @Test func theExampleCompilesAndHolds() async throws {
    var configuration = GlobalData.Configuration(location: .memory)
    configuration.registry = TypeRegistry()
    try await GlobalData.withStore(GlobalData(configuration)) {
      try await GlobalData.set(Car(plate: "HH-GD 4021"), forKey: "car")  // returns when the file holds it
      let car = try GlobalData.object(Car.self, forKey: "car")  // Car?, from memory, no await
      print(car?.plate ?? "none", GlobalData.allKeys)  // HH-GD 4021 ["car"]
      #expect(car?.plate == "HH-GD 4021" && GlobalData.allKeys == ["car"])

      try await GlobalData.update { data in  // several changes, all or nothing
        try data.set((data.object(Int.self, forKey: "visits") ?? 0) + 1, forKey: "visits")
        data.removeObject(forKey: "car")
      }
      try await GlobalData.clear()  // logout: nothing in memory, and no file
      #expect(GlobalData.allKeys.isEmpty)
    }
  }
}
