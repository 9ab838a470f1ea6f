import Foundation
import GlobalData
import TestSupport
import Testing

/// Counts its decodings, and those on the queue of the main actor.
private struct Counted: Identifiable, Codable, Sendable {
  static let decoded = Locked((all: 0, onMainQueue: 0))

  var id: Int

  init(id: Int) { self.id = id }

  init(from decoder: any Decoder) throws {
    id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    let isOnMainQueue = MainActorQueue.isCurrent
    Counted.decoded.withLock { $0 = ($0.all + 1, $0.onMainQueue + (isOnMainQueue ? 1 : 0)) }
  }
}

private struct Bicycle: Identifiable, Codable {
  @MainActor static var decoded = 0
  var id: Int

  init(id: Int) { self.id = id }

  init(from decoder: any Decoder) throws {
    id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    MainActor.assumeIsolated { Bicycle.decoded += 1 }
  }
}

// Without this declaration, the compiler infers that it is Sendable.
@available(*, unavailable)
extension Bicycle: Sendable {}

/// Some of these refer to earlier texts, and some are too deep for the stack of every thread.
private struct Shape: Identifiable, Codable, Equatable, Sendable {
  indirect enum Tree: Codable, Equatable, Sendable {
    case leaf(String)
    case branch(Tree)
  }

  var id: Int
  var texts: [String]
  var tree: Tree
  var note: String?

  static func sample(_ number: Int) -> Shape {
    let text = "text number \(number % 7) ä"
    var tree = Tree.leaf(text)
    for _ in 0..<(number % 50 == 49 ? 40 : number % 5) { tree = .branch(tree) }
    return Shape(
      id: number, texts: Array(repeating: text, count: number % 4), tree: tree, note: number % 3 == 0 ? nil : text)
  }
}

@MainActor @Suite(.serialized) struct LoadingTests {
  @Test func elementsOfAllFormsAreReadTogetherAndIndividually() async throws {
    let store = GlobalData.inMemory()
    let shapes = (0..<600).map(Shape.sample)
    try await store.collection(of: Shape.self).insert(shapes)
    let (first, second) = (GlobalData.inMemory(), GlobalData.inMemory())
    try await first.restore(store.snapshot())
    #expect(first.collection(of: Shape.self).all == shapes)
    try await second.restore(store.snapshot())
    let other = second.collection(of: Shape.self)
    #expect(shapes.allSatisfy { other[$0.id] == $0 })
    // An element that cannot be read does not affect the others.
    try await second.set("no shape", forKey: "Shape/300")
    #expect(other.all == shapes.filter { $0.id != 300 })
  }

  @Test(arguments: [10, 1000]) func elementsAreDecodedOutsideOfTheMainActor(count: Int) async throws {
    let counted = GlobalData.inMemory().collection(of: Counted.self)
    try await counted.insert((0..<count).map { Counted(id: $0) })
    let before = Counted.decoded.withLock { $0 }
    try await counted.load()
    #expect(counted.all.map(\.id) == Array(0..<count))
    #expect(counted[count / 2]?.id == count / 2)
    let after = Counted.decoded.withLock { $0 }
    #expect(after.all - before.all == count)
    // There may be many other threads; this one decodes nothing.
    #expect(after.onMainQueue == before.onMainQueue)
  }

  @Test func elementsOfTheMainActorAreDecodedInSlices() async throws {
    let bicycles = GlobalData.inMemory().collection(of: Bicycle.self)
    try await bicycles.insert((0..<100).map { Bicycle(id: $0) })
    let before = Bicycle.decoded
    // Runs as soon as the main actor is free for a moment.
    let other = Task { Bicycle.decoded }
    try await bicycles.load()
    #expect(Bicycle.decoded == before + 100)
    #expect(await other.value < before + 100, "nothing else had its turn")
    #expect(bicycles.all.map(\.id) == Array(0..<100))
    #expect(Bicycle.decoded == before + 100)
  }

  @Test func loadingEndsWithItsTask() async throws {
    let bicycles = GlobalData.inMemory().collection(of: Bicycle.self)
    try await bicycles.insert((0..<100).map { Bicycle(id: $0) })
    let task = Task { try await bicycles.load() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(bicycles.all.count == 100)
  }

  @Test func aStoreThatCannotBeReadThrows() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("store")
      try Data("no archive".utf8).write(to: file)
      let store = GlobalData(at: file)
      await #expect(throws: GlobalDataError.self) { try await store.collection(of: Counted.self).load() }
      await #expect(throws: GlobalDataError.self) { try await store.collection(of: Bicycle.self).load() }
    }
  }
}
