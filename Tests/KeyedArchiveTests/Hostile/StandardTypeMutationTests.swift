import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Well-formed archives that name a standard type, but contain a form that no value of it has. They are refused or
/// read, and nothing in Foundation stops the program.
///
/// The executable `hostile-reader` creates and reads them. To see the archive that stopped it, run it with the same
/// seed and `verbose`.
@Suite(.timeLimit(.minutes(10))) struct StandardTypeMutationTests {
  private static let archivesPerType = 60

  /// With all seeds, about 80,000 reads.
  @Test(.enabled(if: ChildProcess.isPossible), arguments: (1...4).oneIn(4))
  func aChangedValueOfAStandardTypeNeverStopsTheProgram(seed: Int) async throws {
    let outcome = try await withTemporaryDirectory { folder in
      try await ChildProcess.run(
        "hostile-reader", ["mutations", "\(seed)", "\(StandardTypeMutationTests.archivesPerType)"],
        environment: ["SWIFT_BACKTRACE": "enable=no"], outputIn: folder)
    }
    #expect(
      outcome.status == 0 && outcome.output.hasSuffix("done\n"), "\(outcome.output.suffix(200)) \(outcome.errors)")
    // Each line has the numbers of accepted and refused archives, and the type.
    let lines = outcome.output.split(separator: "\n").dropLast().map { $0.split(separator: " ", maxSplits: 2) }
    try #require(lines.count > 160, "\(outcome.output)")
    var (accepted, refused) = (0, 0)
    for line in lines {
      let isAccepted = try #require(Int(line[0]))
      accepted += isAccepted
      refused += try #require(Int(line[1]))
      #expect(isAccepted > 0, "no \(line[2]) was accepted")
    }
    #expect(accepted > 4000 && refused > 2000, "\(accepted) accepted, \(refused) refused")
  }

  private static let ones = String(repeating: "11", count: 16_385)
  private static let zeros = String(repeating: "00", count: 8192)
  private static let forgedValues: [(type: String, content: String)] = [
    // {"indexes": [{"location": 1, "length": -1}]}, and so on.
    ("IndexSet", "a1 67 696e6465786573 81 a2 68 6c6f636174696f6e 01 66 6c656e677468 20"),
    ("IndexSet", "a1 67 696e6465786573 81 a2 68 6c6f636174696f6e 1b 7fffffffffffffff 66 6c656e677468 05"),
    // Overlapping ranges, and one without an index.
    (
      "IndexSet",
      "a1 67 696e6465786573 82 a2 68 6c6f636174696f6e 07 66 6c656e677468 01"
        + "a2 68 6c6f636174696f6e 00 66 6c656e677468 1b 7fffffffffffffff"
    ),
    ("IndexSet", "a1 67 696e6465786573 81 a2 68 6c6f636174696f6e 01 66 6c656e677468 00"),
    ("CharacterSet", "a1 66 6269746d6170 40"), ("CharacterSet", "a1 66 6269746d6170 41 00"),
    ("CharacterSet", "a1 66 6269746d6170 59 4001 \(ones)"),
    // The second plane has the number 0, then 17.
    ("CharacterSet", "a1 66 6269746d6170 59 4001 \(zeros) 00 \(zeros)"),
    ("CharacterSet", "a1 66 6269746d6170 59 4001 \(zeros) 11 \(zeros)"),
    ("TimeZone", "3b 7fffffffffffffff"), ("TimeZone", "1a 7fffffff"),
    ("URLComponents", "a2 64 70617468 60 64 706f7274 20"), ("URLComponents", "a2 64 70617468 60 66 736368656d65 60"),
    ("URLComponents", "a2 64 70617468 60 66 736368656d65 63 392039"),
    ("Calendar", "a1 6c 66697273745765656b646179 1b 0000010000000000"),
    ("DateInterval", "a2 65 7374617274 c1 00 68 6475726174696f6e 20"),
    ("DateInterval", "a2 65 7374617274 c1 00 68 6475726174696f6e f9 7e00"),
  ]

  @Test(arguments: forgedValues)
  func aForgedValueIsRefused(type: String, content: String) throws {
    let name = try encodedHex(type)
    for bytes in ["d81b 82 \(name) \(content)", "82 01 d81b 82 \(name) \(content)"] {
      let complaint = try complaint { try KeyedArchiveDecoder().decode(from: Data(hex: bytes)) }
      #expect(complaint.kind == .dataCorrupted, "\(complaint)")
    }
  }

  @Test func largeIndexSetsAreRestored() throws {
    for set in [
      IndexSet(integersIn: 0..<Int.max), IndexSet([0, 2, 4]).union(IndexSet(integersIn: 7..<Int.max)), IndexSet(),
      [Int.max - 1],
    ] {
      #expect(try roundTrip(set) == set)
    }
  }

  @Test func characterSetsThatFoundationsBitmapsLoseAreRestored() throws {
    let everyEighth = (0..<UInt32(0x3_0000)).filter { $0 % 8 == 0 }.compactMap(Unicode.Scalar.init)
    let sets: [CharacterSet] = [
      CharacterSet(charactersIn: String(String.UnicodeScalarView(everyEighth))), .illegalCharacters, .symbols,
      .illegalCharacters.inverted, .controlCharacters, .nonBaseCharacters, .capitalizedLetters.inverted,
      CharacterSet(charactersIn: "\u{0}"..."\u{d7ff}"), CharacterSet(charactersIn: "\u{e000}"..."\u{10ffff}"),
      CharacterSet(charactersIn: "\u{e000}"..."\u{10ffff}").inverted,
      CharacterSet(charactersIn: "\u{0}"..."\u{d7ff}").inverted,
      CharacterSet(charactersIn: "\u{0}"..."\u{d7ff}").union(CharacterSet(charactersIn: "\u{e000}"..."\u{10ffff}"))
        .inverted,
    ]
    for set in sets {
      let decoded = try roundTrip(set)
      #expect(decoded.bitmapRepresentation == set.bitmapRepresentation)
      #expect(decoded == set && set == decoded)
    }
  }
}
