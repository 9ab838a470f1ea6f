import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Endless nesting is refused. Nesting up to the limit needs no more than the smallest stack that programs have.
@Suite struct DepthTests {
  @Test(arguments: [
    "81", "9f", "a1 00", "a1 6161", "bf 00", "c1", "d81c", "d90100", "d9d9f7", "d81b 82 6161", "d90102 81", "c4 82 00",
    "d820", "a1 80", "a1 a0",
  ])
  func aMillionLevelsAreRefused(level: String) {
    let unit = Data(hex: level)
    var data = Data(capacity: unit.count * 1_000_001)
    for _ in 0..<1_000_000 { data.append(unit) }
    for ending in [Data(), Data([0x00]), Data([0xf6])] {
      let input = data + ending
      expectFailure(.limitReached) { try KeyedArchiveDecoder().decode(ArchiveValue.self, from: input) }
      expectFailure(.limitReached) { try KeyedArchiveDecoder().decode(from: input) }
      expectFailure(.limitReached) { try KeyedArchiveDecoder().decode(Chain.self, from: input) }
    }
  }

  /// A model that contains itself, in each possible way.
  private indirect enum Chain: Codable, Hashable {
    case end
    case link(Chain)
    case array([Chain])
    case dictionary([String: Chain])
    case optional(Chain?)
    case set(Set<Chain>)

    static func links(_ count: Int, _ wrap: (Chain) -> Chain) -> Chain {
      (0..<count).reduce(.end) { chain, _ in wrap(chain) }
    }
  }

  private final class Instance: Codable, @unchecked Sendable {
    let next: Instance?

    init(next: Instance?) { self.next = next }
  }

  @Test func theLimitCountsArraysMapsAndTags() throws {
    for depth in [255, 256] {
      let nested = String(repeating: "81", count: depth) + "00"
      #expect(throws: Never.self) { try decode(ArchiveValue.self, nested) }
    }
    let error = expectFailure(.limitReached) {
      try decode(ArchiveValue.self, String(repeating: "81", count: 257) + "00")
    }
    #expect(error?.message.contains("more than 256 levels of nesting") == true)
    expectFailure(.limitReached) { try decode(ArchiveValue.self, String(repeating: "c1", count: 257) + "00") }
    // Siblings are not added up.
    #expect(throws: Never.self) {
      try decode(ArchiveValue.self, "9a00000400" + String(repeating: "818100", count: 1024))
    }
  }

  @Test func everyWritableValueIsReadable() throws {
    var limits = ArchiveLimits()
    limits.maximumDepth = 40
    let encoder = KeyedArchiveEncoder(limits: limits)
    let decoder = KeyedArchiveDecoder(limits: limits)
    let wraps: [(Chain) -> Chain] = [
      { .link($0) }, { .array([$0]) }, { .array([.end, $0, .end]) }, { .dictionary(["k": $0]) }, { .optional($0) },
      { .set([$0]) },
    ]
    for (number, wrap) in wraps.enumerated() {
      var hasFailed = false
      for count in 0..<24 {
        do {
          let data = try encoder.encode(Chain.links(count, wrap))
          #expect(!hasFailed)
          #expect(throws: Never.self) { try decoder.decode(Chain.self, from: data) }
          #expect(throws: Never.self) { try decoder.decode(ArchiveValue.self, from: data) }
        } catch let error as KeyedArchiveError {
          hasFailed = true
          #expect(error.code == .limitReached)
          #expect(!error.codingPath.isEmpty)
        }
      }
      #expect(hasFailed, "\(number)")
    }
  }

  @Test func aChainOfInstancesIsLimitedToo() throws {
    func chain(_ count: Int) -> Instance {
      (0..<count).reduce(Instance(next: nil)) { next, _ in Instance(next: next) }
    }
    #expect(throws: Never.self) { try roundTrip(chain(120)) }
    expectFailure(.limitReached) { try encodedHex(chain(600)) }
  }

  /// Background threads on Apple's systems have 512 KiB of stack. Those of Swift's own pool do not have more.
  @Test func theDeepestValuesFitASmallStack() throws {
    let depth = ArchiveLimits().maximumDepth
    try onThread(stackSize: 512 << 10) {
      for (open, close) in [("81", "00"), ("a16161", "f6"), ("c6", "00"), ("d90102 81", "00"), ("a1 6161 81", "00")] {
        let levels = Data(hex: open).filter { $0 >> 5 == 4 || $0 >> 5 == 5 || $0 >> 5 == 6 }.count
        let data = Data(hex: String(repeating: open, count: depth / levels) + close)
        let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
        #expect(try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data) == tree)
        #expect(Set([tree]).contains(tree))
        #expect(!tree.diagnostic.isEmpty)
        #expect(!tree.json(isPretty: true).isEmpty)
        _ = try KeyedArchiveDecoder().decode(from: data)
        do { _ = try KeyedArchiveEncoder().encode(tree) } catch is KeyedArchiveError {}
      }
      for wrap in [{ .link($0) }, { .array([$0]) }, { .dictionary(["k": $0]) }, { .optional($0) }] as [(Chain) -> Chain]
      {
        var (longest, tooLong) = (0, depth + 1)
        while tooLong - longest > 1 {
          let count = (longest + tooLong) / 2
          do {
            _ = try KeyedArchiveEncoder().encode(Chain.links(count, wrap))
            longest = count
          } catch is KeyedArchiveError {
            tooLong = count
          }
        }
        #expect(longest >= 80)
        let chain = Chain.links(longest, wrap)
        #expect(try KeyedArchiveDecoder().decode(Chain.self, from: KeyedArchiveEncoder().encode(chain)) == chain)
      }
    }
  }
}
