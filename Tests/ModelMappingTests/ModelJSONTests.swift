import Foundation
import ModelMapping
import Testing

private struct Member: Model, Equatable {
  var level = 1
  var name = ""
}

@Suite struct ModelJSONTests {
  @Test func aModelIsReadFromJSON() throws {
    let member = try Member(json: Data(#"{"level": 7, "name": "Ada"}"#.utf8))
    #expect(member == Member(level: 7, name: "Ada"))
  }

  @Test func aModelIsWrittenAsJSONWithSortedKeys() throws {
    let text = String(decoding: try Member(level: 7, name: "a/b").json(), as: UTF8.self)
    #expect(text == #"{"level":7,"name":"a/b"}"#)
  }

  @Test func aListIsReadFromTheTopLevelAndFromAnEnvelope() throws {
    let list = #"[{"level": 1, "name": "Ada"}, {"level": 2, "name": "Bob"}]"#
    let expected = [Member(level: 1, name: "Ada"), Member(level: 2, name: "Bob")]
    #expect(try [Member](json: Data(list.utf8)) == expected)
    #expect(try [Member](json: Data(#"{"body": {"data": \#(list)}}"#.utf8), at: "body", "data") == expected)
  }

  @Test func aMissingEnvelopeKeyIsNamed() throws {
    let error = #expect(throws: DecodingError.self) {
      try [Member](json: Data(#"{"body": {}}"#.utf8), at: "body", "data")
    }
    guard case .keyNotFound(let key, let context) = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
    #expect(key.stringValue == "data")
    #expect(context.codingPath.map(\.stringValue) == ["body"])
  }
}
