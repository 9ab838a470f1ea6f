import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Several stores with one file, as in different processes, make random calls with random failures, and are compared
/// with a model.
@Suite struct RandomStoresTests {
  @Test(arguments: (0..<12).oneIn(4)) func storesWithOneFileHaveItsContents(seed: UInt64) async throws {
    try await withTemporaryDirectory { folder in
      var game = StoreGame(at: folder.file("store"), seed: seed)
      for step in 0..<150 { try await game.play("seed \(seed), step \(step)") }
      try await game.finish("seed \(seed), end")
      #expect(game.faults.allSatisfy { $0.openFileCount == 0 })
    }
  }
}

private struct Note: Identifiable, Codable, Equatable, Sendable {
  var id: String
  var text: String
}

/// The stores, and their expected contents.
private struct StoreGame {
  let url: URL
  let faults: [FaultInjector]
  private let stores: [GlobalData]
  private var random: SeededGenerator
  private var model: [(key: String, text: String)] = []

  /// These include two keys that are equal in Swift, and elements of a collection.
  private static let keys =
    (0..<12).map { "key \($0)" } + ["caf\u{e9}", "cafe\u{301}", "\u{212a}", "K", "/", "Note"]
    + (0..<8).map { "Note/\($0)" } + ["Note/"]

  init(at url: URL, seed: UInt64) {
    self.url = url
    random = SeededGenerator(seed: seed)
    faults = (0..<3).map { _ in FaultInjector() }
    stores = faults.enumerated().map { index, faults in
      var configuration = GlobalData.Configuration()
      configuration.persistence = index == 2 ? .rewriting : .appending
      configuration.durability = seed % 3 == 0 ? .powerLoss : seed % 3 == 1 ? .ordered : .processCrash
      return GlobalData.faulty(at: url, faults, configuration: configuration)
    }
  }

  // MARK: The model

  private func index(of key: String) -> Int? {
    model.firstIndex { $0.key == key }
  }

  private mutating func set(_ text: String, forKey key: String) {
    if let index = index(of: key) { model[index].text = text } else { model.append((key, text)) }
  }

  private mutating func remove(_ key: String) {
    model.removeAll { $0.key == key }
  }

  private func isSpelledOtherwise(_ key: String) -> Bool {
    index(of: key).map { !model[$0].key.utf8.elementsEqual(key.utf8) } ?? false
  }

  // MARK: Moves

  /// Lets one store make one call, perhaps with a failure, and examines the result.
  mutating func play(_ comment: Comment) async throws {
    let number = random.below(stores.count)
    let (store, faults) = (stores[number], faults[number])
    let before = model
    let move = randomMove()
    let isFaulty = random.below(5) == 0
    faults.reset()
    if isFaulty { faults.failCall(random.below(20), with: .inputOutput) }
    do {
      try await move.run(store)
      #expect(!move.mustFail, comment)
    } catch {
      faults.reset()
      try await store.refresh()
      let code = (error as? GlobalDataError)?.code
      #expect(isFaulty || move.mustFail, "\(comment): \(error)")
      // Something beside the file may remain of the cleared values.
      let isDone = code == .durabilityUnknown || code == .removeFailed && store.allKeys != before.map(\.key)
      if !isDone { model = before }
    }
    faults.reset()
    if !move.reads { try await store.refresh() }
    try expectModel(store, comment)
    if random.below(3) == 0 { try await expectModelEverywhere(comment) }
  }

  mutating func finish(_ comment: Comment) async throws {
    for store in stores { try await store.close() }
    try await expectModelEverywhere(comment)
  }

  private struct Move {
    var mustFail = false
    /// Whether the store always examines the file, not only if nothing is in memory.
    var reads = true
    var run: @Sendable (GlobalData) async throws -> Void
  }

