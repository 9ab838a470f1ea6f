import Foundation
import ModelMapping
import Testing
import ThrownErrors

private struct Clash: Model {
  @Field("id") var carID = ""
  @Field("id") var plate = ""
}

private struct StoredClash: Model {
  @Field(json: "a", stored: "x") var first = 0
  @Field(json: "b", stored: "x") var second = 0
}

private struct ReadClash: Model {
  @Field("id", options: .readOnly) var number = 0
  @Field("id") var text = ""
}

private struct Crossing: Model {
  @Field("id", options: .readOnly) var earlier = 0
  @Field("id", options: .writeOnly) var later = 0
}

private struct Empty: Model {
  @Field("") var nothing = 0
  @Field(json: []) var none = 0
}

private struct Around: Model {
  @Field("profile") var profile: [String: String] = [:]
  @Field("profile", "name") var name = ""
}

private struct Allowed: Model {
  @Field("profile", options: .readOnly) var profile: [String: String] = [:]
  @Field("profile", "name") var name = ""
}

private struct Inside: Model {
  @Field("profile") var profile: [String: String] = [:]
  @Field("profile", "born", as: .iso8601) var born = Date()
}

private struct ReadInside: Model {
  @Field("profile") var profile: [String: String] = [:]
  @Field("profile", "born", as: .iso8601, stored: nil, options: .readOnly) var born = Date.distantPast
}

private struct ReadBelow: Model {
  @Field("profile", "name", options: .readOnly) var name = ""
  @Field("id") var id = 1
}

// The test uses its instances in one task only.
private final class Changing: Model, @unchecked Sendable {
  @TaskLocal static var createsAnother = false
  @Field var name = ""

  init() { if Changing.createsAnother { _ = Field(wrappedValue: 1) } }
}

// The test uses its instances in one task only.
private final class Consulting: Model, @unchecked Sendable {
  @TaskLocal static var readsAnother = false
  @Field var name = ""

