import Foundation
import KeyedArchive
import TestSupport
import Testing

#if canImport(CoreGraphics)
import CoreGraphics  // CGRect's members, which Foundation only includes on a Mac
#endif

@Suite struct FoundationValueTests {
  @Test func dataIsAByteString() throws {
    try expectRoundTrip(Data(), stored: "40")
    try expectRoundTrip(Data([1, 2, 3]), stored: "43 010203")
    try expectRoundTrip(Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) }))
    let slice = Data([0, 1, 2, 3, 4]).dropFirst(2)
    try expectRoundTrip(slice, stored: "43 020304")
    #expect(try decode(Data.self, "d840 43 010203") == Data([1, 2, 3]))  // a typed array of bytes
    #expect(try decode(Data.self, "5f 41 01 42 0203 ff") == Data([1, 2, 3]))
    #expect(
      try complaint { try decode(Data.self, "83 010203") }.message == "Expected Data, but found an array.")
  }

  @Test func uuidsAreSixteenBytesUnderATag() throws {
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    try expectRoundTrip(uuid, stored: "d825 50 00112233445566778899aabbccddeeff")
    #expect(try complaint { try decode(UUID.self, "d825 4f 00112233445566778899aabbccddee") }.kind == .dataCorrupted)
    #expect(try complaint { try decode(UUID.self, "d825 01") }.kind == .dataCorrupted)
    #expect(try complaint { try decode(UUID.self, "50 00112233445566778899aabbccddeeff") }.kind == .typeMismatch)
  }

  @Test func urlsKeepTheirTextAndBase() throws {
    func parts(_ url: URL) -> [String?] { [url.relativeString, url.baseURL?.relativeString, url.absoluteString] }
    let plain = try #require(URL(string: "http://a.example/?q=%20#x"))
    try expectRoundTrip(plain, stored: "d820 78 19" + Data("http://a.example/?q=%20#x".utf8).hex, by: parts)
    let relative = try #require(URL(string: "c/d?e", relativeTo: URL(string: "https://a.example/b/")))
    try expectRoundTrip(
      relative,
      stored: "d81b 82 63 55524c 82 65 632f643f65 d820 74" + Data("https://a.example/b/".utf8).hex, by: parts)
    try expectRoundTrip(URL(fileURLWithPath: "/tmp/a b", isDirectory: true), by: parts)
    try expectRoundTrip(URL(fileURLWithPath: "c", relativeTo: URL(fileURLWithPath: "/a/b")), by: parts)
    try expectRoundTrip(#require(URL(string: "mailto:ada@example.org")), by: parts)
    let hostOfTwo = "http://a b/"
    #expect(
      try complaint { try decode(URL.self, "d820 6b" + Data(hostOfTwo.utf8).hex) }.message
        == #""http://a b/" is not a URL."#)
    // The text of a URL is text, not another URL or a UUID that could be read as text.
    for content in ["d820 61 61", "d825 50 00112233445566778899aabbccddeeff"] {
      #expect(try complaint { try decode(URL.self, "d820" + content) }.kind == .typeMismatch)
      #expect(
        try complaint { try decode(URL.self, "d81b 82 63 55524c 82" + content + "d820 61 61") }.kind == .typeMismatch)
      let tree = try decode(ArchiveValue.self, "d820" + content)
      #expect(try KeyedArchiveEncoder().encode(tree).hex == Data(hex: "d820" + content).hex)
    }
    // No initializer accepts an empty text, but some URLs have one.
    let empty = try #require(URL(string: "..", relativeTo: URL(string: "a"))).absoluteURL
    try #require(empty.relativeString.isEmpty)
    try expectRoundTrip(empty, stored: "d820 60", by: parts)
    try expectRoundTrip(#require(URL(string: "/b", relativeTo: empty)), by: parts)
  }

  /// A limit on repeated text must not count text that the archive contains.
  @Test func manyLongRelativeURLsAreRestored() throws {
    let base = URL(string: "https://a.example/")
    let query = "?" + String(repeating: "q", count: 1_100)
    let urls = try (0..<1_300).map { try #require(URL(string: "\($0)" + query, relativeTo: base)) }
    #expect(try KeyedArchiveDecoder().decode([URL].self, from: KeyedArchiveEncoder().encode(urls)) == urls)
  }

  @Test func rangesAreRestored() throws {
    try expectRoundTrip(1..<5)
    try expectRoundTrip(-3...3)
    try expectRoundTrip("a"..<"z")
    try expectRoundTrip(1.5..., by: \.lowerBound)
    try expectRoundTrip(...Date(timeIntervalSinceReferenceDate: 0.1), by: \.upperBound)
    try expectRoundTrip(..<UInt8.max, by: \.upperBound)
    #expect(try complaint { try decode(ClosedRange<Int>.self, "82 05 01") }.kind == .dataCorrupted)
  }

  @Test func otherCodableTypesAreRestored() throws {
    try expectRoundTrip(Locale(identifier: "de_CH"))
    try expectRoundTrip(#require(TimeZone(identifier: "Asia/Tokyo")))
    try expectRoundTrip(Calendar(identifier: .gregorian), by: \.identifier)
    try expectRoundTrip(DateComponents(year: 2024, month: 2, day: 29, hour: 23))
    try expectRoundTrip(DateInterval(start: Date(timeIntervalSinceReferenceDate: 0.1), duration: 5))
    try expectRoundTrip(IndexPath(indexes: [3, 1, 4]))
    try expectRoundTrip(IndexSet([1, 2, 3, 9, 1000]))
    try expectRoundTrip(CharacterSet.alphanumerics)
    try expectRoundTrip(Measurement(value: 3.5, unit: UnitLength.kilometers))
    try expectRoundTrip(CGRect(x: 1, y: 2, width: 3.5, height: -0.0))
    try expectRoundTrip(Duration.milliseconds(1500))
    try expectRoundTrip(URLComponents(string: "https://a.example/b?c=d"))
    try expectRoundTrip(ContiguousArray([1, 2, 3]))
    try expectRoundTrip(SIMD4<Float>(1, 2, 3, 4))
  }

  @Test func textKeepsEveryScalar() throws {
    try expectRoundTrip("", stored: "60")
    try expectRoundTrip("\u{0}\u{7f}\u{fffd}\u{10ffff}", by: { Array($0.unicodeScalars) })
    // The same characters in two forms are equal in Swift, but not the same text.
    for text in ["caf\u{e9}", "cafe\u{301}", "\u{212a}", "K"] {
      try expectRoundTrip(text, by: { Array($0.unicodeScalars) })
    }
    #expect(try decode(String.self, "7f 62 c3bc 60 61 61 ff") == "\u{fc}a")
  }
}
