import Foundation
import GlobalData
import Observation
import Synchronization

/// Measures how long other work of the main actor waits while one element of an observed collection changes.
///
/// Each sample is the longest wait between the start of a change and the notification of views. The first row observes nothing, so it
/// shows the cost of switching threads.
@MainActor
enum ObservingBenchmarks {
  /// A model that may leave the main actor, so its queries run outside of it.
  struct Car: Identifiable, Codable, Sendable {
    var id: Int
    var plate: String
    var speed: Int
    var isOnline = true
  }

  /// A model of the main actor, so its queries run there.
  struct Bicycle: Identifiable, Codable {
    var id: Int
    var plate: String
    var speed: Int
    var isOnline = true
  }

  private static let count = 5000
  private static let rounds = 100

  static func run(_ report: inout Report) async throws {
    let cars = GlobalData.inMemory().collection(of: Car.self)
    try await cars.insert((0..<count).map { Car(id: $0, plate: "HH-GD \($0)", speed: $0 % 100) })
    let bicycles = GlobalData.inMemory().collection(of: Bicycle.self)
    try await bicycles.insert((0..<count).map { Bicycle(id: $0, plate: "HH-GD \($0)", speed: $0 % 100) })
    let changeCar: @Sendable (Int) async throws -> Void = { round in
      try await cars.update(count - 1) { $0.speed = 1000 + round }
    }
    let changeBicycle: @Sendable (Int) async throws -> Void = { round in
      try await bicycles.update(count - 1) { $0.speed = 1000 + round }
    }

    var table = ResultTable(
      title: "Longest wait for the main actor while one of \(count) elements changes", unit: "µs",
      columns: ["a Sendable model", "another model"])
    func add(_ name: String, _ car: [Double], _ bicycle: [Double]) {
      table.rows.append(.init(name: name, cells: [Samples(car), Samples(bicycle)]))
    }
    add("not observed", try await waits(changeCar), try await waits(changeBicycle))
    add(
      "all", try await waits(changeCar, observing: GlobalData.observable(cars)),
      try await waits(changeBicycle, observing: GlobalData.observable(bicycles)))
    add(
      "filter by function",
      try await waits(changeCar, observing: GlobalData.observable(cars) { $0.filter { $0.speed > 60 } }),
      try await waits(changeBicycle, observing: GlobalData.observable(bicycles) { $0.filter { $0.speed > 60 } }))
    add(
      "sorted by function, 10 of them",
      try await waits(
        changeCar, observing: GlobalData.observable(cars) { $0.filter(sortedBy: { $0.speed > $1.speed }, limit: 10) }),
      try await waits(
        changeBicycle,
        observing: GlobalData.observable(bicycles) { $0.filter(sortedBy: { $0.speed > $1.speed }, limit: 10) }))
    report.add(table)
  }

  // Makes the change outside of the main actor.
  private static func waits(_ change: @escaping @Sendable (Int) async throws -> Void) async throws -> [Double] {
    let visitor = MainActorVisitor()
    defer { visitor.stop() }
    return try await waits(of: visitor) { round in
      async let isChanged: Void = change(round)
      try await isChanged
    }
  }

  private static func waits<Element>(
    _ change: @escaping @Sendable (Int) async throws -> Void, observing observed: ObservableElements<Element>
  ) async throws -> [Double] {
    blackHole(observed.elements)
    let visitor = MainActorVisitor()
    defer { visitor.stop() }
    return try await waits(of: visitor) { round in
      async let isChanged: Void = change(round)
      await withCheckedContinuation { continuation in
        withObservationTracking {
          blackHole(observed.elements)
        } onChange: {
          continuation.resume()
        }
      }
      try await isChanged
    }
  }

  private static func waits(
    of visitor: MainActorVisitor, while change: @MainActor (Int) async throws -> Void
  ) async throws -> [Double] {
    var waits: [Double] = []
    for round in 0...rounds {
      await visitor.next()
      _ = visitor.takeLongestWait()
      try await change(round)
      await visitor.next()
      let wait = visitor.takeLongestWait()
      if round > 0 { waits.append(wait / .microseconds(1)) }
    }
    return waits
  }
}

// Without this declaration, the compiler infers that the type is Sendable.
@available(*, unavailable)
extension ObservingBenchmarks.Bicycle: Sendable {}

/// A thread that enqueues work on the main actor repeatedly, and measures how long each piece of work waits.
private final class MainActorVisitor: Sendable {
  private struct State {
    var isStopped = false
    var longest: Duration = .zero
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  init() {
    let hasVisited = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [self] in
      while !state.withLock({ $0.isStopped }) {
        let began = ContinuousClock.now
        DispatchQueue.main.async { [self] in
          noteWait(ContinuousClock.now - began)
          hasVisited.signal()
        }
        hasVisited.wait()
      }
    }
  }

  private func noteWait(_ wait: Duration) {
    let waiting = state.withLock { state in
      state.longest = max(state.longest, wait)
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Waits for a visit that ends after this call.
  func next() async {
    await withCheckedContinuation { continuation in state.withLock { $0.waiting = continuation } }
  }

  func takeLongestWait() -> Duration {
    state.withLock { state in
      defer { state.longest = .zero }
      return state.longest
    }
  }

  func stop() { state.withLock { $0.isStopped = true } }
}
