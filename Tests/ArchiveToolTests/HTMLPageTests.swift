import Foundation
import GlobalData
import TestSupport
import Testing

/// `archivetool export --html`. `.ci/html_page.sh` checks the page in a browser.
@Suite(.enabled(if: ChildProcess.isPossible)) struct HTMLPageTests {
  private let bench = ToolBench()

  private static let hostileTexts = [
    "</script><script>document.title='broken'</script>", "<!--<script>", "<img src=x onerror=alert(1)>", "]]>&lt;\"'",
    "\u{202e}gnp.exe\u{2028}\u{1b}[2J",
  ]

  @Test func thePageContainsEveryKeyTypeAndSize() async throws {
    let store = bench.appendingStore()
    try await store.set(["numbers": [1, 2]], forKey: "first")
    try await store.set("Ada", forKey: "name")
    let export = try await bench.tool("export", "--html", bench.file.path)
    #expect(export.status == 0)
    #expect(export.errors.isEmpty)
    #expect(export.output.hasPrefix("<!DOCTYPE html>\n"))
    #expect(export.output.hasSuffix("</html>\n"))
    let archive = try Self.archive(in: export.output)
    #expect(archive["name"] == "store.archive")
    #expect(try archive["byteCount"]?.int == Data(contentsOf: bench.file).count)
    let entries = try #require(archive["entries"]?.array)
    let expected = try GlobalData.contents(ofFileAt: bench.file).entries
    #expect(entries.map { $0["key"]?.string } == expected.map(\.key))
    #expect(entries.map { $0["type"]?.string } == expected.map(\.type))
    #expect(entries.map { $0["size"]?.int } == expected.map(\.size))
    #expect(entries[1]["node"] == ["s": "Ada", "t": "String"])
    #expect(entries[0]["node"]?["p"]?[0]?[1]?["p"]?[1] == ["1", ["s": "2", "t": "Int"]])
  }

  /// A value, and its type and text or number of parts on the page.
  private static let kinds: [(value: ArchiveValue, type: String, text: String?)] = [
    (.set([1]), "Set", nil), ([1, 2], "Array", nil), (.named("Plate", version: 1, "B 1"), "Plate", "B 1"),
    (.named("Outer", version: 1, .named("Inner", version: 1, 2)), "Outer", "2"), (.tagged(99, true), "tag 99", "true"),
    (.url(URL(filePath: "/a")), "URL", "file:///a"), (.null, "nil", "null"),
    (.date(Date(timeIntervalSinceReferenceDate: 0)), "Date", "2001-01-01T00:00:00Z"),
    (.undefined, "simple value", "undefined"), (.simple(5), "simple value", "simple(5)"), (false, "Bool", "false"),
    (.uint(.max), "UInt", "18446744073709551615"), (1.5, "Double", "1.5"),
    (.bigInteger(isNegative: true, magnitude: Data([1, 0, 0, 0, 0, 0, 0, 0, 0])), "integer", "-18446744073709551617"),
    (.decimal(Decimal(sign: .plus, exponent: -30, significand: 7)), "Decimal", "0.000000000000000000000000000007"),
    (.data(Data([1, 2, 3])), "Data", "AQID"), (.map([.init(key: 1, value: 2)]), "Dictionary", nil),
    (
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), "UUID",
      "01020304-0506-0708-090A-0B0C0D0E0F10"
    ), (.object(ArchiveObject(tag: "Car")), "Car", nil), (["a": 1], "Dictionary", nil),
  ]

  @Test(arguments: kinds.indices) func thePageNamesTheTypeOfEachValue(index: Int) async throws {
    let kind = Self.kinds[index]
    try await GlobalData(at: bench.file).set(["k": kind.value], forKey: "a")
    let page = try await bench.tool("export", "--html", bench.file.path).output
    let node = try Self.archive(in: page)["entries"]?[0]?["node"]?["p"]?[0]?[1]
    #expect(node?["t"]?.string == kind.type && node?["s"]?.string == kind.text, "\(page.suffix(400))")
  }

  @Test func thePageHasThePartsOfAMapUnderTheirKeys() async throws {
    let pairs: [(ArchiveValue, ArchiveValue)] = [(1, "one"), (1.5, [2]), (["x", 3], nil), ("\"b\\", true)]
    let map = ArchiveValue.map(pairs.map { .init(key: $0.0, value: $0.1) })
    try await GlobalData(at: bench.file).set(map, forKey: "a")
    let page = try await bench.tool("export", "--html", bench.file.path).output
    let parts = try Self.archive(in: page)["entries"]?[0]?["node"]?["p"]?.array ?? []
    #expect(parts.map { $0[0]?.string } == ["1", "1.5", #"["x", 3]"#, #""\"b\\""#])
    #expect(parts.map { $0[1]?["t"] } == ["String", "Array", "nil", "Bool"])
    #expect(parts.map { $0[1]?["s"] } == ["one", nil, "null", "true"])
  }

  /// The script first reads the line of an entry up to its value.
  @Test func eachEntryIsOneLineWithItsValueLast() async throws {
    let store = GlobalData(at: bench.file)
    let keys = ["Episode/1", "\",\"node\":\n{}", "Episode/2"]
    for key in keys { try await store.set([key: "a\nb"], forKey: key) }
    let page = try await bench.tool("export", "--html", bench.file.path).output
    let lines = try Self.text(in: page).split(separator: "\n")
    #expect(lines.count == keys.count + 2)
    #expect(lines.last == "]}")
    for (line, key) in zip(lines.dropFirst(), keys) {
      let start = try #require(line.range(of: ",\"node\":"))
      let head = try JSONDecoder().decode(ArchiveValue.self, from: Data((line[..<start.lowerBound] + "}").utf8))
      #expect(head["key"]?.string == key)
      let end = try #require(line.lastIndex(of: "}"))
      let node = try JSONDecoder().decode(ArchiveValue.self, from: Data(line[start.upperBound..<end].utf8))
      #expect(node["p"]?[0]?[0]?.string == key)
    }
  }

  @Test func thePageLoadsNothing() async throws {
    try await GlobalData(at: bench.file).set(1, forKey: "a")
    let page = try await bench.tool("export", "--html", bench.file.path).output
    for word in ["http:", "https:", "//", "src=", "<link", "@import", "url(", "import(", "fetch("] {
      // Comments in the script are not addresses.
      let found = page.split(separator: "\n").filter {
        $0.contains(word) && !$0.drop { $0 == " " }.hasPrefix("//")
      }
      #expect(found.isEmpty, "the page has \(word)")
    }
    #expect(page.contains("content=\"default-src 'none';"))
    #expect(!page.contains("innerHTML"))
  }

  @Test(arguments: hostileTexts)
  func hostileTextStaysText(_ text: String) async throws {
    let file = bench.url("a<b>&\"c.archive")
    let store = GlobalData(at: file)
    try await store.set([text: text], forKey: text)
    let page = try await bench.tool("export", "--html", file.path).output
    #expect(page.components(separatedBy: "<script").count == 3)
    #expect(page.components(separatedBy: "</script").count == 3)
    #expect(!page.contains("<!--") && !page.contains("<img"))
    #expect(page.contains("<title>a&lt;b&gt;&amp;&quot;c.archive</title>"))
    #expect(!page.unicodeScalars.contains { "\u{202e}\u{2028}\u{1b}".unicodeScalars.contains($0) })
    let entry = try #require(try Self.archive(in: page)["entries"]?[0])
    #expect(entry["key"]?.string == text)
    #expect(entry["node"]?["p"]?[0]?[0]?.string == text)
    #expect(entry["node"]?["p"]?[0]?[1]?["s"]?.string == text)
  }

  /// The data of a page.
  private static func archive(in page: String) throws -> ArchiveValue {
    try JSONDecoder().decode(ArchiveValue.self, from: Data(text(in: page).utf8))
  }

  private static func text(in page: String) throws -> Substring {
    let start = try #require(page.range(of: "<script type=\"application/json\" id=\"archive\">"))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    return page[start.upperBound..<end.lowerBound]
  }
}
