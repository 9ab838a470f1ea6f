import Foundation
import GlobalData
import KeyedArchive
import TestSupport
import Testing
import ThrownErrors

/// Values at the limits of their types, and types that refuse values.
struct UnusualValueTests {
  @TemporaryFolder private var folder

  @Test func nonFiniteNumbersAndDatesAreRestored() async throws {
    let numbers: [Double] = [.nan, .infinity, -.infinity, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
    let store = GlobalData(at: folder.appendingPathComponent("store"))
    try await store.set(numbers, forKey: "numbers")
    try await store.set(numbers.map { Date(timeIntervalSinceReferenceDate: $0) }, forKey: "dates")
    try await store.set([Date.distantPast, .distantFuture], forKey: "distant")
    try await store.set(Float.nan, forKey: "float")
    try await store.close()
    let patterns = numbers.map(\.bitPattern)
    #expect(try store.object([Double].self, forKey: "numbers")?.map(\.bitPattern) == patterns)
    let dates = try #require(try store.object([Date].self, forKey: "dates"))
    #expect(dates.map(\.timeIntervalSinceReferenceDate.bitPattern) == patterns)
    #expect(try store.object([Date].self, forKey: "distant") == [.distantPast, .distantFuture])
    #expect(try store.object(Float.self, forKey: "float")?.isNaN == true)
  }

  private struct Moody: Codable, Sendable, NotReadBack {
    var mood: String

    init(mood: String) { self.mood = mood }

    init(from decoder: any Decoder) throws {
      mood = try decoder.singleValueContainer().decode(String.self)
      guard mood == "good" else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not today"))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(mood)
    }
  }

  @Test func aTypeThatRefusesItsValueAffectsNoOtherEntry() async throws {
    let configuration = GlobalData.Configuration.with { $0.registry = TypeRegistry() }
    let store = GlobalData(at: folder.appendingPathComponent("store"), configuration: configuration)
    store.register(Moody.self)
    try await store.set(Moody(mood: "bad"), forKey: "bad")
    try await store.set(Moody(mood: "good"), forKey: "good")
    try await store.close()
    try store.openNow()
    let error = expectError(GlobalDataError.self) { try store.object(forKey: "bad") }
    #expect(error?.code == .decodingFailed)
    #expect(throws: GlobalDataError.self) { try store.object(Moody.self, forKey: "bad") }
    #expect(try store.object(Moody.self, forKey: "good")?.mood == "good")

    // A value that could not be created is kept, also by later writes.
    let kept = try store.object(ArchiveValue.self, forKey: "bad")
    try await store.set(1, forKey: "other")
    try await store.close()
    #expect(store.allKeys == ["bad", "good", "other"])
    #expect(try store.object(ArchiveValue.self, forKey: "bad") == kept)
  }
}
