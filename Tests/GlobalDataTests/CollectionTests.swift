import Foundation
import GlobalData
import KeyedArchive
import TestSupport
import Testing

private struct Car: Identifiable, Codable, Equatable, Sendable {
  var id: Int
  var name: String
  var speed = 0
  var isOnline = true
}

private struct Note: Identifiable, Codable, Equatable, Sendable {
  struct Place: Hashable, Codable, Sendable {
    var page: Int
    var line: Int
  }
  var id: Place
  var text: String
}

@Suite struct CollectionTests {
  private let cars: GlobalData.ModelCollection<Car> = GlobalData.inMemory().collection(of: Car.self)

  private func fill(_ count: Int = 5) async throws {
    try await cars.insert((1...count).map { Car(id: $0, name: "car \($0 % 3)", speed: $0 * 20) })
  }

  @Test func elementsAreFoundByTheirIdentifiersAndKeepTheirOrder() async throws {
    #expect(cars.isEmpty)
    try await cars.insert(Car(id: 7, name: "seven"))
    try await cars.insert([Car(id: 3, name: "three"), Car(id: 9, name: "nine")])
    #expect(cars[3]?.name == "three")
    #expect(cars[4] == nil)
    #expect(cars.contains(9) && !cars.contains(4))
    #expect(cars.all.map(\.id) == [7, 3, 9])
    #expect(cars.count == 3)
    #expect(cars.first { $0.id > 7 }?.name == "nine")
    #expect(try cars.element(withID: 7)?.name == "seven")
  }

