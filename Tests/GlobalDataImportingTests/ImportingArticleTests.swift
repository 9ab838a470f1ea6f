import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing
import ThrownErrors

/// The code of the article Importing and of the reference, as it appears there.
@Suite struct ImportingArticleTests {
  struct CarInfo: Codable {
    var plate: String  // archived as "plate" or "_plate"
    var speed: Int
  }

  private struct Engine: Codable, Sendable {
    var power: Int
  }

  private static let archive = ArchiveFixtures.folders[0].appending(path: "several.plist")

  @Test func theArticlesArchiveIsImported() async throws {
    let (store, url) = (ArchiveFixtures.store(), Self.archive)
    let report = try await store.importKeyedArchive(at: url, as: ["CarInfo": CarInfo.self])
    let car = try store.object(CarInfo.self, forKey: "car")
    #expect(car?.plate == "B 1" && report.importedKeys.contains("car"))
  }

  @Test func theArticlesTreesAreRead() async throws {
    let (store, url) = (ArchiveFixtures.store(), Self.archive)
    try await store.importKeyedArchive(at: url, unknownClasses: .keepAsTrees)
    let tree = try store.object(ArchiveValue.self, forKey: "car")
    let plate = tree?["_plate"]?.string
    #expect(plate == "B 1")
  }

  @Test func theArticlesReportListsWhatIsLeftOut() async throws {
    let (store, url) = (ArchiveFixtures.store(), Self.archive)
    try await store.set(1, forKey: "car")
    var lines: [String] = []
    func log(_ line: String) { lines.append(line) }
    let report = try await store.importKeyedArchive(
      at: url, as: ["CarInfo": CarInfo.self], skipping: [.unreadable, .existing])
    for entry in report.skipped { log("\(entry.key): \(entry.message)") }
    log("fields that no type asked for: \(report.unreadFields)")
    #expect(lines.contains("car: the store has a value for this key"))
    #expect(lines.last == #"fields that no type asked for: ["CarInfo": ["_note", "isOnline"]]"#)
  }

  @Test func theArticlesDefaultsAreImported() async throws {
    let store = ArchiveFixtures.store()
    try await store.importUserDefaults()  // all that the app has set
    try await store.importUserDefaults(suite: "group.example", keys: ["volume", "car"], as: ["CarInfo": CarInfo.self])
    let missing = try await store.importUserDefaults(suite: "group.example", keys: ["volume"])
    #expect(missing.skipped.map(\.reason) == [.noValue])
  }

  @Test func theArticlesFilesAreImported() async throws {
    try await withTemporaryDirectory { folder in
      let (store, url) = (ArchiveFixtures.store(), folder.appending(path: "data"))
      try Data(#"{"car": {"plate": "B 2", "speed": 7}}"#.utf8).write(to: url)
      let json = { @Sendable in
        try await store.importJSON(at: url, as: ["car": CarInfo.self])
        try await store.importPropertyList(at: url)
      }
      // One file is never both.
      let error = try await requireError(GlobalDataError.self) { try await json() }
      #expect(error.code == .importFailed)
      #expect((try store.object(forKey: "car") as? CarInfo)?.speed == 7)
      try PropertyListSerialization.data(fromPropertyList: ["volume": 0.5], format: .xml, options: 0).write(to: url)
      try await store.importPropertyList(at: url)
      #expect(try store.object(Double.self, forKey: "volume") == 0.5)
    }
  }

  @Test func theReferencesExamplesImport() async throws {
    let imported = { (store: GlobalData, url: URL) async throws -> [String] in
      let report = try await store.importKeyedArchive(at: url, as: ["CarInfo": CarInfo.self, "CIEngine": Engine.self])
      return report.importedKeys
    }
    #expect(try await imported(ArchiveFixtures.store(), Self.archive).contains("car"))
    let chosen = { (store: GlobalData) async throws -> [String] in
      let report = try await store.importUserDefaults(keys: ["volume", "car"], as: ["CarInfo": CarInfo.self])
      return report.importedKeys
    }
    #expect(try await chosen(ArchiveFixtures.store()) == [])
    let text = { (store: GlobalData, url: URL) async throws -> [String] in
      let report = try await store.importJSON(at: url, as: ["car": CarInfo.self])
      return report.importedKeys
    }
    await #expect(throws: GlobalDataError.self) { _ = try await text(ArchiveFixtures.store(), Self.archive) }
  }

  @Test func theReadmesImportsGoIntoTheCurrentStore() async throws {
    let all = { (url: URL) async throws -> ImportReport in
      let report = try await GlobalData.importKeyedArchive(at: url, as: ["CarInfo": CarInfo.self])
      try await GlobalData.importUserDefaults(keys: ["volume"])
      try await GlobalData.importJSON(at: url)  // each key becomes an entry, numbers keep all their digits
      return report
    }
    await GlobalData.withStore(ArchiveFixtures.store()) {
      await #expect(throws: GlobalDataError.self) { _ = try await all(Self.archive) }
      #expect(GlobalData.contains("car"))
    }
  }

  @Test func theFrontPagesReportCanBePrinted() async throws {
    var printed = ""
    func print(_ report: ImportReport) { printed = report.description }
    try await GlobalData.withStore(ArchiveFixtures.store()) {
      let url = Self.archive
      let report = try await GlobalData.importKeyedArchive(at: url, as: ["CarInfo": CarInfo.self])
      print(report)
    }
    #expect(printed.hasPrefix("imported "))
  }
}
