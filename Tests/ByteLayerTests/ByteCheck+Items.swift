@testable import CodingSupport
@testable import KeyedArchive

extension ByteCheck {
  /// Single items: their heads, numbers and texts.
  static let items = [
    ByteCheck("a head is written in its shortest form and read back") { findings in
      var arguments: [UInt64] = [0, 23, 24, 0xff, 0x100, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000, .max]
      for bits in 0..<64 { arguments += [1 << UInt64(bits), (1 << UInt64(bits)) - 1] }
      for argument in arguments {
        let buffer = ByteBuffer()
        buffer.appendHead(.unsigned, argument)
        let length = argument < 24 ? 1 : argument <= 0xff ? 2 : argument <= 0xffff ? 3 : argument <= 0xffff_ffff ? 5 : 9
        findings.expectEqual(buffer.count, length, "the head of \(argument) has \(buffer.count) bytes")
        findings.expectEqual(CBORHead.length(of: argument), length, "\(argument) is said to take other bytes")
        findings.expectEqual(buffer.head?.argument, argument, "\(argument) is read as another number")
      }
    },
    ByteCheck("an integer of 64 bits is written as RFC 8949 has it") { findings in
      // Source: RFC 8949, appendix A.
      let examples: [(Int64, String)] = [
        (0, "00"), (23, "17"), (24, "1818"), (1_000_000, "1a000f4240"), (1_000_000_000_000, "1b000000e8d4a51000"),
        (.max, "1b7fffffffffffffff"), (-1, "20"), (-1000, "3903e7"), (-4_294_967_297, "3b0000000100000000"),
        (.min, "3b7fffffffffffffff"),
      ]
      for (value, digits) in examples {
        let buffer = ByteBuffer()
        buffer.appendInteger(value)
        findings.expectEqual(buffer.written, bytes(digits), "\(value) is written as other bytes")
      }
    },
    ByteCheck("a length or count beyond the bytes that are left is refused, however great") { findings in
      // The lengths are chosen so that their low 32 or 31 bits would fit.
      for major in ["5", "7", "9", "b"] {
        for argument in [
          "0000000100000000", "0000000100000001", "0000000080000000", "8000000000000001", "ffffffffffffffff",
        ] {
          let error = error(ofIndexing: bytes("\(major)b\(argument) 010203"))
          findings.expectEqual(error?.reason, .lengthBeyondEnd, "\(major)b\(argument)")
        }
        let error = error(ofIndexing: bytes("\(major)a80000001 010203"))
        findings.expectEqual(error?.reason, .lengthBeyondEnd, "\(major)a80000001")
      }
    },
    ByteCheck("a head that is cut off or reserved is an error with its place") { findings in
      for digits in ["", "18", "19ff", "1affffff", "1bffffffffffffff", "58", "7affff"] {
        findings.expectEqual(error(ofIndexing: bytes(digits))?.reason, .truncated, "\"\(digits)\"")
      }
      for digits in ["1c", "3d", "5e", "1f", "3f", "df", "fc"] {
        findings.expectEqual(error(ofIndexing: bytes(digits)), CBORError(.reservedHead, at: 0), digits)
      }
      findings.expectEqual(error(ofIndexing: bytes("82 01 f818")), CBORError(.invalidSimpleValue, at: 2), "f818")
      findings.expectEqual(error(ofIndexing: bytes("82 01 ff")), CBORError(.unexpectedBreak, at: 2), "ff")
    },
    ByteCheck("each half and each width of a float comes back bit by bit") { findings in
      for bits in UInt16.min ... .max {
        let single = HalfPrecision.single(bits)
        guard HalfPrecision.bits(exactly: single) != bits else { continue }
        findings.expect(false, "half \(bits) comes back as another one")
      }
      for (single, double) in [(0x7fff_ffff, 0x7fff_ffff_e000_0000), (0xff80_0001, 0xfff0_0000_2000_0000)]
        as [(UInt32, UInt64)]
      {
        findings.expectEqual(HalfPrecision.double(single).bitPattern, double, "the payload of \(single)")
      }
      var random = FixedRandom(1)
      for _ in 0..<2000 {
        let bits = random.next()
        for value in [Double(bitPattern: bits), HalfPrecision.double(UInt32(truncatingIfNeeded: bits))] {
          let buffer = ByteBuffer()
          buffer.appendFloat(value)
          let read = buffer.withUnsafeBytes { bytes in
            buffer.head.flatMap { CBORReader(bytes).float($0) }
          }
          findings.expectEqual(
            read?.bitPattern, value.bitPattern, "the double \(value.bitPattern) comes back as another")
        }
      }
    },
    ByteCheck("a text is read as it is, or refused where it is not UTF-8") { findings in
      for text in ["", "a", "speed", "0123456789abcdef", "größer", "\u{1F600}", "e\u{301}", "a\u{0}b"] {
        let buffer = ByteBuffer()
        buffer.appendText(text)
        let read = buffer.withUnsafeBytes { bytes -> String? in
          let reader = CBORReader(bytes)
          guard let head = buffer.head, let end = try? reader.payloadEnd(of: head) else { return nil }
          return try? reader.text(head.end..<end)
        }
        findings.expect(read.map { $0.hasSameBytes(as: text) } ?? false, text)
      }
      for digits in ["ff", "c328", "e28228", "f0288cbc", "eda080", "f4908080", "c080"] {
        let invalid = bytes(digits)
        let read = invalid.withUnsafeBytes { try? CBORReader($0).text(0..<invalid.count) }
        findings.expectEqual(read, nil, digits)
      }
    },
    ByteCheck("texts are the same where their bytes are") { findings in
      let composed = "\u{e9}"
      let decomposed = "e\u{301}"
      let long = String(repeating: "0123456789", count: 20)
      findings.expect(!composed.hasSameBytes(as: decomposed), "two spellings of a letter are one")
      findings.expect(ExactText(composed) != ExactText(decomposed), "two spellings of a letter are one key")
      findings.expect(long.hasSameBytes(as: String(long.reversed().reversed())), "a copy is another text")
      findings.expect(!long.hasSameBytes(as: long.dropLast() + "x"), "a text with another end is the same")
      let fields = [ExactText(composed): 1, ExactText(decomposed): 2, ExactText(long): 3]
      findings.expectEqual(fields[ExactText(String(Array(long)))], 3, "a copy finds nothing")
      findings.expectEqual(fields[ExactText(decomposed)], 2, "a spelling finds the other one")
    },
    ByteCheck("a buffer grows, moves and cuts what it holds") { findings in
      let buffer = ByteBuffer(capacity: 1)
      var expected: [UInt8] = []
      for number in 0..<3000 {
        let part = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 40)
        part.withUnsafeBytes { buffer.appendString(.bytes, $0) }
        expected += part.count < 24 ? [0x40 | UInt8(part.count)] : [0x58, UInt8(part.count)]
        expected += part
      }
      findings.expectEqual(buffer.written, expected, "what was appended is not there")
      buffer.insertGap(of: 5, at: 100)
      expected.insert(contentsOf: expected[100..<105], at: 100)
      findings.expectEqual(Array(buffer.written[105...]), Array(expected[105...]), "bytes after a gap have changed")
      buffer.moveDown(105..<buffer.count, to: 100)
      buffer.truncate(to: buffer.count - 5)
      expected.removeSubrange(100..<105)
      findings.expectEqual(buffer.written, expected, "a gap that was closed has left something")
    },
  ]
}

/// Returns the error for bytes that are not one item, or `nil`.
func error(ofIndexing bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) -> CBORError? {
  bytes.withUnsafeBytes { bytes in
    do throws(CBORError) {
      _ = try StructureIndex(CBORReader(bytes), limits: limits)
      return nil
    } catch {
      return error
    }
  }
}

extension ByteBuffer {
  /// The head of the first item.
  var head: CBORHead? {
    withUnsafeBytes { try? CBORReader($0).head(at: 0) }
  }
}
