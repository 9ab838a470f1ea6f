import Foundation
import TestSupport
import Testing

@testable import GlobalData

/// The second writer of the format writes the same bytes as the store, unless it is asked to forge them.
@Suite struct ForgedFileTests {
  @Test func bothWritersProduceTheSameBytes() {
    let identity = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    let values: [(String, [UInt8])] = [
      ("a", [0xf6]), ("caf\u{e9}", [0x18, 0x18]), ("long", [0x59, 0x01, 0x2c] + [UInt8](repeating: 7, count: 300)),
    ]
    let image = ArchiveImage(
      identity: identity, generation: 41, entries: values.map { StoredEntry(key: $0.0, value: Data($0.1)) })
    var (pieces, checksum) = image.encoded()
    let change = ArchiveChange(
      generation: 42, syncedLength: 77, previousChecksum: checksum,
      steps: [.set(StoredEntry(key: "b", value: Data([1]))), .remove("a")])
    pieces.append(change.encoded(archiveChecksum: checksum).bytes.takeBytes())

    var forged = ForgedFile(
      values.map { ForgedFile.Record(key: $0.0, value: $0.1) }, identity: Array(1...16), generation: 41)
    forged.append(
      [ForgedFile.Record(key: "b", value: [1]), ForgedFile.Record(removalOf: Array("a".utf8))], synced: 77)
    #expect(Data(forged.bytes) == pieces.reduce(into: Data()) { $0 += $1 })
  }
}
