import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Files that amplify, nest and overflow, read by a process with little memory on a stack of 512 KiB.
///
/// The process is the executable `hostile-reader`. The kernel enforces the memory limit, as with `ulimit -v`.
@Suite(.enabled(if: ChildProcess.isPossible), .timeLimit(.minutes(10))) struct HostileFileTests {
  struct File: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The memory in bytes that reading may take for each byte of the file, beyond 64 MiB.
    var factor = 48
    var data: Data
  }

  private static func head(_ byte: UInt8, _ count: Int) -> Data {
    Data([byte]) + withUnsafeBytes(of: UInt32(count).bigEndian) { Data($0) }
  }

  /// An array of equal items that fill a mebibyte.
  private static func many(_ item: String) -> Data {
    let item = Data(hex: item)
    let count = (1 << 20) / item.count
    var data = head(0x9a, count)
    for _ in 0..<count { data.append(item) }
    return data
  }

  private static func nested(_ level: String, _ count: Int, _ end: String) -> Data {
    Data(hex: String(repeating: level, count: count) + end)
  }

  private static let wide = [
    File(testDescription: "integers", data: many("00")), File(testDescription: "nulls", data: many("f6")),
    // Here, each byte is a container, with an entry in the index and a node in the tree.
    File(testDescription: "arrays", data: many("8100")), File(testDescription: "maps", data: many("a1616100")),
    File(testDescription: "empty maps", data: many("a0")), File(testDescription: "texts", data: many("6161")),
  ]

  private static let deep = [
    ("81", 255, "00"), ("a16161", 255, "f6"), ("c6", 255, "00"), ("d9010281", 127, "00"), ("a1616181", 127, "00"),
    ("d81b826161", 127, "00"), ("bf6161", 250, "00" + String(repeating: "ff", count: 250)), ("d81c81", 127, "00"),
    ("a180", 128, "00"), ("a165" + "6368696c6472656e", 100, "80"), ("a1646e657874", 255, "a0"),
    ("a1686368696c6472656e81", 127, "a0"), ("81", 1_000_000, "00"), ("c1", 1_000_000, "00"),
  ].map { level, count, end in
    File(testDescription: "\(count) times \(level)", data: nested(level, count, end))
  }

  private static let amplifying: [File] = {
    // Each array claims as many elements as there are remaining bytes.
    var counts = Data()
    for _ in 0..<200 { counts.append(head(0x9a, 500_000 - counts.count - 5)) }
    counts.append(Data(count: 500_000 - counts.count))
    // Each level has ten references to the level before it.
    var laughs = "98 15 d81c 82 01 02"
    for level in 0..<20 {
      laughs += "d81c 8a" + String(repeating: "d81d 18" + Data([UInt8(level)]).hex, count: 10)
    }
    // A megabyte of text, and references to it.
    var texts = Data(hex: "d90100 9f 7a 00100000") + Data(repeating: 0x61, count: 1 << 20)
    for _ in 0..<10_000 { texts.append(contentsOf: [0xd8, 0x19, 0x00]) }
    texts.append(0xff)
    var chunks = Data([0x7f])
    for _ in 0..<200_000 { chunks.append(contentsOf: [0x61, 0x61]) }
    chunks.append(0xff)
    return [
      File(testDescription: "nested counts", data: counts),
      File(testDescription: "nested references", data: Data(hex: laughs)),
      File(testDescription: "references to a long text", data: texts), File(testDescription: "chunks", data: chunks),
      File(testDescription: "a count of 2^64 - 1", data: Data(hex: "9bffffffffffffffff 00")),
      File(testDescription: "pairs of 2^63", data: Data(hex: "bb8000000000000000 00 00")),
      File(testDescription: "a length of 2^63", data: Data(hex: "5b8000000000000000 00")),
      File(testDescription: "a reference to itself", data: Data(hex: "d81c 81 d81d 00")),
    ]
  }()

  /// Makes the reader read a file.
  private func read(_ data: Data, factor: Int, _ options: [String] = []) async throws -> ProcessOutcome {
    try await withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("hostile")
      try data.write(to: url)
      return try await ChildProcess.run(
        "hostile-reader", [url.path, String(factor)] + options, environment: ["SWIFT_BACKTRACE": "enable=no"],
        outputIn: folder)
    }
  }

  @Test(arguments: deep + amplifying)
  func aHostileFileTakesLittleMemoryAndStack(file: File) async throws {
    try await expectToEnd(file)
  }

  @Test(.enabled(if: HostileFileTests.hasMemoryLimit), arguments: wide.oneIn(6, from: 3))
  func manyItemsTakeAMultipleOfTheirBytes(file: File) async throws {
    try await expectToEnd(file)
  }

  private func expectToEnd(_ file: File) async throws {
    let outcome = try await read(file.data, factor: file.factor)
    #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
    #expect(outcome.output.hasSuffix("done\n"))
  }

  @Test(.enabled(if: HostileFileTests.hasMemoryLimit)) func aProcessThatExceedsItsMemoryIsStopped() async throws {
    #expect(try await read(HostileFileTests.many("a0"), factor: 8).status != 0)
  }

  @Test(.enabled(if: HostileFileTests.hasMemoryLimit))
  func migrationsInsideEachOtherDoNotMultiplyTheMemory() async throws {
    // Each of 200 levels is migrated with everything below it: a copy for each would take 200 MiB.
    var tree: ArchiveValue = ["bulk": .data(Data(count: 1 << 20))]
    for _ in 0..<200 { tree = ["next": tree] }
    let outcome = try await read(KeyedArchiveEncoder().encode(tree), factor: 48, ["migrating"])
    #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
    #expect(outcome.output.contains("201 links"), "\(outcome.output)")
  }

  private static var hasMemoryLimit: Bool {
    // AddressSanitizer reserves more memory than any limit allows.
    #if os(Linux)
    ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil
    #else
    false
    #endif
  }
}
