import Foundation
import KeyedArchive
import TestSupport
import Testing

@Suite struct RandomTreeTests {
  @Test(arguments: (0..<4).oneIn(4))
  func anyTreeIsRestored(seed: UInt64) throws {
    var trees = RandomTree(seed: seed)
    let encoder = KeyedArchiveEncoder()
    let decoder = KeyedArchiveDecoder()
    for number in 0..<5000 {
      let tree = trees.next()
      let data = try encoder.encode(tree)
      let copy = try decoder.decode(ArchiveValue.self, from: data)
      let again = try encoder.encode(copy)
      if copy != tree || again != data || copy.hashValue != tree.hashValue {
        Issue.record("seed \(seed), tree \(number): \(tree) came back as \(copy)")
        break
      }
    }
  }

  @Test func manyTreesTogetherShareTheirStrings() throws {
    var trees = RandomTree(seed: 9)
    let all = (0..<2000).map { _ in trees.next() }
    let data = try KeyedArchiveEncoder().encode(all)
    #expect(try KeyedArchiveDecoder().decode([ArchiveValue].self, from: data) == all)
    let alone = try all.reduce(0) { try $0 + KeyedArchiveEncoder().encode($1).count }
    #expect(data.count < alone)
  }

  @Test func aTreeInsideAModelIsRestored() throws {
    struct Holder: Codable, Equatable {
      var name: String
      var anything: ArchiveValue
      var maybe: ArchiveValue?
      var table: [String: ArchiveValue]
    }
    var trees = RandomTree(seed: 10)
    for _ in 0..<300 {
      let (first, second) = (trees.next(), trees.next())
      // An optional tree that is null is stored like an optional without a tree.
      let maybe: ArchiveValue? = second.isNull || second == .undefined ? .none : .some(second)
      let holder = Holder(name: "repeated 1", anything: first, maybe: maybe, table: ["a": second])
      let copy = try roundTrip(holder)
      #expect(copy.anything == first)
      #expect(copy == holder)
    }
  }
}