  private mutating func randomMove() -> Move {
    switch random.below(20) {
    case 0..<7:
      let (key, text) = (randomKey(), randomText())
      guard !isSpelledOtherwise(key) else { return Move(mustFail: true) { try await $0.put(text, forKey: key) } }
      set(text, forKey: key)
      return Move { try await $0.put(text, forKey: key) }
    case 7..<10:
      let key = randomKey()
      remove(key)
      return Move { try await $0.removeObject(forKey: key) }
    case 10..<15: return randomUpdate()
    case 15:
      let kept = Set((0..<4).map { _ in randomKey() })
      model.removeAll { !kept.contains($0.key) }
      return Move { try await $0.clear(keeping: kept) }
    case 16:
      guard random.below(3) == 0 else { return Move { try await $0.refresh() } }
      model = []
      return Move { try await $0.clear() }
    case 17: return Move(reads: false) { try await $0.close() }
    case 18: return Move(reads: false) { (store) async throws in #expect(try await store.recover() == nil) }
    default: return Move { try await $0.refresh() }
    }
  }

  /// Several changes as one. The closure may throw at the end.
  private mutating func randomUpdate() -> Move {
    enum Step {
      case set(String, String)
      case remove(String)
      case clear
    }
    var steps: [Step] = []
    let before = model
    for _ in 0..<1 + random.below(6) {
      let key = randomKey()
      switch random.below(12) {
      case 0..<7
      where !isSpelledOtherwise(key) && !before.contains { $0.key == key && !$0.key.utf8.elementsEqual(key.utf8) }:
        let text = randomText()
        set(text, forKey: key)
        steps.append(.set(key, text))
      case 11:
        guard random.below(4) == 0 else { continue }
        model = []
        steps.append(.clear)
      default:
        remove(key)
        steps.append(.remove(key))
      }
    }
    let (changes, fails) = (steps, random.below(8) == 0)
    return Move(mustFail: fails) { store in
      try await store.update { data in
        for change in changes {
          switch change {
          case .set(let key, let text): try data.put(text, forKey: key)
          case .remove(let key): data.removeObject(forKey: key)
          case .clear: data.clear()
          }
        }
        if fails { throw CancellationError() }
      }
    }
  }

  private mutating func randomKey() -> String {
    Self.keys[random.below(Self.keys.count)]
  }

  private mutating func randomText() -> String {
    String(repeating: "\(random.below(1000)) ", count: [1, 5, 50, 400, 3000, 20_000][random.below(6)])
  }

  // MARK: Checks

  private func expectModel(_ store: GlobalData, _ comment: Comment) throws {
    let keys = model.map(\.key)
    try #require(store.allKeys.map { Array($0.utf8) } == keys.map { Array($0.utf8) }, comment)
    #expect(try store.entries().map(\.key) == keys, comment)
    for (key, text) in model { #expect(try store.text(forKey: key) == text, comment) }
    let notes = store.collection(of: Note.self)
    let expected = model.filter { $0.key.isKey(ofCollection: "Note/") }
    #expect(notes.count == expected.count, comment)
    #expect(notes.all.map(\.text) == expected.map(\.text), comment)
    for key in Self.keys where !keys.contains(key) {
      #expect(try !store.contains(key) && store.text(forKey: key) == nil)
    }
    #expect(store.recoveryOnceOpen == nil, comment)
  }

  private func expectModelEverywhere(_ comment: Comment) async throws {
    for store in stores {
      try await store.refresh()
      try expectModel(store, comment)
    }
    try expectModel(GlobalData(at: url, system: POSIXSystemCalls()), comment)
  }
}

extension GlobalData {
  fileprivate nonisolated func put(_ text: String, forKey key: String) async throws {
    if let note = Note(text, forKey: key) {
      try await collection(of: Note.self).upsert(note)
    } else {
      try await set(text, forKey: key)
    }
  }

  fileprivate nonisolated func text(forKey key: String) throws -> String? {
    if Note("", forKey: key) != nil { return try object(Note.self, forKey: key)?.text }
    return try object(String.self, forKey: key)
  }
}

extension GlobalData.Transaction {
  fileprivate mutating func put(_ text: String, forKey key: String) throws {
    if let note = Note(text, forKey: key) { try set(note, forKey: key) } else { try set(text, forKey: key) }
  }
}

extension Note {
  /// The element of the collection with this key; `nil` for other keys.
  fileprivate init?(_ text: String, forKey key: String) {
    guard key.isKey(ofCollection: "Note/") else { return nil }
    self.init(id: String(key.dropFirst(5)), text: text)
  }
}
