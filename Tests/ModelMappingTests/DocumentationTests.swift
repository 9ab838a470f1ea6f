import Foundation
import ModelMapping
import Testing

// The declarations of the articles, as they appear there.

private struct Student: Model {
  @Field("student", "t") var name = ""
  @Field("a.b") var dotted = 0
  @Field(json: ["profile", "mail"], stored: "mail") var mail = ""
  @Field("tel", formerly: "phone", ["contact", "phone"]) var tel = ""
}

private struct Score: Model {
  @Field("points", ifInvalid: -1) var points = 0
  @Field var comment: String? = nil
}

private struct Car: Model {
  @Field var plate = ""
}

private enum Status: String, Codable, Sendable {
  case driving, parked
}

private struct Garage: Model {
  @Field(options: .lossy) var cars: [Car] = []
  @Field(options: .orSingle) var labels: [String] = []
  @Field var status = OpenEnum(Status.parked)
}

private struct Color: Sendable, Equatable {
  struct Invalid: Error {}
  var hex: String

  init(hex: String) throws {
    guard hex.count == 6 else { throw Invalid() }
    self.hex = hex
  }
}

extension FieldConverter<Color> {
  fileprivate static var hex: FieldConverter {
    FieldConverter(reading: { (text: String) in try Color(hex: text) }, writing: { $0.hex })
  }
}

private struct Painted: Model {
  @Field("tint", as: .hex) var tint: Color?
}

private struct Session: Model {
  @Field(stored: nil) var token = ""
  @Ignored(.json) var loadedAt = Date()
  @Ignored(.writing) var serverTime = 0
  @Ignored var isSelected = false
}

private enum Kind: String, Codable, Sendable {
  case car, van
}

/// The right-hand columns of the migration tables.
private struct Migrated: Model {
  @Field var name = ""
  @Field("user_id") var id = ""
  @Field("address", "city") var city = ""
  @Field("a.b") var key = ""
  @Field("t", as: .unixSeconds) var date = Date()
  @Field("iso", as: .iso8601) var iso = Date()
  @Field("day", as: .date("yyyy-MM-dd")) var day = Date()
  @Field(as: .url) var url: URL?
  @Field("d", as: .base64) var data = Data()
  @Field var kind = Kind.car
  @Field var cars: [Car] = []
  @Field(options: .writeOnly) var written = ""
  @Field("tel", formerly: "phone") var tel = ""
  @Ignored var note = ""
}

@Suite struct DocumentationTests {
  @Test func theGuidesDeclarationsWork() throws {
    let student = try Student(
      json: #"{"student": {"t": "Ada"}, "a.b": 3, "profile": {"mail": "a@b"}, "contact": {"phone": "040"}}"#)
    #expect(student.name == "Ada" && student.dotted == 3 && student.mail == "a@b" && student.tel == "040")
    #expect(try Score(json: #"{"points": "many"}"#).points == -1)
    #expect(Score(comment: "good").comment == "good")
    let garage = try Garage(json: #"{"cars": [{}, 3], "labels": "red", "status": "towed"}"#)
    #expect(garage.cars.count == 1 && garage.labels == ["red"] && garage.status.rawValue == "towed")
    #expect(try Painted(json: #"{"tint": "ff0000"}"#).tint == Color(hex: "ff0000"))
    #expect(throws: DecodingError.self) { try Painted(json: #"{"tint": "red"}"#) }
    #expect(try Session(json: #"{"token": "t", "serverTime": 3}"#).serverTime == 3)
  }

  @Test func theMigrationTablesDeclarationsWork() throws {
    let text = """
      {"name": "n", "user_id": 7, "address": {"city": "Rom"}, "a.b": "k", "t": 0, "iso": "1970-01-01T00:00:00Z",
       "day": "1970-01-02", "url": "https://a.example", "d": "AQ==", "kind": "van", "cars": [{"plate": "p"}], "written": "x",
       "phone": "040", "note": "theirs"}
      """
    let model = try Migrated(json: text)
    #expect(model.id == "7" && model.city == "Rom" && model.key == "k" && model.kind == .van && model.tel == "040")
    #expect(model.date == model.iso && model.day.timeIntervalSince(model.date) == 86_400 && model.data == Data([1]))
    #expect(model.cars.first?.plate == "p" && model.written.isEmpty && model.note.isEmpty)
  }

  @Test func theReportPrintsAsInTheArticle() throws {
    struct Part: Model {
      @Field var speed = 0
    }
    struct Garage: Model {
      @Field var count = 0
      @Field(options: .lossy) var parts: [Part] = []
      @Field var name = "nobody"
    }
    let text = #"{"count": "24", "parts": [{"speed": 1}, {"speed": "fast"}, {"speed": 2, "colour": 1}]}"#
    #expect(
      try Garage.decode(json: text).report.description == """
        count: converted text "24" to 24
        parts[1]: left out: speed: Expected Int, but found text "fast".
        parts[2].colour: unknown key
        name: missing, used "nobody"
        """)
  }
}
