import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Errors name the requested type, the stored value, and the path.
@Suite struct ErrorMessageTests {
  @Test(arguments: [
    ("05", "the integer 5"), ("20", "the integer -1"), ("3bffffffffffffffff", "the integer -18446744073709551616"),
    ("43 010203", "bytes"), ("63 616263", "text"), ("81 05", "an array"), ("a0", "a map"), ("f5", "a Boolean"),
    ("f6", "null"), ("f7", "null"), ("f93e00", "the number 1.5"), ("e0", "a simple value"), ("c1 00", "a date"),
    ("c0 6161", "a date"), ("c2 41 05", "a big integer"), ("c4 82 00 05", "a decimal number"), ("d820 6161", "a URL"),
    ("d825 50 00000000000000000000000000000000", "a UUID"), ("d90102 80", "a set"), ("d840 40", "an array of numbers"),
    ("d81b 82 63 436172 a0", "a value of type Car"), ("d863 00", "an item with tag 99"),
    ("d90100 82 63 616263 d81900", "an array"), ("d81c f5", "a Boolean"),
  ])
  func theStoredValueIsNamed(bytes: String, stored: String) throws {
    let complaint = try complaint {
      stored == "a UUID"
        ? try decode([String: URL].self, "a1 61 6b" + bytes)
        : try decode([String: UUID].self, "a1 61 6b" + bytes) as Any
    }
    #expect(complaint.kind == (stored == "null" ? .valueNotFound : .typeMismatch))
    #expect(complaint.path == "k")
    let wanted = stored == "a UUID" ? "URL" : "UUID"
    #expect(complaint.message == "Expected \(wanted), but found \(stored).")
  }

  @Test func aMissingFieldIsNamedWithItsPath() throws {
    let data = try KeyedArchiveEncoder().encode(
      ["owner": "Ada", "cars": [["plate": "B 1", "speed": 1, "isOnline": true], ["plate": "B 2", "speed": 2]]]
        as ArchiveValue)
    let complaint = try complaint { try KeyedArchiveDecoder().decode(Garage.self, from: data) }
    #expect(
      complaint == Complaint(kind: .keyNotFound, path: "cars.1", message: #"There is no value for "isOnline"."#))
  }

  @Test func aWrongFieldIsNamedWithItsPath() throws {
    let tree: ArchiveValue = [
      "owner": "Ada", "cars": [], "branches": [],
      "slotsByLevel": [
        "top": [["number": 1], ["number": 2, "car": ["plate": "B 1", "speed": "fast", "isOnline": true]]]
      ],
    ]
    let data = try KeyedArchiveEncoder().encode(tree)
    let complaint = try complaint { try KeyedArchiveDecoder().decode(Garage.self, from: data) }
    #expect(
      complaint
        == Complaint(
          kind: .typeMismatch, path: "slotsByLevel.top.1.car.speed",
          message: "Expected Int, but found text.")
    )
  }

  @Test func pathsOfDictionariesShowTheirKeys() throws {
    #expect(try complaint { try decode([Int: [String]].self, "a2 01 80 05 81 01") }.path == "5.0")
    #expect(try complaint { try decode([Weekday: Int].self, "a1 66 6d6f6e646179 6161") }.path == "monday")
    #expect(try complaint { try decode([Int: Int].self, "a1 f5 00") }.path == "")  // the key itself
  }

  @Test func malformedBytesInsideAValueAreReportedWithTheirOffset() {
    let error = expectFailure(.malformed) { try decode([String: [String]].self, "a1 6161 82 6162 61ff") }
    #expect(error?.codingPath.map(\.stringValue) == ["a", "Index 1"])
    #expect(error?.description.hasSuffix("text that is not valid UTF-8, at byte 7. At a[1].") == true)
  }

  @Test func aTypeWhoseInitializerRefusesKeepsItsOwnError() throws {
    struct Refusal: Error {}
    struct Picky: Codable {
      init() {}
      init(from decoder: any Decoder) throws { throw Refusal() }
      func encode(to encoder: any Encoder) throws { throw Refusal() }
    }
    #expect(throws: Refusal.self) { try decode([Picky].self, "81 00") }
    #expect(throws: Refusal.self) { try encodedHex(["a": [Picky()]]) }
    #expect(throws: Refusal.self) { try KeyedArchiveEncoder().encode([1, Picky()] as [any Sendable]) }
  }

  @Test func misuseOfAnEncoderIsAnError() throws {
    let mixing = Scripted { encoder in
      var map = encoder.container(keyedBy: AnyKey.self)
      try map.encode(1, forKey: "a")
      var array = encoder.unkeyedContainer()
      try array.encode(2)
    }
    let error = expectFailure(.invalidEncoding) { try encodedHex(["k": mixing]) }
    #expect(error?.message == "One encode(to:) requested two kinds of container; the second is unkeyed.")
    #expect(error?.codingPath.map(\.stringValue) == ["k"])
    let twice = Scripted { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    }
    expectFailure(.invalidEncoding) { try encodedHex([twice]) }
    let single = Scripted { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      _ = encoder.container(keyedBy: AnyKey.self)
    }
    expectFailure(.invalidEncoding) { try encodedHex([single]) }
  }

  @Test func userInfoAndPathsReachTheTypes() throws {
    struct Witness: Codable {
      var path: String

      init() { path = "" }

      init(from decoder: any Decoder) throws {
        let key = try #require(CodingUserInfoKey(rawValue: "greeting"))
        let greeting = decoder.userInfo[key] as? String ?? "none"
        path = greeting + " " + decoder.codingPath.map(\.stringValue).joined(separator: ".")
      }

      func encode(to encoder: any Encoder) throws {
        let key = try #require(CodingUserInfoKey(rawValue: "greeting"))
        #expect(encoder.userInfo[key] as? String == "hello")
        #expect(encoder.codingPath.map(\.stringValue) == ["a", "Index 1"])
        var container = encoder.singleValueContainer()
        try container.encode(1)
      }
    }
    let key = try #require(CodingUserInfoKey(rawValue: "greeting"))
    let data = try KeyedArchiveEncoder(userInfo: [key: "hello"]).encode(["a": [nil, Witness()]])
    let copy = try KeyedArchiveDecoder(userInfo: [key: "hi"]).decode([String: [Witness?]].self, from: data)
    #expect(copy["a"]?[1]?.path == "hi a.Index 1")
  }
}
