import Foundation
import GlobalData
import Testing

private struct Car: Codable, Identifiable {
  var id: Int
  var isOnline = true
}

private struct Trip: Codable, Identifiable {
  var id: Int
  var distance = 0.0
  var points: [Double] = []
}

extension GlobalData.Keys {
  fileprivate static let lastCar = Key<Car?>("lastCar")
}

extension GlobalData.Keys {
  fileprivate static let isRecording = Key("isRecording", default: false)
}

private func park(_ car: Car) async throws {
  try await GlobalData.set(car, for: .lastCar)
  try await GlobalData.collection(of: Car.self).upsert(car)
}

private actor Recorder {
  func save(_ trip: Trip) async throws {
    try await GlobalData.collection(of: Trip.self).upsert(trip)  // encoded here
  }
}

private final class Recents: Sendable {
  private let opened: AsyncStream<Trip>.Continuation

  init(in store: GlobalData) {
    let (trips, continuation) = AsyncStream.makeStream(of: Trip.self, bufferingPolicy: .bufferingNewest(1))
    opened = continuation
    Task.detached {
      for await trip in trips {
        do { try await store.set(trip, forKey: "recent") } catch { print(error) }
      }
    }
  }

  deinit { opened.finish() }  // ends the task after the last write

  func open(_ trip: Trip) { opened.yield(trip) }  // on any thread
}

/// The article's code in this module, which is not isolated by default. .ci/snippets.py compiles it with main-actor
/// isolation.
@Suite struct UsingActorsExamples {
  @Test func valuesAreStoredFromAnyActor() async throws {
    var configuration = GlobalData.Configuration(location: .memory)
    configuration.registry = TypeRegistry()
    try await GlobalData.withStore(GlobalData(configuration)) {
      GlobalData.register(Car.self)  // on the main actor: created there only
      GlobalData.register(Trip.self)  // created on any thread
      try await park(Car(id: 7, isOnline: false))
      try await Recorder().save(Trip(id: 1, distance: 120))
      #expect(!GlobalData[.isRecording])

      let trips = GlobalData.collection(of: Trip.self)
      let longTrips = trips.filter(#Predicate { $0.distance > 100 }, sortedBy: [SortDescriptor(\.id)])
      #expect(longTrips.map(\.id) == [1])

      let cars = GlobalData.collection(of: Car.self)
      let parked = cars.filter { !$0.isOnline }
      try await cars.delete { !$0.isOnline }
      #expect(parked.map(\.id) == [7] && cars.isEmpty && GlobalData[.lastCar]?.id == 7)
      #expect(try GlobalData.object(forKey: "lastCar") is Car)
    }
  }

  @Test(.timeLimit(.minutes(1))) func valuesOfASynchronousFunctionAreStoredInOrder() async throws {
    let store = GlobalData.inMemory()
    let recents = Recents(in: store)
    for id in 1...100 { recents.open(Trip(id: id)) }
    var seen: [Int] = []
    for await trip in store.updates(of: Trip.self, forKey: "recent") {
      if let trip { seen.append(trip.id) }
      if trip?.id == 100 { break }
    }
    #expect(seen == seen.sorted())
  }
}
