import Foundation
import KeyedArchive
import TestSupport
import Testing

/// A tree as JSON, in diagnostic notation, and with other coders.
@Suite struct ArchiveValueTextTests {
  private static let mapAsKey = ArchiveValue.map([.init(key: 1, value: "x")])

  @Test(
    arguments: [
      (nil, "null"), (.undefined, "null"), (true, "true"), (-5, "-5"), (.uint(.max), "18446744073709551615"),
      (.bigInteger(isNegative: true, magnitude: Data(hex: "ffffffffffffffff")), "-18446744073709551616"),
      (1.5, "1.5"), (.double(.nan), #""NaN""#), (.double(-.infinity), #""-Infinity""#),
      (.decimal(Decimal(sign: .minus, exponent: -2, significand: 12_345)), "-123.45"),
      ("a\"\\\n\r\t\u{1}/\u{e9}", #""a\"\\\n\r\t\u0001/é""#), (.data(Data([0xff, 0])), #""/wA=""#),
      (.date(Date(timeIntervalSince1970: 0)), #""1970-01-01T00:00:00Z""#),
      (.date(Date(timeIntervalSince1970: 0.5)), #""1970-01-01T00:00:00.500Z""#),
      (.date(Date(timeIntervalSinceReferenceDate: 1e300)), "1e+300"), ([1, [], [:]], "[1,[],{}]"),
      (["b": 1, "a": [true, nil]], #"{"b":1,"a":[true,null]}"#), (.set([1]), "[1]"), (.tagged(24, "x"), #""x""#),
      (.numbers(tag: 64, bytes: Data([1, 2])), "[1,2]"), (object("Car", ["x": 1]), #"{"x":1}"#),
      (
        .map([.init(key: 1, value: 2), .init(key: "a", value: 3), .init(key: mapAsKey, value: 4)]),
        #"{"1":2,"a":3,"{1: \"x\"}":4}"#
      ),
    ] as [(ArchiveValue, String)])
  func aTreeIsExportedAsJSON(value: ArchiveValue, json: String) {
    #expect(value.json() == json)
  }

  @Test func prettyJSONIsIndented() {
    let value: ArchiveValue = ["a": [1, ["b": true]], "c": [], "d": [:]]
    let expected = """
      {
        "a": [
          1,
          {
            "b": true
          }
        ],
        "c": [],
        "d": {}
      }
      """
    #expect(value.json(isPretty: true) == expected)
  }

  @Test func keysInKeysDoNotGrowWithoutEnd() throws {
    let nested = (0..<200).reduce(ArchiveValue.int(0)) { value, _ in .map([.init(key: value, value: 0)]) }
    #expect(nested.json().count < 100_000)
    #expect(nested.diagnostic.count < 10_000)
  }

  @Test(
    arguments: [
      (object("Car", ["plate": "B 1"]), #"27(["Car", {"plate": "B 1"}])"#),
      (object("Car", version: 2, [:]), #"27(["Car", {}, 2])"#),
      (.named("Weekday", version: 1, "monday"), #"27(["Weekday", "monday"])"#),
      (.decimal(Decimal(sign: .minus, exponent: -2, significand: 12_345)), "4([-2, -12345])"),
      (.decimal(.nan), #"27(["Decimal", "NaN"])"#),
      (.date(Date(timeIntervalSinceReferenceDate: 0.1)), #"27(["Date", 0.1])"#), (.set([1, "x"]), #"258([1, "x"])"#),
      (.numbers(tag: 64, bytes: Data([1, 2])), "64(h'0102')"), (.data(Data()), "h''"),
      (["x": .undefined], #"{"x": undefined}"#),
      (.map([.init(key: mapAsKey, value: [3])]), #"{{1: "x"}: [3]}"#), (.tagged(6, .simple(1)), "6(simple(1))"),
    ] as [(ArchiveValue, String)])
  func aTreeIsShownInDiagnosticNotation(value: ArchiveValue, text: String) {
    #expect(value.diagnostic == text)
    #expect(value.description == text)
  }

  @Test func aURLWithABaseIsShownAsItIsStored() throws {
    let url = try #require(URL(string: "c", relativeTo: URL(string: "https://a.example/")))
    #expect(ArchiveValue.url(url).diagnostic == #"27(["URL", ["c", 32("https://a.example/")]])"#)
  }

  @Test func otherCodersReadAndWriteATree() throws {
    let json =
      #"{"array":[1,-2.5,true,null,"x"],"big":18446744073709551615,"bigger":340282366920938463463374607431768211455}"#
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let tree = try JSONDecoder().decode(ArchiveValue.self, from: Data(json.utf8))
    #expect(tree["array"] == [1, -2.5, true, nil, "x"])
    #expect(tree["big"] == .uint(.max))
    #expect(tree["bigger"] == .bigInteger(isNegative: false, magnitude: Data(repeating: 0xff, count: 16)))
    #expect(try String(decoding: encoder.encode(tree), as: UTF8.self) == json)
    let model = try JSONDecoder().decode(ArchiveValue.self, from: JSONEncoder().encode(Garage.sample))
    #expect(try JSONDecoder().decode(Garage.self, from: JSONEncoder().encode(model)) == .sample)
  }
}
