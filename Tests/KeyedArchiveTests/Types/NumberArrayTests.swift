import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Arrays of numbers: one block of bytes under a tag of RFC 8746.
@Suite struct NumberArrayTests {
  @Test func arraysOfEachWidthAreOneBlock() throws {
    try expectStored([1, 0xff] as [UInt8], "d840 42 01 ff")
    try expectStored([1, 0x0203] as [UInt16], "d845 44 0100 0302")
    try expectStored([1] as [UInt32], "d846 44 01000000")
    try expectStored([1] as [UInt64], "d847 48 0100000000000000")
    try expectStored([-1, 1] as [Int8], "d848 42 ff 01")
    try expectStored([-2] as [Int16], "d84d 42 feff")
    try expectStored([-2] as [Int32], "d84e 44 feffffff")
    try expectStored([-2] as [Int64], "d84f 48 feffffffffffffff")
    try expectStored([1, -1], "d84f 50 0100000000000000 ffffffffffffffff")  // [Int]
    try expectStored([1] as [UInt], "d847 48 0100000000000000")
    try expectStored([1.5, -0.0] as [Float], "d855 48 0000c03f 00000080")
    try expectStored([1.5], "d856 48 000000000000f83f")  // [Double]
  }

  /// Checks the bytes of an array whose type is known, and that it is restored in each position.
  private func expectStored<Element: Codable & Equatable>(
    _ array: [Element], _ bytes: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let data = try KeyedArchiveEncoder().encode(Box(array))
    #expect(data.hex.hasSuffix(hex("a1 61 61", bytes)), sourceLocation: sourceLocation)
    try expectRoundTrip(array, sourceLocation: sourceLocation)
    try expectRoundTrip([Element](), sourceLocation: sourceLocation)
  }

  private struct Box<Element: Codable>: Codable {
    var a: [Element]

    init(_ a: [Element]) { self.a = a }
  }

  @Test(arguments: [
    ("d841 44 0001 0203", [1, 0x0203]),  // uint16, big-endian
    ("d842 44 00000005", [5]), ("d843 48 0000000000000005", [5]),
    ("d844 42 05 ff", [5, 255]),  // clamped bytes
    ("d849 42 fffe", [-2]), ("d84a 44 fffffffe", [-2]), ("d84b 48 fffffffffffffffe", [-2]),
    ("d845 42 0500", [5]), ("d84d 42 feff", [-2]), ("d84e 44 feffffff", [-2]), ("d848 42 fe 05", [-2, 5]),
    ("d850 42 4500", [5]), ("d854 42 0045", [5]),  // half precision
    ("d851 44 40a00000", [5]), ("d855 44 0000a040", [5]), ("d852 48 4014000000000000", [5]),
    ("d840 40", []), ("83 01 02 03", [1, 2, 3]), ("82 f9 3c00 02", [1, 2]),
  ])
  func anyNumberFormatReadsAsAnyTypeThatHoldsTheNumbers(bytes: String, numbers: [Int]) throws {
    #expect(try decode([Int].self, bytes) == numbers)
    #expect(try decode([Int16].self, bytes) == numbers.map { Int16($0) })
    #expect(try decode([Int128].self, bytes) == numbers.map { Int128($0) })
    #expect(try decode([Double].self, bytes) == numbers.map { Double($0) })
    #expect(try decode([Float].self, bytes) == numbers.map { Float($0) })
    #expect(try decode([Int?].self, bytes) == numbers.map { Optional($0) })
    #expect(try decode(Set<Int>.self, bytes) == Set(numbers))
    #expect(try decode(ContiguousArray<Int>.self, bytes) == ContiguousArray(numbers))
    #expect(try decode(ArchiveValue.self, bytes).array?.compactMap(\.double) == numbers.map { Double($0) })
  }

  @Test func numbersThatDoNotFitAreRefusedWithTheirPath() throws {
    let complaint = try complaint { try decode([UInt8].self, "d84d 44 0500 feff") }
    #expect(complaint == Complaint(kind: .dataCorrupted, path: "1", message: "UInt8 cannot hold the integer -2."))
    #expect(
      try KeyedArchiveTests.complaint { try decode([Int].self, "d856 48 000000000000f83f") }.kind == .dataCorrupted)
    #expect(try KeyedArchiveTests.complaint { try decode([String].self, "d840 41 05") }.kind == .typeMismatch)
  }

  @Test(arguments: ["d841 43 000102", "d856 47 00000000000000", "d845 41 00", "d84f 01", "d84f 81 01"])
  func aBlockWithAPartOfAnElementIsRefused(bytes: String) throws {
    expectFailure(.malformed) { try decode([Int].self, bytes) }
    expectFailure(.malformed) { try decode([Double].self, bytes) }
    expectFailure(.malformed) { try decode(ContiguousArray<Double>.self, bytes) }
    // A tree shows it as it is stored.
    let tree = try decode(ArchiveValue.self, bytes)
    #expect(tree.array == nil)
    #expect(try encodedHex(tree) == hex(bytes))
  }

  @Test(arguments: [
    "d84c 41 00", "d853 50 00000000000000000000000000000000", "d857 50 00000000000000000000000000000000",
  ])
  func formatsWithoutATypeAreNotNumbers(bytes: String) throws {
    #expect(
      try complaint { try decode([Double].self, bytes) }.message
        == "Expected Array<Double>, but found an array of numbers of a format that has no type here.")
    #expect(try encodedHex(decode(ArchiveValue.self, bytes)) == hex(bytes))
  }

  @Test func aMillionNumbersAreCopiedAsABlock() throws {
    let numbers = (0..<1_000_000).map { Double($0) / 3 }
    let data = try KeyedArchiveEncoder().encode(numbers)
    #expect(data.count == 8_000_000 + 7)  // tag, length, block
    #expect(try KeyedArchiveDecoder().decode([Double].self, from: data) == numbers)
    #expect(try KeyedArchiveDecoder().decode(from: data) as? [Double] == numbers)
  }

  @Test func withoutATypeABlockIsReadAsItsArray() throws {
    func read(_ value: some Encodable) throws -> Any? {
      try KeyedArchiveDecoder().decode(from: KeyedArchiveEncoder().encode(value))
    }
    #expect(try read([1, 2]) as? [Int] == [1, 2])
    #expect(try read([1, 2] as [Int64]) as? [Int64] == [1, 2])
    #expect(try read([1, 2] as [UInt]) as? [UInt] == [1, 2])
    #expect(try read([1, 2] as [UInt64]) as? [UInt64] == [1, 2])
    #expect(try read([1, 2] as [Int32]) as? [Int32] == [1, 2])
    #expect(try read([1, 2] as [UInt8]) as? [UInt8] == [1, 2])
    #expect(try read([1, 2] as [Int8]) as? [Int8] == [1, 2])
    #expect(try read([1.5] as [Float]) as? [Float] == [1.5])
    #expect(try read([Double]()) as? [Double] == [])
    #expect(try read([1, 2] as [Int128]) as? [Int128] == [1, 2])
  }
}
