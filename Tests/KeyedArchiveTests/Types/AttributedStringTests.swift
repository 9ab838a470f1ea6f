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

  /// On Apple's systems, Foundation's own code writes and reads the text. It writes two containers in turn, copies one of
  /// them each time, and asks for the coder of each element.
  @Test(arguments: [1, 5, 10, 11, 40]) func whatFoundationWritesOnApplesPlatformsHasTheSameForm(runCount: Int) throws {
    var text = AttributedString("a ")
    for index in 1..<runCount {
      var part = AttributedString("\(index) ")
      if index % 4 > 0 { part.replacementIndex = index % 4 }
      if index % 3 == 0 { part.languageIdentifier = "de" }
      text += part
    }
    #expect(text.runs.count == runCount)
    #if !canImport(Darwin)  // On Apple's systems, the attributes of a run have no fixed order.
    let tree = try roundTrip(["text": text], as: [String: ArchiveValue].self)
    #expect(try roundTrip(["text": TextOfApple(text)], as: [String: ArchiveValue].self) == tree)
    #endif
    #expect(try roundTrip(["text": text], as: [String: TextOfApple].self) == ["text": TextOfApple(text)])
    #expect(try roundTrip([text, text], as: [TextOfApple].self) == [TextOfApple(text), TextOfApple(text)])
    #expect(try roundTrip([TextOfApple(text), TextOfApple(text)], as: [AttributedString].self) == [text, text])
  }

  private func roundTrip<Value: Encodable, Result: Decodable>(_ value: Value, as type: Result.Type) throws -> Result {
    try KeyedArchiveDecoder().decode(type, from: KeyedArchiveEncoder().encode(value))
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

/// A text that is coded in the way of Foundation on Apple's systems, with two attributes.
///
/// Source: swift-foundation, AttributedStringCodable.swift, the part for the framework.
private struct TextOfApple: Archivable, Equatable {
  static let archiveTag: ArchiveTag = "AttributedString"

  private struct Attributes: Hashable {
    var index: Int?
    var language: String?

    var isEmpty: Bool { index == nil && language == nil }
  }

  private struct Run: Equatable {
    var text: String
    var attributes: Attributes
  }

  private enum CodingKeys: String, CodingKey {
    case runs, attributeTable
  }

  private struct AttributeKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }

    static let index = AttributeKey(stringValue: "NSReplacementIndex")
    static let language = AttributeKey(stringValue: "NSLanguage")
  }

  private var runs: [Run]

  init(_ text: AttributedString) {
    runs = text.runs.map { run in
      Run(
        text: String(text[run.range].characters),
        attributes: Attributes(index: run.replacementIndex, language: run.languageIdentifier))
    }
  }

  func encode(to encoder: any Encoder) throws {
    if runs.count == 1, runs[0].attributes.isEmpty {
      var container = encoder.singleValueContainer()
      return try container.encode(runs[0].text)
    }
    var list: any UnkeyedEncodingContainer
    var numbers: [Attributes: Int] = [:]
    var table: (any UnkeyedEncodingContainer)?
    if runs.count <= 10 {
      list = encoder.unkeyedContainer()
    } else {
      var container = encoder.container(keyedBy: CodingKeys.self)
      list = container.nestedUnkeyedContainer(forKey: .runs)
      table = container.nestedUnkeyedContainer(forKey: .attributeTable)
    }
    for run in runs {
      try list.encode(run.text)
      if !run.attributes.isEmpty, var table {
        let number = numbers[run.attributes, default: numbers.count]
        if number == numbers.count {
          try TextOfApple.encode(run.attributes, to: table.superEncoder())
          numbers[run.attributes] = number
        }
        try list.encode(number)
      } else {
        try TextOfApple.encode(run.attributes, to: list.superEncoder())
      }
    }
  }

  private static func encode(_ attributes: Attributes, to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AttributeKey.self)
    if let language = attributes.language {
      try language.encode(to: container.superEncoder(forKey: .language))
    }
    if let index = attributes.index { try index.encode(to: container.superEncoder(forKey: .index)) }
  }

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {  // a decoder has no other way to check
      runs = [Run(text: text, attributes: Attributes())]
      return
    }
    var list: any UnkeyedDecodingContainer
    var table: [Attributes] = []
    if let runs = try? decoder.unkeyedContainer() {  // likewise
      list = runs
    } else {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      list = try container.nestedUnkeyedContainer(forKey: .runs)
      var entries = try container.superDecoder(forKey: .attributeTable).unkeyedContainer()
      while !entries.isAtEnd { table.append(try TextOfApple.attributes(from: entries.superDecoder())) }
    }
    runs = []
    while !list.isAtEnd {
      let text = try list.decode(String.self)
      if let number = try? list.decode(Int.self) {  // likewise
        runs.append(Run(text: text, attributes: table[number]))
      } else {
        runs.append(Run(text: text, attributes: try TextOfApple.attributes(from: list.superDecoder())))
      }
    }
  }

  private static func attributes(from decoder: any Decoder) throws -> Attributes {
    let container = try decoder.container(keyedBy: AttributeKey.self)
    var attributes = Attributes()
    for key in container.allKeys {
      switch key.stringValue {
      case AttributeKey.index.stringValue: attributes.index = try Int(from: container.superDecoder(forKey: key))
      case AttributeKey.language.stringValue:
        attributes.language = try String(from: container.superDecoder(forKey: key))
      default: break
      }
    }
    return attributes
  }
}
