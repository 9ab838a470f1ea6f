import Foundation
import GlobalData
import TestSupport
import Testing
import ThrownErrors

/// `GlobalData.contents(ofFileAt:)` reads a file without a store.
@Suite struct FileContentsTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.appendingPathComponent("store.archive") }

  @Test func contentsIncludeAppendedChangesWithoutOpeningAStore() async throws {
    var configuration = GlobalData.Configuration(location: .file(url))
    configuration.persistence = .appending
    let store = GlobalData(configuration)
    try await store.set([1, 2], forKey: "list")
    try await store.set("Ada", forKey: "name")
    try await store.removeObject(forKey: "list")
    let contents = try GlobalData.contents(ofFileAt: url)
    #expect(try contents.entries == store.entries())
    #expect(contents.entries.map(\.key) == ["name"])
    #expect(try contents.value(forKey: "name") == "Ada")
    #expect(try contents.value(forKey: "list") == nil)
    #expect(try contents.byteCount == Data(contentsOf: url).count)
    let later = try await laterGeneration(than: contents, store, url)
    #expect(later)
  }

  @Test func valuesOfContentsAreReadWithTheirLimits() async throws {
    try await GlobalData(at: url).set([[[[[1]]]]], forKey: "deep")
    var limits = ArchiveLimits()
    limits.maximumDepth = 3
    let contents = try GlobalData.contents(ofFileAt: url, limits: limits)
    let error = expectError(GlobalDataError.self) { try contents.value(forKey: "deep") }
    #expect((error?.underlyingError as? KeyedArchiveError)?.code == .limitReached)
    #expect(try GlobalData.contents(ofFileAt: url).value(forKey: "deep") != nil)
  }

  @Test func theExampleOfTheDocumentationShowsEachValue() async throws {
    try await GlobalData(at: url).set("Ada", forKey: "name")
    var printed: [String] = []
    func print(_ key: String, _ value: ArchiveValue) { printed.append("\(key) \(value)") }

    let contents = try GlobalData.contents(ofFileAt: url)
    for entry in contents.entries {
      print(entry.key, try contents.value(forKey: entry.key) ?? .null)
    }

    #expect(printed == ["name \"Ada\""])
  }

  private func laterGeneration(
    than contents: GlobalData.FileContents, _ store: GlobalData, _ url: URL
  ) async throws -> Bool {
    try await store.set("Grace", forKey: "name")
    return try GlobalData.contents(ofFileAt: url).generation == contents.generation + 1
  }

  @Test func aMissingADamagedAndAForeignFileAreErrors() async throws {
    let missing = expectError(GlobalDataError.self) { try GlobalData.contents(ofFileAt: url) }
    #expect(missing?.code == .readFailed)
    try await GlobalData(at: url).set("Ada", forKey: "name")
    try Data(contentsOf: url).dropLast().write(to: url)
    let damaged = expectError(GlobalDataError.self) { try GlobalData.contents(ofFileAt: url) }
    #expect(damaged?.code == .damaged)
    try Data("text".utf8).write(to: url)
    let foreign = expectError(GlobalDataError.self) { try GlobalData.contents(ofFileAt: url) }
    #expect(foreign?.code == .foreignFormat)
  }

  @Test func aCheckReportsItsProgress() async throws {
    let store = GlobalData(at: url)
    for key in ["a", "b", "c", "d"] { try await store.set(key, forKey: key) }
    var shares: [Double] = []
    let report = try GlobalData.check(fileAt: url) { shares.append($0) }
    #expect(report.isIntact)
    #expect(shares == [0, 0.25, 0.5, 0.75])
  }
}
