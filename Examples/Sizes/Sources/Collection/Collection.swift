import Foundation
import GlobalData

/// Stores a collection, queries it with a predicate, and observes it.
@main
struct Collection {
  struct Car: Codable, Identifiable, Sendable {
    var id: Int
    var plate: String
    var isOnline = true
  }

  @MainActor
  static func main() async throws {
    let store = GlobalData(at: FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).globaldata"))
    let cars = store.collection(of: Car.self)
    let observed = store.observable(cars)
    var changes = store.changes.makeAsyncIterator()
    try await cars.upsert([Car(id: 1, plate: "B 1"), Car(id: 2, plate: "HH 2", isOnline: false)])
    print(cars.filter(#Predicate { $0.isOnline }, sortedBy: [SortDescriptor(\.plate)], limit: 10))
    print(await changes.next()?.keys ?? [], observed.elements.count)
    try await store.clear()
  }
}
