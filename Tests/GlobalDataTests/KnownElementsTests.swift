import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

private struct Car: Identifiable, Codable, Equatable, Sendable {
  var id: Int
  var speed: Int
}

/// What no car can be read as.
private struct Place: Identifiable, Codable, Equatable, Sendable {
  var id: Int
}

/// The elements of a collection that were read before are kept as they change.
@Suite struct KnownElementsTests {
  private func store(_ folder: URL) -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.durability = .processCrash
    configuration.registry = TypeRegistry()
    return GlobalData(at: folder.file("store"), configuration: configuration, system: POSIXSystemCalls())
  }

  /// Several changes of two writers between two readings, compared with an array.
  @Test(arguments: 0..<12) func elementsAreAsWrittenHoweverManyChangesCameInBetween(seed: UInt64) async throws {
    try await withTemporaryDirectory { folder in
      var random = SeededGenerator(seed: seed)
      // Each has an engine of its own, as if in two processes.
      let (store, other) = (store(folder), store(folder))
      let cars = store.collection(of: Car.self, named: "cars")
      let places = store.collection(of: Place.self, named: "cars")
      var model: [(car: Car, isReadable: Bool)] = []
      for step in 0..<120 {
        for _ in 0..<random.below(4) {
          let writer = random.below(5) == 0 ? other : store
          let written = writer.collection(of: Car.self, named: "cars")
          let car = Car(id: random.below(15), speed: step)
          let position = model.firstIndex { $0.car.id == car.id }
          switch random.below(9) {
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
          default:
            try await written.upsert(car)
            if let position { model[position] = (car, true) } else { model.append((car, true)) }
          }
        }
        try await store.refresh()
        let expected = model.filter(\.isReadable).map(\.car)
        if random.below(2) == 0 { #expect(cars.all == expected) }
        if random.below(4) == 0 { #expect(places.all.isEmpty) }
        if random.below(4) == 0 { #expect(cars.all == expected) }
        #expect(cars.count == model.count)
      }
    }
  }

  @Test func keysKeepTheirPositions() {
    var keys = CollectionKeys(["a", "b", "c"])
    #expect(keys.position(of: "b") == 1)
    keys.append("d")
    #expect(keys.position(of: "d") == 3)
    keys.remove("a")
    #expect(keys.position(of: "d") == 2)
    #expect(keys.position(of: "a") == nil)
    keys.append("a")
    #expect(["b", "c", "d", "a"].map { keys.position(of: $0) } == [0, 1, 2, 3])
    #expect(keys.inOrder == ["b", "c", "d", "a"])
  }
}
