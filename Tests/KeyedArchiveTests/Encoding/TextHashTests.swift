import Testing

@testable import KeyedArchive

struct TextHashTests {
  /// Texts that differ at one position only, like numbered names, are distributed over a small table like random
  /// numbers.
  @Test(arguments: [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 40])
  func textsThatDifferInOneByteSpread(length: Int) {
    for place in 0..<length {
      var slots: Set<UInt32> = []
      for byte in UInt8(0)..<64 {
        var text = [UInt8](repeating: 0x61, count: length)
        text[place] = 0x30 + byte
        slots.insert(text.withUnsafeBytes { TextHash.hash($0) } % 256)
      }
      // 64 random numbers below 256 use 56 slots on average, and practically never fewer than 40.
      #expect(slots.count >= 40, "place \(place)")
    }
  }

  @Test
  func theSeedChangesTheHash() {
    let hashes = Set((0..<100).map { seed in Array("speed".utf8).withUnsafeBytes { TextHash.hash($0, seed: seed) } })
    #expect(hashes.count == 100)
  }
}
