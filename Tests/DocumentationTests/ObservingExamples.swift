import Foundation
import GlobalData
import Testing

extension GlobalData.Keys {
  fileprivate static let visits = Key("visits", default: 0)
  fileprivate static let volume = Key("volume", default: 0.5)
}

private struct User: Codable, Sendable {
  var name: String
}

private struct Car: Identifiable, Codable, Sendable {
  var id: Int
  var plate: String
  var speed = 0
}

@Suite struct ObservingExamples {
  /// Each loop of the article runs until its task is cancelled, and then ends.
  @Test func streamsRunUntilTheirTasksEnd() async throws {
    try await GlobalData.withStore(.inMemory()) {
      await withTaskGroup(of: Void.self) { group in
        for watch in [Self.watchVisits, Self.watchUser, Self.watchCars, Self.watchAll] {
          group.addTask { await watch() }
        }
        await Task.yield()
        group.cancelAll()
      }
      let store = GlobalData.current
      let watching = Task {
        for await visits in store.updates(of: .visits) where visits == 2 { return visits }
        return 0
      }
      try await GlobalData.set(2, for: .visits)
      #expect(await watching.value == 2)
    }
  }

  private static func watchVisits() async {
    for await visits in GlobalData.updates(of: .visits) {
      print(visits)
    }
  }

  private static func watchUser() async {
    for await user in GlobalData.updates(of: User.self, forKey: "user") {
      print(user?.name ?? "nobody is logged in")
    }
  }

  private static func watchCars() async {
    for await cars in GlobalData.collection(of: Car.self).updates {
      print(cars.count)
    }
  }

  private static func watchAll() async {
    for await change in GlobalData.changes {
      print(change.keys, change.origin)  // thisStore, otherProcess, clear, recovery
    }
  }

  @MainActor @Test func observableObjectsHaveTheCurrentValues() async throws {
    try await GlobalData.withStore(.inMemory()) {
      let visits = GlobalData.observable(.visits)
      print(visits.value)

      try await setVolume()
      #expect(GlobalData[.volume] == 0.8)

      let cars = GlobalData.collection(of: Car.self)
      try await cars.insert(Car(id: 1, plate: "HH 1", speed: 70))
      let fastCars = GlobalData.observable(cars) { $0.filter(#Predicate { $0.speed > 60 }, limit: 10) }
      print(fastCars.elements.map(\.plate))
      #expect(fastCars.elements.map(\.id) == [1])
    }
  }

  @MainActor private func setVolume() async throws {
    let volume = GlobalData.observable(.volume)
    volume.value = 0.7  // shows immediately; the store follows
    try await volume.waitUntilStored()  // on stable storage
    try await volume.set(0.8)  // both in one
  }
}

// SwiftUI only exists on Apple's systems. Elsewhere, the package Tests/SwiftUIStandIn compiles the views with
// `@Stored`.
#if canImport(SwiftUI)

import SwiftUI

private struct Settings: View {
  @Stored(.volume) var volume

  var body: some View {
    Slider(value: $volume)
    Button("Mute") { volume = 0 }
  }
}

private struct FastCars: View {
  @State private var fastCars = GlobalData.observable(GlobalData.collection(of: Car.self)) {
    $0.filter(#Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.plate)], limit: 10)
  }

  var body: some View {
    ForEach(fastCars.elements) { Text($0.plate) }
  }
}

#endif
