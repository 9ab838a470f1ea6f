import Foundation
import GlobalData
import TestSupport
import Testing
import ThrownErrors

private struct Refusing: Codable, Sendable {
  struct Inner: Codable, Sendable {
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(
        self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "refuses"))
    }
  }
  var inner = Inner()
}

private struct NotCodable: Sendable {}

/// Mistakes of a caller. Each gets an error that says what is wrong, where, and what to do, and nothing is lost.
@Suite struct BadInputTests {
  private func withStore(_ body: (GlobalData) async throws -> Void) async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let configuration = GlobalData.Configuration.with { $0.registry = TypeRegistry() }
      let store = GlobalData(at: folder.appendingPathComponent("store.archive"), configuration: configuration)
      try await store.set("kept", forKey: "earlier")
      try await body(store)
      #expect(try store.object(String.self, forKey: "earlier") == "kept")
      try await store.close()
      #expect(store.allKeys == ["earlier"])
    }
  }

  @Test(arguments: ["", String(repeating: "k", count: 1025), String(repeating: "ü", count: 513)])
  func aKeyOfAWrongLengthIsRefused(_ key: String) async throws {
    try await withStore { (store) async throws in
      let error = await expectError(GlobalDataError.self) { try await store.set(1, forKey: key) }
      #expect(error?.code == .invalidKey)
      #expect(throws: GlobalDataError.self) { try store.object(forKey: key) }
      await #expect(throws: GlobalDataError.self) { try await store.removeObject(forKey: key) }
      #expect(!store.contains(key))
    }
  }

  @Test func aKeyOf1024BytesIsAllowed() async throws {
    let store = GlobalData.inMemory()
    let key = String(repeating: "ü", count: 512)
    try await store.set(1, forKey: key)
    #expect(try store.object(Int.self, forKey: key) == 1)
  }

  @Test(arguments: [GlobalData.Persistence.rewriting, .appending])
  func aStoreKeepsKeysBeyondItsOwnLimit(persistence: GlobalData.Persistence) async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store.archive")
      let long = String(repeating: "k", count: 5000)
      var configuration = GlobalData.Configuration()
      configuration.persistence = persistence
      configuration.limits.maximumKeyLength = 5000
      try await GlobalData.withStore(GlobalData(at: url, configuration: configuration)) {
        try await GlobalData.set("first", forKey: "a")
        try await GlobalData.set("kept", forKey: long)
        try await GlobalData.set("last", forKey: "z")
        try await GlobalData.current.close()
      }

      configuration.limits.maximumKeyLength = 3
      let strict = GlobalData(at: url, configuration: configuration)
      #expect(strict.allKeys == ["a", long, "z"])
      try await strict.set("changed", forKey: "a")
      #expect(try strict.object(String.self, forKey: long) == "kept")
      #expect(try strict.object(forKey: long) as? String == "kept")
      let read = try await strict.update { data in try data.object(String.self, forKey: long) }
      #expect(read == "kept")
      let error = await expectError(GlobalDataError.self) { try await strict.set("changed", forKey: long) }
      #expect(error?.code == .invalidKey)
      try await strict.close()
      #expect(try strict.recovery == nil && strict.object(String.self, forKey: long) == "kept")
      try await strict.update { data in data.removeObject(forKey: long) }
      #expect(strict.allKeys == ["a", "z"])
      try await strict.close()
    }
  }

  @Test func noLimitAllowsAnUnreadableKey() async throws {
    var configuration = GlobalData.Configuration()
    configuration.limits.maximumKeyLength = .max
    let store = GlobalData.inMemory(configuration: configuration)
    let longest = String(repeating: "k", count: 1 << 16)
    try await store.set(1, forKey: longest)
    let error = await expectError(GlobalDataError.self) { try await store.set(1, forKey: longest + "k") }
    #expect(error?.code == .invalidKey)
    #expect(error?.message == "a key has 65537 bytes; the limit is 65536")
    #expect(error?.advice == "Use a shorter key.")
    #expect(store.allKeys == [longest])
  }

  @Test(arguments: ["", String(repeating: "k", count: 1025)])
  func readingAKeyThatNoValueCanHaveThrows(_ key: String) async throws {
    let store = GlobalData.inMemory()
    let error = expectError(GlobalDataError.self) { try store.object(forKey: key) }
    #expect(error?.code == .invalidKey)
    let typedError = expectError(GlobalDataError.self) { try store.object(Int.self, forKey: key) }
    #expect(typedError?.code == .invalidKey)
    #expect(!store.contains(key))
  }

  @Test func aKeyThatEqualsAnotherWithDifferentBytesIsRefused() async throws {
    let store = GlobalData.inMemory()
    try await store.set(1, forKey: "caf\u{e9}")
    let error = await expectError(GlobalDataError.self) { try await store.set(2, forKey: "cafe\u{301}") }
    #expect(error?.code == .invalidKey)
    #expect(try store.object(Int.self, forKey: "caf\u{e9}") == 1)
    // Any form of normalization may be the wrong one for a key that is there.
    #expect(error?.advice.hasPrefix("Use the key as allKeys has it") == true)
    let key = try #require(store.allKeys.first { $0 == "cafe\u{301}" })
    try await store.set(2, forKey: key)
    #expect(try store.object(Int.self, forKey: "cafe\u{301}") == 2)
  }

  @Test func anEncodingErrorHasThePathOfTheValue() async throws {
    try await withStore { (store) async throws in
      let error = await expectError(GlobalDataError.self) { try await store.set(Refusing(), forKey: "bad") }
      #expect(error?.code == .encodingFailed)
      #expect(error?.key == "bad")
      #expect(error?.codingPath.map(\.stringValue) == ["inner"])
    }
  }

  @Test func aValueThatIsNotCodableIsAnErrorWithItsPath() async throws {
    try await withStore { (store) async throws in
      let mixed: [any Sendable] = [1, ["deep": NotCodable()] as [String: any Sendable]]
      let error = await expectError(GlobalDataError.self) { try await store.set(mixed, forKey: "bad") }
      #expect(error?.code == .encodingFailed)
      #expect(error?.codingPath.map(\.stringValue) == ["Index 1", "deep"])
      #expect(String(describing: error).contains("NotCodable"))
    }
  }

  @Test func anUnregisteredTypeIsNamedInTheError() async throws {
    let store = GlobalData.inMemory(configuration: .with { $0.registry = TypeRegistry() })
    try await store.set([CarInfo("HH-GD 1"), 1] as [any Sendable], forKey: "mixed")
    let error = expectError(GlobalDataError.self) { try store.object(forKey: "mixed") }
    #expect(error?.code == .unregisteredType)
    #expect(error?.storedType == "CarInfo")
    #expect(error?.codingPath.first?.intValue == 0)
    #expect(error?.advice.contains("GlobalData.register") == true)
    #expect(error?.advice.contains("formerArchiveTags") == true)
    #expect(try store.object(ArchiveValue.self, forKey: "mixed")?[0]?["plate"]?.string == "HH-GD 1")
    // The static call registers the type for another store, which the advice says.
    #expect(error?.advice.contains("with the register of a store that has its own registry") == true)
    GlobalData.register(CarInfo.self)
    #expect(throws: GlobalDataError.self) { try store.object(forKey: "mixed") }
    store.register(CarInfo.self)
    #expect(try (store.object(forKey: "mixed") as? [any Sendable])?.first is CarInfo)
  }

  @Test func aTypeMismatchIsAnErrorWithBothTypes() async throws {
    try await withStore { (store) async throws in
      let error = expectError(GlobalDataError.self) { try store.object(CarInfo.self, forKey: "earlier") }
      #expect(error?.code == .typeMismatch)
      #expect(error?.key == "earlier")
      #expect(error?.storedType == "String")
      #expect(error?.wantedType == "CarInfo")
    }
  }

  @Test func aValueWithAnotherTypeNameIsRefused() async throws {
    struct Twin: Codable, Sendable {
      var carID: String
      var plate: String
    }
    let store = GlobalData.inMemory()
    try await store.set(CarInfo("HH-GD 1"), forKey: "car")
    let error = expectError(GlobalDataError.self) { try store.object(Twin.self, forKey: "car") }
    #expect(error?.code == .typeMismatch)
    #expect(error?.storedType == "CarInfo")
    #expect(error?.wantedType == "BadInputTests.Twin")
  }

  @Test(arguments: ["", "a/b", "a/\u{301}", ".hidden", ".\u{301}", "..", "nul\0"]) func anInvalidNameIsAnErrorAtEachUse(
    _ name: String
  ) async {
    let store = GlobalData(named: name)
    await #expect(throws: GlobalDataError.self) { try await store.set(1, forKey: "a") }
    #expect(throws: GlobalDataError.self) { try store.object(forKey: "a") }
    #expect(store.url == nil)
  }
}
