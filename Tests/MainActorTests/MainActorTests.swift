import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing

/// A client whose code is on the main actor by default, as in a new project of Xcode 26.
@Suite(.serialized) struct MainActorTests {
  @TemporaryFolder private var folder
  private let store = GlobalData.inMemory()
  private let car = Car(id: 1, plate: "B 1")

  // MARK: Values

  @Test func aPlainModelIsStoredAndRead() async throws {
    let store = GlobalData(at: folder.appending(path: "store"))
    try await store.set(car, forKey: "car")
    try await store.close()
    #expect(try store.object(Car.self, forKey: "car") == car)
    try await store.set([car], forKey: "cars")
    #expect(try store.object([Car].self, forKey: "cars") == [car])
    #expect(try store.entries().map(\.type) == ["Car", "[Car]"])
  }

  @Test func aSecondReadDecodesNothing() async throws {
    try await store.set(car, forKey: "car")
    let cars = store.collection(of: Car.self)
    try await cars.insert([Car(id: 1, plate: "a"), Car(id: 2, plate: "b")])
    #expect(store[.car] == car, "the key and its default are made")
    /// Returns the number of cars that are decoded during reads.
    func decodings(_ read: () throws -> Void) rethrows -> Int {
      let before = Car.decodingCount
      try read()
      return Car.decodingCount - before
    }
    var found: [Car?] = []
    try await store.set(Car(id: 1, plate: "B 1"), forKey: "other")
    #expect(try decodings { found.append(try store.object(Car.self, forKey: "other")) } == 1)
    #expect(try decodings { found.append(try store.object(Car.self, forKey: "car")) } == 0)
    #expect(decodings { found.append(store[.car]) } == 0)
    #expect(found == [car, car, car])
    var all: [Car] = []
    #expect(decodings { all = cars.all } == 2)
    #expect(decodings { all = cars.all } == 0)
    #expect(decodings { found.append(cars[2]) } == 0)
    #expect(decodings { all = cars.filter { $0.plate == "a" } } == 0)
    #expect(all == [Car(id: 1, plate: "a")] && found.last == Car(id: 2, plate: "b"))
    try await cars.update(1) { $0.plate = "c" }
    #expect(decodings { all = cars.all } == 1, "only what changed")
    #expect(all.map(\.plate) == ["c", "b"])
  }

  @Test func eachReadReturnsItsOwnInstances() async throws {
    try await store.set(Dog(name: "Rex"), forKey: "dog")
    #expect(store[.dog].name == "Rex")
    #expect(store[.dog] !== store[.dog])
    try await store.set(Kennel(dogs: [Dog(name: "Rex")]), for: .kennel)
    #expect(store[.kennel].dogs[0] !== store[.kennel].dogs[0])
  }

  @Test func aDefaultWithInstancesOfClassesIsCopied() {
    #expect(store[.dog].name == "Bello")
    store[.dog].name = "changed"
    #expect(store[.dog].name == "Bello")
    #expect(store[.kennel].dogs[0] !== store[.kennel].dogs[0])
    #expect(store[.notebook] !== store[.notebook])
    #expect(store[.car].plate == "none")
  }

  @Test func anUnencodableDefaultIsReadOnTheMainActor() {
    #expect(store[.refusing] == .unknown)
  }

  @Test func keysOfEachKindCanBeRead() async throws {
    #expect(store[.volume] == 0.5 && store[.nickname] == nil && store[.favorite] == nil)
    try await store.set(car, for: .favorite)
    #expect(store[.favorite] == car)
    try await store.set(nil, for: .favorite)
    #expect(!store.contains(.favorite))
    #expect(await Self.distance(in: store) == 1.5)
  }

  @concurrent private nonisolated static func distance(in store: GlobalData) async -> Double { store[.distance] }

