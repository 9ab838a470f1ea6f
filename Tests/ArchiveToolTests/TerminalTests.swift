import Foundation
import GlobalData
import TestSupport
import Testing

@testable import archivetool

/// What a terminal gets, and what it must not get.
@Suite struct TerminalTests {
  @Test func noColourReachesAFile() async throws {
    try await ToolBench.with { bench in
      try await GlobalData(at: bench.file).set(1, forKey: "a")
      for command in [["list"], ["check"], ["repair"]] {
        let outcome = try await bench.run(command + [bench.file.path])
        #expect(outcome.status == 0)
        #expect(!outcome.output.contains("\u{1b}"))
      }
    }
  }

  @Test func keysAndValuesCannotSteerATerminal() async throws {
    try await ToolBench.with { bench in
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
      // What is escaped is the same text to whoever reads it as JSON.
      let get = try await bench.tool("get", bench.file.path, hostile)
      #expect(try JSONDecoder().decode(String.self, from: Data(get.output.utf8)) == hostile)
      try bench.damage("]0;x")
      let check = try await bench.tool("check", bench.file.path)
      #expect(check.status == 1)
      #expect(!check.errors.contains("\u{1b}") && !check.errors.contains("\u{9b}"))
    }
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

  @Test func longerWorkShowsABarThatIsTakenAway() {
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

  /// What a bar writes while a function uses it, and lets time pass.
  private func written(isShown: Bool, while work: (inout ProgressBar, (Duration) -> Void) -> Void) -> [String] {
    var now = ContinuousClock.now
    var written: [String] = []
    var bar = ProgressBar("working", isShown: isShown, now: { now }, write: { written.append($0) })
    work(&bar) { now = now + $0 }
    return written
  }
}
