import Foundation
import GlobalData
import TestSupport
import Testing

/// Small files with values whose text is long: the tool limits its output, and the memory for it.
@Suite(.enabled(if: ChildProcess.isPossible)) struct LongOutputTests {
  private let bench = ToolBench()

  /// Values that take few bytes in a file and many as text.
  enum Amplification: CaseIterable {
    /// A long text with many references.
    case repeatedText
    /// The same for URLs, each of which is parsed.
    case repeatedURL
    /// The same in the keys of a map.
    case repeatedTextInKeys
    /// Elements of one byte, each on a line that is indented by many levels.
    case deepElements
    /// One deep value after the other.
    case manyLevels
    /// Elements of one byte, each of which is a node of the page.
    case emptyArrays
    /// Numbers of one byte, each of which is an element.
    case numbers
    /// Integers of many digits.
    case bigIntegers
    /// One instance in many positions, which becomes a copy in each.
    case instances

    /// Whether the JSON text is longer than the tool prints.
    var isTooLong: Bool {
      switch self {
      case .repeatedText, .repeatedURL, .repeatedTextInKeys, .deepElements, .manyLevels, .instances: true
      case .emptyArrays, .numbers, .bigIntegers: false
      }
    }

    var value: ArchiveValue {
      let text = ArchiveValue.string(String(repeating: "text ", count: 4_000))
      switch self {
      case .repeatedText: return .array(Array(repeating: text, count: 1_000))
      case .repeatedURL:
        let url = URL(string: "https://example.org/" + String(repeating: "path/", count: 4_000))
        return .array(Array(repeating: url.map { .url($0) } ?? nil, count: 1_000))
      case .repeatedTextInKeys:
        return .map((0..<1_000).map { .init(key: [.int($0), text], value: 0) })
      case .deepElements:
        return (0..<200).reduce(.array(Array(repeating: 0, count: 55_000))) { value, _ in [value] }
      case .manyLevels:
        return .array((0..<300).map { _ in (0..<200).reduce(ArchiveValue.int(0)) { value, _ in [value] } })
      case .emptyArrays: return .array(Array(repeating: [], count: 100_000))
      case .numbers: return .numbers(tag: 64, bytes: Data(repeating: 0xff, count: 100_000))
      case .bigIntegers:
        let magnitude = Data(repeating: 0xff, count: 1_000)
        return .array(Array(repeating: .bigInteger(isNegative: false, magnitude: magnitude), count: 300))
      case .instances: return text
      }
    }
  }

  private final class Note: Codable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }
  }

  /// The files of the bench with an amplified value, which is slightly larger in the second one.
  private func makeFiles(_ amplification: Amplification) async throws -> [String] {
    for (name, isFirst) in [("a", true), ("b", false)] {
      let store = GlobalData(at: bench.url(name))
      if amplification == .instances {
        let note = Note(amplification.value.string ?? "")
        try await store.set(Array(repeating: note, count: isFirst ? 1_000 : 1_001), forKey: "key")
      } else {
        try await store.set(isFirst ? amplification.value : [amplification.value, 1], forKey: "key")
      }
      try await store.close()
    }
    return [bench.url("a").path, bench.url("b").path]
  }

  /// Far more than the tool needs for the files of these tests, and less than their text would take.
  private static let memoryLimit = "ulimit -d \(300 << 10); exec \"$0\" \"$@\""

  @Test(arguments: Amplification.allCases.oneIn(6))
  func theOutputEndsIfItIsFarLongerThanTheFile(_ amplification: Amplification) async throws {
    let paths = try await makeFiles(amplification)
    let limit = try 64 * Data(contentsOf: bench.url("a")).count + 16 << 20
    for command in [["get", paths[0], "key"], ["export", paths[0]], ["get", "--diagnostic", paths[0], "key"]] {
      let outcome = try await bench.run(command, through: Self.memoryLimit)
      // The braces of the export are outside of the values.
      #expect(outcome.output.utf8.count <= limit + 4)
      if command[1] != "--diagnostic" {
        #expect(outcome.status == (amplification.isTooLong ? 3 : 0), "\(outcome.errors)")
      }
      // The output is complete, or an error says that it is not.
      #expect(outcome.status == 0 ? outcome.errors.isEmpty : outcome.errors.contains("--unlimited"), "\(command)")
    }
  }

  @Test(arguments: Amplification.allCases.oneIn(9, from: 5))
  func thePageTakesLittleMemory(_ amplification: Amplification) async throws {
    let paths = try await makeFiles(amplification)
    let outcome = try await bench.run(["export", "--html", paths[0]], through: Self.memoryLimit)
    #expect(outcome.status == 0 ? outcome.output.hasSuffix("</html>\n") : outcome.errors.contains("--unlimited"))
  }

  @Test(arguments: Amplification.allCases.oneIn(9, from: 8))
  func twoFilesAreComparedInLittleMemory(_ amplification: Amplification) async throws {
    let paths = try await makeFiles(amplification)
    for command in [["diff"] + paths, ["diff", "--json"] + paths, ["diff", paths[0], paths[0]]] {
      let outcome = try await bench.run(command, through: Self.memoryLimit)
      let status: Int32 = command[1] == paths[0] && command[2] == paths[0] ? 0 : 1
      #expect(outcome.status == status || outcome.errors.contains("--unlimited"), "\(outcome.errors)")
    }
  }

  /// No option removes the limit of a thread's stack.
  @Test func aGivenOptionIsNotAdvised() async throws {
    let value = [UInt8](repeating: 0x81, count: 20_000) + [0xf6]
    try Data(ForgedFile([ForgedFile.Record(key: "deep", value: value)]).bytes).write(to: bench.file)
    let outcome = try await bench.tool("get", "--unlimited", bench.file.path, "deep")
    #expect(outcome.status == 3 && outcome.errors.contains("levels of nesting"), "\(outcome)")
    #expect(!outcome.errors.contains("--unlimited"), "\(outcome)")
  }

  @Test func theLimitIsLiftedOnRequest() async throws {
    let paths = try await makeFiles(.deepElements)
    let limited = try await bench.tool("get", paths[0], "key")
    #expect(limited.status == 3)
    let outcome = try await bench.run(["get", "--unlimited", paths[0], "key"], through: Self.memoryLimit)
    #expect(outcome.status == 0)
    #expect(outcome.output.utf8.count == Amplification.deepElements.value.json(isPretty: true).utf8.count + 1)
  }

  @Test func valuesThatDifferAtTheEndOfManyRepeatedTextsAreComparedOnRequest() async throws {
    let text = ArchiveValue.string(String(repeating: "text ", count: 1_000))
    for (name, last) in [("a", 1), ("b", 2)] as [(String, ArchiveValue)] {
      try await GlobalData(at: bench.url(name)).set(
        ArchiveValue.array(Array(repeating: text, count: 6_000) + [last]), forKey: "list")
    }
    let paths = [bench.url("a").path, bench.url("b").path]
    let limited = try await bench.run(["diff"] + paths)
    #expect(limited.status == 3 && limited.output.isEmpty)
    #expect(limited.errors.contains("the values under the key \"list\"") && limited.errors.contains("--unlimited"))
    let diff = try await bench.run(["diff", "--unlimited"] + paths)
    #expect(diff.status == 1)
    #expect(diff.output == "~ list  [Any], at [6000]: 1 -> 2\n")
  }

  @Test func oneLongKeyDoesNotMakeAllLinesOfTheListLong() async throws {
    let store = GlobalData(at: bench.file)
    try await store.update { data in
      try data.set(0, forKey: String(repeating: "k", count: 1_000))
      for index in 0..<1_000 { try data.set(0, forKey: "\(index)") }
    }
    let list = try await bench.tool("list", bench.file.path)
    #expect(list.status == 0)
    #expect(list.output.utf8.count < 60_000)
  }
}
