import Foundation
import ModelMapping
import Testing

private struct Address: Model, Hashable {
  @Field var city = ""
  @Field var zip: Int? = nil
}

private struct Person: Model, Hashable {
  @Field var name = "nobody"
  @Field("a.b") var dotted = 0
  @Field("student", "t", "deep") var deep = 0
  @Field("student", "t", "other") var other = ""
  @Field var address = Address()
  @Field var former: [Address] = []
  @Field var byName: [String: Address] = [:]
  @Field var byNumber: [Int: Address] = [:]
  @Field var places: Set<Address> = []
  @Field var best: Address?
  @Field var numbers: [Int] = []
  @Field var maybe: [Int?] = []
  @Field var table: [[Int]] = []
  @Ignored var note = "draft"
}

private struct Renamed: Model, Equatable {
  @Field("new", formerly: "old", ["older", "deep"]) var value = 0
}

private struct Score: Model, Equatable {
  @Field("score", ifInvalid: -1) var score = 5
  @Field("rank", ifInvalid: nil) var rank: Int?
  @Field("in", "deep", ifInvalid: 9) var deep = 0
}

private struct Partial: Model, Equatable {
  @Field(stored: nil) var token = "none"
  @Ignored(.json) var loaded = 1
  @Ignored(.writing) var serverTime = 2
  @Ignored(.reading) var clientTime = 3
  @Ignored(.storage) var secret: String?
}

@Suite struct FieldTests {
  private let text = """
    {"name": "Ada", "a.b": 1, "student": {"t": {"deep": 2, "other": "x"}}, "address": {"city": "Rom", "zip": 5},
     "former": [{"city": "A"}, {}], "byName": {"k": {"city": "B"}}, "byNumber": {"7": {"city": "C"}},
     "places": [{"city": "D"}, {"city": "D"}], "best": {"zip": 1}, "numbers": [1, 2], "maybe": [1, null],
     "table": [[1], [], [2, 3]], "note": "theirs"}
    """

