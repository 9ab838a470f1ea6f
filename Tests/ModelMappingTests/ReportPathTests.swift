import Foundation
import Testing

@testable import ModelMapping

private struct Node: Model {
  @Field var name = ""
  @Field("a", "b") var inner = 0
  @Field var next: [Node] = []
}

@Suite struct ReportPathTests {
  /// Many chains of nodes, each with many missing fields.
  private func text(chains: Int, depth: Int) -> String {
    let chain = String(repeating: #"{"next":["#, count: depth) + String(repeating: "]}", count: depth)
    return "[" + Array(repeating: chain, count: chains).joined(separator: ",") + "]"
  }

  private func nodeCount(_ report: DecodingReport) -> Int {
    var nodes: Set<ObjectIdentifier> = []
    for entry in report.entries {
      for node in entry.path.nodes.map(Array.init) ?? [] where !nodes.insert(ObjectIdentifier(node)).inserted { break }
    }
    return nodes.count
  }

  @Test(arguments: [(100, 2), (10, 20), (2, 100), (1, 200)])
  func entriesShareTheStepsOfTheirPaths(chains: Int, depth: Int) throws {
    let report = try [Node].decode(json: text(chains: chains, depth: depth)).report
    let objects = chains * depth
    #expect(report.entries.count == objects * 2)
    // Each object has one step of its own and one for its array, and one for each missing field and the object around
    // it.
    #expect(nodeCount(report) <= objects * 5)
    #expect(report.entries.map(\.path.components.count).max() == 1 + (depth - 1) * 2 + 2)
  }

  @Test func anotherDecoderSharesThemToo() throws {
    let decoder = JSONDecoder()
    let collector = ReportCollector()
    decoder.userInfo[.reportCollector] = collector
    let json = text(chains: 5, depth: 40)
    _ = try decoder.decode([Node].self, from: Data(json.utf8))
    let own = try [Node].decode(json: json).report
    #expect(collector.report.entries.map(\.path) == own.entries.map(\.path))
    #expect(nodeCount(collector.report) <= 200 * 5)
  }

  @Test func aNumberAsAKeyIsNoIndexWithAnotherDecoder() throws {
    struct Fleet: Model {
      @Field(options: .lossy) var wheels: [Int: Int] = [:]
      @Field var rows: [Int: [Node]] = [:]
    }
    let json = #"{"wheels": {"4": "four"}, "rows": {"7": [{"a": {"b": 1}}, {"a": {"b": 2}}]}}"#
    let decoder = JSONDecoder()
    let collector = ReportCollector()
    decoder.userInfo[.reportCollector] = collector
    _ = try decoder.decode(Fleet.self, from: Data(json.utf8))
    let own = try Fleet.decode(json: json).report
    #expect(own.entries(.dropped).map(\.path) == [[.key("wheels"), .key("4")]])
    #expect(collector.report.entries.map(\.path) == own.entries.map(\.path))
  }

  @Test func pathsWithTheSameStepsAreEqual() throws {
    let report = try [Node].decode(json: text(chains: 1, depth: 2)).report
    let paths = report.entries.map(\.path)
    #expect(paths.contains([.index(0), .key("next"), .index(0), .key("name")]))
    #expect(Set(paths).contains(ValuePath([.index(0), .key("a"), .key("b")])))
    var path = try #require(paths.first)
    path.components.append(.key("more"))
    #expect(path.description == "\(paths[0]).more" && path != paths[0])
  }

  @Test func aLongChainOfNodesIsFreedWithLittleStack() async {
    var node: PathNode?
    for index in 0..<100_000 { node = PathNode(node, .index(index)) }
    #expect(node?.components.count == 100_000)
    #expect(node?.components.last == .index(99_999) && node?.components.first == .index(0))
  }
}
