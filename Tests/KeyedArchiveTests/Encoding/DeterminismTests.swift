import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Equal values have equal bytes, whatever the order of the elements in a collection.
@Suite struct DeterminismTests {
  private struct Point: Codable, Hashable {
    var x: Int
    var label: String
  }

  /// Expects equal bytes for collections that were filled in different orders and with different capacities.
  private func expectEqualBytes<Collection: Encodable>(
    of make: ([Int]) -> Collection, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var random = SeededGenerator(seed: 4)
    let numbers = Array(0..<200)
    let expected = try KeyedArchiveEncoder().encode(make(numbers))
    for _ in 0..<5 {
      let shuffled = make(numbers.shuffled(using: &random))
      #expect(try KeyedArchiveEncoder().encode(shuffled) == expected, sourceLocation: sourceLocation)
    }
  }

  /// Fills a dictionary one by one, so that its capacity, and therefore its order, depend on its history.
  private func dictionary<Key: Hashable>(_ numbers: [Int], _ key: (Int) -> Key) -> [Key: Int] {
    var dictionary: [Key: Int] = Dictionary(minimumCapacity: numbers[0] * 10)
    for number in numbers { dictionary[key(number)] = number }
    return dictionary
  }

  @Test func dictionariesAndSetsAreSorted() throws {
    try expectEqualBytes { self.dictionary($0) { "key \($0)" } }
    try expectEqualBytes { self.dictionary($0) { $0 - 100 } }
    try expectEqualBytes { self.dictionary($0) { Point(x: $0 % 3, label: "point \($0)") } }
    try expectEqualBytes { self.dictionary($0) { [$0, -$0] } }
    try expectEqualBytes { self.dictionary($0) { Double($0) / 7 } }
    try expectEqualBytes { numbers in Set(self.dictionary(numbers) { "key \($0)" }.keys) }
    try expectEqualBytes { numbers in Set(self.dictionary(numbers) { Point(x: -$0, label: "") }.keys) }
    try expectEqualBytes { numbers in [Set(self.dictionary(numbers) { Set([$0, $0 + 1]) }.keys)] }
    try expectEqualBytes { numbers in ["nested": self.dictionary(numbers) { Optional($0) }] }
  }

  @Test func mixedDictionariesAreSorted() throws {
    var random = SeededGenerator(seed: 5)
    let names = (0..<100).map { "name \($0)" }
    func encoded(_ names: [String]) throws -> Data {
      var mixed: [String: any Sendable] = [:]
      for name in names { mixed[name] = name.hasSuffix("1") ? name.count : [name] as [any Sendable] }
      return try KeyedArchiveEncoder().encode(mixed as any Sendable)
    }
    let expected = try encoded(names)
    for _ in 0..<5 { #expect(try encoded(names.shuffled(using: &random)) == expected) }
  }

  @Test func repeatedEncodingGivesTheSameBytes() throws {
    let first = try KeyedArchiveEncoder().encode(Garage.sample)
    for _ in 0..<10 { #expect(try KeyedArchiveEncoder().encode(Garage.sample) == first) }
    #expect(try KeyedArchiveEncoder().encode(KeyedArchiveDecoder().decode(Garage.self, from: first)) == first)
  }

  @Test func keysWithInstancesThatWereWrittenBeforeAreSortedToo() throws {
    struct Owner: Hashable, Encodable {
      var animal: Animal

      static func == (left: Owner, right: Owner) -> Bool { left.animal === right.animal }
      func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(animal)) }
    }
    struct Register: Encodable {
      var animals: [Animal]
      var owners: Set<Owner>
    }
    var expected: Data?
    for _ in 0..<10 {
      let animals = (0..<20).map { Animal(name: "animal \($0)") }
      let data = try KeyedArchiveEncoder().encode(Register(animals: animals, owners: Set(animals.map(Owner.init))))
      #expect(data == expected ?? data)
      expected = data
    }
  }
}
