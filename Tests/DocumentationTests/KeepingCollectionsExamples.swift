import Foundation
import GlobalData
import Testing

extension GlobalData.Keys {
  fileprivate static let visits = Key("visits", default: 0)
}

@Suite struct KeepingCollectionsExamples {
  struct Car: Identifiable, Codable, Equatable {
    var id: Int
    var plate: String
    var speed = 0
    var isOnline = true
  }

  @Test func aCollectionIsWrittenAndRead() async throws {
    try await GlobalData.withStore(.inMemory()) {
      let cars = GlobalData.collection(of: Car.self)

      try await cars.insert(Car(id: 7, plate: "HH 7", speed: 70))
      let car = Car(id: 1, plate: "HH 1", speed: 90)
      try await write(car, more: [Car(id: 2, plate: "HH 2"), Car(id: 3, plate: "HH 3")], to: cars)
      #expect(cars.isEmpty)

      try await cars.insert((1...30).map { Car(id: $0, plate: "HH \($0 + 10)", speed: 40 + $0 * 4) })
      try await cars.load()  // decodes all, so that the list appears immediately
      let list = cars.all
      #expect(list.count == 30)
      read(cars)

      let newCars = [Car(id: 99, plate: "HH 99")]
      try await GlobalData.update { data in
        try data.insert(newCars, into: cars)
        try data.upsert(Car(id: 8, plate: "HH 8"), into: cars)
        try data.update(7, in: cars) { $0.speed = 0 }
        data.delete(3, from: cars)
        if try data.element(8, of: cars)?.speed == 0 { data[.visits] += 1 }
      }
      #expect(cars.contains(99) && cars[7]?.speed == 0 && !cars.contains(3) && GlobalData[.visits] == 1)

      let favorites = GlobalData.collection(of: Car.self, named: "favorites")
      #expect(favorites.isEmpty)
    }
  }

  private func write(_ car: Car, more: [Car], to cars: GlobalData.ModelCollection<Car>) async throws {
    try await cars.insert(car)  // an error where its identifier is there already
    try await cars.insert(more)  // many
    try await cars.upsert(more)  // inserts, or replaces
    try await cars.replace(car)  // an error where there is nothing to replace
    try await cars.update(7) { $0.isOnline = false }
    try await cars.set(\.speed, to: 30, for: 7)
    try await cars.delete(7)
    try await cars.update(where: #Predicate { $0.speed > 100 }) { $0.speed = 100 }  // returns how many
    try await cars.delete(where: #Predicate { !$0.isOnline })
    try await cars.delete { $0.speed == 0 }  // the same with a closure
    try await cars.deleteAll()
  }

  private func read(_ cars: GlobalData.ModelCollection<Car>) {
    let car = cars[7]  // Car?
    let online = cars.filter { $0.isOnline }
    let first = cars.first { $0.speed > 100 }
    let slow = cars.count(where: #Predicate { $0.speed < 30 })
    let page = cars.filter(
      #Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.plate)], offset: 20, limit: 10)
    let fastest = cars.filter({ $0.isOnline }, sortedBy: { $0.speed > $1.speed }, limit: 3)
    print(cars.count, cars.contains(7), cars.all)
    #expect(car?.speed == 68 && online.count == 30 && first?.id == 16 && slow == 0)
    #expect(page.map(\.id) == [26, 27, 28, 29, 30])
    #expect(fastest.map(\.id) == [30, 29, 28])
  }

  @Test func theReferenceCompilesAndHolds() async throws {
    let car = Car(id: 1, plate: "HH 1", speed: 90)
    try await GlobalData.withStore(.inMemory()) {
      let cars = GlobalData.collection(of: Car.self)
      try await cars.insert(car)
      try await cars.update(car.id) { $0.isOnline = false }
      let fast = cars.filter(#Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.plate)], limit: 10)
      #expect(fast.map(\.isOnline) == [false])
    }
  }
}
