import Foundation
import Testing

@testable import GlobalData

// The expected values are those of the reference implementation (xxhash 3 of PyPI, which wraps it).
struct XXHash64Tests {
  private func checksum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { XXHash64.checksum($0, seed: seed) }
  }

  @Test(
    arguments: [
      ("", 0xef46_db37_51d8_e999),
      ("a", 0xd24e_c4f1_a98c_6e5b),
      ("as", 0x1c33_0fb2_d66b_e179),
      ("asd", 0x631c_37ce_72a9_7393),
      ("asdf", 0x4158_72f5_99ce_a71e),
      ("abc", 0x44bc_2cf5_ad77_0999),
      ("message digest", 0x066e_d728_fcee_b3be),
      ("abcdefghijklmnopqrstuvwxyz0123456789", 0x64f2_3ecf_1609_b766),
      ("The quick brown fox jumps over the lazy dog", 0x0b24_2d36_1fda_71bc),
      ("Call me Ishmael. Some years ago--never mind how long precisely-", 0x02a2_e854_70d6_fd96),
    ] as [(String, UInt64)]
  )
  func checksumsOfTextsAreThePublishedOnes(text: String, expected: UInt64) {
    #expect(checksum(Array(text.utf8)) == expected)
  }

  /// The self-check of the reference implementation: lengths and seeds that take each path through the algorithm.
  @Test(
    arguments: [
      (0, 0, 0xef46_db37_51d8_e999),
      (0, 0x9e37_79b1, 0xac75_fda2_929b_17ef),
      (1, 0, 0xe934_a84a_db05_2768),
      (1, 0x9e37_79b1, 0x5014_6076_43a9_b4c3),
      (4, 0, 0x9136_a0dc_a574_57ee),
      (4, 0x9e37_79b1, 0xcaab_286b_d8e9_fdb5),
      (14, 0, 0x8282_dcc4_994e_35c8),
      (14, 0x9e37_79b1, 0xc3bd_6bf6_3deb_6df0),
      (222, 0, 0xb641_ae8c_b691_c174),
      (222, 0x9e37_79b1, 0x20cb_8ab7_ae10_c14a),
    ] as [(Int, UInt64, UInt64)]
  )
  func checksumsWithSeedsAreThePublishedOnes(length: Int, seed: UInt64, expected: UInt64) {
    var generator: UInt64 = 2_654_435_761
    let bytes = (0..<length).map { _ in
      defer { generator &*= 11_400_714_785_074_694_797 }
      return UInt8(truncatingIfNeeded: generator >> 56)
    }
    #expect(checksum(bytes, seed: seed) == expected)
  }

  @Test func allLengthsTo100WithAsManySeedsAgreeWithTheReference() {
    let bytes = (0..<101).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
    var all = XXHash64()
    for length in 0..<101 {
      let one = checksum(Array(bytes.prefix(length)), seed: UInt64(length))
      withUnsafeBytes(of: one.bigEndian) { all.update($0) }
    }
    #expect(all.checksum == 0x9463_dfb0_0cd0_3a5f)
  }

  @Test func theChecksumDoesNotDependOnHowTheBytesArrive() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let expected = checksum(bytes, seed: 5)
    for first in 0...100 {
      for second in stride(from: first, through: bytes.count, by: 7) {
        var hash = XXHash64(seed: 5)
        bytes[..<first].withUnsafeBytes { hash.update($0) }
        bytes[first..<second].withUnsafeBytes { hash.update($0) }
        bytes[second...].withUnsafeBytes { hash.update($0) }
        #expect(hash.checksum == expected, "parts end at \(first) and \(second)")
      }
    }
  }

  @Test func theChecksumSoFarIsAvailableAtAnyTime() {
    var hash = XXHash64()
    #expect(hash.checksum == 0xef46_db37_51d8_e999)
    Array("a".utf8).withUnsafeBytes { hash.update($0) }
    #expect(hash.checksum == 0xd24e_c4f1_a98c_6e5b)
    Array("s".utf8).withUnsafeBytes { hash.update($0) }
    #expect(hash.checksum == 0x1c33_0fb2_d66b_e179)
  }

  @Test func bytesMayStartAtAnyAddress() {
    let bytes = (0..<80).map { UInt8($0) }
    for start in 0..<8 {
      let moved = [UInt8](repeating: 0, count: start) + bytes
      let sum = moved.withUnsafeBytes { XXHash64.checksum(UnsafeRawBufferPointer(rebasing: $0[start...])) }
      #expect(sum == checksum(bytes))
    }
  }
}
