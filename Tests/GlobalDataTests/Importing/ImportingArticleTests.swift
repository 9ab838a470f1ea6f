import Foundation
import GlobalData
import TestSupport
import Testing

/// The code of the article Importing, as it stands there.
@Suite struct ImportingArticleTests {
  private struct CarInfo: Codable, Sendable {
    var plate: String  // archived as "plate" or "_plate"
    var speed: Int
  }

  @Test func theArticlesArchivesAreImported() async throws {
    let store = ArchiveFixtures.store()
    let url = ArchiveFixtures.folders[0].appending(path: "several.plist")
    let first = try await store.importKeyedArchive(at: url, as: ["CarInfo": CarInfo.self])
    let car = try store.object(CarInfo.self, forKey: "car")
    #expect(car?.plate == "B 1" && first.importedKeys.contains("car"))

    var lines: [String] = []
    func log(_ line: String) { lines.append(line) }
    let report = try await store.importKeyedArchive(
      at: url, as: ["CarInfo": CarInfo.self], skipping: [.unreadable, .existing])
    for entry in report.skipped { log("\(entry.key): \(entry.message)") }
    log("fields that no type asked for: \(report.unreadFields)")
    #expect(report.importedKeys.isEmpty)
    #expect(lines.contains("car: the store has a value for this key"))
    #expect(lines.last == #"fields that no type asked for: ["CarInfo": ["_note", "isOnline"]]"#)
  }

  @Test func theArticlesDefaultsAndFilesAreImported() async throws {
    try await withTemporaryDirectory { folder in
      let store = ArchiveFixtures.store()
      try await store.importUserDefaults()  // all that the app has set
      let missing = try await store.importUserDefaults(
        suite: "group.example.GlobalDataTests", keys: ["volume", "car"], as: ["CarInfo": CarInfo.self])
      #expect(missing.skipped.map(\.reason) == [.noValue, .noValue])
      var url = folder.appending(path: "data.json")
      try Data(#"{"car": {"plate": "B 2", "speed": 7}}"#.utf8).write(to: url)
      try await store.importJSON(at: url, as: ["car": CarInfo.self])
      #expect((try store.object(forKey: "car") as? CarInfo)?.speed == 7)
      url = folder.appending(path: "data.plist")
      try PropertyListSerialization.data(fromPropertyList: ["volume": 0.5], format: .xml, options: 0).write(to: url)
      try await store.importPropertyList(at: url)
      #expect(try store.object(Double.self, forKey: "volume") == 0.5)
    }
  }
}
