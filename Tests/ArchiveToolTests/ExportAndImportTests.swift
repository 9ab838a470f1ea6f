import Foundation
import GlobalData
import TestSupport
import Testing

/// `archivetool export` and `archivetool import`.
@Suite(.enabled(if: ChildProcess.isPossible)) struct ExportAndImportTests {
  private let bench = ToolBench()

  @Test func theWholeArchiveIsExportedAsOneObject() async throws {
    let store = bench.appendingStore()
    try await store.set(["first": [1, 2]], forKey: "b")
    try await store.set("line\nand \"quotes\"", forKey: "a \"key\"")
    try await store.set(Date(timeIntervalSince1970: 0), forKey: "date")
    try await store.close()
    let export = try await bench.tool("export", bench.file.path)
    #expect(export.status == 0)
    #expect(export.errors.isEmpty)
    #expect(
      export.output == #"""
        {
          "b": {
            "first": [
              1,
              2
            ]
          },
          "a \"key\"": "line\nand \"quotes\"",
          "date": "1970-01-01T00:00:00Z"
        }

        """#)
  }

  @Test func anExportIsImportedAgain() async throws {
    let text = #"{"z": [1, 2.5, null, true], "a": {"deep": {"er": "ü"}}, "n": 18446744073709551615}"#
    let input = try bench.write(text, to: "input.json")
    let first = try await bench.tool("import", bench.file.path, input)
    #expect(first.status == 0)
    #expect(first.output == "imported 3 entries\n")
    #expect(first.errors.isEmpty)
    let export = try await bench.tool("export", bench.file.path)
    let copy = bench.url("copy").path
    #expect(try await bench.tool("import", copy, bench.write(export.output, to: "export.json")).status == 0)
    let diff = try await bench.tool("diff", bench.file.path, copy)
    #expect(diff.status == 0)
    #expect(diff.output.isEmpty)
  }

  @Test(arguments: ["{}", #"{"a": null}"#]) func anImportWithoutAValueCreatesNoFile(text: String) async throws {
    let outcome = try await bench.tool("import", bench.file.path, bench.write(text, to: "input.json"))
    #expect(outcome.status == 0 && outcome.output == "imported 0 entries\n")
    #expect(!FileManager.default.fileExists(atPath: bench.file.path))
  }

  @Test(arguments: [[], ["--html"]]) func anExportOfAnUnreadableValuePrintsNothing(options: [String]) async throws {
    let records = [ForgedFile.Record(key: "a", value: [1]), ForgedFile.Record(key: "b", value: [0x82, 1])]
    try Data(ForgedFile(records).bytes).write(to: bench.file)
    let export = try await bench.run(["export"] + options + [bench.file.path])
    #expect(export.status == 3 && export.errors.contains("the value under the key \"b\""))
    #expect(export.output.isEmpty)
  }

  @Test func keysThatOnlyAnAppWithOtherLimitsStoresAreSetAndImported() async throws {
    var configuration = GlobalData.Configuration(location: .file(bench.file))
    configuration.limits.maximumKeyLength = 5_000
    let key = String(repeating: "k", count: 5_000)
    let store = GlobalData(configuration)
    try await store.set(1, forKey: key)
    try await store.close()
    #expect(try await bench.tool("set", bench.file.path, key, "2").status == 0)
    let export = try await bench.tool("export", bench.file.path)
    let copy = bench.url("copy").path
    #expect(try await bench.tool("import", copy, bench.write(export.output, to: "export.json")).status == 0)
    #expect(try await bench.tool("get", copy, key).output == "2\n")
  }

  /// A value of each kind, and its form after an export and an import, as in the table of UsingTheTool.
  private static let kinds: [(value: ArchiveValue, imported: ArchiveValue?)] = [
    (nil, nil), (.undefined, nil), (.simple(7), nil), (true, true), (-5, -5), (.uint(.max), .uint(.max)),
    (
      .bigInteger(isNegative: true, magnitude: Data(repeating: 0xee, count: 300)),
      .bigInteger(isNegative: true, magnitude: Data(repeating: 0xee, count: 300))
    ),
    (
      .bigInteger(isNegative: false, magnitude: Data(repeating: 0xff, count: 1024)),
      .bigInteger(isNegative: false, magnitude: Data(repeating: 0xff, count: 1024))
    ),
    (0.1, 0.1), (.double(-0.0), .double(-0.0)), (.double(1e300), .double(1e300)),
    (.double(.leastNonzeroMagnitude), .double(.leastNonzeroMagnitude)),
    (.double(3), .double(3)), (.double(.nan), "NaN"), (.double(.infinity), "Infinity"),
    (
      .decimal(Decimal(string: "3.14159265358979323846") ?? 0), .decimal(Decimal(string: "3.14159265358979323846") ?? 0)
    ),
    (.decimal(Decimal(string: "1.5") ?? 0), 1.5), (.decimal(7), 7), (.decimal(.nan), "NaN"),
    (
      "\u{0}\u{7f}\u{2028}\u{e0001}\u{1f468}\u{200d}\u{1f469}\r\n\"\\",
      "\u{0}\u{7f}\u{2028}\u{e0001}\u{1f468}\u{200d}\u{1f469}\r\n\"\\"
    ),
    (.data(Data([1, 2, 255])), "AQL/"), (.date(Date(timeIntervalSince1970: 0.125)), "1970-01-01T00:00:00.125Z"),
    (.date(Date(timeIntervalSinceReferenceDate: 1e20)), 1e20),
    (
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), "01020304-0506-0708-090A-0B0C0D0E0F10"
    ),
    ([1, [], [:], nil], [1, [], [:], nil]), (.set([1]), [1]), (.numbers(tag: 64, bytes: Data([1, 2])), [1, 2]),
    (["b": 1, "a": ["x": 2]], ["b": 1, "a": ["x": 2]]), (.named("Day", version: 2, "monday"), "monday"),
    (.tagged(6, 1), 1), (.map([.init(key: 1, value: 2), .init(key: "1", value: 3)]), ["1": 2, "\"1\"": 3]),
  ]

  @Test func eachKindOfValueIsImportedAsDocumented() async throws {
    let store = GlobalData(at: bench.file)
    try await store.update { data in
      for (index, kind) in Self.kinds.enumerated() { try data.set(kind.value, forKey: "\(index)") }
    }
    let export = try await bench.tool("export", bench.file.path)
    #expect(export.status == 0 && export.errors.isEmpty)
    let copy = GlobalData(at: bench.url("copy"))
    let outcome = try await bench.tool(
      "import", bench.url("copy").path, bench.write(export.output, to: "export.json"))
    #expect(outcome.status == 0)
    for (index, kind) in Self.kinds.enumerated() {
      #expect(try copy.object(ArchiveValue.self, forKey: "\(index)") == kind.imported, "\(kind.value)")
      // By itself, the text is the same.
      let get = try await bench.tool("get", bench.file.path, "\(index)")
      #expect(export.output.contains(get.output.dropLast().replacing("\n", with: "\n  ")))
    }
  }

  @Test func theAdviceAboutAnUnreadableValueNamesTheOptionOfTheTool() async throws {
    let input = try bench.write(#"{"a": [1e999], "b": 3}"#, to: "input.json")
    let refused = try await bench.tool("import", bench.file.path, input)
    #expect(refused.status == 3 && refused.errors.hasSuffix("skip unreadable values with --skip-unreadable.\n"))
    #expect(
      try await bench.tool("import", "--skip-unreadable", bench.file.path, input).output == "imported 1 entry\n")
  }

  @Test func existingValuesAreReplacedUnlessTheImportSkipsThem() async throws {
    #expect(try await bench.tool("set", bench.file.path, "a", "1").status == 0)
    let input = try bench.write(#"{"a": 2, "b": 3}"#, to: "input.json")
    let keeping = try await bench.tool("import", "--keep-existing", "--json", bench.file.path, input)
    #expect(keeping.status == 0)
    let report = try JSONDecoder().decode(ArchiveValue.self, from: Data(keeping.output.utf8))
    #expect(report["imported"] == ["b"])
    #expect(report["skipped"]?[0]?["key"] == "a")
    #expect(report["skipped"]?[0]?["reason"] == "existing")
    #expect(try await bench.tool("get", bench.file.path, "a").output == "1\n")
    #expect(try await bench.tool("import", bench.file.path, input).output == "imported 2 entries\n")
    #expect(try await bench.tool("get", bench.file.path, "a").output == "2\n")
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func propertyListsAreImported(_ format: PropertyListSerialization.PropertyListFormat) async throws {
    let list: [String: Any] = ["flag": true, "count": 1, "when": Date(timeIntervalSince1970: 60), "list": ["x"]]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
    try data.write(to: bench.url("input"))
    let outcome = try await bench.tool("import", bench.file.path, bench.url("input").path)
    #expect(outcome.status == 0)
    #expect(outcome.output == "imported 4 entries\n")
    let store = GlobalData(at: bench.file)
    #expect(try store.object(Bool.self, forKey: "flag") == true)
    #expect(try store.object(Int.self, forKey: "count") == 1)
    #expect(try store.object(Date.self, forKey: "when") == Date(timeIntervalSince1970: 60))
    #expect(try store.object([String].self, forKey: "list") == ["x"])
  }

  @Test func archivesOfNSKeyedArchiverAreImported() async throws {
    // The numbers are indices in "$objects".
    let archive = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$version</key><integer>100000</integer>
      <key>$top</key><dict><key>name</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
      <key>$objects</key><array><string>$null</string><string>Ada</string></array>
      </dict></plist>
      """
    let outcome = try await bench.tool("import", bench.file.path, bench.write(archive, to: "input"))
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output == "imported 1 entry\n")
    #expect(try await bench.tool("get", bench.file.path, "name").output == "\"Ada\"\n")
  }

  @Test func aDuplicateKeyInAnArchiveDoesNotEndAnExport() async throws {
    let name = "<key>NS.keys</key>"
    let value = "<key>NS.objects</key>"
    let uid: (Int) -> String = { "<dict><key>CF$UID</key><integer>\($0)</integer></dict>" }
    let archive = """
      <plist version="1.0"><dict>
      <key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$version</key><integer>100000</integer>
      <key>$top</key><dict><key>root</key>\(uid(1))</dict>
      <key>$objects</key><array><string>$null</string>
      <dict><key>$class</key>\(uid(2))\(name)<array>\(uid(3))\(uid(3))</array>\(value)<array>\(uid(3))\(uid(4))</array></dict>
      <dict><key>$classname</key><string>NSDictionary</string></dict><string>a</string><string>b</string></array>
      </dict></plist>
      """
    let export = try await bench.tool("export", bench.write(archive, to: "input"))
    #expect(export.status == 0 && export.output == "{\n  \"a\": \"a\"\n}\n")
    #expect(export.errors.contains("skipped a: the key \"a\" appears twice"))
  }

  @Test func anArrayIsImportedAsRoot() async throws {
    let outcome = try await bench.tool("import", bench.file.path, bench.write("[1, 2]", to: "input"))
    #expect(outcome.output == "imported 1 entry\n")
    #expect(try await bench.tool("get", bench.file.path, "root").output == "[\n  1,\n  2\n]\n")
  }

  @Test(arguments: ["[1, 2", "{\"a\": ", "", "<plist></plist>"])
  func invalidInputChangesNothing(_ text: String) async throws {
    let outcome = try await bench.tool("import", bench.file.path, bench.write(text, to: "input"))
    #expect(outcome.status == 3)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("could not be imported"))
    #expect(!FileManager.default.fileExists(atPath: bench.file.path))
  }

  @Test func aMissingInputFails() async throws {
    let outcome = try await bench.tool("import", bench.file.path, bench.url("none").path)
    #expect(outcome.status == 3)
    #expect(outcome.errors == "archivetool: there is no file at \(bench.url("none").path)\n")
  }

  @Test func programsGetTheConvertedAndSkippedValuesOfAnImportAsJSON() async throws {
    func reference(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
    let archive = """
      <plist><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
      <key>$top</key><dict><key>a</key>\(reference(2))<key>b</key>\(reference(2))<key>none</key>\(reference(0))</dict>
      <key>$objects</key><array><string>$null</string>
      <dict><key>$classname</key><string>Stranger</string></dict>
      <dict><key>$class</key>\(reference(1))<key>name</key><string>Ada</string></dict></array></dict></plist>
      """
    try await GlobalData(at: bench.file).set(1, forKey: "b")
    let path = try bench.write(archive, to: "archive.plist")
    let json = try await bench.tool("import", "--json", "--keep-existing", bench.file.path, path)
    #expect(json.status == 0 && json.errors.isEmpty, "\(json)")
    let report = try JSONDecoder().decode(ArchiveValue.self, from: Data(json.output.utf8))
    #expect(report["imported"] == ["a"])
    let converted = try #require(report["converted"]?.array)
    #expect(converted.count == 1 && converted[0]["count"] == 1)
    #expect(converted[0]["stored"] == "Stranger" && converted[0]["imported"] == "ArchiveValue")
    #expect(report["skipped"]?.array?.map { $0["key"] } == ["b", "none"])
    #expect(report["skipped"]?.array?.map { $0["reason"] } == ["existing", "noValue"])
    let lines = try await bench.tool("import", bench.file.path, path)
    #expect(lines.output == "imported 2 entries\n")
    #expect(lines.errors.contains("skipped none: it has no value\n"))
    #expect(lines.errors.hasSuffix("1 value of Stranger became ArchiveValue\n"), "\(lines.errors)")
  }
}
