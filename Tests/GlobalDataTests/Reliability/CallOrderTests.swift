import Foundation
import GlobalData
import TestSupport
import Testing

/// Calls of one actor keep their order, whatever tasks they are made in.
@Suite struct CallOrderTests {
  @TemporaryFolder private var folder

  enum Kind: CaseIterable {
    case memory, rewriting, appending, rewritingWithSync

    func store(in folder: URL) -> GlobalData {
      var configuration = GlobalData.Configuration()
      configuration.durability = self == .rewritingWithSync ? .powerLoss : .processCrash
      configuration.persistence = self == .appending ? .appending : .rewriting
      if self == .memory { return .inMemory(configuration: configuration) }
      return GlobalData(at: folder.appendingPathComponent("store.archive"), configuration: configuration)
    }

    /// The number of rounds in a long run, which take a moment.
    var rounds: Int {
      switch self {
      case .memory: 2000
      case .rewriting, .appending: 400
      case .rewritingWithSync: 30
      }
    }
  }

  private static let count = GlobalData.Key("count", default: 0)

  @MainActor @Test(arguments: Kind.allCases)
  func theLastOfSeveralTasksOfTheMainActorWins(kind: Kind) async throws {
    let store = kind.store(in: folder)
    var lost = 0
    for round in (0..<kind.rounds).oneIn(3) {
      let tasks = (0..<5).map { offset in
        Task { try await store.set(round * 5 + offset, for: CallOrderTests.count) }
      }
      for task in tasks { try await task.value }
      if store[CallOrderTests.count] != round * 5 + 4 { lost += 1 }
    }
    #expect(lost == 0)
  }

  @MainActor @Test func theStaticCallsKeepTheirOrderToo() async throws {
    try await GlobalData.withStore(.inMemory()) {
      var lost = 0
      for round in (0..<2000).oneIn(3) {
        let tasks = (0..<5).map { offset in
          Task { try await GlobalData.set(round * 5 + offset, for: CallOrderTests.count) }
        }
        for task in tasks { try await task.value }
        if GlobalData[CallOrderTests.count] != round * 5 + 4 { lost += 1 }
      }
      #expect(lost == 0)
    }
  }

  /// An actor of an app that does not await one write before it requests the next.
  private actor Writer {
    private let store: GlobalData
    private let key: String
    private var last = 0

    init(_ store: GlobalData, _ key: String) {
      self.store = store
      self.key = key
    }

    /// - Returns: The value that was set last.
    func write(_ count: Int) async throws -> Int {
      var tasks: [Task<Void, any Error>] = []
      for _ in 0..<count {
        last += 1
        tasks.append(Task { [last] in try await self.set(last) })
      }
      for task in tasks { try await task.value }
      return last
    }

    private func set(_ value: Int) async throws {
      try await store.set(value, forKey: key)
    }
  }

  @Test(arguments: Kind.allCases)
  func theLastOfSeveralTasksOfAnActorWinsWhileOthersWrite(kind: Kind) async throws {
    let store = kind.store(in: folder)
    let rounds = kind.rounds / 4
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<4 {
        let key = "writer \(number)"
        let writer = Writer(store, key)
        group.addTask {
          var lost = 0
          for _ in (0..<rounds).oneIn(3) {
            let last = try await writer.write(5)
            if try store.object(Int.self, forKey: key) != last { lost += 1 }
          }
          return lost
        }
      }
      for try await lost in group { #expect(lost == 0) }
    }
  }

  @MainActor @Test(arguments: Kind.allCases)
  func callsOfAllKindsKeepTheirOrder(kind: Kind) async throws {
    let store = kind.store(in: folder)
    var random = SeededGenerator(seed: 7)
    var expected: [String: String] = [:]
    for round in (0..<kind.rounds / 2).oneIn(3) {
      var calls: [(WriteCall, Task<WriteCall.Answer, any Error>)] = []
      for number in 0..<6 {
        guard let call = WriteCall.Kind.allCases.randomElement(using: &random) else { continue }
        // Texts of several lengths: some take longer to encode than others.
        let text = String(repeating: "x", count: number == 0 ? 20_000 : 0) + "\(round) \(number)"
        let made = WriteCall(kind: call, text: text)
        calls.append((made, Task { try await made.make(in: store) }))
      }
      for (call, task) in calls {
        let answer = try await task.value
        try #require(answer == call.apply(to: &expected), "round \(round): \(call) of \(calls.map(\.0))")
      }
      try #require(try WriteCall.texts(in: store) == expected, "round \(round): \(calls.map(\.0))")
    }
  }
}
