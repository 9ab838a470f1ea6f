import Foundation
import KeyedArchive
import ModelMapping
import Testing
import ThrownErrors

private struct Member: Model, Equatable {
  @Field("level") var vipLevel = 1
  @Field var accountID: Int?
  @Field("profile", "nick_name") var nickName = ""
  @Field("registered", as: .unixSeconds) var registered = Date(timeIntervalSince1970: 0)
  @Field("tel", formerly: "phone") var tel = ""
  @Field(json: "id", stored: "memberID") var memberID = ""
  @Ignored var selected = false
}

@Suite struct ModelJSONTests {
  private let text = """
    {"level": 7, "accountID": 12, "profile": {"nick_name": "Ada"}, "registered": 1700000000, "phone": "040", "id": "m1"}
    """

  @Test func aModelIsReadFromJSONAsTextAndAsData() throws {
    let member = try Member(json: text)
    #expect(member.vipLevel == 7 && member.accountID == 12 && member.nickName == "Ada")
    #expect(member.registered == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(member.tel == "040" && member.memberID == "m1" && !member.selected)
    #expect(try Member(json: Data(text.utf8)) == member)
  }

  @Test func anEscapeStandsForItsCharacter() throws {
    let scalars = stride(from: 0 as UInt32, through: 0x10ffff, by: 97).compactMap { Unicode.Scalar($0) }
    let text = String(String.UnicodeScalarView(scalars))
    let escaped = text.utf16.map { "\\u\(String(0x1_0000 + Int($0), radix: 16).dropFirst())" }.joined()
    let member = try Member(json: #"{"tel": "é\b\f\n\r\t\/\"\\"# + escaped + #"ü"}"#)
    #expect(member.tel == "é\u{8}\u{c}\n\r\t/\"\\" + text + "ü")
  }

  @Test func aModelIsWrittenAsJSONWithSortedKeysAndReadsBackEqual() throws {
    let member = try Member(json: text)
    let written = try member.json()
    #expect(
      String(decoding: written, as: UTF8.self) == """
        {"accountID":12,"id":"m1","level":7,"profile":{"nick_name":"Ada"},"registered":1700000000,"tel":"040"}
        """)
    #expect(try Member(json: written) == member)
  }

  @Test func anObjectOfAPathIsWrittenOnlyIfAFieldInItIs() throws {
    struct Weather: Model {
      @Field("rain", "1h") var hour: Double?
      @Field("rain", "at", "city") var city: String?
      @Field("wind", "gust", options: .writesNull) var gust: Int?
      @Field("main", "temp") var temperature = 0
      @Field("sun", "rise", as: .unixSeconds) var sunrise: Date?
    }
    func json(_ weather: Weather) throws -> String { String(decoding: try weather.json(), as: UTF8.self) }
    var weather = Weather()
    #expect(try json(weather) == #"{"main":{"temp":0},"wind":{"gust":null}}"#)
    // A plain type may require the object in storage.
    let encoder = JSONEncoder()
    encoder.userInfo[.modelKeys] = ModelKeys.stored
    #expect(String(decoding: try encoder.encode(weather), as: UTF8.self).contains(#""rain":{"at":{}}"#))
    weather.city = "Rome"
    #expect(try json(weather) == #"{"main":{"temp":0},"rain":{"at":{"city":"Rome"}},"wind":{"gust":null}}"#)
    (weather.city, weather.hour, weather.sunrise) = (nil, 0.5, Date(timeIntervalSince1970: 5))
    let text = #"{"main":{"temp":0},"rain":{"1h":0.5},"sun":{"rise":5},"wind":{"gust":null}}"#
    #expect(try json(weather) == text && json(Weather(json: text)) == text)
  }

