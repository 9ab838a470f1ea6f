import Foundation
import GlobalData
import Testing

private struct Car: Codable, Sendable, Equatable { var plate: String }
private protocol Vehicle: Archivable {}
private struct Van: Vehicle { var seats: Int }

/// The method that a call chooses: a literal is stored like a variable of its type.
@Suite struct ChosenOverloadTests {
  private let store = GlobalData.inMemory()
  private let car = Car(plate: "B 1")

  /// Stores a value with the method for any value, the only one for a type that is not known otherwise.
  private func setAny<Value: Codable>(_ value: Value) async throws {
    try await store.set(value, forKey: "any")
  }

  /// The types under all keys except the one that the others are compared with.
  private func types() throws -> [String] {
    try store.entries().filter { $0.key != "any" }.map(\.type)
  }

  /// Expects that all entries have the value that the method for any value stores, and clears the store.
  private func expectAllEqual<Value: Codable>(
    to value: Value, count: Int = 4, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    try await setAny(value)
    let expected = try #require(try store.entries().last)
    let tree = try #require(try store.object(ArchiveValue.self, forKey: "any"))
    let entries = try store.entries().dropLast()
    #expect(entries.count == count, sourceLocation: location)
    for entry in entries {
      #expect(entry.type == expected.type && entry.size == expected.size, "\(entry)", sourceLocation: location)
      #expect(try store.object(ArchiveValue.self, forKey: entry.key) == tree, "\(entry)", sourceLocation: location)
    }
    try await store.clear()
  }

  @Test func anArrayLiteralIsStoredAsAnArrayOfItsType() async throws {
    try await GlobalData.withStore(store) {
      try await GlobalData.set([1, 2], forKey: "a")
      try await store.set([1, 2], forKey: "b")
      try await GlobalData.update { try $0.set([1, 2], forKey: "c") }
      try await store.update { data in try data.set([1, 2], forKey: "d") }
      try await expectAllEqual(to: [1, 2])
      try await GlobalData.set([car], forKey: "a")
      try await store.set([car], forKey: "b")
      try await GlobalData.update { try $0.set([car], forKey: "c") }
      try await store.update { data in try data.set([car], forKey: "d") }
      try await expectAllEqual(to: [car])
    }
  }

  @Test func aDictionaryLiteralIsStoredAsADictionaryOfItsType() async throws {
    try await GlobalData.withStore(store) {
      try await GlobalData.set(["a": 1], forKey: "a")
      try await store.set(["a": 1], forKey: "b")
      try await GlobalData.update { try $0.set(["a": 1], forKey: "c") }
      try await store.update { data in try data.set(["a": 1], forKey: "d") }
      try await expectAllEqual(to: ["a": 1])
      try await store.set([1: "a"], forKey: "a")
      try await store.update { try $0.set([1: "a"], forKey: "b") }
      try await expectAllEqual(to: [1: "a"], count: 2)
    }
  }

  @Test func nestedLiteralsAndThoseWithGapsAreStoredAsTheirTypes() async throws {
    try await store.set([[1], [2, 3]], forKey: "a")
    try await store.update { try $0.set([[1], [2, 3]], forKey: "b") }
    try await expectAllEqual(to: [[1], [2, 3]], count: 2)
    try await store.set([1, nil], forKey: "a")
    try await store.update { try $0.set([1, nil], forKey: "b") }
    try await expectAllEqual(to: [1, nil], count: 2)
    try await store.set(["a": [1.5]], forKey: "a")
    try await store.update { try $0.set(["a": [1.5]], forKey: "b") }
    try await expectAllEqual(to: ["a": [1.5]], count: 2)
    try await store.set([1, 2.5], forKey: "a")
    try await store.update { try $0.set([1, 2.5], forKey: "b") }
    try await expectAllEqual(to: [1, 2.5] as [Double], count: 2)
  }

