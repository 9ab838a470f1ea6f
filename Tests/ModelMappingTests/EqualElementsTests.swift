import Foundation
import ModelMapping
import Testing

private enum Color: String, Codable, Sendable, CodingKeyRepresentable {
  case red, green
}

/// A key that equals other keys with the same first letter.
private struct Initial: Codable, Sendable, Hashable, CodingKeyRepresentable {
  var text: String
  var codingKey: any CodingKey { InitialKey(stringValue: text) }
  init?<Key: CodingKey>(codingKey: Key) { text = codingKey.stringValue }
  init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
  static func == (left: Self, right: Self) -> Bool { left.text.first == right.text.first }
  func hash(into hasher: inout Hasher) { hasher.combine(text.first) }
}

private struct InitialKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

private struct Merging: Model {
  @Field var names: [Int: String]?
  @Field var initials: [Initial: Int]?
  @Field var colors: [Color: Int]?
  @Field var pairs: [Double: String]?
  @Field var tags: Set<String>?
  @Field var numbers: Set<Int>?
  @Field var lists: [Set<Double>]?
  @Field var plain: Plain?
  @Field(options: .lossy) var lossy: Set<String>?
}

private struct Plain: Codable, Sendable {
  var tags: Set<String>
  var names: [Int: [Int: String]]
}

@Suite struct EqualElementsTests {
  private static let losses = [
    (#"{"names": {"1": "a", "01": "b", "+1": "c"}}"#, "names", 2),
    (#"{"initials": {"ab": 1, "ac": 2, "b": 3}}"#, "initials", 1),
    (#"{"pairs": [1, "a", 1.0, "b", 2, "c"]}"#, "pairs", 1), (#"{"tags": ["\u00e9", "e\u0301", "a"]}"#, "tags", 1),
    (#"{"tags": ["a", "a", "a"]}"#, "tags", 2), (#"{"numbers": [1, "1", 1.0]}"#, "numbers", 2),
    (#"{"lists": [[1], [1, 2, 1e0]]}"#, "lists[1]", 1),
    (#"{"plain": {"tags": ["b", "b"], "names": {}}}"#, "plain.tags", 1),
    (#"{"plain": {"tags": [], "names": {"2": {"1": "a", "+1": "b"}}}}"#, "plain.names.2", 1),
    (#"{"lossy": ["a", [], "a"]}"#, "lossy", 1),
  ]

  @Test(arguments: losses) func equalElementsAreReported(text: String, path: String, lost: Int) throws {
    let entries = try Merging.decode(json: text).report.entries(.dropped).filter { $0.found.contains("equal others") }
    #expect(entries.map(\.path.description) == [path])
    #expect(entries.first?.found.hasPrefix("\(lost) of ") == true)
    #expect(throws: ModelError.self) { try Merging(json: text, mode: .strict) }
  }

  @Test(arguments: [
    #"{"names": {"1": "a", "2": "b"}}"#, #"{"colors": {"red": 1, "green": 2}}"#, #"{"pairs": [1, "a", 2, "b"]}"#,
    #"{"tags": ["a", "b"]}"#, #"{"plain": {"tags": ["a"], "names": {"1": {"1": "a"}, "2": {"1": "a"}}}}"#,
  ])
  func differentElementsAreNotReported(text: String) throws {
    #expect(try Merging.decode(json: text).report.isEmpty)
    _ = try Merging(json: text, mode: .strict)
  }

  @Test func anotherDecoderReportsEqualKeysAndElementsOfFields() throws {
    let decoder = JSONDecoder()
    let collector = ReportCollector()
    decoder.userInfo[.reportCollector] = collector
    let text = #"{"names": {"1": "a", "01": "b"}, "tags": ["\u00e9", "e\u0301"]}"#
    _ = try decoder.decode(Merging.self, from: Data(text.utf8))
    #expect(Set(collector.report.entries(.dropped).map(\.path.description)) == ["names", "tags"])
  }

  @Test func theLossesOfAnOptionalElementAreReportedOnce() throws {
    struct Parts: Model {
      @Field var sets: [Set<String>?] = []
      @Field var numbers: [Double?] = []
    }
    let report = try Parts.decode(json: #"{"sets": [["x", "x"]], "numbers": [1.0000000000000001]}"#).report
    #expect(
      report.entries.map(\.description) == [
        "sets[0]: left out: 1 of 2 elements, which equal others",
        "numbers[0]: rounded number 1.0000000000000001 to 1.0",
      ])
  }
}