  @Test func nilIsWrittenAsNullOnRequestAndInJSONOnly() throws {
    struct Patch: Model, Equatable {
      @Field(options: .writesNull) var name: String?
      @Field("profile", "age", options: .writesNull) var age: Int?
      @Field("seen", as: .unixSeconds, options: .writesNull) var seen: Date?
      @Field(options: .writesNull) var city: String? = "Rome"
      @Field var left: Int?
    }
    var patch = Patch()
    #expect(
      String(decoding: try patch.json(), as: UTF8.self)
        == #"{"city":"Rome","name":null,"profile":{"age":null},"seen":null}"#)
    #expect(
      try KeyedArchiveDecoder().decode(ArchiveValue.self, from: KeyedArchiveEncoder().encode(patch))["name"] == nil)
    patch.name = "Ada"
    (patch.age, patch.seen, patch.city) = (36, Date(timeIntervalSince1970: 5), nil)
    let json = String(decoding: try patch.json(), as: UTF8.self)
    #expect(json == #"{"city":null,"name":"Ada","profile":{"age":36},"seen":5}"#)
    // Null is read as the value from the model's init().
    #expect(try Patch(json: json).city == "Rome")
  }

  // Debian's compilers, 6.0 and 6.2 so far, were built with assertions, which fail for two wrappers.
  #if compiler(>=6.3)
  @Test func aNilOfUnknownTypeIsLeftOut() throws {
    struct Drawing: Model {
      @Field @Polymorphic var background: (any Sendable)? = nil
      @Field(options: .writesNull) @Polymorphic var frame: (any Sendable)? = nil
    }
    var drawing = Drawing()
    #expect(String(decoding: try drawing.json(), as: UTF8.self) == #"{"frame":null}"#)
    let stored = try KeyedArchiveEncoder().encode(drawing)
    #expect(try KeyedArchiveDecoder().decode(ArchiveValue.self, from: stored).object?.fields.isEmpty == true)
    (drawing.background, drawing.frame) = (1, 2)
    #expect(try Drawing(json: drawing.json()).frame as? Int == 2)
    #expect(try Drawing(json: #"{"frame":null}"#).frame == nil)
  }
  #endif

  @Test func aLossyListOfPolymorphicElementsLeavesOutUnknownTypes() throws {
    struct Drawing: Model {
      @Field(options: .lossy) var shapes: [Polymorphic<any Sendable>] = []
    }
    let (drawing, report) = try Drawing.decode(json: #"{"shapes":[{"Int":1},{"Hexagon":{}},{"String":"a"}]}"#)
    #expect(drawing.shapes.count == 2 && drawing.shapes[1].wrappedValue as? String == "a")
    #expect(report.entries(.dropped).map(\.path.description) == ["shapes[1]"])
    let stored = try KeyedArchiveDecoder().decode(Drawing.self, from: KeyedArchiveEncoder().encode(drawing))
    #expect(try stored.json() == drawing.json())
  }

  @Test func anyCoderReadsAndWritesAModel() throws {
    let member = try Member(json: text)
    let json = try JSONEncoder().encode([member])
    #expect(try JSONDecoder().decode([Member].self, from: json) == [member])
    let list = try PropertyListEncoder().encode(["member": member])
    #expect(try PropertyListDecoder().decode([String: Member].self, from: list) == ["member": member])
  }

  @Test func aListIsReadFromTheTopLevelAndFromAnEnvelope() throws {
    let list = #"[{"level": 1, "tel": "a/b"}, {"level": 2}]"#
    let members = try [Member](json: Data(list.utf8))
    #expect(members.map(\.vipLevel) == [1, 2] && members.map(\.tel) == ["a/b", ""])
    #expect(try [Member](json: Data(#"{"body": {"data": \#(list)}}"#.utf8), at: "body", "data") == members)
    #expect(try [Member](json: #"{"body": {"data": \#(list)}}"#, at: "body", "data") == members)
    #expect(try Member(json: #"{"body": {"level": 3}}"#, at: "body").vipLevel == 3)
    let written = String(decoding: try members.json(), as: UTF8.self)
    #expect(written.hasPrefix(#"[{"id":"","level":1,"#) && written.contains("a/b"))
    #expect(try [Member](json: written) == members)
  }

  @Test func aDecimalThatIsNotANumberIsAnErrorWithItsPath() throws {
    struct Price: Codable, Sendable, Equatable {
      var value: Decimal
    }
    struct Prices: Model, Equatable {
      @Field var name = "NaN"
      @Field var list: [Price] = []
    }
    var prices = Prices()
    #expect(try Prices(json: prices.json()) == prices)
    prices.list = [Price(value: 1), Price(value: .nan)]
    let error = try requireError(EncodingError.self) { try prices.json() }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["list", "Index 1", "value"])
  }

  @Test func aMissingEnvelopeKeyIsNamed() throws {
    let error = expectError(DecodingError.self) {
      try [Member](json: Data(#"{"body": {}}"#.utf8), at: "body", "data")
    }
    guard case .keyNotFound(let key, let context) = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
    #expect(key.stringValue == "data")
    #expect(context.codingPath.map(\.stringValue) == ["body"])
  }

  @Test func aModelPrintsLikeOneWithPlainProperties() throws {
    let member = try Member(json: #"{"level": 2, "id": "m"}"#)
    #expect("\(member)".contains("_vipLevel: 2") && "\(member)".contains(#"_memberID: "m""#))
  }
}
