import Foundation
import Testing
import ThrownErrors

@testable import ModelMapping

private struct Node: Model {
  @Field var name = ""
  @Field var children: [Node] = []
}

private struct Value: Model {
  @Field var a = 0
  @Field var list: [Int] = []
}

private enum Feature: String, Codable {
  case wifi, radio
}

private struct Equipment: Model {
  @Field var features: [Feature: [Int]] = [:]
}

private struct Bridge: Model {
  @Field("größe", "höhe") var height = 0
}

@Suite struct BadJSONTests {
  @Test(arguments: [
    ("", 0), ("{", 1), ("{\"a\": 1", 7), ("{\"a\": tru}", 6), ("{\n \"a\": 1,,}", 10), ("{\"a\" 1}", 5),
    ("{\"a\": 01}", 7),
    ("{'a': 1}", 1), ("{\"a\": 1} x", 9), ("[1, 2,]", 6), ("{\"a\": -}", 7), ("{\"a\": 1.}", 8),
    ("{\"a\": \"\\x\"}", 8),
    ("{\"a\": \"\u{1}\"}", 7), ("{\"a\": \"\u{1f}\"}", 7), ("{\"a\": \"x", 6), ("{\"a\": NaN}", 6),
    ("{\"a\": \"\\ud800\"}", 7),
    ("{\"a\": \"\\udc00x\"}", 7), ("{\"a\": \"\\udc00\\udc00\"}", 7),
    ("{\"a\": \"\\ud800\\u0041\"}", 7), ("nul", 0), ("}", 0), ("{\"a\": }", 6),
  ])
  func aMalformedTextIsAnErrorWithItsOffset(text: String, offset: Int) throws {
    let error = try requireError(DecodingError.self) { try Value(json: text) }
    let cause = try #require(error.context?.underlyingError as? ModelError)
    #expect(cause.code == .malformedJSON && cause.location?.offset == offset, "\(cause)")
  }

  @Test func theErrorNamesLineColumnAndPath() throws {
    let error = try requireError(DecodingError.self) { try Value(json: "{\"a\": 1,\n \"list\": [1, x]}") }
    let cause = try #require(error.context?.underlyingError as? ModelError)
    #expect(cause.path.description == "list[1]" && cause.location?.line == 2 && cause.location?.column == 14)
    #expect(cause.localizedDescription.hasPrefix(cause.message))
    #expect(cause.localizedDescription.contains(" At list[1]. At line 2, column 14 (byte "))
    #expect("\(cause)" == "malformedJSON: \(cause.localizedDescription)")
  }