  @Test func fieldsOfEveryShapeAreReadAndWrittenBack() throws {
    let person = try Person(json: text)
    #expect(person.name == "Ada" && person.dotted == 1 && person.deep == 2 && person.other == "x")
    #expect(person.address.city == "Rom" && person.address.zip == 5)
    #expect(
      person.former.map(\.city) == ["A", ""] && person.byName["k"]?.city == "B" && person.byNumber[7]?.city == "C")
    #expect(person.places.count == 1 && person.best?.zip == 1)
    #expect(person.numbers == [1, 2] && person.maybe == [1, nil] && person.table == [[1], [], [2, 3]])
    #expect(person.note == "draft")
    let written = try person.json()
    #expect(try Person(json: written) == person)
    #expect(!String(decoding: written, as: UTF8.self).contains("note"))
  }

  @Test func aCopyDoesNotShareAndTheOriginalStays() throws {
    let original = try Person(json: text)
    var copy = original
    copy.name = "Bob"
    copy.numbers.append(3)
    copy.address.city = "Oslo"
    #expect(original.name == "Ada" && original.numbers == [1, 2] && original.address.city == "Rom")
    #expect(copy.name == "Bob" && copy.numbers == [1, 2, 3] && copy.address.city == "Oslo")
    #expect(copy != original && Set([original, copy, original]).count == 2)
    copy.dotted += 1
    copy.name += "by"
    #expect(original.dotted == 1 && copy.dotted == 2 && copy.name == "Bobby")
    let first = Person()
    var second = first
    second.name = "x"
    #expect(first.name == "nobody" && first == Person())
  }

  @Test func modelsReadFromOneTextDoNotShareDefaults() throws {
    var two = try [Person](json: "[{}, {}]")
    two[0].former.append(Address())
    two[0].address.city = "x"
    #expect(two[1] == Person())
  }

  @Test(arguments: [(#"{"new": 1, "old": 2}"#, 1), (#"{"old": 2}"#, 2), (#"{"older": {"deep": 3}}"#, 3), ("{}", 0)])
  func formerNamesAreTriedInTheirOrder(text: String, value: Int) throws {
    #expect(try Renamed(json: text).value == value)
  }

  @Test func aFormerPathThroughAnotherValueIsInvalid() throws {
    struct Moved: Model {
      @Field(formerly: ["was", "in", "deep"], ifInvalid: 8) var lenient = 0
    }
    struct Careful: Model {
      @Field(formerly: ["was", "in", "deep"]) var careful = 0
    }
    let text = #"{"was": {"in": "text"}}"#
    let (value, report) = try Moved.decode(json: text)
    #expect(value.lenient == 8)
    #expect(report.entries(.invalid).map(\.path.description) == ["was.in.deep"])
    let line = report.description
    #expect(
      line.hasPrefix("was.in.deep: invalid value (") && line.hasSuffix("), used 8") && !line.contains(".)"), "\(line)")
    #expect(throws: DecodingError.self) { try Careful(json: text) }
    #expect(try Careful(json: #"{"was": {"in": {"deep": 3}}}"#).careful == 3)
  }

  @Test func missingAndInvalidValuesHaveSeparateDefaults() throws {
    #expect(try Score(json: "{}") == Score())
    let score = try Score(json: #"{"score": "many", "rank": [], "in": 3}"#)
    #expect(score.score == -1 && score.rank == nil && score.deep == 9)
    let (value, report) = try Score.decode(json: #"{"score": {}, "rank": 1, "in": {"deep": null}}"#)
    #expect(value.score == -1 && value.rank == 1 && value.deep == 0)
    #expect(report.entries.map(\.kind) == [.invalid, .null])
  }

  @Test func aModelCanBeTheValueForInvalidInput() throws {
    struct Part: Model, Equatable {
      @Field var size = 7
      @Field var name: String?
    }
    struct Machine: Model {
      @Field(ifInvalid: Part()) var part = Part()
      @Field var count = 5
      @Field(ifInvalid: [Part()]) var others: [Part] = []
    }
    final class Plant: Model, @unchecked Sendable {
      @Field(ifInvalid: Part()) var part = Part()
      @Field var machine = Machine()
    }
    let machine = try Machine(json: #"{"part": 3, "count": "6", "others": 1}"#)
    #expect(machine.part == Part() && machine.count == 6 && machine.others == [Part()])
    let text = #"{"machine":{"count":5,"others":[],"part":{"size":2}},"part":{"size":3}}"#
    let plant = try Plant(json: text)
    #expect(plant.part.size == 3 && plant.machine.part.size == 2)
    #expect(String(decoding: try plant.json(), as: UTF8.self) == text)
  }

  @Test func aFieldCanBeLimitedToOneFormatOrDirection() throws {
    let model = try Partial(json: #"{"token": "t", "loaded": 5, "serverTime": 6, "clientTime": 7, "secret": "s"}"#)
    #expect(model.token == "t" && model.loaded == 1 && model.serverTime == 6 && model.clientTime == 3)
    #expect(model.secret == "s")
    #expect(String(decoding: try model.json(), as: UTF8.self) == #"{"clientTime":3,"secret":"s","token":"t"}"#)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.userInfo[.modelKeys] = ModelKeys.stored
    #expect(String(decoding: try encoder.encode(model), as: UTF8.self) == #"{"clientTime":3,"loaded":1}"#)
    let decoder = JSONDecoder()
    decoder.userInfo[.modelKeys] = ModelKeys.stored
    let stored = try decoder.decode(Partial.self, from: Data(#"{"token": "t", "loaded": 8, "secret": "s"}"#.utf8))
    #expect(stored.token == "none" && stored.loaded == 8 && stored.secret == nil)
  }

  #if compiler(>=6.2)
  @Test func aPropertyWithARawIdentifierHasItsNameAsItsKey() throws {
    struct Head: Model {
      @Field var `content-type` = ""
      @Field var `a b c` = 0
      @Ignored(.writing) var `x.y` = 1
    }
    let (head, report) = try Head.decode(json: #"{"content-type": "text", "a b c": 2, "x.y": 3}"#)
    #expect(head.`content-type` == "text" && head.`a b c` == 2 && head.`x.y` == 3 && report.isEmpty)
    #expect(String(decoding: try head.json(), as: UTF8.self) == #"{"a b c":2,"content-type":"text"}"#)
  }
  #endif

  @Test func aModelHasAMemberwiseInitializer() {
    let address = Address(city: "Rom", zip: 4)
    #expect(address.city == "Rom" && address.zip == 4)
  }
}
