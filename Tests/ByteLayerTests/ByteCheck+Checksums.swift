@testable import GlobalData
@testable import KeyedArchive

extension ByteCheck {
  /// Checksums, and repairs by checksums.
  static let checksums = [
    ByteCheck("checksums are the published ones") { findings in
      // Source: the self-check of the reference implementation of xxHash.
      let texts: [(String, UInt64)] = [
        ("", 0xef46_db37_51d8_e999), ("a", 0xd24e_c4f1_a98c_6e5b), ("asdf", 0x4158_72f5_99ce_a71e),
        ("abcdefghijklmnopqrstuvwxyz0123456789", 0x64f2_3ecf_1609_b766),
        ("Call me Ishmael. Some years ago--never mind how long precisely-", 0x02a2_e854_70d6_fd96),
      ]
      for (text, expected) in texts {
        findings.expectEqual(Array(text.utf8).withUnsafeBytes { XXHash64.checksum($0) }, expected, text)
      }
      let seeded = [].withUnsafeBytes { XXHash64.checksum($0, seed: 0x9e37_79b1) }
      findings.expectEqual(seeded, 0xac75_fda2_929b_17ef, "nothing, with a seed")
    },
    ByteCheck("a checksum in parts is that of the whole") { findings in
      var random = FixedRandom(5)
      for _ in 0..<300 {
        let bytes = (0..<random.below(400)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let whole = bytes.withUnsafeBytes { XXHash64.checksum($0, seed: 7) }
        var parts = XXHash64(seed: 7)
        var rest = bytes[...]
        while !rest.isEmpty {
          let part = Array(rest.prefix(1 + random.below(70)))
          rest = rest.dropFirst(part.count)
          part.withUnsafeBytes { parts.update($0) }
        }
        findings.expectEqual(parts.checksum, whole, "\(bytes.count) bytes")
      }
    },
    ByteCheck("one changed bit of a head is put right") { findings in
      let buffer = ByteBuffer()
      buffer.append(0x82)
      buffer.appendFixed(.max - 5)
      _ = FixedHead.appendChecksum(to: buffer, seed: 3)
      let right = buffer.written
      var form = [UInt8?](repeating: nil, count: right.count)
      (form[0], form[1], form[10]) = (0x82, 0x1b, 0x48)
      func read(_ bytes: [UInt8], seed: UInt64 = 3) -> FixedHead? {
        bytes.withUnsafeBytes { FixedHead($0, form: form, seed: seed) }
      }
      findings.expectEqual(read(right)?.isRepaired, false, "an intact head was repaired")
      findings.expectEqual(read(right)?.number(at: 2), .max - 5, "the number")
      for bit in 0..<right.count * 8 {
        var damaged = right
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        let head = read(damaged)
        findings.expectEqual(head?.bytes, right, "bit \(bit)")
        findings.expectEqual(head?.isRepaired, true, "bit \(bit) went unnoticed")
        damaged[(bit / 8 + 3) % right.count] ^= 0x10
        findings.expect(read(damaged) == nil, "two changed bits were put right, the first of them \(bit)")
      }
      findings.expect(read(right, seed: 4) == nil, "another seed")
    },
    ByteCheck("long runs of zeros are seen wherever they are") { findings in
      for (start, length, total) in [
        (0, 255, 255), (0, 254, 900), (1, 255, 700), (400, 255, 655), (400, 254, 654), (300, 600, 901),
      ] {
        var bytes = [UInt8](repeating: 1, count: total)
        for offset in start..<start + length { bytes[offset] = 0 }
        let areLong = bytes.withUnsafeBytes { ZeroRuns.areLong(in: $0) }
        findings.expectEqual(areLong, length >= ZeroRuns.limit, "\(length) zeros from \(start) on, of \(total) bytes")
      }
    },
  ]
}
