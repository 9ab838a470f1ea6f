import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Keys whose own descriptions stop the program: Foundation converts the seconds of a date to an integer to print it.
@Suite struct DictionaryKeyTests {
  private struct Place: Codable, Hashable {
    var date: Date
  }

  @Test(arguments: ["fb7ff8001900000000", "fb7e37e43c8800759c", "f97c00"])
  func datesBeyondAllCalendarsAreValidKeys(seconds: String) throws {
    let date = "d81b 82 64 44617465 \(seconds)"
    #expect(try decode([Date: [Int]].self, "a1 \(date) 81 01").values.first == [1])
    #expect(try decode([Date: [Int]].self, "a1 c1 \(seconds) 81 01").values.first == [1])
    #expect(try decode([Range<Date>: [Int]].self, "a1 82 c100 c101 81 01").count == 1)
    #expect(try decode([Place: [Int]].self, "a1 a1 64 64617465 \(date) 81 01").values.first == [1])
    let key = try decode(Date.self, date)
    _ = try roundTrip([key: [Place(date: key): 1]])
    // Errors inside the value have a path that contains the key.
    _ = try complaint { try decode([Date: [Int]].self, "a1 \(date) 81 f6") }
    #expect(
      try complaint { try decode([Place: [Int]].self, "a1 a1 64 64617465 \(date) 81 f6") }.path.hasSuffix("Place.0"))
  }

  @Test func aDuplicateDateIsNamed() throws {
    let date = "d81b 82 64 44617465 fb7e37e43c8800759c"
    let error = try complaint { try decode([Date: [Int]].self, "a2 \(date) 80 \(date) 80") }
    #expect(error.message == #"The key 27(["Date", 1e+300]) appears twice in one dictionary."#)
  }

  @Test func keysAreShownInPaths() throws {
    #expect(try complaint { try decode([Weekday: [Int]].self, "a1 66 6d6f6e646179 81 f6") }.path == "monday.0")
    #expect(try complaint { try decode([Double: [Int]].self, "a1 f93e00 81 f6") }.path == "1.5.0")
    #expect(try complaint { try decode([Date: [Int]].self, "a1 c100 81 f6") }.path == "1(0).0")
    #expect(try complaint { try decode([Bool: [Int]].self, "a1 f5 81 f6") }.path == "true.0")
    #expect(
      try complaint { try decode([Garage.Slot: [Int]].self, "a1 a1 66 6e756d626572 01 81 f6") }.path == "Garage.Slot.0")
  }
}
