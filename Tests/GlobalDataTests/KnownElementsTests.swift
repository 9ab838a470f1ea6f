import CodingSupport
import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

private struct Car: Identifiable, Codable, Equatable, Sendable {
  var id: Int
  var speed: Int
}

/// A value that cannot be read as a car.
private struct Place: Identifiable, Codable, Equatable, Sendable {
  var id: Int
}

/// Elements that were read before are kept when the collection changes.
@Suite struct KnownElementsTests {
  @TemporaryFolder private var folder

  private func store(_ folder: URL) -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.durability = .processCrash
    configuration.registry = TypeRegistry()
    return GlobalData(at: folder.file("store"), configuration: configuration, system: POSIXSystemCalls())
  }

  @Test func eachCollectionFollowsItsOwnChanges() async throws {
    let (store, other) = (store(folder), store(folder))
    let names = ["cars", "car", "cars/old", "~", "k\u{e9}"]
    func ids(_ store: GlobalData) -> [[Int]] {
      names.map { store.collection(of: Car.self, named: $0).all.map(\.id) }
    }
    for name in names {
      try await store.collection(of: Car.self, named: name).insert((0..<4).map { Car(id: $0, speed: 0) })
    }
    try await store.set("no element", forKey: "cars")
    #expect(ids(store) == names.map { _ in [0, 1, 2, 3] })
    try await store.update { data in
      for (index, name) in names.enumerated() where index < 4 {
        data.delete(index, from: store.collection(of: Car.self, named: name))
      }
    }
    #expect(ids(store) == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], [0, 1, 2, 3]])
    try await other.update { data in
      for (index, name) in names.enumerated() where index != 1 {
        try data.insert(Car(id: 10 + index, speed: 0), into: other.collection(of: Car.self, named: name))
      }
      for id in 0..<4 { data.delete(id, from: other.collection(of: Car.self, named: "car")) }
    }
    try await store.refresh()
    #expect(ids(store) == [[1, 2, 3, 10], [], [0, 1, 3, 12], [0, 1, 2, 13], [0, 1, 2, 3, 14]])
  }

  /// Several changes by two writers between two reads, compared with an array.
  @Test(arguments: (0..<12).oneIn(3)) func elementsAreCurrentAfterAnyNumberOfChanges(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    // Each has its own engine, as in two processes.
    let (store, other) = (store(folder), store(folder))
    let cars = store.collection(of: Car.self, named: "cars")
    let places = store.collection(of: Place.self, named: "cars")
    var model: [(car: Car, isReadable: Bool)] = []
    // Arrays that readers still hold, and their contents when they were returned.
    var earlier: [(cars: [Car], speeds: [Int])] = []
    var snapshot = (try store.snapshot(), model)
    for step in 0..<120 {
      for _ in 0..<random.below(4) {
        let writer = random.below(5) == 0 ? other : store
        let written = writer.collection(of: Car.self, named: "cars")
        let car = Car(id: random.below(15), speed: step)
        let position = model.firstIndex { $0.car.id == car.id }
        switch random.below(10) {
        case 0:
          try await written.delete(car.id)
          if let position { model.remove(at: position) }
        case 1:
          try await writer.update { data in
            data.delete(car.id, from: written)
            try data.upsert(car, into: written)
          }
          if let position { model.remove(at: position) }
          model.append((car, true))
        case 2:
          try await writer.set("no car", forKey: "cars/\(car.id)")
          if let position { model[position].isReadable = false } else { model.append((car, false)) }
        case 3 where step % 30 == 0:
          try await writer.clear()
          model = []
        case 4 where step % 10 == 0:
          try await store.refresh()
          snapshot = (try store.snapshot(), model)
        case 5 where step % 15 == 0:
          try await store.restore(snapshot.0)
          model = snapshot.1
        default:
          try await written.upsert(car)
          if let position { model[position] = (car, true) } else { model.append((car, true)) }
        }
      }
      try await store.refresh()
      let expected = model.filter(\.isReadable).map(\.car)
      if random.below(2) == 0 {
        let all = cars.all
        #expect(all == expected)
        earlier.append((all, expected.map(\.speed)))
        if earlier.count > 3 { earlier.removeFirst() }
      }
      for (all, speeds) in earlier { #expect(all.map(\.speed) == speeds, "an array changed in a reader's hands") }
      let id = random.below(15)
      #expect(cars[id] == expected.first { $0.id == id })
      if random.below(4) == 0 { #expect(places.all.isEmpty) }
      if random.below(4) == 0 { #expect(cars.all == expected) }
      #expect(cars.count == model.count)
    }
  }

  /// The same for models that stay on the main actor, while the store's own thread commits.
  @MainActor @Test(arguments: 0..<6) func elementsOfTheMainActorAreCurrent(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let (store, other) = (store(folder), store(folder))
    let bicycles = store.collection(of: Bicycle.self, named: "bicycles")
    let others = other.collection(of: Bicycle.self, named: "bicycles")
    var model: [Bicycle] = []
    var earlier: (bicycles: [Bicycle], speeds: [Int]) = ([], [])
    for step in 0..<150 {
      for _ in 0..<random.below(4) {
        let written = random.below(4) == 0 ? others : bicycles
        let bicycle = Bicycle(id: random.below(30), speed: step)
        let position = model.firstIndex { $0.id == bicycle.id }
        if random.below(3) == 0 {
          try await written.delete(bicycle.id)
          if let position { model.remove(at: position) }
        } else {
          try await written.upsert(bicycle)
          if let position { model[position] = bicycle } else { model.append(bicycle) }
        }
      }
      try await store.refresh()
      if random.below(2) == 0 {
        #expect(earlier.bicycles.map(\.speed) == earlier.speeds)
        #expect(bicycles.all == model)
        earlier = (bicycles.all, model.map(\.speed))
      }
      let id = random.below(30)
      #expect(bicycles[id] == model.first { $0.id == id })
      #expect(bicycles.count == model.count)
    }
  }

  private final class Plane: Codable, Identifiable {
    static let decoded = Locked(0)
    var id: Int
    init(id: Int) { self.id = id }
    init(from decoder: any Decoder) throws {
      id = try decoder.singleValueContainer().decode(Int.self)
      Plane.decoded.withLock { $0 += 1 }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(id)
    }
  }

  /// Holds instances, so that no other instance gets their addresses.
  private final class Hangar: @unchecked Sendable {
    var planes: [Plane] = []
  }

  /// Instances that are not `Sendable` would otherwise be used by two threads.
  @MainActor @Test func instancesOfOneThreadAreNotGivenToAnother() async throws {
    let store = GlobalData.inMemory()
    try await store.update { data in
      try data.insert([Plane(id: 1), Plane(id: 2)], into: store.collection(of: Plane.self, named: "planes"))
    }
    let planes = store.collection(of: Plane.self, named: "planes")
    func readElsewhere() async -> [Plane] {
      let hangar = Hangar()
      await Task.detached {
        let planes = store.collection(of: Plane.self, named: "planes")
        hangar.planes = planes.all + [planes[1], planes[2]].compactMap(\.self)
      }.value
      return hangar.planes
    }
    let count = Plane.decoded.withLock { $0 }
    let first = await readElsewhere()
    #expect(first.map(\.id) == [1, 2, 1, 2])
    #expect(Plane.decoded.withLock { $0 } == count + 4, "an element is decoded once for each read")
    let here = planes.all + [planes[1], planes[2]].compactMap(\.self)
    let last = await readElsewhere()
    for plane in here {
      #expect(!first.contains { $0 === plane } && !last.contains { $0 === plane })
    }
  }

  @Test func emptyCollectionsThatWereReadDoNotPileUp() async throws {
    let store = GlobalData.inMemory()
    let cars = store.collection(of: Car.self)
    try await cars.insert([Car(id: 1, speed: 1), Car(id: 2, speed: 2)])
    try await store.set("kept", forKey: "text")
    #expect(cars.all.count == 2)
    #expect(try store.object(String.self, forKey: "text") == "kept")
    #expect(store.engine.memory.decodedValue(String.self, forKey: "text") != nil)
    for number in 0..<2000 { #expect(store.collection(of: Car.self, named: "\(number)").isEmpty) }
    #expect(store.engine.memory.decodedValue(String.self, forKey: "text") == nil, "the cache has started anew")
    try await cars.delete(1)
    #expect(cars.all == [Car(id: 2, speed: 2)])
    try await store.collection(of: Car.self, named: "0").insert(Car(id: 3, speed: 3))
    #expect(store.collection(of: Car.self, named: "0").all.map(\.id) == [3])
  }

  /// Enough elements that several threads decode them.
  @Test func manyElementsAreReadInTheirOrder() async throws {
    let store = GlobalData.inMemory()
    let cars = store.collection(of: Car.self, named: "cars")
    let all = (0..<3000).map { Car(id: $0 * 7 % 3001, speed: $0) }
    try await cars.insert(all)
    #expect(cars.all == all)
    #expect(try store.snapshot().collection(of: Car.self, named: "cars").all == all)
    // One element in the middle cannot be read. The others are decoded once.
    let diagnosed = store.diagnostics
    let other = store.collection(of: Car.self, named: "others")
    try await other.insert(all)
    try await store.set("no car", forKey: "others/\(all[1500].id)")
    for _ in 0..<2 { #expect(other.all == all.filter { $0.id != all[1500].id }) }
    var diagnostics = diagnosed.makeAsyncIterator()
    #expect(await diagnostics.next()?.key == "others/\(all[1500].id)")
    try await other.upsert(all[1500])
    #expect(other.all == all)
  }

  @Test func elementsThatChangeWhileTheyAreReadAreReadAgain() async throws {
    let (store, other) = (GlobalData.inMemory(), GlobalData.inMemory())
    try await GlobalData.withStore(store) {
      let callers = store.collection(of: Caller.self)
      try await callers.insert((0..<3).map { Caller(id: $0) })
      try await other.collection(of: Caller.self).insert(Caller(id: 1, value: 7))
      let entry = try #require(other.engine.memory.knownContents?[other.allKeys[0]])
      while store.engine.executor.runImmediately({}) == nil { await Task.yield() }
      let change: @Sendable () -> Void = {
        let outcome = Result {
          try store.engine.commitImmediately(.set(entry), number: store.engine.queue.takeNumber())
        }
        #expect((try? outcome.get()) == true)
      }
      #expect(Caller.$onDecoding.withValue(change) { callers.all }.map(\.value) == [0, 0, 0])
      #expect(callers.all.map(\.value) == [0, 7, 0])
    }
  }

  /// Many elements are decoded on several threads.
  @Test func theCodeOfAllElementsHasTheStoreOfTheReader() async throws {
    let store = GlobalData.inMemory()
    let natives = store.collection(of: Native.self)
    try await natives.insert((0..<5000).map { Native(id: $0) })
    await GlobalData.withStore(store) { #expect(natives.all.count { $0.birthplace === store } == 5000) }
  }

  @Test func removedElementsAreFreed() async throws {
    let witnessed = GlobalData.inMemory().collection(of: Witnessed.self)
    try await witnessed.insert((0..<100).map { Witnessed(id: $0) })
    let holders = witnessed.all.map { WeakHolder(witness: $0.witness) }
    #expect(holders.allSatisfy { $0.witness != nil })
    try await witnessed.upsert(Witnessed(id: 5, value: 1))
    try await witnessed.delete(7)
    #expect(witnessed.all.count == 99)
    #expect(holders[5].witness == nil, "the element has another value")
    #expect(holders[7].witness == nil)
    for id in 50..<100 { try await witnessed.delete(id) }
    let left = holders[50...].count { $0.witness != nil }
    #expect(left <= 100 / 8, "without another reading, no more than an eighth stays")
    try await witnessed.deleteAll()
    #expect(holders.allSatisfy { $0.witness == nil })
  }

  @Test(.timeLimit(.minutes(20))) func aValueThatIsReleasedMayReadTheStore() async throws {
    let (store, other) = (store(folder), store(folder))
    try await GlobalData.withStore(store) {
      let callers = store.collection(of: Caller.self)
      func set(_ value: Int) async throws { try await store.set(Caller(id: 1, value: value), forKey: "caller") }
      func read() throws -> WeakHolder { WeakHolder(try store.object(Caller.self, forKey: "caller")) }

      try await set(0)
      var held = try read()
      try await set(1)
      #expect(held.isEmpty, "replaced")
      held = try read()
      try await store.removeObject(forKey: "caller")
      #expect(held.isEmpty, "removed")
      try await set(2)
      held = try read()
      _ = try store.object(OtherCaller.self, forKey: "caller")
      #expect(held.isEmpty, "read as another type")
      held = try read()
      try await other.set(3, forKey: "caller")
      try await store.refresh()
      #expect(held.isEmpty, "replaced by another process")
      try await set(4)
      held = try read()
      try await store.close()
      #expect(held.isEmpty, "closed")

      try await callers.insert((0..<10).map { Caller(id: $0) })
      var all = callers.all.map(WeakHolder.init)
      try await callers.upsert(Caller(id: 5, value: 1))
      _ = callers.all
      #expect(all[5].isEmpty, "an element was replaced")
      try await callers.delete(6)
      _ = callers.all
      #expect(all[6].isEmpty, "an element was deleted")
      try await callers.delete { $0.id < 4 }
      #expect(all[0].isEmpty, "many elements were deleted")
      try await callers.upsert(Caller(id: 7, value: 1))
      // The element's own code reads all elements, and the array from before it does not belong to the cache anymore.
      Caller.$onDecoding.withValue({ Caller.$onDecoding.withValue(nil) { _ = callers.all } }) { _ = callers.all }
      #expect(all[7].isEmpty, "an element was read twice at the same time")
      all = callers.all.map(WeakHolder.init)
      #expect(all.count == 5)
      _ = store.collection(of: OtherCaller.self, named: callers.name).all
      #expect(all.allSatisfy { $0.isEmpty }, "the elements were read as another type")
      all = callers.all.map(WeakHolder.init)
      #expect(all.count == 5)
      try await callers.deleteAll()
      #expect(all.allSatisfy { $0.isEmpty }, "all elements were deleted")
    }
  }

  @MainActor @Test func valuesOfTheMainActorAreReleasedThere() async throws {
    try await withTemporaryDirectory { folder in
      let store = store(folder)
      let tenants = store.collection(of: Tenant.self)
      for number in 0..<200 {
        try await tenants.upsert((0..<4).map { Tenant(id: $0, number: number) })
        #expect(tenants.all.count == 4)
        try await store.set(Tenant(id: 5, number: number), forKey: "tenant")
        #expect(try store.object(Tenant.self, forKey: "tenant")?.number == number)
        // The store's own thread forgets the values, and the main actor has other work at the same time.
        async let closing: Void = store.close()
        for _ in 0..<20 { await Task.yield() }
        try await closing
      }
    }
    #expect(Tenant.Witness.deathsElsewhere.withLock { $0 } == 0)
  }

  @Test func keysKeepTheirPositions() {
    var keys = CollectionKeys(["a", "b", "c"])
    #expect(keys.position(of: "b") == 1)
    keys.append("d")
    #expect(keys.position(of: "d") == 3)
    keys.remove(["a"])
    #expect(keys.position(of: "d") == 3, "there is a gap")
    #expect(keys.position(of: "a") == nil)
    keys.append("a")
    #expect(keys.count == 4)
    #expect(keys.inOrder == ["b", "c", "d", "a"])
    #expect(keys.closeGaps(from: 1) == [])
    #expect(keys.closeGaps(from: 0) == [0])
    #expect(["b", "c", "d", "a"].map { keys.position(of: $0) } == [0, 1, 2, 3])
    #expect(keys.inOrder == ["b", "c", "d", "a"])
  }

  @Test(arguments: 0..<10) func keysThatAreRemovedInAnyOrderLeaveTheOthersInOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let all = (0..<60).map { "key \($0)" }
    var keys = CollectionKeys(all)
    var left = all
    while !left.isEmpty {
      let gone = Array(left.shuffled(using: &random).prefix(1 + random.below(20)))
      keys.remove(gone)
      left.removeAll { gone.contains($0) }
      #expect(keys.inOrder == left)
      #expect(keys.count == left.count)
      if random.below(4) == 0 { _ = keys.closeGaps(from: 0) }
    }
  }

  @Test(arguments: 0..<10) func elementsAreRemovedAtAnyPositions(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let all = Array(0..<random.below(40))
      let gone = all.filter { _ in random.below(4) == 0 }
      var left = all
      left.remove(atSorted: gone)
      #expect(left == all.filter { !gone.contains($0) })
    }
  }
}

/// A value that keeps the store that its initializer sees, which is not stored.
private struct Native: Identifiable, Codable, Sendable {
  var id: Int
  let birthplace = GlobalData.current

  private enum CodingKeys: CodingKey { case id }
}

private struct Witnessed: Identifiable, Codable, Sendable {
  final class Witness: Sendable {}
  var id: Int
  var value = 0
  let witness = Witness()

  private enum CodingKeys: CodingKey { case id, value }
}

private struct WeakHolder {
  weak var witness: AnyObject?

  var isEmpty: Bool { witness == nil }
}

extension WeakHolder {
  init(_ caller: Caller?) { witness = caller?.witness }
}

/// A value with an instance that is not stored, and that reads the store when it is released.
private struct Caller: Identifiable, Codable, Sendable {
  final class Witness: Sendable {
    private let store = GlobalData.current

    deinit { _ = store.contains("caller") }
  }

  @TaskLocal static var onDecoding: (@Sendable () -> Void)?

  var id: Int
  var value = 0
  let witness = Witness()

  private enum CodingKeys: CodingKey { case id, value }

  init(id: Int, value: Int = 0) { (self.id, self.value) = (id, value) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    (id, value) = (try container.decode(Int.self, forKey: .id), try container.decode(Int.self, forKey: .value))
    Caller.onDecoding?()
  }
}

/// Another type with the same values.
private struct OtherCaller: Identifiable, Archivable {
  static let archiveTag: ArchiveTag = "Caller"

  var id: Int
}

/// A value of the main actor, with an instance that is not stored.
private struct Tenant: Identifiable, Codable {
  final class Witness: Sendable {
    static let deathsElsewhere = Locked(0)

    deinit { if !MainActorQueue.isCurrent { Self.deathsElsewhere.withLock { $0 += 1 } } }
  }

  var id: Int
  var number: Int
  let witness = Witness()

  private enum CodingKeys: CodingKey { case id, number }
}

@available(*, unavailable)
extension Tenant: Sendable {}

private struct Bicycle: Identifiable, Codable, Equatable {
  var id: Int
  var speed: Int
}

// Without this declaration, the compiler infers that it is Sendable.
@available(*, unavailable)
extension Bicycle: Sendable {}
