import Foundation
import GlobalData
import TestSupport
import Testing

/// Calls of one actor keep their order, whatever tasks they are made in.
@Suite struct CallOrderTests {
  enum Kind: CaseIterable {
    case memory, rewriting, appending, rewritingWithSync

    func store(in folder: URL) -> GlobalData {
      var configuration = GlobalData.Configuration()
      configuration.durability = self == .rewritingWithSync ? .powerLoss : .processCrash
      configuration.persistence = self == .appending ? .appending : .rewriting
      if self == .memory { return .inMemory(configuration: configuration) }
      return GlobalData(at: folder.appendingPathComponent("store.archive"), configuration: configuration)
    }

    /// The number of rounds, which take a moment.
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
    try await withTemporaryDirectory { (folder) async throws in
      let store = kind.store(in: folder)
      var lost = 0
      for round in 0..<kind.rounds {
        let tasks = (0..<5).map { offset in
          Task { try await store.set(round * 5 + offset, for: CallOrderTests.count) }
        }
        for task in tasks { try await task.value }
        if store[CallOrderTests.count] != round * 5 + 4 { lost += 1 }
      }
      #expect(lost == 0)
    }
  }

  @MainActor @Test func theStaticCallsKeepTheirOrderToo() async throws {
    try await GlobalData.withStore(.inMemory()) {
      var lost = 0
      for round in 0..<2000 {
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
    try await withTemporaryDirectory { (folder) async throws in
      let store = kind.store(in: folder)
      let rounds = kind.rounds / 4
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<4 {
          let key = "writer \(number)"
          let writer = Writer(store, key)
          group.addTask {
            var lost = 0
            for _ in 0..<rounds {
              let last = try await writer.write(5)
              if try store.object(Int.self, forKey: key) != last { lost += 1 }
            }
            return lost
          }
        }
        for try await lost in group { #expect(lost == 0) }
      }
    }
  }

  /// A call of any kind, and what it does to a dictionary of texts.
  private enum Call: CaseIterable {
    case set, setMixed, setNothing, remove, setKey, reset, clear, clearKeeping, update
    case insert, upsert, replace, updateElement, setProperty, updateWhere, delete, deleteWhere, deleteAll

    private static let declared = GlobalData.Key("declared", default: "")

    @MainActor func start(
      _ text: String, _ store: GlobalData, _ expected: inout [String: String]
    ) -> Task<Void, any Error> {
      let notes = store.collection(of: Note.self, named: "notes")
      switch self {
      case .set:
        expected["a"] = text
        return Task { try await store.set(text, forKey: "a") }
      case .setMixed:
        expected["a"] = text
        let value: any Codable & Sendable = text
        return Task { try await store.set(value, forKey: "a") }
      case .setNothing:
        expected["a"] = nil
        return Task { try await store.set(String?.none, forKey: "a") }
      case .remove:
        expected["a"] = nil
        return Task { try await store.removeObject(forKey: "a") }
      case .setKey:
        expected["declared"] = text
        return Task { try await store.set(text, for: Call.declared) }
      case .reset:
        expected["declared"] = nil
        return Task { try await store.reset(Call.declared) }
      case .clear:
        expected = [:]
        return Task { try await store.clear() }
      case .clearKeeping:
        expected = expected.filter { $0.key == "a" }
        return Task { try await store.clear(keeping: ["a"]) }
      case .update:
        expected["a"] = (expected["a"] ?? "").suffix(10) + text
        return Task {
          try await store.update { data in
            try data.set((try data.object(String.self, forKey: "a") ?? "").suffix(10) + text, forKey: "a")
          }
        }
      case .insert:
        if expected["notes/1"] == nil { expected["notes/1"] = text }
        return Task {
          do {
            try await notes.insert(Note(id: "1", text: text))
          } catch let error as GlobalDataError where error.code == .duplicateElement {
            // The element exists already.
          }
        }
      case .upsert:
        expected["notes/1"] = text
        return Task { try await notes.upsert(Note(id: "1", text: text)) }
      case .replace:
        if expected["notes/1"] != nil { expected["notes/1"] = text }
        return Task {
          do {
            try await notes.replace(Note(id: "1", text: text))
          } catch let error as GlobalDataError where error.code == .elementNotFound {
            // The element does not exist.
          }
        }
      case .updateElement:
        expected["notes/1"]? += text.suffix(1)
        return Task { _ = try await notes.update("1") { $0.text += text.suffix(1) } }
      case .setProperty:
        if expected["notes/1"] != nil { expected["notes/1"] = text }
        return Task { _ = try await notes.set(\.text, to: text, for: "1") }
      case .updateWhere:
        expected["notes/1"]? += "w"
        return Task { _ = try await notes.update(where: { $0.id == "1" }) { $0.text += "w" } }
      case .delete:
        expected["notes/1"] = nil
        return Task { _ = try await notes.delete("1") }
      case .deleteWhere:
        expected["notes/1"] = nil
        return Task { _ = try await notes.delete { $0.id == "1" } }
      case .deleteAll:
        expected["notes/1"] = nil
        return Task { try await notes.deleteAll() }
      }
    }
  }

  private struct Note: Codable, Identifiable, Sendable {
    var id: String
    var text: String
  }

  @MainActor @Test(arguments: Kind.allCases)
  func callsOfAllKindsKeepTheirOrder(kind: Kind) async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let store = kind.store(in: folder)
      var random = SeededGenerator(seed: 7)
      var expected: [String: String] = [:]
      for round in 0..<kind.rounds / 2 {
        var calls: [Call] = []
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<6 {
          guard let call = Call.allCases.randomElement(using: &random) else { continue }
          calls.append(call)
          // Texts of several lengths: some take longer to encode than others.
          let text = String(repeating: "x", count: number == 0 ? 20_000 : 0) + "\(round) \(number)"
          tasks.append(call.start(text, store, &expected))
        }
        for task in tasks { try await task.value }
        var found: [String: String] = [:]
        for key in store.allKeys {
          found[key] =
            key.hasPrefix("notes/")
            ? try store.object(Note.self, forKey: key)?.text : try store.object(String.self, forKey: key)
        }
        let differing = Set(expected.keys).union(found.keys).filter { found[$0] != expected[$0] }
        try #require(differing.isEmpty, "round \(round): \(calls)")
      }
    }
  }
}