  @Test func literalsAndMixedCollectionsAreEncodedHere() async throws {
    try await store.set([car, "note", 3] as [any Sendable], forKey: "mixed")
    try await store.set(["car": car, "count": 2] as [String: any Sendable], forKey: "named")
    let mixed = try store.object(ArchiveValue.self, forKey: "mixed")?.array
    #expect(mixed?.first?.object?.tag == "Car")
    // A literal is stored like a variable of its type.
    let (numbers, cars, named) = ([1, 2], [car], ["a": 1])
    try await store.set([1, 2], forKey: "1")
    try await store.set(numbers, forKey: "2")
    try await store.set([car], forKey: "3")
    try await store.set(cars, forKey: "4")
    try await store.set(["a": 1], forKey: "5")
    try await store.set(named, forKey: "6")
    try await store.update { data in
      try data.set([1, 2], forKey: "7")
      try data.set([car], forKey: "8")
      try data.set(["a": 1], forKey: "9")
    }
    let types = try store.entries().dropFirst(2).map(\.type)
    #expect(
      types == ["[Int]", "[Int]", "[Car]", "[Car]", "[String:Int]", "[String:Int]", "[Int]", "[Car]", "[String:Int]"])
  }

  // MARK: Tags

  @Test func aTypeOfTheMainActorIsReadByItsTagThereOnly() async throws {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    let store = GlobalData.inMemory(configuration: configuration)
    store.register(Car.self, Dog.self)
    store.register(Trip.self)
    try await store.set(car, forKey: "car")
    try await store.set([car, 1] as [any Sendable], forKey: "mixed")
    try await store.set(Trip(id: 1, distance: 2), forKey: "trip")
    #expect(try store.object(forKey: "car") as? Car == car)
    #expect((try store.object(forKey: "mixed") as? [any Sendable])?.first as? Car == car)
    let before = Car.decodingCount
    for key in ["car", "mixed"] {
      let message = try #require(await Self.failure(readingByTag: key, in: store))
      #expect(message.contains("\"Car\" was registered on the main actor"))
    }
    #expect(Car.decodingCount == before)
    #expect(await Self.failure(readingByTag: "trip", in: store) == nil)
  }

  /// Reads a value by its tag on another thread, and returns the reason why that failed.
  @concurrent private nonisolated static func failure(
    readingByTag key: String, in store: GlobalData
  ) async -> String? {
    do {
      _ = try store.object(forKey: key)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func anImportRefusesTypesOfTheMainActor() async throws {
    let json = Data(#"{"car": {"id": 1, "plate": "B", "isOnline": true}, "trip": {"id": 2, "distance": 3}}"#.utf8)
    let before = Car.decodingCount
    do {
      try await store.importJSON(json, as: ["car": Car.self])
      Issue.record("it decodes on a thread of its own")
    } catch {
      #expect("\(error)".contains("Declare the conformance or its type nonisolated."))
    }
    #expect(Car.decodingCount == before && store.allKeys.isEmpty)
    try await store.importJSON(json, as: ["trip": Trip.self])
    #expect(try store.object(Trip.self, forKey: "trip") == Trip(id: 2, distance: 3))
  }

  @Test func polymorphicPropertiesHoldTypesOfTheMainActor() async throws {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    let store = GlobalData.inMemory(configuration: configuration)
    store.register(Car.self)
    try await store.set(Shelf(items: [car, 1, "text"]), forKey: "shelf")
    let shelf = try #require(try store.object(Shelf.self, forKey: "shelf"))
    #expect(shelf.items.count == 3 && shelf.items.first as? Car == car)
  }

  /// Deep values are coded on a thread with enough stack, while the main actor waits.
  @Test func aDeepValueOfTheMainActorIsReadByItsTag() async throws {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    let store = GlobalData.inMemory(configuration: configuration)
    store.register(Node.self)
    var node = Node(depth: 0)
    for depth in 1...100 { node = Node(depth: depth, children: [node]) }
    try await store.set(node, forKey: "node")
    #expect(try store.object(forKey: "node") as? Node == node)
    #expect(try store.object(Node.self, forKey: "node") == node)
    #expect(await Self.failure(readingByTag: "node", in: store) != nil)
  }

  @Test func entriesOfTheMainActorAreMigratedThere() async throws {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    let store = GlobalData.inMemory(configuration: configuration)
    store.register(Car.self, Album.self)
    store.register(Slide.self)
    var album = ArchiveObject(tag: "Album")
    album["slides"] = [["name": "Kiel"]]
    try await store.set(car, forKey: "car")
    try await store.set(.object(album) as ArchiveValue, forKey: "album")
    let report = try await store.migrateAll()
    #expect(report.migratedKeys == ["album"] && report.unchangedCount == 1)
    #expect(try store.object(ArchiveValue.self, forKey: "album")?["slides"]?.array?.first?["title"] == "Kiel")
  }

  // MARK: Updates

  @Test func theClosureOfAnUpdateCanUseTheCallersState() async throws {
    var log: [String] = []
    let dog = Dog(name: "Rex")
    let result = try await store.update { data in
      log.append("begun")
      dog.name = "Max"
      data[.visits] += 1
      try data.set(car, forKey: "car")
      data[.favorite] = car
      return dog
    }
    #expect(log == ["begun"] && result === dog && dog.name == "Max")
    #expect(store[.visits] == 1 && store[.favorite] == car)
  }

  @Test func concurrentIncrementsOfTheMainActorAndOthersAreAllCounted() async throws {
    for store in [GlobalData.inMemory(), GlobalData(at: folder.appending(path: "store"))] {
      let tasks = (0..<1000).map { number in
        Task {
          if number.isMultiple(of: 2) {
            try await store.update { $0[.visits] += 1 }
          } else {
            try await Self.increment(store)
          }
        }
      }
      for task in tasks { try await task.value }
      #expect(store[.visits] == 1000)
    }
  }

  @concurrent private nonisolated static func increment(_ store: GlobalData) async throws {
    try await store.update { data in
      try data.set((try data.object(Int.self, forKey: "visits") ?? 0) + 1, forKey: "visits")
    }
  }

  @Test func callsOfTheMainActorKeepTheirOrder() async throws {
    for round in 0..<50 {
      let tasks = [
        Task { try await store.set(round, for: .visits) },
        Task { _ = try await store.update { $0[.visits] *= 2 } },
        Task { try await store.set(store[.visits] + 0, forKey: "other") },
        Task { _ = try await store.update { $0[.visits] += 1 } },
      ]
      for task in tasks { try await task.value }
      #expect(store[.visits] == 2 * round + 1)
    }
  }

  // MARK: Observation

  @Test func updatesOfAModelAreDecodedByTheirReader() async throws {
    var cars = store.updates(of: .car).makeAsyncIterator()
    #expect(await cars.next() == store[.car])
    try await store.set(car, for: .car)
    #expect(await cars.next() == car)
    var count = 0
    for await cars in store.collection(of: Car.self).updates {
      count += 1
      if cars.isEmpty { try await store.collection(of: Car.self).insert(car) } else { break }
    }
    #expect(count == 2)
  }

  @Test func observedElementsDecodeOnlyWhatChanged() async throws {
    let cars = store.collection(of: Car.self, named: "observed")
    try await cars.insert((0..<500).map { Car(id: $0, plate: "\($0)") })
    let observed = GlobalData.observable(cars) { $0.filter { $0.isOnline } }
    #expect(observed.elements.count == 500)
    let before = Car.decodingCount
    try await cars.update(7) { $0.isOnline = false }
    while observed.elements.count == 500 { await Task.yield() }
    #expect(Car.decodingCount - before == 2, "once here, and once by the check of what is encoded that tests turn on")
    #expect(!observed.elements.contains { $0.id == 7 })
  }

  @Test func anObservedValueOfTheMainActorCanBeSet() async throws {
    let observed = store.observable(.car)
    observed.value.plate = "new"
    #expect(observed.value.plate == "new")
    try await observed.waitUntilStored()
    #expect(store[.car].plate == "new")
    let dog = store.observable(.dog)
    try await dog.set(Dog(name: "Max"))
    #expect(store[.dog].name == "Max")
  }

  @Test func anIterationEndsWithItsTask() async throws {
    let task = Task {
      var count = 0
      for await _ in store.updates(of: .car) { count += 1 }
      return count
    }
    while store[.visits] == 0 { try await store.set(1, for: .visits) }
    task.cancel()
    #expect(await task.value <= 1)
  }
}

/// The same from another actor, with its own models.
@Suite struct OtherActorTests {
  actor Garage {
    let store = GlobalData.inMemory()
    var notebook = Notebook()

    func keep() async throws -> [String] {
      try await store.set(notebook, forKey: "notebook")
      try await store.update { data in
        notebook.lines.append("in an update")
        try data.set(notebook, forKey: "notebook")
      }
      return try store.object(Notebook.self, forKey: "notebook")?.lines ?? []
    }

    func trips() async throws -> [Trip] {
      let trips = store.collection(of: Trip.self)
      try await trips.insert(Trip(id: 1, distance: 2))
      try await trips.update(1) { $0.distance += Double(notebook.lines.count) }
      return trips.filter(#Predicate { $0.distance > 1 }, sortedBy: [SortDescriptor(\.distance)])
    }
  }

  @Test func valuesOfAnActorCanBeStored() async throws {
    let garage = Garage()
    #expect(try await garage.keep() == ["in an update"])
    #expect(try await garage.trips() == [Trip(id: 1, distance: 3)])
  }
}
