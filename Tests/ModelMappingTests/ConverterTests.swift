import Foundation
import ModelMapping
import Testing
import ThrownErrors

private enum Gear: Int {
  case first = 1
  case second
}

extension Gear: Sendable {}

private struct Converted: Model {
  @Field(as: .unixSeconds) var seconds = Date(timeIntervalSince1970: 0)
  @Field(as: .unixMilliseconds) var milliseconds = Date(timeIntervalSince1970: 0)
  @Field(as: .iso8601) var iso = Date(timeIntervalSince1970: 0)
  @Field(as: .iso8601WithFractions) var fractions: Date?
  @Field(as: .date("yyyy-MM-dd HH:mm:ss")) var local = Date(timeIntervalSince1970: 0)
  @Field(as: .url) var url: URL?
  @Field(as: .decimalString) var price = Decimal(0)
  @Field(as: .hex) var hash = Data()
  @Field(as: .base64) var image = Data()
  @Field(as: .rawValue) var gear = Gear.first
  @Field(as: .text) var quoted = 0
  @Field(as: .each(.unixSeconds)) var days: [Date] = []
  @Field(as: .values(.hex)) var hashes: [String: Data] = [:]
}

private struct Note: Model, @unchecked Sendable {
  @Field(as: .secureCoding) var id = NSUUID()
  @Field(as: .secureCoding) var other: NSUUID?
}

private struct Reversed: Model {
  @Field(as: FieldConverter(reading: { String((($0 as String)).reversed()) }, writing: { String($0.reversed()) }))
  var word = ""
}

extension FieldConverter<Set<Int>> {
  fileprivate static var sorted: FieldConverter {
    FieldConverter(reading: { (list: [Int]) in Set(list) }, writing: { $0.sorted() })
  }
}

extension FieldConverter<Converted> {
  fileprivate static var payload: FieldConverter { payload(.lenient) }
  fileprivate static var strictPayload: FieldConverter { payload(.strict) }

  private static func payload(_ mode: DecodingMode) -> FieldConverter {
    FieldConverter(
      reading: { (text: String) in try Converted(json: text, mode: mode) },
      writing: { String(decoding: try $0.json(), as: UTF8.self) })
  }
}

/// A model with a converter that counts how often it is created. Only one test uses it, in one task.
private struct Counting: Model {
  nonisolated(unsafe) static var converters = 0
  @Field(as: .counted) var number: Int? = nil
}

extension FieldConverter<Int> {
  fileprivate static var counted: FieldConverter {
    Counting.converters += 1
    return .text
  }
}

@Suite struct ConverterTests {
  private let text = """
    {"days":[0,86400],"fractions":"2026-03-02T08:41:17.250Z","gear":2,"hash":"00ff0a","hashes":{"a":"01"},\
    "image":"AQI=","iso":"2026-03-02T08:41:17Z","local":"2026-03-02 08:41:17","milliseconds":1700000000123,\
    "price":"12.34","quoted":"24","seconds":1700000000,"url":"https://a.example/b?c=d"}
    """

  @Test func everyConverterReadsAndWritesTheSameText() throws {
    let value = try Converted(json: text)
    let date = Date(timeIntervalSince1970: 1_772_440_877)
    #expect(value.iso == date && value.local == date)
    #expect(value.fractions.map { abs($0.timeIntervalSince(date) - 0.25) < 0.0001 } == true)
    #expect(value.seconds == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(abs(value.milliseconds.timeIntervalSince1970 - 1_700_000_000.123) < 0.0001)
    #expect(value.url == URL(string: "https://a.example/b?c=d") && value.price == Decimal(string: "12.34"))
    #expect(value.hash == Data([0, 255, 10]) && value.image == Data([1, 2]) && value.gear == .second)
    #expect(value.quoted == 24 && value.days.count == 2 && value.hashes == ["a": Data([1])])
    #expect(String(decoding: try value.json(), as: UTF8.self) == text)
  }

  @Test(arguments: ["2026-03-02T08:41:17Z", "2026-03-02T10:41:17+02:00", "2026-03-02T08:41:17.000Z"])
  func aDateOfISO8601IsReadWithAndWithoutFractionsInAnyZone(date: String) throws {
    #expect(try Converted(json: #"{"iso": "\#(date)"}"#).iso == Date(timeIntervalSince1970: 1_772_440_877))
  }

