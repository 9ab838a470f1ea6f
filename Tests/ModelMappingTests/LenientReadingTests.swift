import Foundation
import ModelMapping
import Testing
import ThrownErrors

private enum Color: String, Codable, Sendable {
  case red, green
}

private enum Level: Int, Codable, Sendable {
  case low = 1
  case high = 2
}

private struct Messy: Model, Equatable {
  @Field var count = 0
  @Field var small: Int8 = 0
  @Field var price = 0.0
  @Field var title = ""
  @Field var isOn = false
  @Field var amount = Decimal(0)
  @Field var color = Color.red
  @Field var level: Level?
  @Field var ids: [Int] = []
  @Field var flags: [String: Bool] = [:]
}

private struct Part: Model, Equatable {
  @Field var speed = 0
}

private struct Garage: Model, Equatable {
  @Field(options: .lossy) var parts: [Part] = []
  @Field(options: .lossy) var byName: [String: Part] = [:]
  @Field(options: .lossy) var numbers: Set<Int> = []
  @Field(options: .orSingle) var labels: [String] = []
  @Field var strict: [Part] = []
}

private struct Profile: Model {
  @Field("user", options: .readOnly) var all: [String: String] = [:]
  @Field("user", "name") var name = ""
}

private struct Car: Model, Equatable {
  @Field var color = OpenEnum(Color.red)
  @Field var level: OpenEnum<Level>?
}

private struct Forms: Model {
  @Field var link: URL?
  @Field var bytes = Data()
}

