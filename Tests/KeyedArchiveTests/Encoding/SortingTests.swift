import KeyedArchive
import Testing

/// What it costs to encode collections whose elements are sorted by their encodings.
@Suite struct SortingTests {
  private final class Counter {
    var count = 0
  }

  private final class Witness: Encodable {}

  private final class Item: Hashable, Encodable {
    let number: Int
    let onEncoding: () -> Void

    init(number: Int, onEncoding: @escaping () -> Void) { (self.number, self.onEncoding) = (number, onEncoding) }

    static func == (left: Item, right: Item) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    func encode(to encoder: any Encoder) throws {
      onEncoding()
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  /// A witness that only the encoding holds, and a set that is sorted after it.
  private struct WitnessAndSet: Encodable {
    let counter = Counter()

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      let witness = try encodeWitness(&container)
      func countIfHeldOnce() {
        var witness = witness
        let isHeldOnce = withUnsafeMutablePointer(to: &witness) { reference in
          reference.withMemoryRebound(to: Witness.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
        if isHeldOnce { counter.count += 1 }
      }
      try container.encode(Set((0..<5).map { Item(number: $0, onEncoding: countIfHeldOnce) }))
    }

    /// Returns the witness in a form that does not hold it.
    private func encodeWitness(_ container: inout any UnkeyedEncodingContainer) throws -> Unmanaged<Witness> {
      let witness = Witness()
      try container.encode(witness)
      return Unmanaged.passUnretained(witness)
    }
  }

  @Test func theInstancesBeforeASetAreNotCopiedForEachOfItsElements() throws {
    let value = WitnessAndSet()
    _ = try KeyedArchiveEncoder().encode(value)
    // Each element is encoded twice, and a copy of the instances would hold the witness a second time.
    #expect(value.counter.count == 10)
  }
}
