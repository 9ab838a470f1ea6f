import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing
import ThrownErrors

@Suite struct JSONImportingTests {
  private func imported(
    _ text: String, as types: [String: any (Codable & Sendable).Type] = [:],
    skipping exceptions: GlobalData.ImportExceptions = [], decoder: JSONDecoder = JSONDecoder()
  ) async throws -> (GlobalData, ImportReport) {
    let store = ArchiveFixtures.store()
    return (store, try await store.importJSON(Data(text.utf8), as: types, skipping: exceptions, decoder: decoder))
  }

  private static let digits = Decimal(string: "12345678901234567890123456789012345678") ?? 0

  @Test(
    arguments: [
      ("0", 0), ("-7", -7), ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
      ("18446744073709551615", .uint(.max)),
      ("18446744073709551616", .bigInteger(isNegative: false, magnitude: Data([1, 0, 0, 0, 0, 0, 0, 0, 0]))),
      ("-18446744073709551617", .bigInteger(isNegative: true, magnitude: Data([1, 0, 0, 0, 0, 0, 0, 0, 0]))),
      ("-18446744073709551616", .bigInteger(isNegative: true, magnitude: Data(repeating: 0xff, count: 8))),
      (
        "340282366920938463463374607431768211456",
        .bigInteger(isNegative: false, magnitude: Data([1] + [UInt8](repeating: 0, count: 16)))
      ),
      (
        "-340282366920938463463374607431768211456",
        .bigInteger(isNegative: true, magnitude: Data(repeating: 0xff, count: 16))
      ),
      (
        "-340282366920938463463374607431768211457",
        .bigInteger(isNegative: true, magnitude: Data([1] + [UInt8](repeating: 0, count: 16)))
      ),
      (
        "1000000000000000000000000000",
        .bigInteger(isNegative: false, magnitude: Data(hex: "033b2e3c9fd0803ce8000000"))
      ),
      ("0.5", 0.5), ("-0", -0.0), ("-0.0", -0.0), ("1.0", 1.0), ("1e3", 1000.0), ("1E-2", 0.01), ("0.1", 0.1),
      ("12.50", 12.5), ("5e-324", .double(.leastNonzeroMagnitude)),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
      ("0.000", 0.0), ("10", 10), ("1200e-2", 12.0), ("0e99999999999999999999", 0.0),
      ("0.30000000000000004", 0.30000000000000004),
      (
        "1.2345678901234567890123456789012345678e90",
        .decimal(Decimal(sign: .plus, exponent: 53, significand: Self.digits))
      ),
      (
        "-1234567890123456789012345678901234567.8e-126",
        .decimal(Decimal(sign: .minus, exponent: -127, significand: Self.digits))
      ),
      ("3.14159265358979323846", .decimal(Decimal(string: "3.14159265358979323846") ?? 0)),
      ("true", true), ("false", false), (#""\u00e9\ud83d\ude9a\"\\\/\b\f\n\r\t""#, "é🚚\"\\/\u{8}\u{c}\n\r\t"),
      ("[]", []), ("{}", [:]), ("[1, [2, {\"a\" : null}]]", [1, [2, ["a": nil]]]),
      (#"{"b": 1, "a": 2}"#, ["b": 1, "a": 2]),
    ] as [(String, ArchiveValue)])
  func valuesKeepTheirTypes(text: String, expected: ArchiveValue) async throws {
    let (store, report) = try await imported(" {\"value\" : \(text)} \n")
    #expect(try store.object(ArchiveValue.self, forKey: "value") == expected)
    #expect(report.conversions.isEmpty)
  }

  @Test(
    arguments: [
      (" [1, {\"a\": \"b\"}] ", [1, ["a": "b"]]), ("\"text\"", "text"), ("-1.5\n", -1.5), ("true", true), ("[]", []),
    ] as [(String, ArchiveValue)])
  func aTopLevelValueWithoutKeysBecomesTheEntryRoot(text: String, expected: ArchiveValue) async throws {
    let (store, report) = try await imported(text)
    #expect(try store.object(ArchiveValue.self, forKey: "root") == expected)
    #expect(report.importedKeys == ["root"] && store.allKeys == ["root"])
  }

  @Test func aTopLevelArrayIsReadAsATypeOrRefused() async throws {
    let store = GlobalData.inMemory()
    try await store.importJSON(Data("[1, 2]".utf8), as: ["root": [Int].self])
    #expect(try store.object(forKey: "root") as? [Int] == [1, 2])
    let error = try await requireError(GlobalDataError.self) {
      try await store.importJSON(Data("[{\"a\": 1, \"a\": 2}]".utf8))
    }
    #expect(error.code == .importFailed && error.key == "root")
    #expect(try await store.importJSON(Data("null".utf8)).skipped.map(\.key) == ["root"])
    let types: [String: any (Codable & Sendable).Type] = ["a": Int.self, "b": Int?.self]
    let report = try await store.importJSON(Data(#"{"a": null, "b": null, "c": null, "d": 1}"#.utf8), as: types)
    #expect(report.skipped.map(\.key) == ["a", "b", "c"] && report.importedKeys == ["d"])
    #expect(try store.object(forKey: "root") as? [Int] == [1, 2])
  }

  @Test func aNumberOfTooManyDigitsIsRoundedAndReported() async throws {
    let digits = "0." + String(repeating: "123456789", count: 6)
    let (store, report) = try await imported("{\"pi\": \(digits)}")
    #expect(try store.object(Double.self, forKey: "pi") == Double(digits))
    #expect(report.conversions.map(\.imported) == ["Double"] && report.conversions.first?.stored.contains("54") == true)
  }

  @Test func aTooLargeNumberFailsItsEntry() async throws {
    let (store, report) = try await imported(#"{"huge": [1e999], "good": 1}"#, skipping: .unreadable)
    #expect(store.allKeys == ["good"] && report.skipped.first?.message.contains("too large") == true)
  }

  @Test func aValueIsImportedAsTheTypeOfItsKey() async throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let (store, _) = try await imported(
      #"{"car": {"plate": "B 1", "speed": 5, "isOnline": true}, "login": "2001-01-01T00:00:10Z"}"#,
      as: ["car": Imported.Car.self, "login": Date.self], decoder: decoder)
    #expect(try store.object(forKey: "car") as? Imported.Car == Imported.Car(plate: "B 1", speed: 5, isOnline: true))
    #expect(try store.object(Date.self, forKey: "login") == Date(timeIntervalSinceReferenceDate: 10))
  }

  /// A price in cents, which the app's decoder reads in a currency.
  private struct Price: Codable, Equatable, Sendable {
    static let unit = CodingUserInfoKey(rawValue: "unit")

    var cents: Int

    init(from decoder: any Decoder) throws {
      let unit = Self.unit.flatMap { decoder.userInfo[$0] as? Int } ?? 1
      cents = try decoder.singleValueContainer().decode(Int.self) * unit
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(cents)
    }
  }

  @Test func theSettingsOfTheDecoderApply() async throws {
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .deferredToData
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+", negativeInfinity: "-", nan: "?")
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    if let key = Price.unit { decoder.userInfo[key] = 100 }
    let (store, _) = try await imported(
      #"{"data": [1, 2], "most": "+", "car": {"is_online": true, "plate": "B 1", "speed": 5}, "price": 7}"#,
      as: ["data": Data.self, "most": Double.self, "car": Imported.Car.self, "price": Price.self], decoder: decoder)
    #expect(try store.object(Data.self, forKey: "data") == Data([1, 2]))
    #expect(try store.object(Double.self, forKey: "most") == .infinity)
    #expect(try store.object(Imported.Car.self, forKey: "car")?.isOnline == true)
    #expect(try store.object(Price.self, forKey: "price")?.cents == 700)
  }

  private final class OtherDecoder: JSONDecoder, @unchecked Sendable {
    override func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
      try super.decode(type, from: Data("[8]".utf8))
    }
  }

  @Test func aSubclassOfTheDecoderIsUsedItself() async throws {
    let (store, _) = try await imported("{\"a\": [1]}", as: ["a": [Int].self], decoder: OtherDecoder())
    #expect(try store.object([Int].self, forKey: "a") == [8])
  }

  @Test func eachEntryWithADuplicateKeyIsSkipped() async throws {
    let text = #"{"a": {"x": 1, "x": 2}, "b": {"y": [{"z": 1, "z": 2}]}, "c": {"x": 1}, "d": {"x": 1, "x": 2}}"#
    let (store, report) = try await imported(text, skipping: .unreadable)
    #expect(store.allKeys == ["c"] && report.skipped.map(\.key) == ["a", "b", "d"])
    #expect(report.skipped[1].error?.codingPath.map(\.stringValue) == ["y", "Index 0", "z"])
  }

  @Test func aFileBeyondTheLimitOfTheStoreIsNotRead() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("source.json")
      try Data(#"{"a": 1234567}"#.utf8).write(to: url)
      var configuration = GlobalData.Configuration()
      configuration.limits.maximumFileSize = 10
      let store = GlobalData.inMemory(configuration: configuration)
      let error = try await requireError(GlobalDataError.self) { try await store.importJSON(at: url) }
      #expect(error.code == .fileTooLarge, "\(error)")
    }
  }

  @Test func valuesWithTypesEndBeforeTheNextMember() async throws {
    let (store, _) = try await imported(
      "{ \"a\" : {\"x\": 1} , \"b\":\"},\"\t,\n\"c\" : 7,\"d\" :\n[1, 2] \n} \n",
      as: ["a": [String: Int].self, "b": String.self, "c": Int.self, "d": [Int].self])
    #expect(try store.object(forKey: "a") as? [String: Int] == ["x": 1])
    #expect(try store.object(forKey: "b") as? String == "},")
    #expect(try store.object(forKey: "c") as? Int == 7)
    #expect(try store.object(forKey: "d") as? [Int] == [1, 2])
  }

  @Test func aPlainObjectIsReadByNamingItsType() async throws {
    let (store, _) = try await imported(#"{"car": {"plate": "B 1", "speed": 5, "isOnline": true}}"#)
    #expect(try store.object(Imported.Car.self, forKey: "car")?.plate == "B 1")
  }

  @Test func aDuplicateKeyInATopLevelArrayIsReportedWithItsWholePath() async throws {
    let text = #"[{"a": 0}, {"a": 1, "a": 2}]"#
    let error = try await requireError(GlobalDataError.self) { _ = try await imported(text) }
    #expect(error.key == "root" && error.description.contains("(at [1].a)"), "\(error)")
  }

  @Test(arguments: [
    #"{"plate": "B 1", "speed": 5, "speed": 6, "isOnline": true}"#,
    #"{"plate": "B 1", "speed": 5, "isOnline": true, "other": [{"a": 1, "\u0061": 2}]}"#,
    "{\"plate\": \"B 1\", \"speed\": 5, \"isOnline\": true, \"\u{e9}\": 1, \"e\u{301}\": 2}",
  ])
  func aDuplicateKeyInAnObjectFailsItsEntryWithOrWithoutAType(car: String) async throws {
    for types in [[:], ["car": Imported.Car.self]] as [[String: any (Codable & Sendable).Type]] {
      let text = "{\"car\": \(car), \"good\": {\"a\": 1}}"
      let error = try await requireError(GlobalDataError.self) { _ = try await imported(text, as: types) }
      #expect(error.message.contains("twice") && error.key == "car" && !error.codingPath.isEmpty, "\(error)")
      #expect(error.advice.contains("Remove one of the two"))  // no type could read it
      let (store, report) = try await imported(text, as: types, skipping: .unreadable)
      #expect(store.allKeys == ["good"] && report.skipped.map(\.key) == ["car"])
    }
  }

  @Test func aTooLargeNumberMattersOnlyIfItIsStored() async throws {
    let text = #"{"car": {"plate": "B 1", "speed": 5, "isOnline": true, "other": [1, {"mass": 1e999}]}}"#
    let (_, report) = try await imported(text, as: ["car": Imported.Car.self])
    #expect(report.importedKeys == ["car"])
    let error = try await requireError(GlobalDataError.self) { _ = try await imported(text) }
    #expect(error.codingPath.map(\.stringValue) == ["other", "Index 1", "mass"], "\(error)")
  }

  @Test func aTooLargeNumberIsNotReportedAsInvalidJSON() async throws {
    let types: [any (Codable & Sendable).Type] = [Double.self, Float.self, Int.self, Decimal.self, [Double].self]
    for type in types {
      let text = type == [Double].self ? #"{"a": [1, 1e400]}"# : #"{"a": 1e400}"#
      let error = try await requireError(GlobalDataError.self) { _ = try await imported(text, as: ["a": type]) }
      #expect(error.message.contains("1e400") && !error.message.contains("valid JSON"), "\(error)")
    }
  }

  @Test func theErrorLocatesInvalidJSON() async throws {
    let error = try await requireError(GlobalDataError.self) {
      _ = try await imported("{\"a\": 1,\n \"list\": [1, x]}")
    }
    #expect(error.message.contains("line 2, column 14") && error.codingPath.count == 2, "\(error)")
  }

  @Test(arguments: [String.Encoding.utf8, .utf16BigEndian, .utf16LittleEndian, .utf32BigEndian])
  func oneByteOrderMarkIsSkippedAndASecondIsAnError(encoding: String.Encoding) async throws {
    let store = ArchiveFixtures.store()
    let one = try #require("\u{feff}{\"a\": \"\u{e9}\"}".data(using: encoding))
    #expect(try await store.importJSON(one).importedKeys == ["a"])
    #expect(try store.object(String.self, forKey: "a") == "\u{e9}")
    let two = try #require("\u{feff}\u{feff}{\"a\": 1}".data(using: encoding))
    await #expect(throws: GlobalDataError.self) { try await store.importJSON(two) }
  }

  @Test(arguments: [
    "", " ", "[1", "[1]2", "tru", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{\"a\":1}x", "{a:1}",
    "{\"a\":01}",
    "{\"a\":+1}",
    "{\"a\":.5}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":1e+}", "{\"a\":-}", "{\"a\":1-2}", "{\"a\":1.5.5}", "{\"a\":00}",
    "{\"a\":tru}", "{\"a\":NaN}", "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}",
    "{\"a\":\"\\ud800\"}",
    "{\"a\":\"\\u12g4\"}", "{\"a\":[1 2]}", "{\"a\":{\"b\":1,\"b\":2}}", "{\"a\":1,\"a\":2}",
    "{\"a\":" + String(repeating: "[", count: 100_000),
  ])
  func textThatIsNotJSONIsRefused(text: String) async throws {
    let error = try await requireError(GlobalDataError.self) { _ = try await imported(text) }
    #expect(error.code == .importFailed && error.fileURL == nil)
  }
}
