import Foundation
import ModelMapping
import Testing

private struct Member: Model, Equatable {
  @Field var level = 1
  @Field("profile", "name") var name = ""
  @Field var tags: [String] = []
}

@Suite struct ModelConcurrencyTests {
  @Test func aTypeIsUsedForTheFirstTimeByManyThreadsConcurrently() async throws {
    let text = #"{"level": "3", "profile": {"name": "Ada"}, "tags": ["a"]}"#
    try await withThrowingTaskGroup(of: Member.self) { group in
      for _ in 0..<64 { group.addTask { try Member(json: text) } }
      for try await member in group { #expect(member.level == 3 && member.name == "Ada") }
    }
  }

  @Test func concurrentChangesOfCopiesDoNotChangeTheOriginal() async throws {
    let original = try Member(json: #"{"level": 3, "tags": ["a"]}"#)
    try await withThrowingTaskGroup(of: Member.self) { group in
      for number in 0..<64 {
        group.addTask {
          var copy = original
          copy.level = number
          copy.tags.append("\(number)")
          return try Member(json: copy.json())
        }
      }
      for try await copy in group { #expect(copy.tags == ["a", "\(copy.level)"]) }
    }
    #expect(original.level == 3 && original.tags == ["a"])
  }

  @Test func threadsReportToOneCollector() async throws {
    let collector = ReportCollector()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<32 {
        group.addTask {
          let decoder = JSONDecoder()
          decoder.userInfo[.reportCollector] = collector
          _ = try decoder.decode(Member.self, from: Data(#"{"level": "1", "profile": {"name": ""}, "tags": []}"#.utf8))
        }
      }
      try await group.waitForAll()
    }
    #expect(collector.report.entries.count == 32)
  }
}