@Suite struct LenientReadingTests {
  @Test func textsThatAreWrittenOtherwiseThanTheyWereReadAreReported() throws {
    let (value, report) = try Forms.decode(json: #"{"link": "https://a.example/ä", "bytes": "QR=="}"#)
    #expect(value.link?.absoluteString == "https://a.example/%C3%A4" && value.bytes == Data("A".utf8))
    #expect(report.entries.map(\.path.description) == ["link", "bytes"])
    #expect(report.entries.allSatisfy { $0.kind == .coercion })
    #expect(try Forms.decode(json: #"{"link": "https://a.example/%C3%A4", "bytes": "QQ=="}"#).report.isEmpty)
  }

  @Test func aMisplacedObjectOrArrayIsNamed() throws {
    for (text, found) in [(#"{"count": {}}"#, "an object"), (#"{"count": []}"#, "an array"), ("[]", "an array")] {
      let error = expectError((any Error).self) { try Messy(json: text, mode: .strict) }
      #expect("\(try #require(error))".contains("found \(found)."), "\(text): \(String(describing: error))")
    }
  }

  @Test func scalarsAreConvertedIfNothingIsLostAndReported() throws {
    let (value, report) = try Messy.decode(
      json: """
        {"count": "24", "small": " 7 ", "price": "1.5", "title": 24, "isOn": "yes", "amount": "12.30", "color": "green",
         "level": "2", "ids": ["1", 2, 3.0], "flags": {"a": 1, "b": "false", "c": true}}
        """)
    #expect(value.count == 24 && value.small == 7 && value.price == 1.5 && value.title == "24" && value.isOn)
    #expect(value.amount == Decimal(string: "12.3") && value.color == .green && value.level == .high)
    #expect(value.ids == [1, 2, 3] && value.flags == ["a": true, "b": false, "c": true])
    #expect(report.entries.allSatisfy { $0.kind == .coercion })
    let paths = Set(report.entries.map(\.path.description))
    #expect(
      paths == [
        "count", "small", "price", "title", "isOn", "amount", "level", "ids[0]", "flags.a", "flags.b",
      ])
    #expect(report.description.contains(#"count: converted text "24" to 24"#))
  }

  @Test(arguments: [
    (#"{"title": true}"#, "true"), (#"{"title": 1.5}"#, "1.5"),
    (#"{"title": 12345678901234567890}"#, "12345678901234567890"),
    (#"{"title": -0.1}"#, "-0.1"),
  ])
  func anyScalarCanBeText(text: String, title: String) throws {
    #expect(try Messy(json: text).title == title)
  }

  @Test(arguments: [" 24", "24\t", "\u{a0}24", "24\u{3000}", "\u{2003} 24 \u{2003}"])
  func aNumberInATextMayHaveSpacesOfAnyKindAroundIt(text: String) throws {
    let json = try JSONEncoder().encode(["count": text, "small": text, "price": text])
    let value = try Messy(json: json)
    #expect(value.count == 24 && value.small == 24 && value.price == 24)
  }

  @Test(arguments: ["1", "\"1\"", "\"TRUE\"", "\"Yes\"", "\"on\"", "1.0"])
  func severalFormsOfTrueAreRead(value: String) throws {
    #expect(try Messy(json: #"{"isOn": \#(value)}"#).isOn)
  }

  @Test(arguments: [
    #"{"count": "abc"}"#, #"{"count": "12abc"}"#, #"{"count": 1.5}"#, #"{"count": true}"#, #"{"count": 1e30}"#,
    #"{"count": "0x10"}"#, #"{"small": 128}"#, #"{"small": "128"}"#, #"{"price": "nan"}"#, #"{"price": "1e999"}"#,
    #"{"price": 1e999}"#, #"{"title": []}"#, #"{"title": {}}"#, #"{"isOn": 2}"#, #"{"isOn": "perhaps"}"#,
    #"{"amount": "1,5"}"#, #"{"color": "blue"}"#, #"{"level": 3}"#, #"{"ids": [1, "x"]}"#, #"{"ids": 1}"#,
    #"{"flags": {"a": "x"}}"#, #"{"ids": [null]}"#, #"{"count": "1e99999999999"}"#,
    #"{"count": "0.99999999999999999999"}"#, #"{"count": "9007199254740993.5"}"#, #"{"count": "9223372036854775808"}"#,
    #"{"count": "1e40"}"#, #"{"count": "-1e400"}"#, #"{"count": "."}"#, #"{"count": "1e"}"#, #"{"count": ""}"#,
    #"{"count": "+-1"}"#, #"{"amount": "0.9234567890123456789012345678901234567891"}"#, #"{"amount": "1e-400"}"#,
  ])
  func aLossyConversionIsAnError(text: String) throws {
    let error = try requireError(DecodingError.self) { try Messy(json: text) }
    let place = try #require(error.context?.underlyingError as? ModelError)
    #expect(place.location != nil && !place.path.components.isEmpty && place.code == .mismatch)
  }

  @Test(arguments: [
    ("9007199254740993.0", 9_007_199_254_740_993), ("90071992547409930e-1", 9_007_199_254_740_993),
    ("9.223372036854775807E18", Int.max), ("-9223372036854775808.00", Int.min), ("0.000e99", 0), ("-0", 0),
    ("+.5e1", 5),
    ("1200e-2", 12), ("00012", 12),
  ])
  func aWrittenIntegerIsExactlyThatOne(text: String, count: Int) throws {
    #expect(try Messy(json: #"{"count": "\#(text)"}"#).count == count)
  }

  @Test func nullAndMissingKeysLeaveTheDefaults() throws {
    let (value, report) = try Part.decode(json: #"{"speed": null}"#)
    #expect(value == Part())
    #expect(report.entries.map(\.description) == ["speed: null, used 0"])
    #expect(try Part.decode(json: "{}").report.entries.map(\.description) == ["speed: missing, used 0"])
  }

  @Test func aLossyCollectionLeavesOutUnreadableElementsAndReportsThem() throws {
    let (value, report) = try Garage.decode(
      json: """
        {"parts": [{"speed": 1}, {"speed": "fast"}, 3, null, {"speed": "4"}], "byName": {"a": {"speed": 1}, "b": []},
         "numbers": [1, "2", "x"], "labels": "only", "strict": []}
        """)
    #expect(value.parts.map(\.speed) == [1, 4] && value.byName.keys.sorted() == ["a"] && value.numbers == [1, 2])
    #expect(value.labels == ["only"])
    #expect(
      report.entries(.dropped).map(\.path.description) == [
        "parts[1]", "parts[2]", "parts[3]", "byName.b", "numbers[2]",
      ])
    #expect(report.entries(.dropped).first?.found == #"speed: Expected Int, but found text "fast"."#)
    #expect(report.entries(.single).map(\.path.description) == ["labels"])
    #expect(report.entries(.coercion).map(\.path.description) == ["parts[4].speed", "numbers[1]"])
  }

  @Test func aFieldWithAnInvalidValueIsReportedOnceWhateverItsPartsAre() throws {
    struct Numbers: Model {
      @Field(ifInvalid: []) var all: [Int] = [1]
    }
    let (numbers, report) = try Numbers.decode(json: #"{"all": ["1", {}]}"#)
    #expect(numbers.all.isEmpty && report.entries.map(\.kind) == [.invalid])
  }

  // Foundation for Linux ends the program that prints such a date.
  @Test func aDateThatIsNoNumberIsReported() throws {
    struct Visit: Model {
      @Field var began = Date(timeIntervalSinceReferenceDate: .nan)
      @Field(ifInvalid: Date(timeIntervalSinceReferenceDate: .nan)) var ended = Date()
    }
    let (visit, report) = try Visit.decode(json: #"{"ended": "now"}"#)
    #expect(visit.ended.timeIntervalSinceReferenceDate.isNaN)
    #expect(Set(report.entries.map(\.made)) == ["[nan]"], "\(report)")
  }

  @Test func anElementThatIsLeftOutIsReportedOnceWhateverItsFieldsAre() throws {
    struct Pair: Model {
      @Field var left = 0
      @Field var right = 0
    }
    struct Pairs: Model {
      @Field(options: .lossy) var all: [Pair] = []
    }
    let (pairs, report) = try Pairs.decode(json: #"{"all": [{"left": "1", "right": {}}]}"#)
    #expect(pairs.all.isEmpty && report.entries.map(\.kind) == [.dropped])
  }

  @Test func anUnreadableSingleValueIsLeftOutLikeAnElement() throws {
    struct Note: Model {
      @Field(options: [.lossy, .orSingle]) var numbers: [Int] = [1]
      @Field(options: [.lossy, .orSingle]) var words: Set<String> = []
      @Field(options: .orSingle) var strict: [Int] = []
    }
    let (note, report) = try Note.decode(json: #"{"numbers": "many", "words": {"a": 1}, "strict": 5}"#)
    #expect(note.numbers.isEmpty && note.words.isEmpty && note.strict == [5])
    #expect(report.entries(.dropped).map(\.path.description) == ["numbers", "words"])
    #expect(report.entries(.dropped).first?.found == #"Expected Int, but found text "many"."#)
    #expect(report.entries(.single).map(\.path.description) == ["strict"])
    #expect(throws: DecodingError.self) { try Note(json: #"{"strict": "many"}"#) }
  }

  @Test func singleValuesOfADictionaryAreArrays() throws {
    struct Teams: Model {
      @Field(options: .orSingle) var parts: [String: [Part]] = [:]
      @Field(options: .orSingle) var labels: [Int: [String]]?
    }
    let text = #"{"parts": {"a": {"speed": 1}, "b": [{"speed": 2}]}, "labels": {"1": "red", "2": []}}"#
    let (teams, report) = try Teams.decode(json: text)
    #expect(teams.parts.mapValues { $0.map(\.speed) } == ["a": [1], "b": [2]])
    #expect(teams.labels == [1: ["red"], 2: []])
    #expect(Set(report.entries(.single).map(\.path.description)) == ["parts.a", "labels.1"])
    #expect(report.entries(.single).map(\.description).contains("parts.a: wrapped a single value in a collection"))
  }

  @Test func byDefaultASingleValueIsNotAnArrayAndABadElementFails() throws {
    #expect(throws: DecodingError.self) { try Garage(json: #"{"strict": {"speed": 1}}"#) }
    let error = try requireError(DecodingError.self) { try Garage(json: #"{"strict": [{}, {"speed": []}]}"#) }
    #expect((error.context?.underlyingError as? ModelError)?.path.description == "strict[1].speed")
  }

  @Test func unknownCasesKeepTheirRawValueAndAreReported() throws {
    let (car, report) = try Car.decode(json: #"{"color": "blue", "level": "9"}"#)
    #expect(car.color.value == nil && car.color.rawValue == "blue" && car.level?.rawValue == 9)
    #expect(
      report.entries(.unknownCase).map(\.description)
        == ["color: kept unknown case \"blue\"", "level: kept unknown case 9"])
    #expect(String(decoding: try car.json(), as: UTF8.self) == #"{"color":"blue","level":9}"#)
    let known = try Car(json: #"{"color": "green"}"#)
    #expect(known.color == .green && known.color != .red)
  }

  @Test func eachFindingIsOneLineWhateverTheKeysAre() throws {
    struct Empty: Model {
      @Field var parts: [String: Int] = [:]
    }
    let text = #"{"a\nb": 1, "parts": {"c\r\nd": "2"}}"#
    let report = try Empty.decode(json: text).report
    #expect(Set(report.entries.map(\.path.description)) == [#""a\nb""#, #"parts."c\r\nd""#])
    #expect(report.description.split(whereSeparator: \.isNewline).count == 2, "\(report)")
  }

  @Test func unknownKeysAreReportedAtTheirPlaces() throws {
    let report = try Garage.decode(json: #"{"wheels": 4, "strict": [{"speed": 1, "colour": 2}]}"#).report
    #expect(Set(report.entries(.unknownKey).map(\.path.description)) == ["wheels", "strict[0].colour"])
  }

  @Test func keysOfAnObjectThatAFieldReadsWholeAreKnown() throws {
    let profile = try Profile(json: #"{"user": {"name": "Ada", "city": "Kiel"}}"#, mode: .strict)
    #expect(profile.name == "Ada" && profile.all == ["name": "Ada", "city": "Kiel"])
    #expect(throws: ModelError.self) { try Profile(json: #"{"user": {"name": "Ada"}, "city": "Kiel"}"#, mode: .strict) }
  }

  @Test func strictModeThrowsTheWholeReport() throws {
    let text = #"{"speed": "1", "x": 2}"#
    let error = try requireError(ModelError.self) { try Part(json: text, mode: .strict) }
    #expect(error.code == .notStrict && error.report.entries.map(\.kind) == [.coercion, .unknownKey])
    #expect(try Part(json: #"{"speed": 1}"#, mode: .strict).speed == 1)
    #expect(throws: ModelError.self) { try [Part](json: "[{}]", mode: .strict) }
  }

  @Test func anyDecoderReportsToACollector() throws {
    let decoder = PropertyListDecoder()
    let collector = ReportCollector()
    decoder.userInfo[.reportCollector] = collector
    let list = try PropertyListEncoder().encode(["speed": "12"])
    #expect(try decoder.decode(Part.self, from: list).speed == 12)
    #expect(collector.report.entries.map(\.kind) == [.coercion])
  }

  @Test(arguments: [#"{"ids": [null]}"#, #"{"days": [null]}"#, #"{"seconds": [null]}"#])
  func nullWhereAValueIsRequiredIsAMissingValue(text: String) throws {
    struct Lists: Model {
      @Field var ids: [Int] = []
      @Field var days: [Date] = []
      @Field(as: .each(.unixSeconds)) var seconds: [Date] = []
    }
    let errors = [
      try requireError(DecodingError.self) { try Lists(json: text) },
      try requireError(DecodingError.self) { try JSONDecoder().decode(Lists.self, from: Data(text.utf8)) },
    ]
    for error in errors {
      guard case .valueNotFound = error else {
        Issue.record("another error: \(error)")
        continue
      }
    }
  }
}

extension DecodingError {
  /// The context of the error, whatever its case.
  var context: Context? {
    switch self {
    case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }
}
