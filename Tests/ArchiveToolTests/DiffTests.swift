import Foundation
import GlobalData
import TestSupport
import Testing

/// `archivetool diff`.
@Suite(.enabled(if: ChildProcess.isPossible)) struct DiffTests {
  private let bench = ToolBench()

  /// Two files: `a` and, with appended changes, the bench's own.
  private func makeTwoFiles() async throws -> [String] {
    let old = GlobalData(at: bench.url("a"))
    try await old.set(1, forKey: "same")
    try await old.set("Ada", forKey: "name")
    try await old.set(true, forKey: "gone")
    let new = bench.appendingStore()
    try await new.set("none", forKey: "name")
    try await new.set([1, 2], forKey: "more")
    try await new.set(1, forKey: "same")
    try await new.set("Grace", forKey: "name")
    try await new.close()
    return [bench.url("a").path, bench.file.path]
  }

  @Test func filesWithValuesThatCannotBeReadAreNotCalledEqual() async throws {
    let deep = String(repeating: "<array>", count: 300) + String(repeating: "</array>", count: 300)
    func list(_ number: Int) -> String {
      "<plist><dict><key>a</key>\(deep)<key>b</key><integer>\(number)</integer></dict></plist>"
    }
    let path = try bench.write(list(1), to: "old")
    let same = try await bench.tool("diff", path, bench.write(list(1), to: "same"))
    #expect(same.status == 3 && same.output.isEmpty && same.errors.contains("skipped a: "), "\(same)")
    #expect(try await bench.tool("diff", path, bench.write(list(2), to: "other")).status == 1)
    #expect(try await bench.tool("diff", "--unlimited", path, path).status == 0)
  }

  @Test func addedRemovedAndChangedKeysArePrinted() async throws {
    let paths = try await makeTwoFiles()
    let diff = try await bench.run(["diff"] + paths)
    #expect(diff.status == 1)
    #expect(
      diff.output == """
        ~ name  String "Ada" -> String "Grace"
        - gone  Bool true
        + more  [Int] [1,2]

        """)
    #expect(diff.errors.isEmpty)
  }

  @Test func programsGetTheDifferencesAsJSON() async throws {
    let paths = try await makeTwoFiles()
    let diff = try await bench.run(["diff", "--json"] + paths)
    #expect(diff.status == 1)
    let json = try JSONDecoder().decode(ArchiveValue.self, from: Data(diff.output.utf8))
    #expect(
      json["changed"]
        == .array([
          [
            "key": "name", "new": ["size": 6, "type": "String", "value": "Grace"],
            "old": ["size": 4, "type": "String", "value": "Ada"],
          ]
        ]))
    #expect(json["removed"]?[0]?["key"] == "gone")
    #expect(json["removed"]?[0]?["new"] == nil)
    #expect(json["added"]?[0]?["new"]?["value"] == [1, 2])
    #expect(json["added"]?.array?.count == 1)
  }

  /// Values that are equal for longer than a line shows, and the line that shows their difference.
  private static let longValues: [(old: ArchiveValue, new: ArchiveValue, line: String)] = {
    let long = ArchiveValue.string(String(repeating: "long ", count: 30))
    let text = String(repeating: "a", count: 100)
    func object(_ version: Int, _ speed: ArchiveValue) -> ArchiveValue {
      var object = ArchiveObject(tag: "Car", version: version)
      object["note"] = long
      object["speed"] = speed
      return .object(object)
    }
    return [
      ([long, ["x": [1, 2.5]]], [long, ["x": [1, 2.25]]], "[Any], at [1].x[1]: 2.5 -> 2.25"),
      (
        [long], [long, long, 1],
        "[Any], at [1]: nothing -> \"long long long long long long long long long long long lon…"
      ),
      (object(1, 1), object(1, "1"), "Car, at speed: 1 -> \"1\""),
      (object(1, 1), object(2, 1), "Car: version 1 -> version 2"),
      (.named("Car", version: 1, long), .named("Car", version: 2, long), "Car: version 1 -> version 2"),
      ([.tagged(1, long)], [.tagged(2, long)], "[Any], at [0]: 1(\"long"),
      (["b": long, "a": 1], ["b": long], "[String:Any], at a: 1 -> nothing"),
      (["b": long, "a\u{200b}": 1], ["b": long, "a": 1], "[String:Any], at \"a\\u200b\": 1 -> nothing"),
      (["b": long, "a": 1], ["a": 1, "b": long], "[String:Any]: the field b -> the field a first"),
      ([long, .data(Data([1]))], [long, "AQ=="], "[Any], at [1]: h'01' -> \"AQ==\""),
      (
        .string(text + "b" + text), .string(text + "c" + text),
        "String: …\"aaaaaaaaaaaaaaaaaaaab\(text.prefix(37))\"… -> …\"aaaaaaaaaaaaaaaaaaaac\(text.prefix(37))\"…"
      ),
      (
        .map([.init(key: 1, value: long), .init(key: 2, value: 3)]),
        .map([.init(key: 1, value: long), .init(key: 2, value: 4)]),
        "at [2]: 3 -> 4"
      ),
      (["b": long], ["b": long, "a": 1], "[String:Any], at a: nothing -> 1"),
      ([.tagged(99, [long, 1]), 2], [.tagged(99, [long, 1]), 3], "[Any], at [1]: 2 -> 3"),
      (["a": .tagged(99, [long, 1])], ["a": .tagged(99, [long, 2])], "[String:Any], at a[1]: 1 -> 2"),
      (.named("Car", version: 2, [long, 1]), .named("Car", version: 2, [long, 2]), "Car, at [1]: 1 -> 2"),
      (
        [.numbers(tag: 64, bytes: Data([1])), long, 1], [.numbers(tag: 64, bytes: Data([1])), long, 2], "at [2]: 1 -> 2"
      ),
      (.set([long, 1]), .set([long, 2]), "Set, at [1]: 1 -> 2"),
      (
        .map([.init(key: 1, value: long), .init(key: 2, value: 3)]),
        .map([.init(key: 1, value: long), .init(key: 5, value: 3)]), ": the key 2 -> the key 5"
      ),
      (
        .map([.init(key: 1, value: long)]), .map([.init(key: 1, value: long), .init(key: [2], value: 3)]),
        "at [[2]]: nothing -> 3"
      ),
      (
        .map([.init(key: 1, value: long), .init(key: 2, value: 3)]), .map([.init(key: 1, value: long)]),
        "at [2]: 3 -> nothing"
      ),
      (.numbers(tag: 64, bytes: Data(count: 99)), .numbers(tag: 64, bytes: Data(count: 98) + [7]), "at [98]: 0 -> 7"),
      (
        .data(Data(count: 99) + [1]), .data(Data(count: 99) + [2]),
        "Data: …000000000000000000001' -> …000000000000000000002'"
      ),
      (
        .data(Data(count: 99)), .data(Data(count: 99) + [2]),
        "Data: …00000000000000000000' -> …0000000000000000000002'"
      ),
      (
        ["link": .tagged(32, .string(text + "1"))], ["link": .tagged(32, .string(text + "2"))],
        "at link: …aaaaaaaaaaaaaaaaaaaa1\") -> …aaaaaaaaaaaaaaaaaaaa2\")"
      ),
    ]
  }()

  @Test(arguments: longValues.indices) func longValuesAreShownWhereTheyDiffer(index: Int) async throws {
    let values = Self.longValues[index]
    try await GlobalData(at: bench.url("a")).set(values.old, forKey: "k")
    try await GlobalData(at: bench.url("b")).set(values.new, forKey: "k")
    let diff = try await bench.tool("diff", bench.url("a").path, bench.url("b").path)
    #expect(diff.status == 1)
    #expect(diff.output.hasPrefix("~ k  ") && diff.output.contains(values.line), "\(diff.output)")
    #expect(diff.output.count < 250)
  }

  /// Values that are the same JSON, in which tags are left out.
  private static let valuesThatLookAlike: [(old: ArchiveValue, new: ArchiveValue, line: String)] = [
    ([["a": 1]], [.object(tagged("Car"))], #"[Any], at [0]: {"a": 1} -> 27(["Car", {"a": 1}])"#),
    (
      [.object(tagged("Car"))], [.object(tagged("Bus"))],
      #"[Any], at [0]: 27(["Car", {"a": 1}]) -> 27(["Bus", {"a": 1}])"#
    ),
    (
      [.named("Car\u{9b}2J\u{202e}", version: 1, 1)], [.named("Bus\u{9b}2J\u{202e}", version: 1, 1)],
      #"[Any], at [0]: 27(["Car\u009b2J\u202e", 1]) -> 27(["Bus\u009b2J\u202e", 1])"#
    ),
  ]

  private static func tagged(_ tag: ArchiveTag) -> ArchiveObject {
    var object = ArchiveObject(tag: tag)
    object["a"] = 1
    return object
  }

  @Test(arguments: valuesThatLookAlike.indices) func valuesThatLookAlikeAreShownWithTheirTags(index: Int) async throws {
    let values = Self.valuesThatLookAlike[index]
    try await GlobalData(at: bench.url("a")).set(values.old, forKey: "k")
    try await GlobalData(at: bench.url("b")).set(values.new, forKey: "k")
    let diff = try await bench.tool("diff", bench.url("a").path, bench.url("b").path)
    #expect(diff.status == 1 && diff.output == "~ k  \(values.line)\n")
  }

  @Test func bothValuesAreShownIfTheirTypesDiffer() async throws {
    let text = String(repeating: "a", count: 100)
    try await GlobalData(at: bench.url("a")).set(text, forKey: "k")
    try await GlobalData(at: bench.url("b")).set([text], forKey: "k")
    let diff = try await bench.tool("diff", bench.url("a").path, bench.url("b").path)
    #expect(
      diff.output.hasPrefix("~ k  String \"aaa") && diff.output.contains("a… -> [String] [\"aaa"), "\(diff.output)")
  }

  @Test func filesOfTheSameValuesDoNotDiffer() async throws {
    let paths = try await makeTwoFiles()
    let other = GlobalData(at: bench.url("b"))
    try await other.set("Grace", forKey: "name")
    try await other.set(1, forKey: "same")
    try await other.set([1, 2], forKey: "more")
    let diff = try await bench.tool("diff", paths[1], bench.url("b").path)
    #expect(diff.status == 0)
    #expect(diff.output.isEmpty && diff.errors.isEmpty)
    let json = try await bench.tool("diff", "--json", paths[1], bench.url("b").path)
    #expect(json.output == "{\n  \"removed\": [],\n  \"added\": [],\n  \"changed\": []\n}\n")
  }

  @Test func aDamagedFileIsNotCompared() async throws {
    let paths = try await makeTwoFiles()
    try bench.damage("Grace")
    let diff = try await bench.run(["diff"] + paths)
    #expect(diff.status == 3)
    #expect(diff.output.isEmpty)
    #expect(diff.errors.contains("is damaged"))
  }
}
