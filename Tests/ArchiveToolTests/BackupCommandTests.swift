import Foundation
import GlobalData
import TestSupport
import Testing

/// `archivetool backup` and `archivetool restore`.
@Suite(.enabled(if: ChildProcess.isPossible)) struct BackupCommandTests {
  private let bench = ToolBench()

  private func filled(_ bench: ToolBench) async throws -> GlobalData {
    let store = bench.appendingStore()
    try await store.set("Ada", forKey: "name")
    try await store.set(1, forKey: "count")
    return store
  }

  @Test func aBackupIsWrittenAndRestored() async throws {
    let store = try await filled(bench)
    let backup = bench.url("backup").path
    let outcome = try await bench.tool("backup", bench.file.path, backup)
    #expect(outcome.status == 0 && outcome.output.hasPrefix("backed up 2 entries, "), "\(outcome)")
    try await store.set("Kim", forKey: "name")
    let restored = try await bench.tool("restore", bench.file.path, backup)
    #expect(restored.status == 0 && restored.output.hasPrefix("restored 2 entries\nthe previous file is now "))
    try await store.refresh()
    #expect(try store.object(String.self, forKey: "name") == "Ada")
    let json = try await bench.tool("restore", "--json", bench.file.path, backup)
    #expect(json.status == 0 && json.output.contains("\"kept\": null"), "\(json)")
  }

  /// The value's checksum matches, so the file is not damaged.
  @Test func aBackupCountsAValueThatCannotBeDecoded() async throws {
    let good = ForgedFile.Record(key: "good", value: [0x01])
    try Data(ForgedFile([ForgedFile.Record(key: "bad", value: [0x82, 0x01]), good]).bytes).write(to: bench.file)
    let backup = try await bench.tool("backup", bench.file.path, bench.url("backup").path)
    #expect(backup.status == 0 && backup.output.hasPrefix("backed up 2 entries, "), "\(backup)")
  }

  /// An app can raise its limit for nesting.
  @Test func deeplyNestedValuesAreShownOnRequestAndRestored() async throws {
    var configuration = GlobalData.Configuration()
    configuration.limits.maximumDepth = 1000
    let store = GlobalData(at: bench.file, configuration: configuration)
    try await store.set((0..<400).reduce(ArchiveValue.null) { value, _ in [value] }, forKey: "deep")
    try await store.close()
    let (path, backup) = (bench.file.path, bench.url("backup").path)
    let notation = String(repeating: "[", count: 400) + "null" + String(repeating: "]", count: 400) + "\n"
    let refused = try await bench.tool("get", path, "deep")
    #expect(refused.status == 3 && refused.errors.hasSuffix("use --unlimited to read the file anyway\n"))
    #expect(try await bench.tool("get", "--unlimited", "--diagnostic", path, "deep").output == notation)
    #expect(try await bench.tool("export", "--unlimited", path).status == 0)
    let export = try bench.write("{\"deep\": \(notation)}", to: "export.json")
    let unimported = try await bench.tool("import", path, export)
    #expect(unimported.status == 3 && unimported.errors.hasSuffix("use --unlimited to read the file anyway\n"))
    #expect(try await bench.tool("import", "--unlimited", path, export).status == 0)
    for command in ["check", "repair"] {
      let beyond = try await bench.tool(command, path)
      #expect(beyond.status == 1 && beyond.errors.contains("nesting"), "\(beyond)")
      #expect(beyond.errors.hasSuffix("use --unlimited to read the file anyway\n"))
      let intact = try await bench.tool(command, "--unlimited", path)
      #expect(intact.status == 0 && intact.output.hasPrefix("intact: "), "\(intact)")
    }
    #expect(try await bench.tool("backup", path, backup).output.hasPrefix("backed up 1 entry, "))
    #expect(try await bench.tool("set", path, "deep", "1").status == 0)
    let restored = try await bench.tool("restore", path, backup)
    #expect(restored.status == 0, "\(restored)")
    #expect(try await bench.tool("get", "--unlimited", "--diagnostic", path, "deep").output == notation)
  }

  @Test func anEarlierBackupIsReplacedAndALaterStateOnlyByForce() async throws {
    let store = try await filled(bench)
    let backup = bench.url("backup").path
    #expect(try await bench.tool("backup", bench.file.path, backup).status == 0)
    try await store.set("Kim", forKey: "name")
    let again = try await bench.tool("backup", "--json", bench.file.path, backup)
    #expect(again.status == 0 && again.output.contains("\"entryCount\": 2"))
    try await store.set("Ada", forKey: "name")
    let wrongWay = try await bench.tool("backup", backup, bench.file.path)
    #expect(wrongWay.status == 3 && wrongWay.errors.contains("seems newer than the file to back up"))
    #expect(try await bench.tool("get", bench.file.path, "name").output == "\"Ada\"\n")
    #expect(try await bench.tool("backup", "--force", backup, bench.file.path).status == 0)
  }

  @Test func aFileThatIsNotAnArchiveIsNotReplaced() async throws {
    _ = try await filled(bench)
    let notes = try bench.write("my notes", to: "notes.txt")
    let outcome = try await bench.tool("backup", bench.file.path, notes)
    #expect(outcome.status == 3 && outcome.output.isEmpty)
    #expect(try String(contentsOfFile: notes, encoding: .utf8) == "my notes")
  }

  @Test func aDamagedBackupIsReplaced() async throws {
    let store = try await filled(bench)
    let backup = bench.url("backup").path
    #expect(try await bench.tool("backup", bench.file.path, backup).status == 0)
    try await store.close()
    let intact = try Data(contentsOf: bench.file)
    try bench.damage("Ada")
    try FileManager.default.removeItem(atPath: backup)
    try FileManager.default.moveItem(atPath: bench.file.path, toPath: backup)
    try intact.write(to: bench.file)
    #expect(try await bench.tool("backup", bench.file.path, backup).status == 0)
    #expect(try await bench.tool("check", backup).status == 0)
  }

  @Test func aDamagedFileIsNotBackedUpAndIsRestored() async throws {
    let store = try await filled(bench)
    let backup = bench.url("backup").path
    #expect(try await bench.tool("backup", bench.file.path, backup).status == 0)
    try await store.close()
    try bench.damage("Ada")
    let refused = try await bench.tool("backup", bench.file.path, backup)
    #expect(refused.status == 3 && !refused.errors.isEmpty)
    #expect(try await bench.tool("restore", bench.file.path, backup).status == 0)
    #expect(try await bench.tool("check", bench.file.path).status == 0)
  }

  @Test func missingFilesAreErrorsAndCreateNothing() async throws {
    let (none, other) = (bench.url("none").path, bench.url("other").path)
    let backup = try await bench.tool("backup", none, other)
    let restoration = try await bench.tool("restore", bench.file.path, none)
    #expect(backup.status == 3 && restoration.status == 3)
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).isEmpty)
  }
}
