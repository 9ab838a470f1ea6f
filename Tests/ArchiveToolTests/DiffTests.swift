import Foundation
import GlobalData
import TestSupport
import Testing

/// `archivetool diff`.
@Suite struct DiffTests {
  /// Two files: `a` and, with changes that were appended, the bench's own.
  private func withTwoFiles(_ body: (ToolBench, [String]) async throws -> Void) async throws {
    try await ToolBench.with { bench in
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
      try await body(bench, [bench.url("a").path, bench.file.path])
    }
  }

  @Test func keysThatWereAddedRemovedAndChangedAreShown() async throws {
    try await withTwoFiles { bench, paths in
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
  }

  @Test func programsGetTheDifferencesAsJSON() async throws {
    try await withTwoFiles { bench, paths in
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
  }

  @Test func filesOfTheSameValuesDoNotDiffer() async throws {
    try await withTwoFiles { bench, paths in
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
  }

  @Test func aDamagedFileIsNotCompared() async throws {
    try await withTwoFiles { bench, paths in
      try bench.damage("Grace")
      let diff = try await bench.run(["diff"] + paths)
      #expect(diff.status == 3)
      #expect(diff.output.isEmpty)
      #expect(diff.errors.contains("is damaged"))
    }
  }
}
