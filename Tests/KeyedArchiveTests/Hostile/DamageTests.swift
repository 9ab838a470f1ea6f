import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Archives that are truncated or changed: reading them throws or returns some value, and never stops the program.
@Suite struct DamageTests {
  /// Reads bytes in each possible way. Returns whether any of the reads succeeded.
  @discardableResult
  private func readEveryWay(_ data: Data, _ decoder: KeyedArchiveDecoder) -> Bool {
    var hasSucceeded = false
    for read in [
      { _ = try decoder.decode(from: data) },
      { _ = try decoder.decode(ArchiveValue.self, from: data).diagnostic },
      { _ = try decoder.decode(Zoo.self, from: data) },
      { _ = try decoder.decode([Zoo?].self, from: data) },
      { _ = try decoder.decode([String: [Int]].self, from: data) },
      { _ = try decoder.decode(Polymorphic<[[String: any Sendable]?]>.self, from: data) },
    ] as [() throws -> Void] {
      do {
        try read()
        hasSucceeded = true
      } catch {
        // Any error is correct. Creating its message must not fail, either.
        _ = "\(error)"
      }
    }
    return hasSucceeded
  }

  @Test func theZooIsRestored() throws {
    let decoder = try KeyedArchiveDecoder(registry: Zoo.registry())
    let copies = try #require(try decoder.decode(from: Zoo.encoded()) as? [any Sendable])
    let zoo = try #require(copies[0] as? Zoo)
    #expect(zoo.animals[0] === zoo.animals[3])
    #expect(zoo.favourite === zoo.animals[0])
    #expect(zoo.garage == .sample)
    let encoder = try KeyedArchiveEncoder(registry: Zoo.registry())
    #expect(try encoder.encode(zoo) == encoder.encode(Zoo()))
  }

  @Test func anArchiveIsRefusedAtEveryShorterLength() throws {
    let data = try Zoo.encoded()
    let decoder = try KeyedArchiveDecoder(registry: Zoo.registry())
    for length in (0..<data.count).oneIn(4) {
      // Both a part of a buffer and a buffer of its own, after whose end a read would fail.
      if readEveryWay(data.prefix(length), decoder) { Issue.record("read \(length) of \(data.count) bytes") }
      readEveryWay(Data([UInt8](data.prefix(length))), decoder)
    }
  }

  @Test func aChangedByteNeverStopsTheProgram() throws {
    let data = try Zoo.encoded()
    let decoder = try KeyedArchiveDecoder(registry: Zoo.registry())
    // Flipped bits of each kind, and heads with large claims: a huge count, an indefinite length, a break, a tag.
    let masks: [UInt8] = [0x01, 0x04, 0x20, 0x80]
    let replacements: [UInt8] = [0x9b, 0xbf, 0xd8, 0xff]
    var (accepted, all) = (0, 0)
    for offset in data.indices.oneIn(12) {
      for change in masks.map({ data[offset] ^ $0 }) + replacements {
        var damaged = data
        damaged[offset] = change
        all += 1
        if readEveryWay(damaged, decoder) { accepted += 1 }
      }
    }
    // Mostly bits of texts and numbers. Not everything is refused, and not everything is accepted.
    #expect(accepted > all / 4 && accepted < all * 3 / 4, "\(accepted) of \(all)")
  }

  @Test func randomBytesNeverStopTheProgram() throws {
    let decoder = try KeyedArchiveDecoder(registry: Zoo.registry())
    var random = SeededGenerator(seed: 7)
    // Heads that nest are more frequent than in random bytes. Otherwise, most inputs would end immediately.
    let frequent: [UInt8] = [
      0x81, 0x82, 0xa1, 0x9f, 0xbf, 0xff, 0xd8, 0x1b, 0x1c, 0x1d, 0x19, 0xd9, 0x01, 0x00, 0x63, 0x61,
    ]
    var accepted = 0
    for _ in (0..<8000).oneIn(2) {
      let bytes = (0..<random.below(40) + 1).map { _ in
        random.below(3) > 0 ? frequent[random.below(frequent.count)] : UInt8(random.below(256))
      }
      if readEveryWay(Data(bytes), decoder) { accepted += 1 }
    }
    #expect(accepted > 20 && accepted < 800, "\(accepted)")
  }

  @Test func mixedUpPartsNeverStopTheProgram() throws {
    let data = try Zoo.encoded()
    let decoder = try KeyedArchiveDecoder(registry: Zoo.registry())
    var random = SeededGenerator(seed: 8)
    var accepted = 0
    for _ in 0..<1500 {
      var damaged = data
      for _ in 0..<random.below(4) + 1 {
        let start = random.below(damaged.count)
        let length = random.below(min(20, damaged.count - start) + 1)
        let source = random.below(data.count - length)
        damaged.replaceSubrange(start..<start + length, with: data[source..<source + length + random.below(2)])
      }
      if readEveryWay(damaged, decoder) { accepted += 1 }
    }
    #expect(accepted > 10 && accepted < 150, "\(accepted)")
  }
}
