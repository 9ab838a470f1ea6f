import Foundation
import GlobalData

/// What collections cost as they grow, in memory, so that the disk does not hide it.
enum CollectionBenchmarks {
  struct Car: Identifiable, Codable, Sendable {
    var id: Int
    var plate: String
    var speed: Int
    var isOnline = true
  }

  static func run() async throws {
    for count in [100, 1000, 10_000] {
      let cars = GlobalData.inMemory().collection(of: Car.self)
      try await cars.insert((0..<count).map { Car(id: $0, plate: "HH-GD \($0)", speed: $0 % 100) })
      var first: [Double] = []
      for _ in 0..<5 {
        // A new store each time: what was read once is decoded.
        let fresh = GlobalData.inMemory().collection(of: Car.self)
        try await fresh.insert(cars.all)
        first += try medians(of: [Contender(name: "first") { blackHole(fresh.all) }], rounds: 0, warmsUp: false)
      }
      print("\n\(count) elements")
      print("  all, for the first time            \(first.sorted()[2]) µs")
      let middle = count / 2
      try report(
        "  read, decoded before",
        [
          Contender(name: "by identifier, 1,000 times") { for _ in 0..<1000 { blackHole(cars[middle]) } },
          Contender(name: "contains, 1,000 times") { for _ in 0..<1000 { blackHole(cars.contains(middle)) } },
          Contender(name: "count, 1,000 times") { for _ in 0..<1000 { blackHole(cars.count) } },
          Contender(name: "all") { blackHole(cars.all) },
          Contender(name: "filter by function") { blackHole(cars.filter { $0.speed > 60 }) },
          Contender(name: "filter by predicate") { blackHole(cars.filter(#Predicate { $0.speed > 60 })) },
          Contender(name: "the same, sorted, 10 of them") {
            blackHole(cars.filter(#Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.plate)], limit: 10))
          },
        ], rounds: 20)
      let clock = ContinuousClock()
      var updates: [Duration] = []
      for round in 0..<50 {
        let began = clock.now
        try await cars.update(middle) { $0.speed = round }
        updates.append(clock.now - began)
      }
      print("  update one                         \(updates.sorted()[25])")
    }
  }
}