  @Test func aMixedLiteralIsStoredWithTheTypeOfEachElement() async throws {
    let mixed: [any Sendable] = [car, "note", [1, "x"] as [any Sendable]]
    try await GlobalData.withStore(store) {
      try await GlobalData.set([car, "note", [1, "x"] as [any Sendable]], forKey: "a")
      try await store.set([car, "note", [1, "x"] as [any Sendable]], forKey: "b")
      try await GlobalData.update { try $0.set([car, "note", [1, "x"] as [any Sendable]], forKey: "c") }
      try await store.update { data in try data.set(mixed, forKey: "d") }
      try await store.set(mixed, forKey: "e")
    }
    let trees = try store.allKeys.map { try store.object(ArchiveValue.self, forKey: $0) }
    #expect(trees.count == 5 && trees.allSatisfy { $0 == trees.first })
    #expect(trees.first??.array?.first?.object?.tag == "Car")
  }

  @Test func aDictionaryOfMixedValuesIsStoredWithTheTypeOfEach() async throws {
    let mixed: [String: any Sendable] = ["a": car, "b": 2]
    try await GlobalData.withStore(store) {
      try await GlobalData.set(["a": car, "b": 2], forKey: "a")
      try await store.set(mixed, forKey: "b")
      try await GlobalData.update { try $0.set(["a": car, "b": 2], forKey: "c") }
      try await store.update { data in try data.set(mixed, forKey: "d") }
    }
    for key in store.allKeys {
      let pairs = try store.object([String: ArchiveValue].self, forKey: key)
      #expect(pairs?["a"]?.object?.tag == "Car" && pairs?["b"]?.int == 2, "\(key)")
    }
    #expect(store.allKeys.count == 4)
  }

  @Test func anExistentialIsStoredAsTheValueInIt() async throws {
    let archivable: any Archivable = Van(seats: 8)
    let vehicle: any Vehicle = Van(seats: 8)
    let codable: any Codable & Sendable = Van(seats: 8)
    try await store.set(archivable, forKey: "a")
    try await store.set(vehicle, forKey: "b")
    try await store.set(codable, forKey: "c")
    try await store.update { try $0.set(archivable, forKey: "d") }
    try await expectAllEqual(to: Van(seats: 8))
    try await store.set([archivable], forKey: "a")
    try await store.set([vehicle], forKey: "b")
    try await store.update { try $0.set([codable], forKey: "c") }
    for key in store.allKeys {
      #expect(try store.object(ArchiveValue.self, forKey: key)?.array?.first?.object?.tag == "Van", "\(key)")
    }
  }

  @Test func anOptionalIsStoredAsItsValueAndNilRemovesIt() async throws {
    let number: Int? = 3
    try await GlobalData.withStore(store) {
      try await GlobalData.set(number, forKey: "a")
      try await store.set(number, forKey: "b")
      try await GlobalData.update { try $0.set(number, forKey: "c") }
      try await store.update { data in try data.set(Optional(3), forKey: "d") }
      try await expectAllEqual(to: 3)
      try await store.set(3, forKey: "a")
      try await GlobalData.set(nil as Int?, forKey: "a")
      #expect(store.allKeys.isEmpty)
      try await store.set([1], forKey: "a")
      try await store.update { try $0.set(nil as [Int]?, forKey: "a") }
      #expect(store.allKeys.isEmpty)
    }
  }

  @Test func emptyLiteralsAndTreesAreStored() async throws {
    try await store.set([], forKey: "a")
    try await store.update { try $0.set([], forKey: "b") }
    #expect(try store.object([Int].self, forKey: "a") == [] && store.object([Int].self, forKey: "b") == [])
    try await store.set([:], forKey: "a")
    try await store.update { try $0.set([:], forKey: "b") }
    #expect(try store.object([String: Int].self, forKey: "a") == [:])
    #expect(try store.object([String: Int].self, forKey: "b") == [:])
    try await store.clear()

    let tree: ArchiveValue = ["a", 1, nil, 2.5]
    try await store.set(tree, forKey: "a")
    try await store.set(["a", 1, nil, 2.5] as ArchiveValue, forKey: "b")
    try await store.update { try $0.set(tree, forKey: "c") }
    try await expectAllEqual(to: tree, count: 3)
  }
}
