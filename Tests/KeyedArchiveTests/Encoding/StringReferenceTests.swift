import Foundation
import KeyedArchive
import TestSupport
import Testing

private struct Car: Codable, Equatable {
  var plate: String
  var speed: Int
}

/// Repeated strings: the first occurrence is written and numbered, the others refer to it (tags 256 and 25).
@Suite struct StringReferenceTests {
  @Test func propertyNamesAreWrittenOnce() throws {
    let cars = [Car(plate: "B 123", speed: 60), Car(plate: "B 123", speed: 5)]
    let data = try KeyedArchiveEncoder().encode(["cars": cars])
    #expect(
      data.hex
        == hex(
          "d90100",  // tag 256: strings are numbered from here on
          "d81b 82 6e 5b537472696e673a5b4361725d5d",  // 27(["[String:[Car]]", …: string 0
          "a1 64 63617273",  // {"cars": …: string 1
          "82",  // two records
          "a2",
          "65 706c617465 65 4220313233",  // "plate": "B 123": strings 2 and 3
          "65 7370656564 183c",  // "speed": 60: string 4
          "a2",
          "d81902 d81903",  // "plate": "B 123", by two references of three bytes
          "d81904 05"  // "speed": 5
        ))
    #expect(try KeyedArchiveDecoder().decode([String: [Car]].self, from: data) == ["cars": cars])
  }

  @Test func aValueWithoutRepetitionOpensNoNamespace() throws {
    #expect(try encodedHex("text") == hex("64 74657874"))
    #expect(try encodedHex(CarInfo("B 123")).hasPrefix("d81b"))
  }

  @Test func textAndNamesOfTypesAreReferredTo() throws {
    let mixed: [any Sendable] = [CarInfo("a repeated plate"), CarInfo("a repeated plate"), "a repeated plate"]
    let data = try KeyedArchiveEncoder().encode(mixed)
    #expect(data.hex.components(separatedBy: Data("a repeated plate".utf8).hex).count == 2)
    #expect(data.hex.components(separatedBy: Data("CarInfo".utf8).hex).count == 2)
    #expect(data.hex.components(separatedBy: Data("isOnline".utf8).hex).count == 2)
  }

  /// A string gets a number only if a reference to it is shorter: from 3 bytes on below number 24, then from 4, 5 and 7.
  @Test(arguments: [22, 23, 24, 25, 255, 256, 257, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537])
  func stringsOfAllLengthsAreRestoredAroundNumberLimits(count: Int) throws {
    let numbered = (0..<count).map { "number \($0)" }
    let short = (1...8).map { String(repeating: "x", count: $0) }
    // Each short string occurs three times, because the first one may or may not get a number.
    let texts = numbered + short + short + numbered.suffix(3) + short
    let data = try KeyedArchiveEncoder().encode(texts)
    #expect(try KeyedArchiveDecoder().decode([String].self, from: data) == texts)
    #expect(try KeyedArchiveDecoder().decode([ArchiveValue].self, from: data)[0] == "number 0")
  }

  @Test func manyStringsAreReferredToAsLongAsTheyAreRemembered() throws {
    let texts = (0..<20_000).map { "text number \($0)" }
    let twice = try KeyedArchiveEncoder().encode(texts + texts)
    #expect(try KeyedArchiveDecoder().decode([String].self, from: twice) == texts + texts)
    let once = try KeyedArchiveEncoder().encode(texts)
    // 16,384 are remembered and take at most five bytes each. The others are written again.
    let most = 16_384 * 5 + 4000 * 20
    #expect(twice.count - once.count < most)
  }

  @Test func textsThatMoveWhenTheirArrayGrowsAreStillReferredTo() throws {
    // The head of the array takes another byte at its end, because the number of elements was unknown.
    let texts = Scripted { encoder in
      var container = encoder.unkeyedContainer()
      for number in 0..<30 { try container.encode("a text with the number \(number)") }
    }
    let once = try KeyedArchiveEncoder().encode(texts)
    #expect(try KeyedArchiveEncoder().encode([texts, texts]).count < once.count + 30 * 4 + 10)
  }

  @Test func dataIsReadFromArraysOfNumbers() throws {
    struct Blob: Codable, Equatable {
      var bytes: Data
      var id: UUID
      var text: String
    }
    let blobs = (0..<300).map { Blob(bytes: Data(repeating: 7, count: $0 % 9), id: UUID(), text: "text \($0 % 50)") }
    try expectRoundTrip(blobs)
  }

  @Test func referencesToBytesOfOtherProgramsAreRead() throws {
    #expect(try decode([Data].self, "d90100 82 43 010203 d81900") == [Data([1, 2, 3]), Data([1, 2, 3])])
    #expect(try decode([[UInt8]].self, "d90100 82 d840 43 010203 d840 d81900") == [[1, 2, 3], [1, 2, 3]])
    #expect(try decode([String].self, "d90100 83 63 616161 60 d81900") == ["aaa", "", "aaa"])
    // A text that is referred to as bytes, or bytes as text, does not have the requested type.
    #expect(try complaint { try decode([Data].self, "d90100 82 63 616161 d81900") }.kind == .typeMismatch)
    #expect(try complaint { try decode(String.self, "d90100 d81b 82 64 4e616d65 d81900") }.kind == .typeMismatch)
    #expect(try complaint { try decode(TextThenBytes.self, "d90100 82 63 616161 d81900") }.kind == .typeMismatch)
  }

  private struct TextThenBytes: Decodable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      _ = try container.decode(String.self)
      _ = try container.decode(Data.self)
    }
  }

  @Test func aNestedNamespaceHasItsOwnNumbers() throws {
    let bytes = "d90100 84 63 616161 d90100 82 63 626262 d81900 d81900 63 636363"
    #expect(
      try decode(ArchiveValue.self, bytes) == ["aaa", ["bbb", "bbb"], "aaa", "ccc"])
  }

  @Test(arguments: [
    "d81900",  // outside any namespace
    "d90100 d81900", "d90100 82 63 616161 d81901",  // a number that was not assigned
    "d90100 82 62 6161 d81900",  // too short to have a number
    "d90100 82 63 616161 d819 20", "d90100 82 63 616161 d819 6161",  // not a number
    "d90100 82 d81900 63 616161",  // before its string
    "82 d90100 63 616161 d81900",  // after its namespace
    "d90100 82 63 616161 d819 1bffffffffffffffff",
  ])
  func aReferenceToAMissingStringIsRefused(bytes: String) {
    expectFailure(.malformed) { try decode(ArchiveValue.self, bytes) }
    expectFailure(.malformed) { try decode([String].self, bytes) }
    expectFailure(.malformed) { try KeyedArchiveDecoder().decode(from: Data(hex: bytes)) }
  }

  @Test func namesThatAreEqualInSwiftAreDistinguished() throws {
    // The same word composed and decomposed: equal as Swift strings, but a different name.
    let records = (0..<4).map { number in
      Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        let name = number.isMultiple(of: 2) ? "caf\u{e9}" : "cafe\u{301}"
        try container.encode(number, forKey: AnyKey(stringValue: name))
      }
    }
    let tree = try decode(ArchiveValue.self, encodedHex(["all": records]))
    let names = tree["all"]?.array?.compactMap { $0.object?.fields.first?.name.unicodeScalars.count }
    #expect(names == [4, 5, 4, 5])
  }
}
