import Foundation
import GlobalData
import TestSupport
import Testing

/// The tool, run like a user runs it: the complete output and the exit status.
@Suite(.enabled(if: ChildProcess.isPossible)) struct ArchiveToolTests {
  private let bench = ToolBench()

  #if os(Linux)  // has a device that is always full
  @Test func anUnwritableOutputIsAFailureInOneLine() async throws {
    #expect(try await bench.tool("set", bench.file.path, "name", "\"Ada\"").status == 0)
    for command in [["list", bench.file.path], ["get", bench.file.path, "name"], ["help"]] {
      let full = try await bench.run(command, through: #"exec "$0" "$@" > /dev/full"#)
      #expect(full.status == 3)
      #expect(full.errors.hasPrefix("archivetool: cannot write to standard output: "))
      #expect(full.errors.hasSuffix("No space left on device\n"))
      #expect(full.errors.split(separator: "\n").count == 1)
    }
  }
  #endif

  @Test func valuesAreSetListedReadCheckedAndRemoved() async throws {
    let path = bench.file.path
    #expect(try await bench.tool("set", path, "name", "\"Ada\"").status == 0)
    #expect(try await bench.tool("set", path, "count", "-1").status == 0)
    #expect(
      try await bench.tool("set", path, "car", #"{"plate": "B 1", "wheels": [1, 2.5, null, true]}"#).status == 0)

    let list = try await bench.tool("list", path)
    #expect(list.status == 0)
    #expect(list.errors.isEmpty)
    #expect(
      list.output == """
        KEY    TYPE          SIZE
        name   String           4
        count  Int              1
        car    [String:Any]    25

        """)
    let json = try await bench.tool("get", path, "car")
    #expect(json.status == 0)
    #expect(
      json.output == """
        {
          "plate": "B 1",
          "wheels": [
            1,
            2.5,
            null,
            true
          ]
        }

        """)
    #expect(
      try await bench.tool("get", "--diagnostic", path, "car").output == """
        {"plate": "B 1", "wheels": [1, 2.5, null, true]}

        """)
    let size = try Data(contentsOf: bench.file).count
    #expect(try await bench.tool("check", path).output == "intact: 3 entries, \(size) bytes\n")
    #expect(try await bench.tool("remove", path, "car").status == 0)
    let gone = try await bench.tool("get", path, "car")
    #expect(gone.status == 1)
    #expect(gone.output.isEmpty)
    #expect(gone.errors == "archivetool: there is no key \"car\"\n")
    #expect(try await bench.tool("remove", path, "car").status == 1)
    #expect(try await bench.tool("clear", path).status == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func theListForProgramsIsJSON() async throws {
    try await GlobalData(at: bench.file).set(CarInfo("HH-GD 1"), forKey: "car")
    let list = try await bench.tool("list", "--json", bench.file.path)
    let value = try JSONDecoder().decode(ArchiveValue.self, from: Data(list.output.utf8))
    #expect(value[0]?["key"]?.string == "car")
    #expect(value[0]?["type"]?.string == "CarInfo")
    #expect(try value[0]?["size"]?.int == GlobalData(at: bench.file).entries().first?.size)
  }

  @Test(arguments: [
    "18446744073709551615", "-9223372036854775808", "9007199254740993", "3.14159265358979323846", "-0.0", "0.1", "null",
    "123456789012345678901234567890123456789012345678901234567890",
  ])
  func numbersKeepAllTheirDigits(_ number: String) async throws {
    let set = try await bench.tool("set", bench.file.path, "n", number)
    let get = try await bench.tool("get", bench.file.path, "n")
    #expect(set.status == 0)
    #expect(get.output == number + "\n")
  }

  @Test(arguments: [
    ("9223372036854775807", "Int"), ("9223372036854775808", "UInt64"), ("18446744073709551615", "UInt64"),
    ("18446744073709551616", "UInt128"), ("-9223372036854775808", "Int"), ("-9223372036854775809", "Int128"),
  ])
  func aListShowsTheTypeThatAnIntegerIsReadAs(_ number: String, type: String) async throws {
    #expect(try await bench.tool("set", bench.file.path, "n", number).status == 0)
    let list = try await bench.tool("list", "--json", bench.file.path)
    #expect(try JSONDecoder().decode(ArchiveValue.self, from: Data(list.output.utf8))[0]?["type"]?.string == type)
    let value = try #require(try GlobalData(at: bench.file).object(forKey: "n"))
    #expect(type == "UInt128" || String(describing: Swift.type(of: value)) == type)
  }

  @Test func aRoundedNumberIsReported() async throws {
    let set = try await bench.tool("set", bench.file.path, "n", "[0." + String(repeating: "1", count: 50) + "]")
    #expect(set.status == 0)
    #expect(set.errors == "archivetool: 1 value of number of 50 digits became Double\n")
    let tiny = try await bench.tool("set", bench.file.path, "n", "1e-400")
    #expect(tiny.errors == "archivetool: 1 value of number of 1 digit became Double\n")
  }

  @Test(arguments: ["1e400", String(repeating: "[", count: 600) + String(repeating: "]", count: 600)])
  func unstorableJSONIsNotAUsageError(_ text: String) async throws {
    let set = try await bench.tool("set", bench.file.path, "a", text)
    #expect(set.status == 3 && !set.errors.contains("not valid JSON"))
    // An option of another command.
    #expect(!set.errors.contains("--skip-unreadable"), "\(set.errors)")
    #expect(!FileManager.default.fileExists(atPath: bench.file.path))
  }

  @Test func aByteOrderMarkIsNotPartOfTheValue() async throws {
    #expect(try await bench.tool("set", bench.file.path, "a", "\u{feff} [null]").status == 0)
    #expect(try GlobalData(at: bench.file).object(ArchiveValue.self, forKey: "a") == [nil])
  }

  @Test(arguments: [
    (#"{"a": 1,}"#, #""{\"a\": 1,}" is not valid JSON at line 1, column 9 (byte 8): "#),
    (#""\ud83d""#, #""\"\\ud83d\"" is not valid JSON at line 1, column 2 (byte 1): "#),
    ("[" + String(repeating: "1, ", count: 99), "1, 1…\" is not valid JSON at line 1, column 299 (byte 298): "),
  ])
  func theReasonWhyAValueIsNotJSONIsGiven(_ text: String, _ message: String) async throws {
    let set = try await bench.tool("set", bench.file.path, "a", text)
    #expect(set.status == 2 && set.errors.contains(message), "\(set.errors)")
    #expect(!set.errors.contains("quotes"))
    let words = try await bench.tool("set", bench.file.path, "a", "Ada")
    #expect(words.errors.contains("; put text in double quotes inside the shell's quotes"), "\(words.errors)")
  }

  @Test func invalidJSONValuesAreNotStored() async throws {
    #expect(try await bench.tool("set", bench.file.path, "a", #"1, "b": 2"#).status == 2)
    #expect(try await bench.tool("set", bench.file.path, "a", #"1}, {"b": 2"#).status == 2)
    let twice = try await bench.tool("set", bench.file.path, "a", #"{"x": 1, "x": 2}"#)
    #expect(twice.status == 3 && twice.errors.contains(#""x" twice"#) && twice.errors.hasSuffix("is at byte 9\n"))
    #expect(!FileManager.default.fileExists(atPath: bench.file.path))
    #expect(try await bench.tool("set", bench.file.path, "a\"b\u{200b}", "[1]").status == 0)
    #expect(try GlobalData(at: bench.file).object([Int].self, forKey: "a\"b\u{200b}") == [1])
  }

  @Test(arguments: [
    ["list"], ["get", "key"], ["remove", "key"], ["check"], ["repair"], ["diff", "other"], ["export"],
  ])
  func aCommandForAMissingFileFailsAndCreatesNone(_ words: [String]) async throws {
    let outcome = try await bench.run([words[0], bench.file.path] + words.dropFirst())
    #expect(outcome.status == 3)
    #expect(outcome.errors == "archivetool: there is no file at \(bench.file.path)\n")
    #expect(!FileManager.default.fileExists(atPath: bench.file.path))
  }

  @Test(arguments: [["list"], ["get", "key"], ["remove", "key"], ["check"], ["import"]])
  func aFileWhosePathCannotBeFollowedIsNotReportedAsMissing(_ words: [String]) async throws {
    let loop = bench.url("loop")
    try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
    let path = loop.appendingPathComponent("file").path
    let outcome = try await bench.run(
      words[0] == "import" ? ["import", bench.file.path, path] : [words[0], path] + words.dropFirst())
    #expect(outcome.status == 3 && outcome.errors.contains("realpath"), "\(outcome.errors)")
  }

  @Test(arguments: ["~", "~root"])
  func aTildeInAFileNameIsNotExpanded(_ name: String) async throws {
    let set = try await bench.run(
      ["set", name, "a", "1"], through: #"cd "$BENCH" && exec "$0" "$@""#)
    #expect(set.status == 0 && set.errors.isEmpty, "\(set.errors)")
    #expect(FileManager.default.fileExists(atPath: "\(bench.folder.path)/\(name)"))
  }

  @Test(arguments: [["list"], ["get", "key"], ["check"], ["import"]])
  func aPipeIsNotReportedAsABrokenLink(_ words: [String]) async throws {
    let path = words[0] == "import" ? [bench.file.path, "/dev/stdin"] : ["/dev/stdin"]
    let outcome = try await bench.run([words[0]] + path + words.dropFirst(), through: #"echo 1 | "$0" "$@""#)
    #expect(outcome.status == 3 && outcome.errors.contains("a file"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("link"), "\(outcome.errors)")
  }

  @Test func afterTwoDashesNothingIsAnOption() async throws {
    #expect(try await bench.tool("set", bench.file.path, "--", "--help", "1").status == 0)
    #expect(try await bench.tool("get", "--diagnostic", "--", bench.file.path, "--help").output == "1\n")
  }

  @Test func aPathThroughAFileLeadsToNoFile() async throws {
    let path = try bench.write("", to: "file") + "/store"
    #expect(try await bench.tool("list", path).errors == "archivetool: there is no file at \(path)\n")
  }

  @Test func aDamagedFileIsReportedAndUnchanged() async throws {
    #expect(try await bench.tool("set", bench.file.path, "name", "\"Ada\"").status == 0)
    let damaged = try Data(contentsOf: bench.file).dropLast()
    try damaged.write(to: bench.file)
    let check = try await bench.tool("check", bench.file.path)
    #expect(check.status == 1)
    #expect(check.output.isEmpty && check.errors.contains("ends"))
    #expect(try await bench.tool("get", bench.file.path, "name").status == 3)
    #expect(try await bench.tool("remove", bench.file.path, "name").status == 3)
    #expect(try await bench.tool("set", bench.file.path, "name", "1").status == 3)
    #expect(try Data(contentsOf: bench.file) == damaged)
    // A file that is to be removed need not be readable.
    #expect(try await bench.tool("clear", bench.file.path).status == 0)
    #expect(!FileManager.default.fileExists(atPath: bench.file.path))
  }

  @Test(arguments: [
    [], ["unknown"], ["list"], ["list", "a", "b"], ["list", "--wrong", "a"], ["get", "a"], ["set", "a", "b"],
    ["set", "a", "b", "not JSON"], ["set", "a", "b", "[1,]"], ["diff", "a"], ["import", "a"],
    ["export", "--json", "a"], ["repair"],
  ])
  func wrongUsageExitsWith2AndShowsTheUsage(_ words: [String]) async throws {
    let outcome = try await bench.run(words)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("usage: archivetool"))
  }

  @Test(arguments: [["clear"], ["get", "file"], ["set", "file", "key"]])
  func anArgumentThatIsNotUTF8IsNotTakenForAnother(_ words: [String]) async throws {
    let outcome = try await bench.run(words, through: #"exec "$0" "$@" "$(printf 'caf\351')""#)
    #expect(outcome.status == 2 && outcome.errors.contains("is not valid UTF-8"))
  }

  #if os(Linux)
  /// Other systems refuse such names.
  @Test func aRelativePathInAFolderWhoseNameIsNotUTF8LeadsToNoOtherFolder() async throws {
    let change = #"cd "$BENCH" && mkdir "$(printf 'caf\351')" && cd "$(printf 'caf\351')""#
    let outcome = try await bench.run(["set", "store", "key", "1"], through: change + #" && exec "$0" "$@""#)
    #expect(outcome.status == 3 && outcome.errors.contains("is not valid UTF-8"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).count == 1)
  }
  #endif

  @Test(arguments: [["help"], ["--help"], ["help", "set"], ["set", "--help"]])
  func helpGoesToStandardOutput(_ words: [String]) async throws {
    let outcome = try await bench.run(words)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("usage: archivetool"))
    #expect(outcome.errors.isEmpty)
  }
}