  @Test func numbersAreReadFromTextAndReported() throws {
    let (value, report) = try Converted.decode(json: #"{"seconds": "1700000000", "price": 1.5, "quoted": 24}"#)
    #expect(value.seconds == Date(timeIntervalSince1970: 1_700_000_000) && value.price == 1.5 && value.quoted == 24)
    #expect(report.entries(.coercion).map(\.path.description) == ["seconds", "price", "quoted"])
  }

  @Test(arguments: [
    (#"{"iso": "yesterday"}"#, "iso"), (#"{"local": "2026-13-40 00:00:00"}"#, "local"),
    (#"{"price": "1,5"}"#, "price"), (#"{"hash": "0"}"#, "hash"), (#"{"hash": "0g"}"#, "hash"),
    (#"{"image": "*"}"#, "image"), (#"{"gear": 3}"#, "gear"), (#"{"quoted": "x"}"#, "quoted"),
    (#"{"days": [0, "x"]}"#, "days[1]"), (#"{"seconds": []}"#, "seconds"), (#"{"hashes": {"a": "x"}}"#, "hashes.a"),
  ])
  func anInconvertibleValueIsAnErrorWithItsPath(text: String, path: String) throws {
    let error = try requireError(DecodingError.self) { try Converted(json: text) }
    #expect((error.context?.underlyingError as? ModelError)?.path.description == path)
  }

  @Test func theNamesOfMonthsAreThoseOfTheLocale() throws {
    struct Letter: Model {
      @Field(as: .date("d. MMMM yyyy", locale: Locale(identifier: "de_DE"))) var date = Date(timeIntervalSince1970: 0)
    }
    let letter = try Letter(json: #"{"date": "2. März 2026"}"#)
    #expect(letter.date == Date(timeIntervalSince1970: 1_772_409_600))
    #expect(String(decoding: try letter.json(), as: UTF8.self) == #"{"date":"2. März 2026"}"#)
  }

  @Test func aCustomConverterWorksInBothDirections() throws {
    #expect(try Reversed(json: #"{"word": "abc"}"#).word == "cba")
    #expect(String(decoding: try Reversed(json: #"{"word": "abc"}"#).json(), as: UTF8.self) == #"{"word":"abc"}"#)
  }

  @Test func anErrorInATextInsideAFieldHasThePathOfTheField() throws {
    struct Envelope: Model {
      @Field var quoted = 1
      @Field("body", "payload", as: .payload) var payload = Converted()
    }
    let text = #"{"quoted": 1, "body": {"payload": "{\"quoted\": \"x\"}"}}"#
    let error = try requireError(DecodingError.self) { try Envelope(json: text) }
    let cause = try #require(error.context?.underlyingError as? ModelError)
    #expect(cause.path.description == "body.payload" && cause.location?.offset == 34)
    #expect(cause.message.hasPrefix(#"quoted: "x" cannot be read as Int."#))
  }

  @Test func anErrorOfWritingATextInsideAFieldHasThePathOfTheField() throws {
    struct Envelope: Model {
      @Field("body", "payload", as: .payload) var payload = Converted()
    }
    var envelope = Envelope()
    envelope.payload.seconds = .distantFuture + .infinity
    let error = try requireError(EncodingError.self) { try envelope.json() }
    guard case .invalidValue(_, let context) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["body", "payload"])
    #expect(context.debugDescription == "The date is out of range, or is not a number.")
  }

  @Test func anErrorInATextInsideAFieldIsOneOfItsValue() throws {
    struct Envelope: Model {
      @Field(as: .strictPayload, ifInvalid: Converted()) var payload = Converted()
      @Field(as: .each(.strictPayload), options: .lossy) var list: [Converted] = []
    }
    let text = #"{"payload": "{\"unknown\": 1}", "list": ["{\"unknown\": 1}", "{"]}"#
    let (envelope, report) = try Envelope.decode(json: text)
    #expect(envelope.list.isEmpty && report.entries(.invalid).map(\.path.description) == ["payload"])
    #expect(report.entries(.dropped).map(\.path.description) == ["list[0]", "list[1]"])
  }

  @Test func aConverterIsCreatedOnceForAllModelsOfAType() throws {
    _ = try [Counting](json: "[{}, {}, {}]")
    #expect(Counting.converters == 1)
  }

  @Test func secureCodingObjectsAreReadBackEqual() throws {
    var note = Note()
    note.other = NSUUID()
    let copy = try Note(json: note.json())
    #expect(copy.id.isEqual(note.id) && copy.other?.isEqual(note.other) == true)
    let list = try PropertyListEncoder().encode(note)
    #expect(try PropertyListDecoder().decode(Note.self, from: list).id.isEqual(note.id))
    #expect(try Note(json: #"{"other": null}"#).other == nil)
  }

  @Test(arguments: ["", "AAAA", "bm8="])
  func anInvalidArchiveIsAnError(archive: String) {
    #expect(throws: DecodingError.self) { try Note(json: #"{"id": "\#(archive)"}"#) }
  }

  @Test func theOptionsOfACollectionApplyToItsConvertedElements() throws {
    struct Links: Model {
      @Field(as: .each(.url), options: [.lossy, .orSingle]) var links: [URL] = []
      @Field(as: .each(.each(.hex)), options: .lossy) var hashes: [[Data]]? = nil
      @Field(as: .values(.unixSeconds), options: .lossy) var dates: [String: Date] = [:]
      @Field(as: .sorted, options: .lossy) var sorted: Set<Int> = []
      @Field(as: .each(.url)) var strict: [URL] = []
    }
    let text = #"""
      {"links": ["https://a.example", "http://["], "hashes": [["00", "x"], 1], "dates": {"a": 1, "b": "x"}, "sorted": [2, "x", 1],
      "strict": []}
      """#
    let (links, report) = try Links.decode(json: text)
    #expect(links.links.count == 1 && links.hashes == [[Data([0])]] && links.sorted == [1, 2])
    #expect(links.dates == ["a": Date(timeIntervalSince1970: 1)])
    let dropped = report.entries(.dropped).map(\.path.description)
    #expect(dropped == ["links[1]", "hashes[0][1]", "hashes[1]", "dates.b", "sorted[1]"])
    let single = try Links.decode(json: #"{"links": "https://a.example"}"#)
    #expect(single.value.links.count == 1 && single.report.entries(.single).map(\.path.description) == ["links"])
    #expect(throws: DecodingError.self) { try Links(json: #"{"strict": ["http://["]}"#) }
  }
}
