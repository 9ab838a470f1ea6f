import Foundation
import FuzzSupport
import GlobalData

// The typed decoder: the first byte selects a type, and the others are decoded as a value of it.

private let types: [any (Codable & Sendable).Type] = [
  Bool.self, Int.self, Int8.self, UInt16.self, UInt64.self, Int128.self, UInt128.self, Float.self, Double.self,
  String.self, Data.self, Date.self, UUID.self, URL.self, Decimal.self, Int???.self, [Decimal].self,
  [Int].self, [UInt8].self, [Int16].self, [UInt32].self, [Float].self, [Double].self, [UInt64?].self, [Int128].self,
  [String].self, [[Int]].self, [Data].self, [Bool].self, [Date?].self, [URL].self, [UUID].self,
  Set<Int>.self, Set<String>.self, Set<[Int]>.self, Set<Command>.self, Set<Decimal>.self, Set<Double>.self,
  [String: Int].self, [String: [String: Int]].self, [Int: String].self, [UUID: Data].self, [Weekday: Bool].self,
  [Number: Number].self, [[Int]: Command].self, [Date: URL].self, [Double: Decimal].self, [Data: Int].self,
  Range<Int>.self, ClosedRange<Double>.self, DateInterval.self, IndexPath.self, IndexSet.self, DateComponents.self,
  Car.self, [Car].self, Garage.self, Command.self, Weekday.self, Number.self, Handmade.self,
  Animal.self, Dog.self, Cat.self, [Animal?].self, Household.self, [String: Animal].self,
  ArchiveValue.self, [ArchiveValue].self, [String: ArchiveValue].self,
  Reader.self, [Reader].self, [String: Book].self, Owner.self, [Owner?].self,
]

private let registry: TypeRegistry = {
  let registry = TypeRegistry()
  do {
    try registry.register(Animal.self, Dog.self, Cat.self, Reader.self, Book.self, Owner.self)
  } catch {
    finding("the types are not registered: \(error)")
  }
  return registry
}()

@main enum DecoderTarget {
  static func main() {
    Branches.reportAtExit(types.map { "\($0)" })
    exit(
      fuzz { bytes in
        guard let first = bytes.first else { return }
        let type = types[Int(first) % types.count]
        check(type, Data(bytes.dropFirst()))
      })
  }
}

private func check<Value: Codable & Sendable>(_ type: Value.Type, _ data: Data) {
  let encoder = KeyedArchiveEncoder(registry: registry)
  let decoder = KeyedArchiveDecoder(registry: registry)
  let value: Value
  do {
    value = try decoder.decode(type, from: data)
  } catch {
    _ = "\(error)"  // a description must not crash
    return
  }
  Branches.reach("\(type)")
  if !ItemScan([UInt8](data)).isWellFormed { finding("\(type) from what is not well-formed: \(value)") }
  do {
    let first = try encoder.encode(value)
    let copy = try decoder.decode(type, from: first)
    let second = try encoder.encode(copy)
    if second != first {
      finding("\(type): \(value) is written as \(hex(first)), and what that is read as as \(hex(second))")
    }
  } catch let error as KeyedArchiveError where error.code == .limitReached {
    // A reference to a shared item may nest the value more deeply than the bytes.
  } catch {
    finding("\(type): \(value) was read, but is not written or not read again: \(error)")
  }
}

private func hex(_ data: Data) -> String {
  data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
