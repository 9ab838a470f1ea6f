import Foundation
import KeyedArchive
import TestSupport
import Testing

@testable import GlobalData

/// A file from the first version of the format, with entries of every kind. It must stay readable forever.
@Suite struct GoldenFileTests {
  @TemporaryFolder private var folder

  private static let fixtures = FixtureFolder(
    bundle: .module,
    sourceFolder: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures"))
  private static let name = "version-1.globaldata"

  private static let numbers = [1.5, -0.0, .infinity]
  private static let date = Date(timeIntervalSinceReferenceDate: 0.1)
  private static let id = UUID(uuid: (0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255))
  private static let url = URL(string: "c", relativeTo: URL(string: "https://a.example/"))
  private static let rex = Dog(name: "Rex", tricks: ["sit"])

  private static func configuration() throws -> GlobalData.Configuration {
    let configuration = GlobalData.Configuration.with { $0.registry = TypeRegistry() }
    try configuration.registry.register(
      CarInfo.self, Garage.self, Household.self, Animal.self, Dog.self, Cat.self, Command.self)
    return configuration
  }

  /// Writes the values that ``expectAllValues(in:)`` expects.
  private static func contents() async throws -> Data {
    try await withTemporaryDirectory { (folder) async throws in
      let place = folder.appending(path: "golden")
      let store = GlobalData(at: place, configuration: try configuration())
      try await store.set(true, forKey: "bool")
      try await store.set(-5, forKey: "integer")
      try await store.set(Int128.min, forKey: "wide integer")
      try await store.set("caf\u{e9}", forKey: "text")
      try await store.set(Data([0, 255]), forKey: "data")
      try await store.set(numbers, forKey: "numbers")
      try await store.set(date, forKey: "date")
      try await store.set(id, forKey: "id")
      try await store.set(url, forKey: "url")
      try await store.set(Decimal(string: "12.5"), forKey: "decimal")
      try await store.set(Garage.sample, forKey: "garage")
      try await store.set(Command.turn(degrees: 90, isLeft: true), forKey: "command")
      try await store.set(Household(favourite: rex, animals: [rex, Cat(name: "Tom", lives: 9)]), forKey: "household")
      try await store.set(["a": [1, "b", false] as [any Sendable]] as [String: any Sendable], forKey: "mixed")
      try await store.set([2: "two", 1: "one"], forKey: "dictionary")
      try await store.set(CarInfo("B 1"), forKey: "e\u{301}")
      try await store.set(CarInfo("B 2"), forKey: "\u{1f697}")
      try await store.close()
      return try Data(contentsOf: place)
    }
  }

  private func expectAllValues(in store: GlobalData) throws {
    #expect(try store.object(Bool.self, forKey: "bool") == true)
    #expect(try store.object(Int.self, forKey: "integer") == -5)
    #expect(try store.object(Int128.self, forKey: "wide integer") == .min)
    #expect(try store.object(String.self, forKey: "text").map { Array($0.utf8) } == Array("caf\u{e9}".utf8))
    #expect(try store.object(Data.self, forKey: "data") == Data([0, 255]))
    let numbers = try store.object([Double].self, forKey: "numbers")
    #expect(numbers?.map(\.bitPattern) == GoldenFileTests.numbers.map(\.bitPattern))
    #expect(try store.object(Date.self, forKey: "date") == GoldenFileTests.date)
    #expect(try store.object(UUID.self, forKey: "id") == GoldenFileTests.id)
    #expect(try store.object(URL.self, forKey: "url") == GoldenFileTests.url)
    #expect(try store.object(Decimal.self, forKey: "decimal") == Decimal(string: "12.5"))
    #expect(try store.object(Garage.self, forKey: "garage") == .sample)
    #expect(try store.object(Command.self, forKey: "command") == .turn(degrees: 90, isLeft: true))
    let household = try #require(try store.object(Household.self, forKey: "household"))
    #expect(household.favourite === household.animals.first)
    #expect((household.favourite as? Dog)?.tricks == ["sit"])
    #expect((household.animals.last as? Cat)?.lives == 9)
    let mixed = try store.object(ArchiveValue.self, forKey: "mixed")
    #expect(mixed == ["a": [1, "b", false]])
    #expect(try store.object([Int: String].self, forKey: "dictionary") == [1: "one", 2: "two"])
    #expect(try store.object(CarInfo.self, forKey: "e\u{301}") == CarInfo("B 1"))
    #expect(try store.object(CarInfo.self, forKey: "\u{1f697}") == CarInfo("B 2"))
    #expect(store.allKeys.count >= 17)
  }

  @Test func everyValueOfAFileOfVersionOneIsRead() async throws {
    let golden = try await GoldenFileTests.fixtures.url(of: GoldenFileTests.name, adding: GoldenFileTests.contents)
    let place = folder.appending(path: "golden")
    try Data(contentsOf: golden).write(to: place)
    try expectAllValues(in: GlobalData(at: place, configuration: try GoldenFileTests.configuration()))
  }

  @Test func unknownEntriesSurviveWritesByteForByte() async throws {
    let golden = try await GoldenFileTests.fixtures.url(of: GoldenFileTests.name, adding: GoldenFileTests.contents)
    let before = try ArchiveImage.parse(Data(contentsOf: golden))
    #expect(before.damage.isEmpty)
    let place = folder.appending(path: "golden")
    try Data(contentsOf: golden).write(to: place)
    // This program has not registered any type.
    let stranger = GlobalData(at: place, configuration: .init())
    try await stranger.set("new", forKey: "another")
    try await stranger.close()
    let after = try ArchiveImage.parse(Data(contentsOf: place))
    #expect(after.image.identity == before.image.identity)
    #expect(after.image.generation == before.image.generation + 1)
    #expect(
      after.image.entries.dropLast().map { Data($0.record).hex } == before.image.entries.map { Data($0.record).hex })
    #expect(Array(after.image.entries).last?.key == "another")
    try expectAllValues(in: GlobalData(at: place, configuration: try GoldenFileTests.configuration()))
  }
}
