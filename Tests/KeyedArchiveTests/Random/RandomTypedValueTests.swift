import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Random values of random types are restored bit by bit.
///
/// A failure names the seed. The same seed creates the same types and values.
@Suite struct RandomTypedValueTests {
  private static let typesPerSeed = 400
  private static let valuesPerType = 8

  /// With 32 seeds, 102,400 values. In the short run, with two seeds, 6,400.
  @Test(arguments: (0..<32 as Range<UInt64>).oneIn(16))
  func valuesOfRandomTypesAreRestored(seed: UInt64) throws {
    var types = RandomType(random: SeededGenerator(seed: seed))
    var values = SeededGenerator(seed: ~seed)
    for _ in 0..<RandomTypedValueTests.typesPerSeed {
      try expectValuesComeBack(types.next(), seed, &values)
    }
  }

  private func expectValuesComeBack<Value: RandomValue>(
    _ type: Value.Type, _ seed: UInt64, _ random: inout SeededGenerator
  ) throws {
    let registry = TypeRegistry()
    try registry.register(Value.ownTypes)
    // A random type can have a longer name than a type of a program.
    var limits = ArchiveLimits()
    limits.maximumTagLength = 4096
    let encoder = KeyedArchiveEncoder(registry: registry, limits: limits)
    let decoder = KeyedArchiveDecoder(registry: registry, limits: limits)
    for number in 0..<RandomTypedValueTests.valuesPerType {
      let value = Value.random(&random)
      do {
        let data = try encoder.encode(value)
        let decoded = try decoder.decode(Value.self, from: data)
        let again = try encoder.encode(decoded)
        if !decoded.isIdentical(to: value) || again != data {
          Issue.record("Seed \(seed): \(type) \(value) came back as \(decoded); \(data.hex), again \(again.hex)")
        }
        if number == 0 { try expectComesBackWithoutItsType([value], seed, encoder, decoder) }
      } catch {
        Issue.record("Seed \(seed): \(type) \(value): \(error)")
      }
    }
  }

  /// The value is in an array, because without a type, an optional at the top is read as its content.
  private func expectComesBackWithoutItsType<Value: RandomValue>(
    _ value: Value, _ seed: UInt64, _ encoder: KeyedArchiveEncoder, _ decoder: KeyedArchiveDecoder
  ) throws {
    let decoded = try decoder.decode(from: encoder.encode(value))
    guard let decoded = decoded as? Value, decoded.isIdentical(to: value) else {
      Issue.record("Seed \(seed): \(Value.self) \(value) came back as \(String(describing: decoded))")
      return
    }
  }
}