  init() { if Consulting.readsAnother { _ = Result { try Plan(json: #"{"first": "a"}"#) } } }
}

private struct Plan: Model {
  @Field var first = ""
  @Field var second = ""
}

private struct Borrowing: Model {
  static let shared = Field(wrappedValue: 1)
  @Field var count = 0

  init() { _count = Borrowing.shared }
}

private struct OneWay: Model {
  @Field(as: FieldConverter(reading: { (text: String) in text.count })) var length = 0
}

private struct OneWayAllowed: Model {
  @Field(as: FieldConverter(reading: { (text: String) in text.count }), options: .readOnly) var length = 0
}

private struct WritingOnly: Model {
  @Field(as: FieldConverter(writing: { (length: Int) in "\(length)" })) var length = 0
}

private struct WritingOnlyAllowed: Model {
  @Field(as: FieldConverter(writing: { (length: Int) in "\(length)" }), options: .writeOnly) var length = 4
}

private struct NoWay: Model {
  @Field(options: [.readOnly, .writeOnly]) var length = 0
}

private struct Plain: Model {
  @Field var name = ""
  var level = 1
  var computed: Int { level }
}

private struct Helper: Sendable {}

private struct WithHelper: Model {
  @Field var name = ""
  var helper = Helper()
}

private struct Hidden: Model, CustomReflectable {
  @Field var name = ""
  var customMirror: Mirror { Mirror(self, children: []) }
}

private enum Answer: Model {
  case yes(Int)
  case no

  init() { self = .no }
}

@Suite struct DeclarationTests {
  private func problem<M: Model>(_ type: M.Type) throws -> String {
    let read = try requireError(ModelError.self) { try M(json: "{}") }
    let written = Result { try M().json() }
    #expect(throws: (any Error).self) { try written.get() }
    #expect(read.code == .invalidDeclaration && "\(written)".contains("\(M.self)"))
    return read.message
  }

  @Test func twoFieldsWithOneKeyAreNamed() throws {
    #expect(try problem(Clash.self).contains("carID and plate have the same key, id"))
    #expect(try problem(StoredClash.self).contains("first and second have the same key, x"))
    #expect(try problem(ReadClash.self).contains("number and text have the same key, id"))
  }

  @Test func elementsOfAMistakenTypeAreNotLeftOut() throws {
    struct Many: Model {
      @Field(options: .lossy) var all: [Clash] = []
    }
    let error = try requireError(ModelError.self) { try Many(json: #"{"all": [{}]}"#) }
    #expect(error.code == .invalidDeclaration)
  }

  @Test func oneKeyMayBeReadIntoOneFieldAndWrittenFromAnother() throws {
    var model = try Crossing(json: #"{"id": 1}"#)
    model.later = 2
    #expect(model.earlier == 1)
    #expect(String(decoding: try model.json(), as: UTF8.self) == #"{"id":2}"#)
  }

  @Test func anEmptyPathIsNamed() throws {
    let problem = try problem(Empty.self)
    #expect(problem.contains("nothing has an empty") && problem.contains("none has an empty"))
  }

  @Test func overlappingFieldsAreAMistakeUnlessOneIsOnlyRead() throws {
    #expect(try problem(Around.self).contains("the key of one of profile and name contains the key of the other"))
    let model = try Allowed(json: #"{"profile": {"name": "Ada"}}"#)
    #expect(model.profile == ["name": "Ada"] && model.name == "Ada")
    #expect(String(decoding: try model.json(), as: UTF8.self) == #"{"profile":{"name":"Ada"}}"#)
  }

  @Test func aFieldInsideOfAnotherOneIsReadableInStorageIfTheAdviceIsFollowed() throws {
    #expect(try problem(Inside.self).contains("at profile; mark one of them .readOnly, with stored: nil"))
    let model = try ReadInside(json: #"{"profile": {"born": "1970-01-01T00:00:00Z"}}"#)
    #expect(model.born == Date(timeIntervalSince1970: 0))
    let encoder = PropertyListEncoder()
    encoder.userInfo[.modelKeys] = ModelKeys.stored
    let decoder = PropertyListDecoder()
    decoder.userInfo[.modelKeys] = ModelKeys.stored
    let copy = try decoder.decode(ReadInside.self, from: encoder.encode(model))
    #expect(copy.profile == model.profile && copy.born == .distantPast)
  }

  @Test func aReadingConverterIsAMistakeUnlessTheFieldIsOnlyRead() throws {
    // A field that is only read is not stored either, so the other advice comes first.
    let advice = "cannot write; use another or keep the field out of stores with .readOnly"
    #expect(try problem(OneWay.self).contains("the converter of length " + advice))
    #expect(try OneWayAllowed(json: #"{"length": "four"}"#).length == 4)
    #expect(String(decoding: try OneWayAllowed().json(), as: UTF8.self) == "{}")
  }

  @Test func aWritingConverterIsAMistakeUnlessTheFieldIsOnlyWritten() throws {
    #expect(
      try problem(WritingOnly.self).contains(
        "the converter of length cannot read; use another or mark the field .writeOnly"))
    #expect(try WritingOnlyAllowed(json: #"{"length": "5"}"#).length == 4)
    #expect(String(decoding: try WritingOnlyAllowed().json(), as: UTF8.self) == #"{"length":"4"}"#)
  }

  @Test func aFieldThatIsNeitherReadNorWrittenIsAMistake() throws {
    #expect(try problem(NoWay.self).contains("length is both .readOnly and .writeOnly"))
  }

  @Test func aPropertyThatWouldBeLostIsAMistakeAndAHelperIsNot() throws {
    #expect(try problem(Plain.self).contains("level is neither a @Field nor @Ignored"))
    #expect(try WithHelper(json: #"{"name": "x"}"#).name == "x")
  }

  @Test func anEnumerationAsAModelIsAMistake() throws {
    #expect(try problem(Answer.self).contains("an enum has no fields; let it conform to Codable instead of Model"))
  }

  @Test func anObjectOfFieldsThatAreOnlyReadIsNotWritten() throws {
    let model = try ReadBelow(json: #"{"profile": {"name": "Ada"}, "id": 2}"#)
    #expect(model.name == "Ada")
    #expect(String(decoding: try model.json(), as: UTF8.self) == #"{"id":2}"#)
  }

  @Test func fieldsThatAreNotAlwaysCreatedAreAMistake() throws {
    #expect(try Changing(json: #"{"name": "Ada"}"#).name == "Ada")
    try Changing.$createsAnother.withValue(true) {
      let error = try requireError(ModelError.self) { try Changing(json: "{}") }
      #expect(error.code == .invalidDeclaration && error.message.contains("fields of its init() changed from 1 to 2"))
    }
  }

  @Test func aModelMayReadAnotherOneWhenItIsCreated() throws {
    #expect(try Consulting(json: #"{"name": "Ada"}"#).name == "Ada")
    let bob = try Consulting.$readsAnother.withValue(true) { try Consulting(json: #"{"name": "Bob"}"#) }
    #expect(bob.name == "Bob")
  }

  @Test func aFieldThatWasCreatedElsewhereIsAMistake() throws {
    #expect(Borrowing.shared.wrappedValue == 1)
    #expect(try problem(Borrowing.self).contains("count is not created by init()"))
  }

  @Test func aMirrorThatHidesFieldsIsAMistake() throws {
    #expect(try problem(Hidden.self).contains("custom mirror"))
  }
}
