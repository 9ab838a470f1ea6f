import Foundation
import GlobalData

/// Stores values of types that only the complete Foundation has, and reads them with and without naming the types. It
/// shows that the stored forms of these types work in a program that links Foundation, even statically, although the
/// library links it weakly.
@main
struct RareTypes {
  struct Failure: Error { let value: any Sendable }

  static func main() async throws {
    let store = GlobalData.inMemory()
    var name = PersonNameComponents()
    name.givenName = "Ada"
    name.phoneticRepresentation = name
    try await keep(IndexSet([1, 2, 5]), in: store)
    try await keep(CharacterSet(charactersIn: "a"..."z"), in: store)
    try await keep(Measurement(value: 5, unit: UnitFuelEfficiency.litersPer100Kilometers), in: store)
    try await keep(Measurement(value: 3, unit: UnitLength.miles), in: store)
    try await keep(name, in: store)
    try await keep(IntegerFormatStyle<Int>().precision(.fractionLength(2)), in: store)
    try await keep(Date.FormatStyle(date: .long), in: store)
    try await keep(CGRect(x: 1, y: 2, width: 3, height: 4), in: store)
    print("rare types: kept")
  }

  static func keep<Value: Codable & Sendable & Equatable>(_ value: Value, in store: GlobalData) async throws {
    try await store.set(value, forKey: "value")
    guard try store.object(Value.self, forKey: "value") == value, try store.object(forKey: "value") as? Value == value
    else { throw Failure(value: value) }
  }
}
