import Foundation
import GlobalData
import KeyedArchive
import Observation
import TestSupport
import Testing
import ThrownErrors

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

private struct Text: Identifiable, Codable, Equatable, Sendable {
  var id: String
  var note = ""
  var name = ""
}

/// An element that does not store its identifier: each decoded copy has another one.
private struct Draft: Identifiable, Codable, Sendable, NotReadBack {
  private enum CodingKeys: CodingKey { case text }

  let id = UUID()
  var text: String
}

private final class Nameless: Identifiable, Codable, Sendable {}

private struct OldPart: Identifiable, Archivable {
  static let archiveTag: ArchiveTag = "Car"
  var id: Int
}

/// A part with another name and other identifiers than before.
private struct Part: Identifiable, Archivable {
  static let archiveTag: ArchiveTag = "Part"
  static let formerArchiveTags: [ArchiveTag] = ["Car"]
  static let archiveVersion = 2
  var id: String

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    if let number = object["id"]?.int { object["id"] = .string("part \(number)") }
  }
}

@Suite struct CollectionTests {
  @TemporaryFolder private var folder
  private let store = GlobalData.inMemory()

  private struct Item<ID: Codable & Hashable & Sendable>: Codable, Identifiable, Sendable {
    var id: ID
  }

  private enum Level: Int, Codable {
    case low = -3
  }

  private enum Tone: String, Codable {
    case soft = "so/ft"
  }

  /// Stores an element, and expects its key and that it is found.
  private func expectKey<ID: Codable & Hashable & Sendable>(_ id: ID, _ key: String) async throws {
    let store = GlobalData.inMemory()
    let items = store.collection(of: Item<ID>.self, named: "Item")
    try await items.insert(Item(id: id))
    #expect(store.allKeys == ["Item/\(key)"])
    #expect(items[id]?.id == id && items.all.map(\.id) == [id] && items.contains(id))
  }

  @Test func identifiersThatAreNumbersOrTextAreLegibleInKeys() async throws {
    try await expectKey(-5, "-5")
    try await expectKey(UInt8(200), "200")
    try await expectKey(UInt64.max, "18446744073709551615")
    try await expectKey(Int128.min, "-170141183460469231731687303715884105728")
    try await expectKey(Level.low, "-3")
    try await expectKey(Tone.soft, "so/ft")
    try await expectKey("a b", "a b")
    let id = UUID()
    try await expectKey(id, id.uuidString)
  }

  private let cars: GlobalData.ModelCollection<Car> = GlobalData.inMemory().collection(of: Car.self)

  private func fill(_ count: Int = 5) async throws {
    try await cars.insert((1...count).map { Car(id: $0, name: "car \($0 % 3)", speed: $0 * 20) })
  }

  @Test func anUnreadableElementStopsOnlyChangesThatReadAllElements() async throws {
    let cars = store.collection(of: Car.self, named: "cars")
    try await cars.insert([Car(id: 1, name: "one"), Car(id: 2, name: "two")])
    let key = try #require(store.allKeys.last)
    try await store.set("not a car", forKey: key)
    #expect(cars.all.map(\.id) == [1] && cars[2] == nil && cars.count == 2)
    let before = try store.snapshot()
    let all: (Car) -> Bool = { _ in true }
    await #expect(throws: GlobalDataError.self) { try await cars.update(where: all) { $0.speed = 9 } }
    await #expect(throws: GlobalDataError.self) { try await cars.delete(where: all) }
    await #expect(throws: GlobalDataError.self) { try await cars.delete(where: #Predicate { $0.speed < 9 }) }
    #expect(try store.snapshot().changes(since: before).keys == [])
    try await cars.upsert(Car(id: 2, name: "again"))
    #expect(cars.all.map(\.name) == ["one", "again"])
    try await store.set("not a car", forKey: key)
    try await cars.deleteAll()
    #expect(store.allKeys == [])
  }

  @Test func anUpdateChangesItsOwnStoreThroughACollectionOfAnotherStore() async throws {
    let other = GlobalData.inMemory()
    try await fill(1)
    try await other.update { try $0.insert(Car(id: 7, name: "seven"), into: cars) }
    #expect(cars.all.map(\.id) == [1])
    #expect(other.collection(of: Car.self).all.map(\.id) == [7])
  }

