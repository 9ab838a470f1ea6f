import Foundation
import TestSupport
import Testing

@testable import KeyedArchive

@Suite struct HeadTests {
  @Test(
    arguments: [
      (argument: 0, bytes: "00"),
      (argument: 23, bytes: "17"),
      (argument: 24, bytes: "18 18"),  // the first head of two bytes
      (argument: 255, bytes: "18 ff"),
      (argument: 256, bytes: "19 0100"),
      (argument: 65_535, bytes: "19 ffff"),
      (argument: 65_536, bytes: "1a 00010000"),
      (argument: 4_294_967_295, bytes: "1a ffffffff"),
      (argument: 4_294_967_296, bytes: "1b 0000000100000000"),
      (argument: .max, bytes: "1b ffffffffffffffff"),
    ] as [(argument: UInt64, bytes: String)])
  func headsAreAsShortAsTheArgumentAllows(argument: UInt64, bytes: String) throws {
    let buffer = ByteBuffer()
    buffer.appendHead(.unsigned, argument)
    let data = buffer.takeData()
    #expect(data.hex == hex(bytes))
    #expect(data.count == CBORHead.length(of: argument))

    let head = try head(of: data)
    #expect(head.argument == argument)
    #expect(head.end == data.count)
  }

  @Test(
    arguments: [
      (.unsigned, 0x05), (.negative, 0x25), (.bytes, 0x45), (.text, 0x65), (.array, 0x85), (.map, 0xa5), (.tag, 0xc5),
      (.simple, 0xe5),
    ] as [(CBORHead.Major, UInt8)])
  func theMajorTypeIsInTheTopThreeBits(major: CBORHead.Major, byte: UInt8) throws {
    let buffer = ByteBuffer()
    buffer.appendHead(major, 5)
    let data = buffer.takeData()
    #expect(data == Data([byte]))
    let head = try head(of: data)
    #expect(head.major == major)
    #expect(head.argument == 5)
  }

  @Test(
    arguments: [
      (0, "00"), (-1, "20"), (-24, "37"), (-25, "38 18"), (-256, "38 ff"), (-257, "39 0100"),
      (.max, "1b 7fffffffffffffff"), (.min, "3b 7fffffffffffffff"),
    ] as [(Int64, String)])
  func integersOfEitherSignUseTheShortestHead(value: Int64, bytes: String) {
    let buffer = ByteBuffer()
    buffer.appendInteger(value)
    #expect(buffer.takeData().hex == hex(bytes))
  }

  /// The decoder also accepts longer heads, because other programs may write them.
  @Test(arguments: ["17", "1817", "190017", "1a00000017", "1b0000000000000017"])
  func longerHeadsThanNecessaryAreRead(bytes: String) throws {
    #expect(try decode(Int.self, bytes) == 23)
    #expect(try decode(ArchiveValue.self, bytes) == 23)
  }

  @Test func theReaderNeverReadsBeyondItsWindow() {
    for count in 0..<9 {
      let data = Data([0x1b] + [UInt8](repeating: 0xff, count: 8)).prefix(count)
      #expect(throws: CBORError(.truncated, at: min(count, 1))) { try head(of: data) }
    }
    #expect(throws: CBORError(.truncated, at: 1)) { try head(of: Data([0x01]), at: 1) }
    #expect(throws: CBORError(.truncated, at: -1)) { try head(of: Data([0x01]), at: -1) }
  }

  private func head(of data: Data, at offset: Int = 0) throws -> CBORHead {
    try data.withUnsafeBytes { try CBORReader($0).head(at: offset) }
  }

  @Test func aBufferGrowsAndKeepsWhatItHolds() {
    let buffer = ByteBuffer(capacity: 1)
    for number in 0..<100_000 { buffer.append(UInt8(truncatingIfNeeded: number)) }
    #expect(buffer.count == 100_000)
    let data = buffer.takeData(from: 3)
    #expect(data == Data((3..<100_000).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(buffer.count == 0)
    buffer.append(7)
    #expect(buffer.takeData() == Data([7]))
  }

  @Test func aGrowingHeadMovesTheBytesAfterIt() {
    let buffer = ByteBuffer()
    buffer.append(contentsOf: Data(hex: "80 010203"))
    buffer.insertGap(of: 2, at: 1)
    buffer.overwriteHead(.array, 0x0100, at: 0)
    #expect(buffer.takeData().hex == "990100010203")
  }
}