  @Test func theReasonOfAConverterEndsBeforeThePath() throws {
    struct Unknown: Error, CustomStringConvertible { let description = "green is not a color" }
    struct Pen: Model {
      @Field(as: FieldConverter(reading: { (_: String) in throw Unknown() }, writing: { "\($0)" })) var color = 0
    }
    let error = try requireError(DecodingError.self) { try Pen(json: #"{"color": "green"}"#) }
    let cause = try #require(error.context?.underlyingError as? ModelError)
    #expect(cause.localizedDescription.hasPrefix("green is not a color. At color. At line 1, "))
    #expect(error.context?.debugDescription.hasPrefix("green is not a color. At line 1, ") == true)
  }

  @Test func aWrongShapeIsAnErrorWithItsPath() throws {
    let text = "{\"a\": 1,\n \"list\": [1, \"x\"]}"
    let error = try requireError(DecodingError.self) { try Value(json: text) }
    let cause = try #require(error.context?.underlyingError as? ModelError)
    #expect(cause.path.description == "list[1]" && cause.location?.line == 2 && cause.location?.column == 14)
    #expect(error.context?.debugDescription.contains("found text \"x\"") == true)
    #expect(throws: DecodingError.self) { try Value(json: "[]") }
    #expect(throws: DecodingError.self) { try Value(json: "3") }
    #expect(throws: DecodingError.self) { try [Value](json: "{}") }
  }

  /// Without the conformance, Swift codes a dictionary as an array, which surprises many users.
  @Test func anObjectWhoseKeysAreAnEnumNamesTheMissingConformance() throws {
    func reason(_ text: String) throws -> String? {
      try requireError(DecodingError.self) { try Equipment(json: text) }.context?.debugDescription
    }
    #expect(try Equipment(json: #"{"features": ["wifi", [1]]}"#).features == [.wifi: [1]])
    let object = try reason(#"{"features": {"wifi": [1]}}"#)
    #expect(object?.contains(" of the type Feature only if it conforms to CodingKeyRepresentable. ") == true)
    #expect(try reason(#"{"features": ["wifi", {"a": 1}]}"#)?.contains("CodingKeyRepresentable") == false)
  }

  @Test(arguments: [
    #"{"a": 1, "a": 2}"#, #"{"a": 1, "\u0061": 2}"#, #"{"x": {"b": 1, "c": 2, "b": 3}, "a": 1}"#,
    // Keys with different bytes that are equal in Swift, and therefore to Foundation's decoder.
    "{\"\u{e9}\": 1, \"e\u{301}\": 2}", "{\"\u{e9}\": 1, \"e\\u0301\": 2}", "{\";\": 1, \"\u{37e}\": 2}",
  ])
  func aDuplicateKeyIsAnError(text: String) throws {
    let error = try requireError(DecodingError.self) { try Value(json: text) }
    let cause = try #require(error.context?.underlyingError as? ModelError)
    #expect(cause.code == .duplicateKey && cause.location != nil && !cause.path.components.isEmpty)
  }

  @Test func theSameKeyInDifferentObjectsIsNotADuplicate() throws {
    #expect(try [Value](json: #"[{"a": 1}, {"a": 2, "list": []}]"#).map(\.a) == [1, 2])
  }

  @Test(arguments: [
    "{\"größe\": {\"höhe\": 3}}", "{\"gro\u{308}ße\": {\"ho\u{308}he\": 3}}",
    "{\"gr\\u00f6\\u00dfe\": {\"h\\u00f6\\u0068e\": 3}}",
  ])
  func aKeyIsFoundInEachSpelling(text: String) throws {
    #expect(try Bridge(json: text).height == 3)
  }

  @Test func everyKindOfSpaceIsAllowed() throws {
    #expect(try Value(json: "\r\n{\t\"a\" :\r5 , \"list\":[ 1\r,2\r\n]\r}\r").list == [1, 2])
  }

  @Test func aTextThatEndsInANumberSaysSo() throws {
    for text in ["{\"a\": 1.", "{\"a\": 1e", "-"] {
      let error = try requireError(DecodingError.self) { try Value(json: text) }
      #expect(error.context?.debugDescription.contains("ends inside a number") == true, "\(error)")
    }
  }

  @Test func invalidTextIsAnErrorWithItsOffset() throws {
    let error = try requireError(DecodingError.self) { try Value(json: Data([0x7b, 0x22, 0xff, 0x22, 0x7d])) }
    #expect((error.context?.underlyingError as? ModelError)?.location?.offset == 2)
    let later = try requireError(DecodingError.self) {
      try Value(json: Data("{\"é\": \"".utf8) + Data([0xff, 0x22, 0x7d]))
    }
    #expect((later.context?.underlyingError as? ModelError)?.location?.offset == 8)
  }

  @Test(arguments: [
    String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian, .utf8,
  ])
  func everyEncodingOfUnicodeIsRead(encoding: String.Encoding) throws {
    let data = try #require(#"{"a": 5}"#.data(using: encoding))
    #expect(try Value(json: data).a == 5)
    #expect(try Value(json: Data([0xef, 0xbb, 0xbf]) + Data(#"{"a": 6}"#.utf8)).a == 6)
  }

  @Test(arguments: [String.Encoding.utf8, .utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf32LittleEndian])
  func oneByteOrderMarkIsSkippedAndASecondIsAnError(encoding: String.Encoding) throws {
    let one = try #require("\u{feff}{\"a\": 5}".data(using: encoding))
    #expect(try Value(json: one).a == 5)
    let two = try #require("\u{feff}\u{feff}{\"a\": 5}".data(using: encoding))
    let error = try requireError(DecodingError.self) { try Value(json: two) }
    let cause = try #require(error.context?.underlyingError as? ModelError)
    #expect(cause.code == .malformedJSON && cause.message.contains("byte order mark"), "\(cause)")
  }

  @Test func manyByteOrderMarksAreAnErrorOnASmallStack() throws {
    let marks = String(repeating: "\u{feff}", count: 100_000)
    try onSmallStack {
      let error = try requireError(DecodingError.self) { try Value(json: marks + "{}") }
      #expect((error.context?.underlyingError as? ModelError)?.code == .malformedJSON)
    }
  }

  @Test func halfOfASurrogatePairInUTF16IsAnError() throws {
    let text = try #require(#"{"x": "?"}"#.data(using: .utf16BigEndian))
    let broken = Data(text.map { $0 == UInt8(ascii: "?") ? 0x00 : $0 })
    let place = try #require(text.lastIndex(of: UInt8(ascii: "?")))
    var bytes = [UInt8](broken)
    bytes[place - 1] = 0xd8
    let error = try requireError(DecodingError.self) { try Value(json: Data(bytes)) }
    #expect((error.context?.underlyingError as? ModelError)?.code == .malformedJSON)
  }

  @Test func nestingIsReadOnASmallStackUpToALimitAndIsAnErrorBeyond() throws {
    @Sendable func nested(_ levels: Int) -> String {
      String(repeating: #"{"name": "n", "children": ["#, count: levels) + "{}" + String(repeating: "]}", count: levels)
    }
    try onSmallStack {
      let node = try Node(json: nested(250))
      let written = try node.json()
      var (levels, next) = (0, Optional(try Node(json: written)))
      while let node = next { (levels, next) = (levels + 1, node.children.first) }
      #expect(levels == 251)
      let again = try JSONDecoder().decode(Node.self, from: written)
      #expect(again.name == "n")
      let error = try requireError(DecodingError.self) { try Node(json: nested(256)) }
      let cause = try #require(error.context?.underlyingError as? ModelError)
      #expect(cause.code == .limitReached && cause.location != nil)
      #expect(throws: DecodingError.self) { try Node(json: String(repeating: "[", count: 1_000_000)) }
    }
  }

  @Test func theTimeForAnErrorDeepInsideDoesNotDoubleWithEachLevel() throws {
    let levels = 200
    let text =
      String(repeating: #"{"children": ["#, count: levels) + #"{"name": []}"# + String(repeating: "]}", count: levels)
    #expect(throws: DecodingError.self) { try Node(json: text) }
  }

  @Test func aTextOfManyKeysIsRead() throws {
    let members = (0..<100_000).map { "\"k\($0)\": 0" }
    #expect(try Value(json: "{" + members.joined(separator: ",") + "}").a == 0)
    let error = try requireError(DecodingError.self) {
      try Value(json: "{" + (members + [members[5], members[7]]).joined(separator: ",") + "}")
    }
    #expect((error.context?.underlyingError as? ModelError)?.path == [.key("k5")])
  }

  /// Runs a function on a thread with the stack that tasks have.
  private func onSmallStack(_ body: @escaping @Sendable () throws -> Void) throws {
    nonisolated(unsafe) var result: Result<Void, any Error>?
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      result = Result(catching: body)
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    try #require(result).get()
  }
}
