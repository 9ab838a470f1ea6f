import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Input that is not well-formed, by RFC 8949, section 3 and Appendix F. Every way of reading refuses it with an error.
@Suite struct MalformedInputTests {
  @Test(arguments: subkind1 + subkind2 + subkind3 + subkind4 + subkind5)
  func malformedInputIsRefused(bytes: String) {
    expectFailure(.malformed) { try decode(ArchiveValue.self, bytes) }
    expectFailure(.malformed) { try decode(Garage.self, bytes) }
    expectFailure(.malformed) { try decode([String: [Int?]].self, bytes) }
    expectFailure(.malformed) { try KeyedArchiveDecoder().decode(from: Data(hex: bytes)) }
  }

  /// Bytes after the item, and no item at all.
  private static let subkind1 = ["00 00", "80 00", "f6 f6", "a0 ff", ""]

  /// The end of the input in a head or in a string.
  private static let subkind2 = [
    // in a head
    "18", "19", "1a", "1b", "1901", "1a0102", "1b01020304050607", "38", "58", "78", "98", "9a01ff00", "b8", "d8", "f8",
    "f900", "fa0000", "fb000000",
    // in a string
    "41", "61", "5affffffff00", "5bffffffffffffffff010203", "7affffffff00", "7b7fffffffffffffff010203",
    // in an array or map of definite length
    "81", "818181818181818181", "8200", "a1", "a20102", "a100", "a2000000",
    // after a tag
    "c0",
    // in an item of indefinite length
    "5f4100", "7f6100", "9f", "9f0102", "bf", "bf01020102", "819f", "9f8000", "9f9f9f9f9fffffffff",
    "9f819f819f9fffffff",
  ]

  /// A reserved value of the additional information.
  private static let subkind3 = [
    "1c", "1d", "1e", "3c", "3d", "3e", "5c", "5d", "5e", "7c", "7d", "7e", "9c", "9d", "9e", "bc", "bd", "be", "dc",
    "dd", "de", "fc", "fd", "fe",
    // an indefinite length that is not allowed
    "1f", "3f", "df",
  ]

  /// A reserved two-byte form of a simple value.
  private static let subkind4 = ["f800", "f801", "f814", "f815", "f816", "f817", "f818", "f81f"]

  private static let subkind5 = [
    // a chunk of another kind, or itself of indefinite length
    "5f00ff", "5f21ff", "5f6100ff", "5f80ff", "5fa0ff", "5fc000ff", "5fe0ff", "7f4100ff", "5f5f4100ffff",
    "7f7f6100ffff",
    // a break that ends nothing
    "ff", "81ff", "8200ff", "a1ff", "a1ff00", "a100ff", "a20000ff", "9f81ff", "9f829f819f9fffffffff", "c1ff",
    // a break in place of a tag's content, or of a value
    "9fc0ff", "bf00ff", "bf000000ff",
  ]

  @Test(arguments: ["61ff", "62c328", "63e282", "64f0288cbc", "63eda080", "64f4908080", "62c080", "7f61c361bcff"])
  func textThatIsNotValidUTF8IsRefused(bytes: String) {
    expectFailure(.malformed) { try decode(String.self, bytes) }
    expectFailure(.malformed) { try decode(ArchiveValue.self, bytes) }
    expectFailure(.malformed) { try decode([String].self, "81" + bytes) }
    expectFailure(.malformed) { try decode(ArchiveValue.self, "a1" + bytes + "00") }
    expectFailure(.malformed) { try decode(CarInfo.self, "a1" + bytes + "00") }
  }

  @Test func theErrorSaysWhatIsWrongAndWhere() {
    let error = expectFailure(.malformed) { try decode([Int].self, "83 01 02 19") }
    #expect(
      error?.message
        == "The bytes are not a well-formed archive: the data ends in the middle of an item, at byte 4.")
  }

  @Test(arguments: [
    "9b0000000100000000", "9bffffffffffffffff", "bb7fffffffffffffff", "bb8000000000000000", "5bffffffffffffffff",
    "7bfffffffffffffff0", "9a7fffffff", "ba40000000", "d9010082789b0000000100000000",
  ])
  func aCountBeyondTheRemainingBytesIsRefusedBeforeAllocating(bytes: String) {
    expectFailure(.malformed) { try decode(ArchiveValue.self, bytes) }
    expectFailure(.malformed) { try decode([Int: Int].self, bytes) }
  }
}