  @Test func anIdentifierIsThereOnce() async throws {
    try await fill()
    let error = await #expect(throws: GlobalDataError.self) {
      try await cars.insert([Car(id: 10, name: "new"), Car(id: 3, name: "again")])
    }
    #expect(error?.code == .duplicateElement)
    #expect(!cars.contains(10), "all or nothing")
    try await cars.upsert([Car(id: 10, name: "new"), Car(id: 3, name: "again")])
    #expect(cars[3]?.name == "again" && cars[10]?.name == "new")
    #expect(cars.all.map(\.id) == [1, 2, 3, 4, 5, 10])
    try await cars.replace(Car(id: 1, name: "replaced"))
    #expect(cars[1]?.name == "replaced")
    let missing = await #expect(throws: GlobalDataError.self) { try await cars.replace(Car(id: 99, name: "none")) }
    #expect(missing?.code == .elementNotFound)
  }

  @Test func elementsAreChangedInPlace() async throws {
    try await fill()
    #expect(try await cars.update(2) { $0.isOnline = false })
    #expect(cars[2]?.isOnline == false)
    #expect(try await !cars.update(99) { $0.isOnline = false })
    #expect(try await cars.set(\.name, to: "named", for: 3))
    #expect(cars[3]?.name == "named")
    let isFast: @Sendable (Car) -> Bool = { $0.speed > 60 }
    #expect(try await cars.update(where: isFast) { $0.speed = 60 } == 2)
    #expect(cars.all.map(\.speed) == [20, 40, 60, 60, 60])
    try await cars.update(1) { $0.id = 11 }
    #expect(cars[1] == nil && cars[11]?.speed == 20)
    await #expect(throws: GlobalDataError.self) { try await cars.update(2) { $0.id = 3 } }
    #expect(cars[2] != nil)
  }

  @Test func elementsAreDeleted() async throws {
    try await fill(8)
    #expect(try await cars.delete(1))
    #expect(try await !cars.delete(1))
    #expect(try await cars.delete(where: #Predicate { $0.speed > 120 }) == 2)
    #expect(try await cars.delete(where: { $0.name == "car 2" }) == 2)
    #expect(cars.all.map(\.id) == [3, 4, 6])
    try await cars.deleteAll()
    #expect(cars.isEmpty)
  }

  @Test func queriesFilterSortAndCut() async throws {
    try await fill(9)
    #expect(cars.filter { $0.speed > 140 }.map(\.id) == [8, 9])
    #expect(cars.filter(#Predicate { $0.speed > 140 }).map(\.id) == [8, 9])
    let byName = cars.filter(sortedBy: [SortDescriptor(\.name)])
    #expect(byName.map(\.id) == [3, 6, 9, 1, 4, 7, 2, 5, 8])
    let page = cars.filter(
      #Predicate { $0.speed > 20 }, sortedBy: [SortDescriptor(\.name, order: .reverse), SortDescriptor(\.speed)],
      offset: 1, limit: 3)
    #expect(page.map(\.id) == [5, 8, 4])
    #expect(cars.filter(offset: 100).isEmpty)
    #expect(cars.filter(limit: 0).isEmpty)
  }

  @Test func collectionsOfOneTypeDifferInTheirNames() async throws {
    let store = GlobalData.inMemory()
    let mine = store.collection(of: Car.self, named: "mine")
    let yours = store.collection(of: Car.self, named: "yours")
    try await mine.insert(Car(id: 1, name: "mine"))
    try await yours.insert(Car(id: 1, name: "yours"))
    #expect(mine[1]?.name == "mine" && yours[1]?.name == "yours")
    #expect(store.allKeys == ["mine/1", "yours/1"])
  }

  @Test func identifiersMayBeOfAnyType() async throws {
    let store = GlobalData.inMemory()
    let notes = store.collection(of: Note.self)
    let places = (1...20).map { Note.Place(page: $0 % 4, line: $0) }
    try await notes.insert(places.map { Note(id: $0, text: "\($0)") })
    for place in places { #expect(notes[place]?.text == "\(place)") }
    #expect(notes[Note.Place(page: 9, line: 9)] == nil)
  }

  @Test func aBatchInAnUpdateIsOneCommitWithOtherChanges() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let store = GlobalData(at: folder.appendingPathComponent("store"))
      let cars = store.collection(of: Car.self)
      var changes = store.changes.makeAsyncIterator()
      try await store.update { data in
        try data.insert([Car(id: 1, name: "one"), Car(id: 2, name: "two")], into: cars)
        try data.update(1, in: cars) { $0.speed = 10 }
        data.delete(2, from: cars)
        try data.upsert([Car(id: 3, name: "three")], into: cars)
        #expect(try data.all(of: cars).map(\.id) == [1, 3])
        #expect(try data.element(1, of: cars)?.speed == 10)
        try data.set(2, forKey: "count")
      }
      #expect(await changes.next()?.keys.count == 3)
      try await store.close()
      #expect(cars.all.map(\.id) == [1, 3])
    }
  }

  @Test func anElementThatCannotBeReadIsLeftOutAndTold() async throws {
    let store = GlobalData.inMemory()
    let cars = store.collection(of: Car.self)
    try await cars.insert([Car(id: 1, name: "one"), Car(id: 2, name: "two")])
    try await store.set("no car", forKey: "Car/1")
    var diagnostics = store.diagnostics.makeAsyncIterator()
    #expect(cars.all.map(\.id) == [2])
    #expect(cars[1] == nil)
    #expect(await diagnostics.next()?.key == "Car/1")
    #expect(throws: GlobalDataError.self) { try cars.element(withID: 1) }
    #expect(cars.count == 2)
  }

  @Test func aQueryDoesNotDecodeWhatItHasDecodedBefore() async throws {
    let store = GlobalData.inMemory()
    let counted = store.collection(of: CountedElement.self)
    try await counted.insert((0..<100).map { CountedElement(id: $0) })
    #expect(counted.all.count == 100)
    let decoded = CountedElement.decoded.withLock { $0 }
    #expect(counted.all.count == 100)
    #expect(counted[5]?.id == 5)
    #expect(counted.filter { $0.id > 50 }.count == 49)
    #expect(CountedElement.decoded.withLock { $0 } == decoded)
    try await counted.upsert(CountedElement(id: 5, value: 1))
    let before = CountedElement.decoded.withLock { $0 }
    #expect(counted.all[5].value == 1)
    #expect(CountedElement.decoded.withLock { $0 } == before + 1)
  }

  @Test func clearingForgetsTheDecodedElements() async throws {
    let store = GlobalData.inMemory()
    let references = store.collection(of: ReferenceHolder.self)
    try await references.insert(ReferenceHolder(id: 1))
    let holder = WeakHolder(references[1]?.reference)
    #expect(holder.reference != nil)
    try await store.clear()
    #expect(holder.reference == nil)
  }

  @Test func aCollectionIsWatched() async throws {
    try await fill(2)
    var values = cars.values.makeAsyncIterator()
    #expect(await values.next()?.map(\.id) == [1, 2])
    try await cars.delete(1)
    #expect(await values.next()?.map(\.id) == [2])
  }
}

private struct CountedElement: Identifiable, Codable, Sendable {
  static let decoded = Locked(0)
  var id: Int
  var value = 0

  init(id: Int, value: Int = 0) {
    self.id = id
    self.value = value
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    value = try container.decode(Int.self, forKey: .value)
    CountedElement.decoded.withLock { $0 += 1 }
  }
}

private struct ReferenceHolder: Identifiable, Codable, Sendable {
  final class Reference: Codable, Sendable {}
  var id: Int
  var reference = Reference()
}

private struct WeakHolder {
  weak var reference: ReferenceHolder.Reference?

  init(_ reference: ReferenceHolder.Reference?) { self.reference = reference }
}
