import Foundation
import GlobalData
import TestSupport
import Testing

/// `archivetool repair` and `archivetool check --json`.
@Suite(.enabled(if: ChildProcess.isPossible)) struct RepairTests {
  private let bench = ToolBench()

  private func makeDamagedFile() async throws {
    let store = GlobalData(at: bench.file)
    try await store.set("Ada", forKey: "name")
    try await store.set("Berlin", forKey: "city")
    try await store.set(3, forKey: "count")
    try bench.damage("Berlin")
  }

  @Test func intactEntriesAreKeptAndTheDamagedFileIsSetAside() async throws {
    try await makeDamagedFile()
    let damaged = try Data(contentsOf: bench.file)
    let repair = try await bench.tool("repair", bench.file.path)
    #expect(repair.status == 0)
    let aside = try #require(
      FileManager.default.contentsOfDirectory(atPath: bench.folder.path).first { $0.contains(".damaged-") })
    #expect(
      repair.output == """
        kept  name
        kept  count
        lost  city
        the damaged file is now \(bench.url(aside).path)

        """)
    #expect(repair.errors.hasPrefix("archivetool: the checksum of the entry \"city\" does not match, at byte "))
    #expect(try Data(contentsOf: bench.url(aside)) == damaged)
    let check = try await bench.tool("check", bench.file.path)
    #expect(check.status == 0)
    #expect(try await bench.tool("get", bench.file.path, "name").output == "\"Ada\"\n")
  }

  @Test(arguments: [(["city"], "entry whose key"), (["city", "count"], "entries whose keys")], [[], ["--json"]])
  func entriesWhoseKeysCannotBeReadAreCountedAsLost(_ lost: ([String], String), options: [String]) async throws {
    let (keys, what) = lost
    let store = GlobalData(at: bench.file)
    for key in ["name", "city", "count", "last"] { try await store.set("the value of \(key)", forKey: key) }
    var data = try Data(contentsOf: bench.file)
    for key in keys {
      // The head of the key, the key, and the head of the value.
      let range = try #require(data.range(of: Data(key.utf8)))
      let damaged = range.lowerBound - 1..<range.upperBound + 2
      data.replaceSubrange(damaged, with: Data(repeating: 0xff, count: damaged.count))
    }
    try data.write(to: bench.file)
    let kept = ["name", "city", "count", "last"].filter { !keys.contains($0) }
    let repair = try await bench.run(["repair"] + options + [bench.file.path])
    #expect(repair.status == 0)
    if options.isEmpty {
      let lost = "lost  \(keys.count) \(what) cannot be read\n"
      let intact = kept.map { "kept  \($0)\n" }.joined()
      #expect(repair.output.hasPrefix("\(intact)\(lost)the damaged file is now "), "\(repair)")
    } else {
      let report = try JSONDecoder().decode(ArchiveValue.self, from: Data(repair.output.utf8))
      #expect(report["lost"] == [] && report["lostCount"]?.int == keys.count)
      #expect(report["kept"]?.array?.compactMap(\.string) == kept)
    }
  }

  @Test func anErrorOfADamagedFileNamesCommandsOfTheTool() async throws {
    try await makeDamagedFile()
    for command in ["list", "export"] {
      let outcome = try await bench.tool(command, bench.file.path)
      #expect(outcome.status == 3)
      let advice = "keep its intact entries with archivetool repair, or start over with archivetool clear."
      #expect(outcome.errors.hasSuffix("\(advice)\n"))
    }
  }

  @Test func aKeyWithALostNewestValueKeepsAnOlderOneReportedAsOld() async throws {
    let store = bench.appendingStore()
    try await store.set("Paris", forKey: "city")
    try await store.set("Berlin", forKey: "city")
    try bench.damage("Berlin")
    let repair = try await bench.tool("repair", bench.file.path)
    #expect(repair.output.hasPrefix("old   city\nthe damaged file is now "))
    #expect(try await bench.tool("get", bench.file.path, "city").output == "\"Paris\"\n")
  }

  @Test func programsGetTheRepairAsJSON() async throws {
    try await makeDamagedFile()
    let repair = try await bench.tool("repair", "--json", bench.file.path)
    #expect(repair.status == 0)
    #expect(repair.errors.isEmpty)
    let report = try JSONDecoder().decode(ArchiveValue.self, from: Data(repair.output.utf8))
    #expect(report["wasDamaged"] == true)
    #expect(report["kept"] == ["name", "count"])
    #expect(report["lost"] == ["city"])
    #expect(report["lostCount"] == 1)
    #expect(report["problems"]?.array?.count == 1)
    #expect(FileManager.default.fileExists(atPath: try #require(report["setAside"]?.string)))
  }

  @Test func anIntactFileIsNotTouched() async throws {
    try await GlobalData(at: bench.file).set(1, forKey: "a")
    let before = try bench.snapshot()
    let repair = try await bench.tool("repair", bench.file.path)
    #expect(repair.status == 0)
    #expect(repair.output == "intact: nothing to repair\n")
    #expect(repair.errors.isEmpty)
    let json = try await bench.tool("repair", "--json", bench.file.path)
    #expect(
      json.output == """
        {
          "wasDamaged": false,
          "problems": [],
          "kept": [
            "a"
          ],
          "old": [],
          "lost": [],
          "lostCount": 0,
          "setAside": null
        }

        """)
    let after = try bench.snapshot()
    #expect(after == before)
  }

  @Test func appendedChangesAreKept() async throws {
    let store = bench.appendingStore()
    try await store.set("Berlin", forKey: "city")
    try await store.set("Ada", forKey: "name")
    try await store.set("Grace", forKey: "name")
    try await store.close()
    let intact = try await bench.tool("check", "--json", bench.file.path)
    #expect(intact.status == 0)
    #expect(intact.output.contains("\"entryCount\": 2"))
    try bench.damage("Berlin")
    let check = try await bench.tool("check", bench.file.path)
    #expect(check.status == 1)
    let repair = try await bench.tool("repair", bench.file.path)
    #expect(repair.status == 0)
    #expect(repair.output.hasPrefix("kept  name\nlost  city\n"))
    #expect(try await bench.tool("get", bench.file.path, "name").output == "\"Grace\"\n")
  }

  @Test func aForeignFileIsNotRepaired() async throws {
    let path = try bench.write("not an archive", to: "store.archive")
    let repair = try await bench.tool("repair", path)
    #expect(repair.status == 3)
    #expect(repair.output.isEmpty)
    #expect(repair.errors.contains("is not an archive of GlobalData"))
    #expect(try Data(contentsOf: bench.file) == Data("not an archive".utf8))
  }

  @Test func programsGetTheCheckAsJSON() async throws {
    try await makeDamagedFile()
    let check = try await bench.tool("check", "--json", bench.file.path)
    #expect(check.status == 1)
    #expect(check.errors.isEmpty)
    let report = try JSONDecoder().decode(ArchiveValue.self, from: Data(check.output.utf8))
    #expect(report["isIntact"] == false)
    #expect(report["entryCount"] == 2)
    #expect(try report["byteCount"]?.int == Data(contentsOf: bench.file).count)
    #expect(report["problems"]?[0]?.string?.hasPrefix("the checksum of the entry \"city\"") == true)
  }
}
