import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Small inputs that request much memory or time. They are refused, or take at most a multiple of their size.
@Suite(.timeLimit(.minutes(10))) struct AmplificationTests {
  /// Reads bytes in each possible way. Returns how many of the reads succeeded.
  @discardableResult
  private func read(_ data: Data) -> Int {
    var accepted = 0
    for read in [
      { _ = try KeyedArchiveDecoder().decode(from: data) },
      { _ = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data) },
      { _ = try KeyedArchiveDecoder().decode([[[[Int]]]].self, from: data) },
      { _ = try KeyedArchiveDecoder().decode([Data].self, from: data) },
      { _ = try KeyedArchiveDecoder().decode([[UInt8]].self, from: data) },
      { _ = try KeyedArchiveDecoder().decode([String: [String]].self, from: data) },
      { _ = try KeyedArchiveDecoder().decode(Garage.self, from: data) },
      { _ = try KeyedArchiveDecoder().decode(Polymorphic<[any Sendable]>.self, from: data) },
      { _ = try KeyedArchiveDecoder().decode(Polymorphic<[[[[any Shape]?]]]>.self, from: data) },
      { _ = try KeyedArchiveDecoder().decode([Link].self, from: data) },
    ] as [() throws -> Void] {
      do {
        try read()
        accepted += 1
      } catch {
        _ = "\(error)"  // any outcome is correct if it comes soon
      }
    }
    return accepted
  }

  @Test func nestedCountsThatEachClaimTheRestAreRefused() {
    // Each array claims as many elements as there are remaining bytes, so each reservation looks possible by itself.
    var data = Data()
    let size = 500_000
    for _ in 0..<400 {
      data.append(0x9a)
      let count = UInt32(size - data.count - 4)
      data.append(contentsOf: withUnsafeBytes(of: count.bigEndian) { Data($0) })
    }
    data.append(Data(count: size - data.count))
    #expect(read(data) == 0)
    // The same counts, which are correct here.
    var arrays = Data(hex: "9a 00000002")
    for _ in 0..<50 { arrays.append(Data(hex: "00 9a 00000002")) }
    arrays.append(Data(hex: "00 00"))
    #expect(read(arrays) == 3)
  }

  @Test(arguments: [10, 100].oneIn(2))
  func sharedItemsInSharedItemsDoNotMultiply(levels: Int) throws {
    // Level n is an array of ten references to level n - 1: written out, ten to the power of the levels.
    var hex = "98" + String(format: "%02x", levels + 1) + "d81c 82 01 02"
    for level in 0..<levels {
      hex += "d81c 8a" + String(repeating: "d81d 18" + String(format: "%02x", level), count: 10)
    }
    let data = Data(hex: hex)
    let error = expectFailure(.limitReached) { try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data) }
    #expect(error?.message.contains("too many references to shared values") == true)
    expectFailure(.limitReached) { try KeyedArchiveDecoder().decode(from: data) }
    read(data)
  }

  @Test func sharedItemsThatMigrationsSeeDoNotMultiply() throws {
    // 20,000 old objects that refer to one object of 100 KB: with a tree for each, 2 GB.
    let shared = "d81c a1 61 61" + "5a 000186a0" + String(repeating: "00", count: 100_000)
    let objects = String(repeating: "a1 61 61 d81d00", count: 20_000)
    let data = Data(hex: "82" + shared + "99 4e20" + objects)
    expectFailure(.limitReached) { try KeyedArchiveDecoder().decode(OldObjects.self, from: data) }
  }

  @Test func aSharedInstanceMayBeReferredToByManyOldObjects() throws {
    let shared = "d81c a1 61 61" + "59 07d0" + String(repeating: "00", count: 2000)
    let objects = String(repeating: "a1 61 61 d81d00", count: 2000)
    let data = Data(hex: "82" + shared + "99 07d0" + objects)
    #expect(try KeyedArchiveDecoder().decode(OldObjects.self, from: data).links.count == 2000)
  }

  @Test(arguments: [(20, 6), (20_000, 0)])
  func referencesToReferencesDoNotMultiply(count: Int, accepted: Int) {
    // 28(x), 28(29(0)), 28(29(1)), …: reading the last one follows all of them.
    var data = Data(hex: "9f d81c 80")
    for number in 0..<count {
      data.append(Data(hex: "d81c d81d"))
      data.append(contentsOf: Data([0x1a]) + withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) })
    }
    data.append(0xff)
    #expect(read(data) == accepted)
  }

  @Test(arguments: [(0x5a, 1, 5), (0x7a, 10, 3), (0x5a, 60_000, 0), (0x7a, 60_000, 3)] as [(UInt8, Int, Int)])
  func repeatedBytesAreNotCopiedWithoutEnd(head: UInt8, count: Int, accepted: Int) {
    // A string of 1 MB and 60,000 references to it: written out, 60 GB. A text is created once, and shared.
    var data = Data(hex: "d90100 9f") + Data([head]) + Data(hex: "00100000") + Data(repeating: 0x61, count: 1 << 20)
    for _ in 0..<count { data.append(contentsOf: [0xd8, 0x19, 0x00]) }
    data.append(0xff)
    #expect(read(data) == accepted)
  }

  @Test func repeatedTextsOfURLsAreParsedOnce() throws {
    // A text of 1 MB and 60,000 references to it, as a URL, plain, under its tag, and with a base.
    let head = Data(hex: "d90100 9f 7a 00100000") + Data(repeating: 0x61, count: 1 << 20)
    for reference in ["d81900", "d820 d81900", "82 d81900 d820 62 622f"] {
      var data = head
      for _ in 0..<60_000 { data.append(Data(hex: reference)) }
      data.append(0xff)
      #expect(try KeyedArchiveDecoder().decode([URL].self, from: data).count == 60_001)
      guard reference == "d81900" else { continue }
      #expect(try KeyedArchiveDecoder().decode([URLComponents].self, from: data).count == 60_001)
    }
    // With other bases in turns, it must be parsed again. A base with a base of its own is resolved again each time.
    for references in [
      "82 d81900 d820 62 622f 82 d81900 d820 62 632f", "82 61 61 82 d81900 d820 62 2f62",
      "82 61 61 82 61 61 d820 d81900",
      "82 d81900 d820 d81900",
    ] {
      var data = head
      for _ in 0..<60_000 { data.append(Data(hex: references)) }
      data.append(0xff)
      expectFailure(.limitReached) { try KeyedArchiveDecoder().decode([URL].self, from: data) }
    }
  }

  @Test func manyEqualRelativeURLsAreReadBack() throws {
    func url(_ length: Int, _ base: String) throws -> URL {
      try #require(URL(string: "search?q=" + String(repeating: "a", count: length), relativeTo: URL(string: base)))
    }
    try expectRoundTrip(Array(repeating: url(1100, "http://example.org/"), count: 3000))
    let two = [try url(1000, "http://example.org/"), try url(1000, "http://example.com/")]
    try expectRoundTrip(Array(repeating: two, count: 1500))
  }

  @Test func aFailureDeepInsideIsFoundOnce() {
    // Names, tags and sets around a map with a duplicate key: none of them may repeat a read that failed inside.
    for wrapper in ["d81b 82 6161", "d90102 81", "c1", "d81c", "81", "a1 6161"] {
      let data = Data(hex: String(repeating: wrapper, count: 160) + "a2 01 02 01 02")
      read(data)
      #expect(throws: (any Error).self) { try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data) }
    }
  }

  @Test func aLongStringInChunksIsSkippedQuickly() {
    var data = Data(hex: "a1 7f")
    for _ in 0..<100_000 { data.append(contentsOf: [0x61, 0x61]) }
    data.append(contentsOf: [0xff, 0x00])
    #expect(read(data) == 2)
  }

  @Test func namesCannotCreateUnlimitedTypes() throws {
    let registry = TypeRegistry()
    for depth in [17, 60, 120] {
      let name = String(repeating: "[", count: depth) + "Int" + String(repeating: "]", count: depth)
      #expect(try registry.type(for: ArchiveTag(name)) == nil)
    }
    #expect(try registry.type(for: "[[[[[[[[Int?]?]?]?]]]]]") != nil)
  }

  @Test func hugeNumbersAreShownWithoutDelay() throws {
    let data = Data(hex: "c2 5a 00100000") + Data(repeating: 0xff, count: 1 << 20)
    let value = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
    #expect(value.diagnostic.hasPrefix("2(h'ffff"))
    #expect(value.json().count > 1 << 20)
    #expect(try KeyedArchiveEncoder().encode(value) == data)
  }

  @Test func manyItemsAreLimitedForReadingAndWriting() throws {
    var limits = ArchiveLimits()
    limits.maximumItems = 1000
    let encoder = KeyedArchiveEncoder(limits: limits)
    let decoder = KeyedArchiveDecoder(limits: limits)
    for count in 970..<1030 {
      let value: [any Sendable] = [["x"], [Bool](repeating: true, count: count), Animal(name: "It")]
      let unlimited = try KeyedArchiveEncoder().encode(value)
      // Everything that can be written can be read, and the reverse.
      let isReadable = (try? decoder.decode(ArchiveValue.self, from: unlimited)) != nil
      let isWritable = (try? encoder.encode(value)) != nil
      if isReadable != isWritable { Issue.record("\(count): readable \(isReadable), writable \(isWritable)") }
    }
    expectFailure(.limitReached) { try encoder.encode([Bool](repeating: true, count: 1000)) }
    expectFailure(.limitReached) {
      try decoder.decode([Int].self, from: Data([0x99, 0x07, 0xd0] + [UInt8](repeating: 0, count: 2000)))
    }
  }
}

/// A list whose parts are all migrated.
private final class Link: Archivable {
  let next: Link?
  let isOld: Bool

  static let archiveVersion = 2

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws { object["isOld"] = true }
}

/// A value that may be shared, and old objects.
private struct OldObjects: Decodable {
  var links: [Link]

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    _ = try container.decode([String: Data].self)
    links = try container.decode([Link].self)
  }
}
