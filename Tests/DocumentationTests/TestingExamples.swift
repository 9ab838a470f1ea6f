import Foundation
import GlobalData
import GlobalDataTesting
import TestSupport
import Testing

private func logIn() async throws {
  try await GlobalData.set(User(name: "Ada"), forKey: "user")
}

private struct User: Codable, Sendable {
  var name: String
}

private struct Car: Codable, Identifiable {
  var id: Int
}

@Suite struct TestingExamples {
  @Test func aTestPutsAStoreInPlaceOfTheSharedOne() async throws {
    try await GlobalData.withStore(.inMemory()) {
      try await logIn()  // calls GlobalData.set(…)
      #expect(GlobalData.contains("user"))
    }
  }

  @Test func codeWithoutAParentTaskIsHandedTheStore() async throws {
    try await GlobalData.withStore(.inMemory()) {
      try await logIn()
      let store = GlobalData.current
      await Task.detached {
        await GlobalData.withStore(store) { #expect(GlobalData.contains("user")) }
      }.value
    }
  }

  @Test func aCollectionBelongsToTheStoreThatIsCurrentWhenItIsCreated() async throws {
    var cars: GlobalData.ModelCollection<Car> { GlobalData.collection(of: Car.self) }
    let carsOfTheFirstStore = try await GlobalData.withStore(.inMemory()) {
      try await cars.insert(Car(id: 1))
      return cars
    }
    await GlobalData.withStore(.inMemory()) {
      #expect(cars.isEmpty && carsOfTheFirstStore.count == 1)
    }
  }

  @Test func aStoreHasTypesOfItsOwnIfATestAsksForIt() async throws {
    var separate = GlobalData.Configuration()
    separate.registry = TypeRegistry()
    let isolated = GlobalData.inMemory(configuration: separate)
    isolated.register(User.self)
    try await isolated.set(User(name: "Ada"), forKey: "user")
    #expect(try isolated.object(forKey: "user") is User)
    #expect(isolated.configuration.registry !== TypeRegistry.shared)
  }

  @Test func aPreviewHasAStoreOfItsOwn() async throws {
    let preview = GlobalData.inMemory()
    try await preview.set(User(name: "Ada"), forKey: "user")
    #expect(preview.contains("user"))
  }

  @Test func aDiskFailsWhereATestAsksForIt() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store")
      let faults = FaultInjector()
      let store = GlobalData.faulty(at: url, faults)
      faults.fail(.write, with: .noSpace)
      await #expect(throws: GlobalDataError.self) { try await store.set(1, forKey: "a") }
    }
  }
}

// The trait came with Swift 6.1.
#if compiler(>=6.1)

@Suite(.inMemoryStore) struct LoginTests {
  @Test func loggingInStoresTheUser() async throws {
    try await logIn()
    #expect(GlobalData.contains("user"))
  }

  @Test func nobodyIsLoggedInAtFirst() {
    #expect(!GlobalData.contains("user"))
  }
}

enum ShorterTestingExamples {
  @Suite(.inMemoryStore) struct LoginTests {
    @Test func loggingInStoresTheUser() async throws {
      try await logIn()
      #expect(GlobalData.contains("user"))
    }
  }
}

#endif
