import Foundation
import GlobalData
import TestSupport
import Testing

/// The behaviour of every store, wherever its entries are.
@Suite struct StoreTests {
  enum Kind: CaseIterable {
    case file, memory

    func store(in folder: URL) -> GlobalData {
      let configuration = GlobalData.Configuration.with { $0.registry = TypeRegistry() }
      return switch self {
      case .memory: .inMemory(configuration: configuration)
      case .file: GlobalData(at: folder.appendingPathComponent("store.archive"), configuration: configuration)
      }
    }
  }

  @TemporaryFolder private var folder

  @Test(arguments: Kind.allCases) func aValueIsReadAsTheRequestedType(_ kind: Kind) async throws {
    let store = kind.store(in: folder)
    try await store.set(CarInfo("HH-GD 1"), forKey: "car")
    #expect(try store.object(CarInfo.self, forKey: "car") == CarInfo("HH-GD 1"))
  }

  @Test(arguments: Kind.allCases) func aRegisteredTypeIsReadWithoutBeingNamed(_ kind: Kind) async throws {
    let store = kind.store(in: folder)
    store.register(CarInfo.self)
    try await store.set(CarInfo("HH-GD 1"), forKey: "car")
    try await store.set([CarInfo("HH-GD 1"), CarInfo("B 2")], forKey: "cars")
    #expect(try store.object(forKey: "car") as? CarInfo == CarInfo("HH-GD 1"))
    #expect(try store.object(forKey: "cars") as? [CarInfo] == [CarInfo("HH-GD 1"), CarInfo("B 2")])
  }

  @Test(arguments: Kind.allCases) func eachElementOfAMixedArrayKeepsItsType(_ kind: Kind) async throws {
    let store = kind.store(in: folder)
    store.register(CarInfo.self)
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    let mixed: [any Sendable] = [
      CarInfo("HH-GD 1"), "note", 3, true, 2.5, date, Data([1]), ["a": 1] as [String: any Sendable],
    ]
    try await store.set(mixed, forKey: "mixed")
    let found = try #require(try store.object(forKey: "mixed") as? [any Sendable])
    #expect(found.count == 8)
    #expect(found[0] as? CarInfo == CarInfo("HH-GD 1"))
    #expect(found[1] as? String == "note")
    #expect(found[2] as? Int == 3)
    #expect(found[3] as? Bool == true)
    #expect(found[4] as? Double == 2.5)
    #expect(found[5] as? Date == date)
    #expect(found[6] as? Data == Data([1]))
    #expect((found[7] as? [String: any Sendable])?["a"] as? Int == 1)
  }

  @Test(arguments: Kind.allCases) func aValueThatWasNeverSetIsNil(_ kind: Kind) async throws {
    let store = kind.store(in: folder)
    #expect(try store.object(forKey: "car") == nil)
    #expect(try store.object(CarInfo.self, forKey: "car") == nil)
    #expect(!store.contains("car"))
    #expect(store.allKeys.isEmpty)
  }

  @Test(arguments: Kind.allCases) func keysKeepTheOrderInWhichTheyWereFirstSet(_ kind: Kind) async throws {
    let store = kind.store(in: folder)
    for key in ["b", "a", "c"] { try await store.set(1, forKey: key) }
    try await store.set(2, forKey: "b")
    #expect(store.allKeys == ["b", "a", "c"])
    try await store.removeObject(forKey: "a")
    try await store.set(3, forKey: "a")
    #expect(store.allKeys == ["b", "c", "a"])
    #expect(try store.object(Int.self, forKey: "b") == 2)
  }

  @Test(arguments: Kind.allCases) func removingRemovesAValue(_ kind: Kind) async throws {
    let store = kind.store(in: folder)
    try await store.set(1, forKey: "a")
    try await store.removeObject(forKey: "a")
    try await store.removeObject(forKey: "never there")
    #expect(!store.contains("a"))
    #expect(try store.object(forKey: "a") == nil)
  }

  @Test(arguments: Kind.allCases) func settingNilRemovesTheValue(_ kind: Kind) async throws {
    let store = kind.store(in: folder)
    try await store.set(Int?(1), forKey: "a")
    #expect(try store.object(Int.self, forKey: "a") == 1)
    try await store.set(Int?.none, forKey: "a")
    #expect(!store.contains("a"))
  }

  @Test(arguments: Kind.allCases) func clearingEmptiesTheStoreExceptForTheGivenKeys(_ kind: Kind) async throws {
    let store = kind.store(in: folder)
    for key in ["deviceID", "user", "cars"] { try await store.set(key, forKey: key) }
    try await store.clear(keeping: ["deviceID", "never there"])
    #expect(store.allKeys == ["deviceID"])
    #expect(try store.object(String.self, forKey: "deviceID") == "deviceID")
    try await store.clear()
    #expect(store.allKeys.isEmpty)
    try await store.set(1, forKey: "new")
    #expect(store.allKeys == ["new"])
  }

  @Test(arguments: Kind.allCases) func entriesHaveTypeAndSizeWithoutDecoding(_ kind: Kind) async throws {
    let store = kind.store(in: folder)
    try await store.set(CarInfo("HH-GD 1"), forKey: "car")
    try await store.set(7, forKey: "number")
    let entries = try store.entries()
    #expect(entries.map(\.key) == ["car", "number"])
    #expect(entries.map(\.type) == ["CarInfo", "Int"])
    #expect(entries[1].size == 1)
  }
}
