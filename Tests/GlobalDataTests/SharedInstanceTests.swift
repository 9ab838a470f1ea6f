import Foundation
import GlobalData
import TestSupport
import Testing

private final class Node: Codable, Sendable {
  let name: String
  init(_ name: String) { self.name = name }
}

private struct Pair: Codable, Sendable {
  var left: Node
  var right: Node
}

@Suite struct SharedInstanceTests {
  @Test func instancesSharedInsideAnEntryStayShared() async throws {
    let store = GlobalData.inMemory()
    let node = Node("shared")
    // Two entries, each of which numbers its own instances.
    try await store.set(Pair(left: node, right: node), forKey: "first")
    try await store.set(Pair(left: Node("other"), right: node), forKey: "second")
    let first = try #require(try store.object(Pair.self, forKey: "first"))
    #expect(first.left === first.right)
    #expect(first.left.name == "shared")
    let second = try #require(try store.object(Pair.self, forKey: "second"))
    #expect(second.left.name == "other")
    #expect(second.right.name == "shared")
    #expect(try store.entries().map(\.type) == ["Pair", "Pair"])
  }

  @Test func anEntryWithSharedInstancesIsASeparateItemInTheFile() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("store.archive")
      let store = GlobalData(at: url)
      let node = Node("shared")
      try await store.set(Pair(left: node, right: node), forKey: "shared")
      try await store.set(Pair(left: Node("a"), right: Node("b")), forKey: "apart")
      let archive = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: Data(contentsOf: url))
      guard case .tagged(24, .data(let embedded))? = archive[6]?["shared"]?[2] else {
        Issue.record("not embedded: \(archive)")
        return
      }
      let pair = try KeyedArchiveDecoder().decode(Pair.self, from: embedded)
      #expect(pair.left === pair.right)
      #expect(archive[6]?["apart"]?[2]?["left"]?["name"]?.string == "a")
    }
  }

  @Test func aForeignValueThatBeginsWithTag24ComesBackAsItIs() async throws {
    let store = GlobalData.inMemory()
    let value = ArchiveValue.tagged(24, .data(Data([0x01])))
    try await store.set(value, forKey: "foreign")
    #expect(try store.object(ArchiveValue.self, forKey: "foreign") == value)
  }
}
