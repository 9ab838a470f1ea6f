import Foundation
import GlobalData
import TestSupport
import Testing

@testable import archivetool

/// The output on a terminal, and text that must not reach it.
@Suite(.enabled(if: ChildProcess.isPossible)) struct TerminalTests {
  private let bench = ToolBench()

  @Test func noColourReachesAFile() async throws {
    try await GlobalData(at: bench.file).set(1, forKey: "a")
    for command in [["list"], ["check"], ["repair"]] {
      let outcome = try await bench.run(command + [bench.file.path])
      #expect(outcome.status == 0)
      #expect(!outcome.output.contains("\u{1b}"))
    }
  }

  @Test func keysAndValuesCannotSteerATerminal() async throws {
    let hostile = "\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{7f}\n"
    let store = GlobalData(at: bench.file)
    try await store.set(hostile, forKey: hostile)
    try await store.set("kept", forKey: "other")
    for command in [
      ["list"], ["list", "--json"], ["export"], ["export", "--html"], ["get", "--diagnostic"], ["get"],
    ] {
      let outcome = try await bench.run(command + [bench.file.path] + (command[0] == "get" ? [hostile] : []))
      #expect(outcome.status == 0)
      let steers = outcome.output.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control }
      #expect(!steers && !outcome.output.contains("\u{202e}"), "\(command)")
    }
    // A JSON reader gets the escaped text unchanged.
    let get = try await bench.tool("get", bench.file.path, hostile)
    #expect(try JSONDecoder().decode(String.self, from: Data(get.output.utf8)) == hostile)
    try bench.damage("]0;x")
    let check = try await bench.tool("check", bench.file.path)
    #expect(check.status == 1)
    #expect(!check.errors.contains("\u{1b}") && !check.errors.contains("\u{9b}"))
  }

  @Test func pathsCannotSteerATerminal() async throws {
    let file = bench.url("\u{1b}[31m\u{9b}2J\u{202e}")
    try await GlobalData(at: file).set(1, forKey: "a")
    // A second name, about which the store reports that it keeps the earlier contents.
    try FileManager.default.linkItem(at: file, to: bench.url("other"))
    let outcome = try await bench.tool("set", file.path, "a", "2")
    #expect(outcome.status == 0 && outcome.errors.hasPrefix("archivetool: ") && outcome.errors.contains("hard links"))
    #expect(!outcome.errors.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
  }

  /// Keys that are partly or completely invisible or look like others, and how they are shown.
  private static let keys = [
    "\u{200b}": #""\u200b""#, " ": #"" ""#, "a ": #""a ""#, " a": #"" a""#, "a": "a", "a\u{200d}": #""a\u200d""#,
    "\u{301}a": #""\u0301a""#, "\u{a0}": #""\u00a0""#, "\u{2800}": #""\u2800""#, "\u{3164}": #""\u3164""#,
    "\u{e0041}": #""\udb40\udc41""#, "\u{feff}x": #""\ufeffx""#, "\u{202e}x": #""\u202ex""#, "a\nb": #""a\nb""#,
    "\u{e000}": #""\ue000""#, "\"a\"": #""\"a\"""#, "a  b": #""a  b""#, "a\\u200b": #"a\u200b"#,
    "\u{200b}\\": #""\u200b\\""#, "\u{200b}\u{301}": #""\u200b\u0301""#, "\u{fe0f}": #""\ufe0f""#,
    "e\u{301}": "e\u{301}",
    "\u{1f69a} über": "\u{1f69a} über",
  ]

  @Test func everyKeyIsVisibleAndLooksUnique() async throws {
    #expect(Set(Self.keys.values.map { Array($0.utf8) }).count == Self.keys.count)
    let store = GlobalData(at: bench.file)
    let keys = Self.keys
    try await store.update { data in
      for key in keys.keys { try data.set(1, forKey: key) }
    }
    let list = try await bench.tool("list", bench.file.path)
    let other = bench.url("other").path
    try await GlobalData(at: bench.url("other")).set(1, forKey: "x")
    let diff = try await bench.tool("diff", other, bench.file.path)
    for (key, shown) in keys {
      #expect(list.output.contains("\n\(shown) "), "\(shown)")
      #expect(diff.output.contains("+ \(shown)  Int 1\n"), "\(shown)")
      for command in ["get", "remove"] {
        let outcome = try await bench.tool(command, other, key)
        let quoted = shown.hasPrefix("\"") ? shown : "\"\(shown.replacing("\\", with: "\\\\"))\""
        #expect(outcome.errors == "archivetool: there is no key \(quoted)\n")
      }
    }
  }

  @Test func theColumnsOfAListAlignOnATerminal() async throws {
    try await GlobalData(at: bench.file).update { data in
      for key in ["京都", "한국어", "🚚", "🇩🇪", "e\u{301}tat", "ﾊﾝ", "plain"] { try data.set(1, forKey: key) }
    }
    let list = try await bench.tool("list", bench.file.path)
    // East Asian letters and emoji are two columns wide.
    #expect(
      list.output == """
        KEY     TYPE  SIZE
        京都    Int      1
        한국어  Int      1
        🚚      Int      1
        🇩🇪      Int      1
        e\u{301}tat    Int      1
        ﾊﾝ      Int      1
        plain   Int      1

        """)
  }

  @Test(arguments: ["\u{200b}\u{200b}", "hidden\u{2060}key"])
  func messagesEscapeInvisibleKeys(key: String) async throws {
    let store = GlobalData(at: bench.file)
    try await store.set("the value", forKey: key)
    try bench.damage("the value")
    let shown = key.hasPrefix("h") ? #""hidden\u2060key""# : #""\u200b\u200b""#
    let check = try await bench.tool("check", bench.file.path)
    #expect(check.status == 1 && check.errors.contains(shown), "\(check.errors)")
    let get = try await bench.tool("get", bench.file.path, key)
    #expect(get.status == 3 && get.errors.contains(shown), "\(get.errors)")
    let input = try bench.write(#"{"\u200b": [1e999]}"#, to: "input.json")
    let imported = try await bench.tool("import", "--skip-unreadable", bench.url("new").path, input)
    #expect(imported.errors.hasPrefix(#"archivetool: skipped "\u200b": the value under the key "\u200b" of "#))
  }

  @Test func workOfASecondShowsNoBar() {
    let written = written(isShown: true) { bar, advance in
      bar.update(0.1)
      advance(.seconds(1))
      bar.update(0.9)
      bar.finish()
    }
    #expect(written.isEmpty)
  }

  @Test func longWorkShowsABarAndRemovesIt() {
    let written = written(isShown: true) { bar, advance in
      advance(.seconds(2))
      bar.update(0.5)
      bar.update(0.501)
      bar.update(1)
      bar.finish()
    }
    let half = String(repeating: "#", count: 15) + String(repeating: ".", count: 15)
    let full = String(repeating: "#", count: 30)
    #expect(written == ["\rworking [\(half)] 50 %", "\rworking [\(full)] 100 %", "\r\u{1b}[K"])
  }

  @Test func withoutATerminalThereIsNoBar() {
    let written = written(isShown: false) { bar, advance in
      advance(.seconds(5))
      bar.update(0.5)
      bar.finish()
    }
    #expect(written.isEmpty)
  }

  /// The output of a bar while a function uses it and lets time pass.
  private func written(isShown: Bool, while work: (inout ProgressBar, (Duration) -> Void) -> Void) -> [String] {
    var now = ContinuousClock.now
    var written: [String] = []
    var bar = ProgressBar("working", isShown: isShown, now: { now }, write: { written.append($0) })
    work(&bar) { now = now + $0 }
    return written
  }
}
