import Foundation
import KeyedArchive
import TestSupport
import Testing

/// What types may do with a decoder of an array or of a single value.
@Suite struct UnkeyedDecodingTests {
  @Test func everyScalarIsReadFromAnArray() throws {
    let bytes = "92" + String(repeating: "07", count: 14) + "f5 6474657874 f6 80"
    try decode(bytes) { decoder in
      var container = try decoder.unkeyedContainer()
      #expect(container.count == 18)
      #expect(try container.decode(Int.self) == 7)
      #expect(try container.decode(Int8.self) == 7)
      #expect(try container.decode(Int16.self) == 7)
      #expect(try container.decode(Int32.self) == 7)
      #expect(try container.decode(Int64.self) == 7)
      #expect(try container.decode(Int128.self) == 7)
      #expect(try container.decode(UInt.self) == 7)
      #expect(try container.decode(UInt8.self) == 7)
      #expect(try container.decode(UInt16.self) == 7)
      #expect(try container.decode(UInt32.self) == 7)
      #expect(try container.decode(UInt64.self) == 7)
      #expect(try container.decode(UInt128.self) == 7)
      #expect(try container.decode(Double.self) == 7)
      #expect(try container.decode(Float.self) == 7)
      #expect(try container.decode(Bool.self))
      #expect(container.currentIndex == 15)
      #expect(try container.decode(String.self) == "text")
      #expect(try container.decodeNil())
      #expect(try container.decode([Int].self).isEmpty)
      #expect(container.isAtEnd)
    }
  }

  @Test func readingBeyondTheEndSaysSo() throws {
    let complaint = try complaint {
      try decode("a1 6161 81 01") { decoder in
        var container = try decoder.container(keyedBy: AnyKey.self).nestedUnkeyedContainer(forKey: "a")
        _ = try container.decode(Int.self)
        return try container.decode(Int.self)
      }
    }
    #expect(
      complaint
        == Complaint(kind: .valueNotFound, path: "a.1", message: "The array has only 1 element."))
    try decode("80") { decoder in
      var container = try decoder.unkeyedContainer()
      #expect(container.isAtEnd)
      #expect(throws: DecodingError.self) { try container.decodeNil() }
      #expect(throws: DecodingError.self) { try container.decode([Int].self) }
      #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer() }
      #expect(throws: DecodingError.self) { try container.superDecoder() }
      #expect(try container.decodeIfPresent(Int.self) == nil)
    }
  }

  @Test func anElementThatFailedMayBeReadAsAnotherType() throws {
    try decode("82 63616263 f6") { decoder in
      var container = try decoder.unkeyedContainer()
      #expect(throws: DecodingError.self) { try container.decode(Int.self) }
      #expect(throws: DecodingError.self) { try container.decode(CarInfo.self) }
      #expect(try !container.decodeNil())
      #expect(throws: DecodingError.self) { try container.nestedContainer(keyedBy: AnyKey.self) }
      #expect(container.currentIndex == 0)
      #expect(try container.decode(String.self) == "abc")
      #expect(try container.decodeIfPresent(Int.self) == nil)
      #expect(container.isAtEnd)
    }
  }

  @Test func nestedContainersAreReadOneAfterTheOther() throws {
    try decode("84 a1 6161 01 82 02 03 04 a0") { decoder in
      var container = try decoder.unkeyedContainer()
      let map = try container.nestedContainer(keyedBy: AnyKey.self)
      var array = try container.nestedUnkeyedContainer()
      let single = try container.superDecoder()
      #expect(try container.nestedContainer(keyedBy: AnyKey.self).allKeys.isEmpty)
      // Each can be read later, in any order.
      #expect(try Int(from: single) == 4)
      #expect(try array.decode(Int.self) == 2)
      #expect(try map.decode(Int.self, forKey: "a") == 1)
      #expect(try array.decode(Int.self) == 3)
      #expect(map.codingPath.first?.intValue == 0)
      #expect(array.codingPath.first?.intValue == 1)
      #expect(single.codingPath.first?.intValue == 2)
    }
  }

  @Test func twoContainersOverOneArrayAreIndependent() throws {
    try decode("82 01 02") { decoder in
      var first = try decoder.unkeyedContainer()
      var second = try decoder.unkeyedContainer()
      #expect(try first.decode(Int.self) == 1)
      #expect(try first.decode(Int.self) == 2)
      #expect(try second.decode(Int.self) == 1)
    }
  }

  @Test func blocksOfNumbersAndSetsAreReadElementByElement() throws {
    func integers(_ bytes: String) throws -> [Int] {
      try decode(bytes) { decoder in
        var container = try decoder.unkeyedContainer()
        var integers: [Int] = []
        while !container.isAtEnd { try integers.append(container.decode(Int.self)) }
        return integers
      }
    }
    #expect(try integers("d84d 44 feff 0500") == [-2, 5])
    #expect(try integers("d90102 82 05 06") == [5, 6])
    #expect(try integers("d840 40") == [])
  }

  @Test func aSingleValueMayBeReadRepeatedly() throws {
    try decode("07") { decoder in
      let container = try decoder.singleValueContainer()
      #expect(try container.decode(Int.self) == 7)
      #expect(try container.decode(UInt128.self) == 7)
      #expect(try container.decode(Double.self) == 7)
      #expect(try container.decode(Int?.self) == 7)
      #expect(!container.decodeNil())
      #expect(throws: DecodingError.self) { try container.decode(String.self) }
    }
    #expect(try decode("f6") { try $0.singleValueContainer().decodeNil() })
  }
}
