import Foundation
import KeyedArchive
import TestSupport
import Testing

@Suite struct AttributedStringTests {
  private struct Note: Codable, Equatable {
    var text: AttributedString
    var title: AttributedString?
  }

  /// A text with every Foundation attribute that has a value on each platform.
  private static func sample() -> AttributedString {
    var text = AttributedString("plain ")
    var link = AttributedString("link")
    link.link = URL(string: "c", relativeTo: URL(string: "https://a.example/"))
    link.languageIdentifier = "de"
    var number = AttributedString("12\u{301}")
    number.numberPart = .integer
    number.numberSymbol = .sign
    var other = AttributedString("\u{301}x\u{0}")
    other.dateField = .weekday
    other.personNameComponent = .nickname
    other.alternateDescription = ""
    other.imageURL = URL(filePath: "/a b")
    other.replacementIndex = .min
    other.measurement = .unit
    other.byteCount = .spelledOutValue
    other.durationField = .minutes
    for part in [link, number, other, AttributedString("end")] { text += part }
    return text
  }

  @Test func textAndAttributesAreRestored() throws {
    let text = AttributedStringTests.sample()
    #expect(text.runs.count == 5)
    for value in [AttributedString(), AttributedString("e\u{301}\u{0}"), text] {
      try expectRoundTrip(value)
      try expectRoundTrip(value, by: { Array($0.unicodeScalars) })
      try expectRoundTrip(value, by: { $0.runs.map(\.attributes) })
      try expectRoundTrip(Note(text: value, title: value))
      try expectRoundTrip([value: 1])
    }
    #expect((try roundTripDynamically([text] as [any Sendable]) as? [any Sendable])?.first as? AttributedString == text)
  }

  @Test func manyRunsShareATableOfAttributes() throws {
    var text = AttributedString()
    for index in 0..<40 {
      var part = AttributedString("\(index) ")
      if index % 4 > 0 { part.replacementIndex = index % 4 }
      text += part
    }
    try expectRoundTrip(text)
    let tree = try decode(ArchiveValue.self, encodedHex(text))
    #expect(tree["attributeTable"]?.array?.count == 3)
    #expect(tree["runs"]?.array?.count == 80)
  }

  /// The forms are those of Apple's platforms, so that files can be exchanged.
  @Test func theFormsAreThoseOfApplesPlatforms() throws {
    #expect(try encodedHex(Note(text: "a")).hasSuffix(hex("a1 64 74657874 6161")))
    var text = AttributedString("a")
    text.languageIdentifier = "de"
    let runs = "84 6161 a1 6a 4e534c616e6775616765 62 6465 6162 a0"  // ["a", {"NSLanguage": "de"}, "b", {}]
    #expect(try encodedHex(Note(text: text + "b")).hasSuffix(hex(runs)))
    #expect(try decode(AttributedString.self, runs) == text + "b")
    #expect(try decode(AttributedString.self, "82 6161 a1 6178 01") == "a")  // an attribute of another platform
    // {"runs": ["a", 0], "attributeTable": [{"NSLanguage": "de"}]}
    let table = "a2 64 72756e73 82 6161 00 6e 6174747269627574655461626c65 81 a1 6a 4e534c616e6775616765 62 6465"
    #expect(try decode(AttributedString.self, table) == text)
    #expect(throws: DecodingError.self) {
      try decode(AttributedString.self, table.replacing(" 6161 00", with: " 6161 01"))
    }
    #expect(throws: DecodingError.self) { try decode(AttributedString.self, "01") }
  }

  #if !canImport(Darwin)
  private enum Shade: AttributedStringKey {
    typealias Value = Int
    static let name = "shade"
  }

  @Test func anAttributeThatWouldBeLostIsRefused() throws {
    var text = AttributedString("a")
    text[Shade.self] = 5
    #expect(throws: EncodingError.self) { try KeyedArchiveEncoder().encode([text]) }
  }
  #endif
}
