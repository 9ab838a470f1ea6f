import Foundation
import Testing

/// Each line of the documentation's Swift examples is in code that is compiled: in a test or in an example program.
@Suite struct ExampleCoverageTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: try documents()) func eachExampleIsCompiled(document: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: document), encoding: .utf8)
    let compiled = try Self.compiled.get()
    for paragraph in Self.paragraphs(of: text, isSource: document.hasSuffix(".swift")) {
      let isCompiled = compiled.contains(paragraph)
      #expect(isCompiled, "this example of \(document) is compiled nowhere:\(paragraph)")
    }
  }

  @Test func anExampleThatIsNotCompiledIsFound() throws {
    let paragraphs = Self.paragraphs(
      of: "Text\n```swift\nlet answer = 40  // a comment\n  + 3\n\nstruct Other {}\n```\n", isSource: false)
    #expect(paragraphs == ["\nlet answer = 40\n+ 3\n", "\nstruct Other {}\n"])
    let isCompiled = try Self.compiled.get().contains(paragraphs[0])
    #expect(!isCompiled)
  }

  private static func documents() throws -> [String] {
    let documents = try files(in: "Sources") { path in
      path.hasSuffix(".md") || path.hasSuffix(".swift")
    }
    return try (documents + ["README.md"]).filter { path in
      let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      return !paragraphs(of: text, isSource: path.hasSuffix(".swift")).isEmpty
    }
  }

  /// The code of the tests, except for this file, without comments, blank lines and indentation.
  private static let compiled = Result {
    try (files(in: "Tests") { $0.hasSuffix(".swift") } + files(in: "Examples") { $0.hasSuffix(".swift") })
      .filter { !$0.hasSuffix("ExampleCoverageTests.swift") }
      .map {
        normalized(try String(contentsOf: root.appending(path: $0), encoding: .utf8).components(separatedBy: "\n"))
      }
      .joined()
  }

  private static func files(in folder: String, where isWanted: (String) -> Bool) throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
    return paths.filter { !$0.contains(".build/") && isWanted($0) }.map { "\(folder)/\($0)" }.sorted()
  }

  /// The examples of a text, split at blank lines, because declarations and statements cannot be in one function.
  private static func paragraphs(of text: String, isSource: Bool) -> [String] {
    var paragraphs: [[String]] = []
    var isExample = false
    for var line in text.components(separatedBy: "\n") {
      line = line.trimmingCharacters(in: .whitespaces)
      if isSource {
        guard line.hasPrefix("///") else { continue }
        line = line.dropFirst(3).trimmingCharacters(in: .whitespaces)
      }
      if line.hasPrefix("```") {
        isExample = line == "```swift"
        paragraphs.append([])
      } else if isExample, line.isEmpty {
        paragraphs.append([])
      } else if isExample {
        paragraphs[paragraphs.count - 1].append(line)
      }
    }
    return paragraphs.filter { paragraph in
      // Imports are at the beginning of a file, and the manifest of an app's package is not compiled.
      !paragraph.allSatisfy { $0.hasPrefix("import ") }
        && !paragraph.contains { $0.hasPrefix(".package(") || $0.hasPrefix(".testTarget(") }
    }.map(normalized)
  }

  private static func normalized(_ lines: [String]) -> String {
    let code = lines.compactMap { line -> String? in
      let code = line.firstRange(of: "  // ").map { line[..<$0.lowerBound] } ?? line[...]
      var trimmed = code.trimmingCharacters(in: .whitespaces)
      // Declarations of tests for several articles must not clash. Swift 6.0 does not know `nonisolated` before a type,
      // and does not need it.
      for access in ["private ", "fileprivate ", "nonisolated "] where trimmed.hasPrefix(access) {
        trimmed.removeFirst(access.count)
      }
      return trimmed.isEmpty || trimmed.hasPrefix("//") ? nil : trimmed
    }
    return "\n" + code.joined(separator: "\n") + "\n"
  }
}