  @Test func anErrorOfAnUpdateNamesTheFileThatWasToChange() async throws {
    let store = GlobalData(at: folder.appendingPathComponent("store"))
    try await store.update { data in
      try data.insert([Car(id: 1, name: "one"), Car(id: 2, name: "two")], into: cars)
      let again = expectError(GlobalDataError.self) { try data.insert(Car(id: 1, name: "again"), into: cars) }
      #expect(again?.fileURL == store.url)
      let renumbered = expectError(GlobalDataError.self) { try data.update(1, in: cars) { $0.id = 2 } }
      #expect(renumbered?.fileURL == store.url)
    }
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

  @Test func anIdentifierOccursOnce() async throws {
    try await fill()
    let error = await expectError(GlobalDataError.self) {
      try await cars.insert([Car(id: 10, name: "new"), Car(id: 3, name: "again")])
    }
    #expect(error?.code == .duplicateElement)
    #expect(!cars.contains(10), "all or nothing")
    try await cars.upsert([Car(id: 10, name: "new"), Car(id: 3, name: "again")])
    #expect(cars[3]?.name == "again" && cars[10]?.name == "new")
    #expect(cars.all.map(\.id) == [1, 2, 3, 4, 5, 10])
    try await cars.replace(Car(id: 1, name: "replaced"))
    #expect(cars[1]?.name == "replaced")
    let missing = await expectError(GlobalDataError.self) { try await cars.replace(Car(id: 99, name: "none")) }
    #expect(missing?.code == .elementNotFound)
  }

  @Test func anIdentifierOccursOnceInOneUpdate() async throws {
    let cars = store.collection(of: Car.self)
    try await cars.insert((1...5).map { Car(id: $0, name: "old") })
    let error = await expectError(GlobalDataError.self) {
      try await store.update { data in
        try data.insert(Car(id: 10, name: "new"), into: cars)
        try data.insert(Car(id: 10, name: "again"), into: cars)
      }
    }
    #expect(error?.code == .duplicateElement)
    try await store.update { data in
      try data.upsert(Car(id: 11, name: "first"), into: cars)
      do {
        try data.insert(Car(id: 11, name: "second"), into: cars)
        Issue.record("there are two elements with one identifier")
      } catch let error as GlobalDataError {
        #expect(error.code == .duplicateElement)
      }
      data.delete(3, from: cars)
      try data.insert(Car(id: 3, name: "inserted again"), into: cars)
    }
    #expect(cars[11]?.name == "first" && cars[3]?.name == "inserted again")
    #expect(cars.all.map(\.id) == [1, 2, 4, 5, 11, 3])
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

  @Test func anElementStaysIfItsChangeFailsAndTheUpdateGoesOn() async throws {
    let texts = store.collection(of: Text.self)
    try await texts.insert([Text(id: "one", note: "first"), Text(id: "two")])
    for id in ["two", String(repeating: "x", count: 5000)] {
      try await store.update { data in
        #expect(throws: GlobalDataError.self) { try data.update("one", in: texts) { $0.id = id } }
        try data.set(true, forKey: "done")
      }
      #expect(texts.all.map(\.id) == ["one", "two"] && texts["one"]?.note == "first")
    }
  }

  @Test func elementsBeforeTheOneThatFailsStayIfTheUpdateGoesOn() async throws {
    let texts = store.collection(of: Text.self)
    try await texts.insert(Text(id: "two", note: "first"))
    let tooLong = String(repeating: "x", count: 5000)
    try await store.update { data in
      #expect(throws: GlobalDataError.self) { try data.insert([Text(id: "one"), Text(id: "two")], into: texts) }
      #expect(throws: GlobalDataError.self) { try data.upsert([Text(id: "three"), Text(id: tooLong)], into: texts) }
    }
    #expect(texts.all.map(\.id) == ["two", "one", "three"] && texts["two"]?.note == "first")
  }

  @Test func anUnreadableElementIsReplaced() async throws {
    let cars = store.collection(of: Car.self)
    try await cars.insert([Car(id: 1, name: "one"), Car(id: 2, name: "two")])
    try await store.set("no car", forKey: "Car/1")
    try await cars.replace(Car(id: 1, name: "replaced"))
    #expect(cars.all.map(\.name) == ["replaced", "two"])
  }

  @Test func identifiersAreShiftedAndExchanged() async throws {
    try await fill(4)
    #expect(try await cars.update(where: { $0.id > 1 }, { $0.id += 1 }) == 3)
    #expect(cars.all.map(\.id) == [1, 3, 4, 5])
    #expect(cars.all.map(\.speed) == [20, 40, 60, 80])
    #expect(try await cars.update(where: { _ in true }, { $0.id = 6 - $0.id }) == 4)
    #expect([1, 2, 3, 5].map { cars[$0]?.speed } == [80, 60, 40, 20])
    let error = await expectError(GlobalDataError.self) {
      try await cars.update(where: { $0.speed < 60 }, { $0.id = 7 })
    }
    #expect(error?.code == .duplicateElement)
    #expect([1, 2, 3, 5].map { cars[$0]?.speed } == [80, 60, 40, 20] && cars[7] == nil)
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

  @Test func elementsWithoutAStoredIdentifierAreChangedAndDeletedByTheirKeys() async throws {
    let drafts = GlobalData.inMemory().collection(of: Draft.self)
    let first = Draft(text: "first")
    try await drafts.insert([first, Draft(text: "second"), Draft(text: "third")])
    #expect(try await drafts.update(first.id) { $0.text += "!" })
    #expect(drafts[first.id]?.text == "first!")
    let isThird = #Predicate<Draft> { $0.text == "third" }
    #expect(try await drafts.update(where: { try !isThird.evaluate($0) }, { $0.text += "?" }) == 2)
    #expect(try await drafts.update(where: isThird) { $0.text += "!" } == 1)
    #expect(drafts.all.map(\.text) == ["first!?", "second?", "third!"])
    #expect(try await drafts.update(where: isThird) { $0.text += "!" } == 0)
    #expect(try await drafts.delete { $0.text == "second?" } == 1)
    #expect(try await drafts.delete(where: #Predicate { $0.text == "third!" }) == 1)
    #expect(drafts.all.map(\.text) == ["first!?"] && drafts.count == 1)
  }

  @Test func queriesFilterSortAndLimit() async throws {
    try await fill(9)
    #expect(cars.filter { $0.speed > 140 }.map(\.id) == [8, 9])
    #expect(cars.filter(#Predicate { $0.speed > 140 }).map(\.id) == [8, 9])
    let byName = cars.filter(sortedBy: [SortDescriptor(\.name)])
    #expect(byName.map(\.id) == [3, 6, 9, 1, 4, 7, 2, 5, 8])
    let page = cars.filter(
      #Predicate { $0.speed > 20 }, sortedBy: [SortDescriptor(\.name, order: .reverse), SortDescriptor(\.speed)],
      offset: 1, limit: 3)
    #expect(page.map(\.id) == [5, 8, 4])
    let bySpeed = cars.filter(#Predicate { $0.speed < 140 }, sortedBy: { $0.speed > $1.speed }, offset: 2, limit: 2)
    #expect(bySpeed.map(\.id) == [4, 3])
    #expect(cars.filter({ $0.id > 5 }, sortedBy: [SortDescriptor(\.name)], limit: 3).map(\.id) == [6, 9, 7])
    #expect(cars.filter({ $0.id > 5 }, sortedBy: { $0.id > $1.id }, offset: 1).map(\.id) == [8, 7, 6])
    #expect(cars.filter(sortedBy: { $0.name < $1.name }).map(\.id) == byName.map(\.id), "equals keep their order")
    struct Failure: Error {}
    #expect(throws: Failure.self) { try cars.filter { _ in throw Failure() } }
    #expect(cars.filter(offset: 100).isEmpty)
    #expect(cars.filter(offset: -1, limit: -1).isEmpty)
    #expect(cars.filter(limit: 0).isEmpty)
  }

  @Test func collectionsOfOneTypeDifferInTheirNames() async throws {
    let mine = store.collection(of: Car.self, named: "mine")
    let yours = store.collection(of: Car.self, named: "yours")
    try await mine.insert(Car(id: 1, name: "mine"))
    try await yours.insert(Car(id: 1, name: "yours"))
    #expect(mine[1]?.name == "mine" && yours[1]?.name == "yours")
    #expect(store.allKeys == ["mine/1", "yours/1"])
  }

  @Test func elementsOfARenamedTypeAreFoundUnderItsFormerNameAndAreInsertedAgainUnderNewIdentifiers() async throws {
    try await store.collection(of: OldPart.self).insert([OldPart(id: 2), OldPart(id: 1)])
    #expect(store.collection(of: Part.self).isEmpty)
    let cars = store.collection(of: Part.self, named: "Car")
    #expect(cars.all.map(\.id) == ["part 2", "part 1"] && cars["part 1"] == nil)
    try await GlobalData.withStore(store) {
      try await GlobalData.update { data in
        let all = try data.all(of: cars)
        for key in data.allKeys where key.hasPrefix("Car/") { data.removeObject(forKey: key) }
        try data.insert(all, into: cars)
      }
    }
    #expect(cars.all.map(\.id) == ["part 2", "part 1"] && cars["part 1"]?.id == "part 1")
    #expect(store.allKeys == ["Car/part 2", "Car/part 1"])
  }

  @Test func collectionsWithDifferentNamesNeverShareKeys() async throws {
    let names = ["a", "a/b", "a~1b", "a~", "a~0", "", "/", "e\u{301}", "a/\u{301}"]
    for (number, name) in names.enumerated() {
      let cars = store.collection(of: Car.self, named: name)
      try await cars.insert([Car(id: 1, name: name), Car(id: number + 2, name: name)])
    }
    let notes = store.collection(of: Text.self, named: "a")
    try await notes.insert(Text(id: "b/2"))
    for (number, name) in names.enumerated() {
      let cars = store.collection(of: Car.self, named: name)
      #expect(cars.filter { $0.name == name }.map(\.id) == [1, number + 2], "\(name)")
      #expect(cars.count == (name == "a" ? 3 : 2))
    }
    #expect(notes["b/2"] == Text(id: "b/2"))
  }

  @Test func identifiersThatAreEqualInSwiftAreOneElement() async throws {
    let texts = GlobalData.inMemory().collection(of: Text.self)
    try await texts.insert(Text(id: "\u{e9}", note: "one scalar"))
    await #expect(throws: GlobalDataError.self) { try await texts.insert(Text(id: "e\u{301}")) }
    try await texts.upsert(Text(id: "e\u{301}", note: "two scalars"))
    #expect(texts.all.map(\.note) == ["two scalars"])
    #expect(texts["\u{e9}"]?.note == "two scalars")
    #expect(try await texts.delete("e\u{301}"))
    #expect(texts.isEmpty)
  }

  @Test func anIdentifierWithoutAMeaningAfterARelaunchIsRefused() async throws {
    let nameless = store.collection(of: Nameless.self)
    let element = Nameless()
    let error = await expectError(GlobalDataError.self) { try await nameless.insert(element) }
    #expect(error?.code == .invalidKey)
    #expect(error?.description.contains("ObjectIdentifier") == true)
    #expect(throws: GlobalDataError.self) { try nameless.element(withID: element.id) }
    #expect(nameless[element.id] == nil && !nameless.contains(element.id))
    await #expect(throws: GlobalDataError.self) { try await nameless.delete(element.id) }
  }

  @Test func wrappedIdentifiersAreReadableInKeys() async throws {
    struct Wrapped: Identifiable, Codable, Sendable {
      struct ID: RawRepresentable, Hashable, Codable, Sendable { var rawValue: String }
      var id: ID
    }
    try await store.collection(of: Wrapped.self, named: "wrapped").insert(Wrapped(id: Wrapped.ID(rawValue: "HH-GD 1")))
    #expect(store.allKeys == ["wrapped/HH-GD 1"])
  }

  /// Makes the same random changes to a collection and to an array.
  @Test(arguments: 0..<8) func aCollectionBehavesLikeAnOrderedDictionary(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let configuration = GlobalData.Configuration.with { $0.durability = .processCrash }
    let store = GlobalData(at: folder.appendingPathComponent("store"), configuration: configuration)
    let cars = store.collection(of: Car.self)
    let others = store.collection(of: Car.self, named: "others")
    var model: [Car] = []
    for step in 0..<150 {
      let car = Car(id: Int.random(in: 0..<20, using: &random), name: "\(step)", speed: step)
      let position = model.firstIndex { $0.id == car.id }
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2:
        try await cars.upsert(car)
        if let position { model[position] = car } else { model.append(car) }
      case 3:
        #expect(try await cars.delete(car.id) == (position != nil))
        if let position { model.remove(at: position) }
      case 4:
        #expect(try await cars.update(car.id) { $0.isOnline.toggle() } == (position != nil))
        if let position { model[position].isOnline.toggle() }
      case 5:
        try await store.update { data in
          data.delete(car.id, from: cars)
          try data.upsert([car], into: cars)
          try data.upsert([car], into: others)
        }
        model.removeAll { $0.id == car.id }
        model.append(car)
      case 6:
        let isOld: @Sendable (Car) -> Bool = { $0.speed < step - 20 }
        #expect(try await cars.delete(where: isOld) == model.count { isOld($0) })
        model.removeAll(where: isOld)
      default:
        if step.isMultiple(of: 10) { try await store.close() }
      }
      #expect(cars.all == model)
      #expect(cars.count == model.count)
      #expect(cars[car.id] == model.first { $0.id == car.id })
    }
  }

  @Test func identifiersMayBeOfAnyType() async throws {
    let notes = store.collection(of: Note.self)
    let places = (1...20).map { Note.Place(page: $0 % 4, line: $0) }
    try await notes.insert(places.map { Note(id: $0, text: "\($0)") })
    for place in places { #expect(notes[place]?.text == "\(place)") }
    #expect(notes[Note.Place(page: 9, line: 9)] == nil)
  }

  @Test func aBatchInAnUpdateIsOneCommitWithOtherChanges() async throws {
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

  @Test func anElementThatAnUpdateDeletesAndInsertsAgainIsListedOnce() async throws {
    let cars = store.collection(of: Car.self)
    try await cars.insert([Car(id: 1, name: "one"), Car(id: 2, name: "two")])
    try await store.update { data in
      data.delete(1, from: cars)
      try data.insert(Car(id: 1, name: "one again"), into: cars)
      #expect(try data.all(of: cars).map(\.id) == [2, 1])
    }
    #expect(cars.all.map(\.id) == [2, 1])
  }

  @Test func anUnreadableElementIsLeftOutAndReported() async throws {
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

  @Test func aQueryDecodesEachElementOnce() async throws {
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
    let witnessed = store.collection(of: WitnessedElement.self)
    try await witnessed.insert(WitnessedElement(id: 1))
    let holder = WeakHolder(witnessed[1]?.witness)
    #expect(holder.witness != nil, "the decoded element is kept")
    try await store.clear()
    #expect(holder.witness == nil)
  }

  @Test func aCollectionIsWatched() async throws {
    try await fill(2)
    var values = cars.updates.makeAsyncIterator()
    #expect(await values.next()?.map(\.id) == [1, 2])
    try await cars.delete(1)
    #expect(await values.next()?.map(\.id) == [2])
  }

  @MainActor @Test func viewsFollowAQueryOfACollection() async throws {
    try await fill(3)
    let fast = GlobalData.observable(cars) {
      $0.filter(#Predicate { $0.speed > 30 }, sortedBy: [SortDescriptor(\.speed)])
    }
    #expect(fast.elements.map(\.id) == [2, 3])
    let changes = AsyncStream<Void> { continuation in
      withObservationTracking {
        _ = fast.elements
      } onChange: {
        continuation.yield()
      }
    }
    try await cars.upsert(Car(id: 4, name: "four", speed: 35))
    for await _ in changes { break }
    // The observer is notified before the change. Code that follows on the main actor sees the change.
    while fast.elements.count < 3 { await Task.yield() }
    #expect(fast.elements.map(\.id) == [4, 2, 3])
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

/// An element that shows whether its decoded value still exists: it creates an object that is freed with it.
private struct WitnessedElement: Identifiable, Codable, Sendable {
  final class Witness: Sendable {}
  var id: Int
  let witness = Witness()

  private enum CodingKeys: CodingKey { case id }
}

private struct WeakHolder {
  weak var witness: WitnessedElement.Witness?

  init(_ witness: WitnessedElement.Witness?) { self.witness = witness }
}
