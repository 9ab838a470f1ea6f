import Foundation
import KeyedArchive
import Testing

@testable import GlobalData

struct ArchiveImageTests {
  private func parse(_ data: Data, limits: ArchiveLimits = ArchiveLimits()) throws -> ArchiveImage.Contents {
    try ArchiveImage.parse(data)
  }

  @Test func writingTheGoldenImageGivesTheGoldenBytes() {
    #expect(GoldenImage.image.data == GoldenImage.data)
  }

  @Test func readingTheGoldenBytesGivesTheGoldenImage() throws {
    let contents = try parse(GoldenImage.data)
    #expect(contents.damage.isEmpty)
    #expect(contents.image.identity == StoreIdentity(GoldenImage.identity))
    #expect(contents.image.generation == 42)
    #expect(contents.image.entries.map(\.key) == ["car", "é"])
    #expect(contents.image.entries.map(\.valueData) == [GoldenImage.car, GoldenImage.numbers])
  }

  private var goldenChange: ArchiveChange {
    ArchiveChange(
      generation: 43, syncedLength: 118, previousChecksum: 0x338c_0e8d_4cd4_c830,
      steps: [.remove("car"), .set(StoredEntry(key: "note", value: Data([0x62, 0x6f, 0x6b])))])
  }

  @Test func writingTheGoldenChangeGivesTheGoldenBytes() {
    let bytes = goldenChange.encoded(archiveChecksum: 0x338c_0e8d_4cd4_c830).bytes.takeData()
    #expect(bytes == Data(GoldenImage.change.flatMap(\.bytes)))
  }

  @Test func readingTheGoldenChangeGivesTheChangedImage() throws {
    let change = Data(GoldenImage.change.flatMap(\.bytes))
    let contents = try parse(GoldenImage.data + change + Data(count: 100))
    #expect(contents.damage.isEmpty)
    #expect(contents.image.generation == 43)
    #expect(contents.image.entries.map(\.key) == ["é", "note"])
    #expect(contents.image.entries.map(\.valueData) == [GoldenImage.numbers, Data([0x62, 0x6f, 0x6b])])
    #expect(contents.appendPoint?.offset == 118 + 93)
  }

  @Test func anEmptyArchiveIsReadBack() throws {
    let image = ArchiveImage(identity: GoldenImage.identity, generation: 0, entries: [])
    #expect(image.data.suffix(9) == Data([0x48, 0x60, 0xdb, 0x74, 0xd8, 0xd4, 0x99, 0x5b, 0xc8]))
    let contents = try parse(image.data)
    #expect(contents.damage.isEmpty)
    #expect(contents.image.entries.count == 0)
  }

  @Test func entriesKeepTheOrderOfTheirInsertion() throws {
    let keys = ["z", "a", "10", "9", "Ω", "b"]
    let image = ArchiveImage(
      identity: UUID(),
      generation: 1,
      entries: keys.map { StoredEntry(key: $0, value: Data([0xf6])) }
    )
    #expect(try parse(image.data).image.entries.map(\.key) == keys)
  }

  @Test(arguments: [0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, UInt64.max])
  func anyGenerationIsReadBack(generation: UInt64) throws {
    let image = ArchiveImage(identity: UUID(), generation: generation, entries: [])
    let contents = try parse(image.data)
    #expect(contents.damage.isEmpty)
    #expect(contents.image.generation == generation)
  }

  /// The lengths at which a head becomes one byte longer, and small data that Foundation stores inline.
  @Test(arguments: [1, 2, 14, 15, 23, 24, 255, 256, 65_535, 65_536, 200_000])
  func valuesOfAnyLengthAreReadBack(length: Int) throws {
    let value = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13) })
    let image = ArchiveImage(
      identity: UUID(),
      generation: 1,
      entries: [StoredEntry(key: "before", value: Data([1])), StoredEntry(key: "value", value: value)]
    )
    let contents = try parse(image.data)
    #expect(contents.damage.isEmpty)
    #expect(Array(contents.image.entries).last?.valueData == value)
  }

  @Test(arguments: [1, 23, 24, 255, 256, 1024])
  func keysUpToTheLimitAreReadBack(length: Int) throws {
    let key = String(repeating: "k", count: length)
    let image = ArchiveImage(identity: UUID(), generation: 1, entries: [StoredEntry(key: key, value: Data([1]))])
    let contents = try parse(image.data)
    #expect(contents.damage.isEmpty)
    #expect(contents.image.entries.map(\.key) == [key])
  }

  @Test func readEntriesAreWrittenByteForByte() throws {
    var image = try parse(GoldenImage.data).image
    #expect(image.data == GoldenImage.data)
    image.entries.set(StoredEntry(key: "new", value: Data([0xf5])))
    image.generation += 1
    let contents = try parse(image.data)
    #expect(contents.damage.isEmpty)
    #expect(contents.image.entries.map(\.key) == ["car", "é", "new"])
    #expect(contents.image.entries.map(\.valueData) == [GoldenImage.car, GoldenImage.numbers, Data([0xf5])])
  }

  @Test func aPartOfALargerBufferIsReadLikeData() throws {
    let padded = Data([1, 2, 3]) + GoldenImage.data + Data([4])
    let contents = try parse(padded.dropFirst(3).dropLast())
    #expect(contents.damage.isEmpty)
    #expect(contents.image.entries.map(\.valueData) == [GoldenImage.car, GoldenImage.numbers])
    #expect(contents.image.data == GoldenImage.data)
  }

  @Test func aValueIsNotParsed() throws {
    // A head that no item may have: only the decoder of the value should detect that.
    let image = ArchiveImage(
      identity: UUID(),
      generation: 1,
      entries: [StoredEntry(key: "odd", value: Data([0x1c, 0xff]))]
    )
    let contents = try parse(image.data)
    #expect(contents.damage.isEmpty)
    #expect(Array(contents.image.entries).first?.valueData == Data([0x1c, 0xff]))
  }

  @Test func tenThousandEntriesAreReadBack() throws {
    let image = ArchiveImage(
      identity: UUID(),
      generation: 7,
      entries: (0..<10_000).map { StoredEntry(key: "key \($0)", value: Data([0x19, UInt8($0 >> 8), UInt8($0 & 255)])) }
    )
    let contents = try parse(image.data)
    #expect(contents.damage.isEmpty)
    #expect(contents.image.entries.map(\.key) == image.entries.map(\.key))
    #expect(contents.image.entries.map(\.valueData) == image.entries.map(\.valueData))
  }

  @Test(arguments: [("", false), ("k", true), (String(repeating: "é", count: 512), true)])
  func keysAreCheckedBeforeTheyAreWritten(key: String, isAllowed: Bool) {
    expectError(isAllowed ? nil : .invalidKey) { try StoredEntry.check(key, ArchiveLimits()) }
  }

  @Test func aKeyThatIsOneByteTooLongIsRefused() {
    let key = String(repeating: "é", count: 512) + "k"
    expectError(.invalidKey) { try StoredEntry.check(key, ArchiveLimits()) }
  }
}
