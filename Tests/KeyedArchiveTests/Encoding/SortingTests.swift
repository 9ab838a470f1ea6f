import KeyedArchive
import Testing

/// What it costs to encode collections whose elements are sorted by their encodings.
@Suite struct SortingTests {
  private final class Counter {
    var count = 0
  }

  /// A tree that counts how often one of its parts is encoded.
  private struct Tree: Hashable, Encodable {
    let number: Int
    var children: Set<Tree> = []
    var names: [Set<Tree>: Int] = [:]
    let counter: Counter

    static func == (left: Tree, right: Tree) -> Bool {
      left.number == right.number && left.children == right.children && left.names == right.names
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    func encode(to encoder: any Encoder) throws {
      counter.count += 1
      var container = encoder.unkeyedContainer()
      try container.encode(number)
      try container.encode(children)
      try container.encode(names)
    }
  }

  /// Returns how often parts of a tree with two new parts at each level are encoded.
  private func encodings(depth: Int, _ nest: (Tree, Tree, inout Tree) -> Void) throws -> Int {
    let counter = Counter()
    var tree = Tree(number: 0, counter: counter)
    for level in 1...depth {
      var outer = Tree(number: level, counter: counter)
      nest(tree, Tree(number: -level, counter: counter), &outer)
      tree = outer
    }
    _ = try KeyedArchiveEncoder().encode(tree)
    return counter.count
  }

  @Test func setsInSetsAreEncodedOnceForEachLevelAroundThem() throws {
    let depth = 14
    let ofSets = try encodings(depth: depth) { $2.children = [$0, $1] }
    #expect(ofSets <= 2 * depth * depth)
    let ofKeys = try encodings(depth: depth) { $2.names = [[$0]: 1, [$1]: 2] }
    #expect(ofKeys <= 2 * depth * depth)
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
