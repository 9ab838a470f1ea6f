import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Optionals of optionals: every level of `nil` is restored as the same level.
@Suite struct OptionalTests {
  private static let twofold: [Int??] = [nil, .some(nil), 5]
  private static let threefold: [Int???] = [nil, .some(nil), .some(.some(nil)), 5]
  private static let texts: [String????] = [nil, .some(nil), .some(.some(nil)), .some(.some(.some(nil))), "x"]

  @Test(arguments: twofold)
  func twoLevelsAreDistinguished(value: Int??) throws {
    try expectRoundTrip(value)
  }

  @Test(arguments: threefold)
  func threeLevelsAreDistinguished(value: Int???) throws {
    try expectRoundTrip(value)
  }

  @Test(arguments: texts)
  func fourLevelsAreDistinguished(value: String????) throws {
    try expectRoundTrip(value)
  }

  @Test func propertiesKeepTheirLevels() throws {
    struct Holder: Codable, Equatable {
      var plain: Int?
      var double: Int??
      var triple: CarInfo???
      var list: [Int??]
      var table: [String: Int??]
      var nested: [Int???]?
    }
    for double in OptionalTests.twofold {
      for triple in [nil, .some(nil), .some(.some(nil)), CarInfo("B 1")] as [CarInfo???] {
        try expectRoundTrip(
          Holder(
            plain: 1, double: double, triple: triple, list: OptionalTests.twofold,
            table: ["a": nil, "b": .some(nil), "c": 5], nested: OptionalTests.threefold))
      }
    }
  }

  @Test func anInnerNilIsReadAsTheNilOfFewerLevels() throws {
    struct Twofold: Encodable {
      var number: Int?? = .some(nil)
      var text: String?? = .some(nil)
      var numbers: [Int]?? = .some(nil)
      var date: Date?? = .some(nil)
      var table: [String: Int]?? = .some(nil)
      var car: CarInfo?? = .some(nil)
    }
    struct Onefold: Decodable, Equatable {
      var number: Int?
      var text: String?
      var numbers: [Int]?
      var date: Date?
      var table: [String: Int]?
      var car: CarInfo?
    }
    let value = try decode(encoded: Twofold()) { try Onefold(from: $0) }
    #expect(value == Onefold())
    let complaint = try complaint { try decode(encoded: ["number": "text"]) { try Onefold(from: $0) } }
    #expect(complaint.message == "Expected Int, but found text." && complaint.path == "number")
  }

  @Test func onlyAnInnerNilNeedsAName() throws {
    #expect(try encodedHex(Int?.none) == "f6")
    #expect(try encodedHex(Int?.some(5)) == "05")
    #expect(try encodedHex(Int??.some(.some(5))) == "05")
    #expect(try encodedHex(Int??.some(nil)) == hex("d81b 82 68 4f7074696f6e616c f6"))  // 27(["Optional", null])
  }

  @Test func withoutATypeAllLevelsAreNil() throws {
    for value in [Int???.none, .some(nil), .some(.some(nil))] {
      let data = try KeyedArchiveEncoder().encode(value)
      let decoded = try KeyedArchiveDecoder().decode(from: data)
      #expect(decoded.map { "\($0)" } ?? "nil" == "nil")
    }
    let data = try KeyedArchiveEncoder().encode(OptionalTests.threefold)
    #expect(try KeyedArchiveDecoder().decode(from: data) as? [Int???] == OptionalTests.threefold)
  }

  @Test func nullAndUndefinedReadAsNil() throws {
    #expect(try decode(Int?.self, "f6") == .none)
    #expect(try decode(Int?.self, "f7") == .none)
    #expect(
      try decode(CarInfo.self, "a4 65 706c617465 6142 65 7370656564 01 68 69734f6e6c696e65 f4 64 6e6f7465 f6").note
        == nil)
    #expect(try complaint { try decode(Int.self, "f6") }.message == "Expected Int, but found null.")
  }

  @Test func optionalInstancesAreRestored() throws {
    let household = Household(favourite: Animal(name: "Rex"), guest: nil, animals: [])
    #expect(try roundTrip(household).guest == nil)
    let guests: [Animal?] = [nil, Dog(name: "Rex", tricks: []), nil]
    #expect(try roundTrip(guests, registering: Dog.self).map { $0?.name } == [nil, "Rex", nil])
    let levels: [Animal??] = [nil, .some(nil), Animal(name: "Tom")]
    #expect(try roundTrip(levels, registering: Animal.self).map { $0.map { $0?.name } } == [nil, .some(nil), "Tom"])
  }
}
