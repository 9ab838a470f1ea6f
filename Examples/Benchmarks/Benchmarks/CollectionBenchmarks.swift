import Foundation
import GlobalData

/// Times collections of growing sizes, in memory, so that the disk does not hide the cost.
enum CollectionBenchmarks {
  struct Car: Identifiable, Codable, Sendable {
    var id: Int
    var plate: String
    var speed: Int
    var isOnline = true
  }

  private static let sizes = [100, 1000, 10_000]

  static func run(_ report: inout Report) async throws {
    var table = ResultTable(
      title: "Collections in memory", unit: "µs",
      columns: sizes.map { "\($0)" })
    for (index, count) in sizes.enumerated() {
      let cars = GlobalData.inMemory().collection(of: Car.self)
      try await cars.insert((0..<count).map { Car(id: $0, plate: "HH-GD \($0)", speed: $0 % 100) })
      var rows = [("all, for the first time", try await firstReadings(of: cars))]
      let contenders = readings(of: cars, middle: count / 2)
      rows += zip(contenders.map(\.name), try times(of: contenders, rounds: 20))
      rows += try await [("update one element", updates(of: cars, at: count / 2))]
      for (name, times) in rows {
        if index == 0 { table.rows.append(.init(name: name, cells: sizes.map { _ in nil })) }
        // A contender repeats what takes less time than reading the clock.
        let repetitions = repeated.contains(name) ? Double(repeatCount) : 1
        table.set(Samples(times.map { $0 / repetitions }), name, index)
      }
    }
    report.add(table)
  }

  private static let repeatCount = 1000
  private static let repeated = ["read one element", "contains", "count"]

  private static func readings(of cars: GlobalData.ModelCollection<Car>, middle: Int) -> [Contender] {
    [
      Contender(name: "read one element") { for _ in 0..<repeatCount { blackHole(cars[middle]) } },
      Contender(name: "contains") { for _ in 0..<repeatCount { blackHole(cars.contains(middle)) } },
      Contender(name: "count") { for _ in 0..<repeatCount { blackHole(cars.count) } },
      Contender(name: "all, decoded before") { blackHole(cars.all) },
      Contender(name: "filter by function") { blackHole(cars.filter { $0.speed > 60 }) },
      Contender(name: "filter by predicate") { blackHole(cars.filter(#Predicate { $0.speed > 60 })) },
      Contender(name: "the same, sorted, 10 of them") {
        blackHole(cars.filter(#Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.plate)], limit: 10))
      },
    ]
  }

  /// Uses a new store each time, because a value that was read once stays decoded.
  private static func firstReadings(of cars: GlobalData.ModelCollection<Car>) async throws -> [Double] {
    var result: [Double] = []
    for _ in 0..<5 {
      let fresh = GlobalData.inMemory().collection(of: Car.self)
      try await fresh.insert(cars.all)
      result += try times(of: [Contender(name: "first") { blackHole(fresh.all) }], rounds: 0, warmsUp: false).joined()
    }
    return result
  }

  private static func updates(of cars: GlobalData.ModelCollection<Car>, at middle: Int) async throws -> [Double] {
    var result: [Double] = []
    let clock = ContinuousClock()
    for round in 0..<50 {
      let began = clock.now
      try await cars.update(middle) { $0.speed = round }
      result.append((clock.now - began) / .microseconds(1))
    }
    return result
  }
}
