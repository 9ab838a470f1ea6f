@testable import KeyedArchive

extension ByteCheck {
  /// Tables of written strings and property names.
  static let tables = [
    ByteCheck("a name is found again, whatever its hash") { findings in
      var cache = KeyCache()
      let names = (0..<3000).map { "property number \($0)" }
      var identifiers: [Int] = []
      for name in names {
        let (identifier, number) = cache.find(name)
        findings.expectEqual(number, -1, "\(name) has a number before one was set")
        cache.setNumber(identifier + 70_000, of: identifier)
        identifiers.append(identifier)
      }
      findings.expectEqual(identifiers, Array(0..<names.count), "the identifiers")
      for (place, name) in names.enumerated().reversed() {
        let (identifier, number) = cache.find(name)
        findings.expectEqual(identifier, place, name)
        findings.expectEqual(number, place + 70_000, name)
      }
      findings.expectEqual(cache.find("\u{e9}").identifier, names.count, "a new name")
      findings.expectEqual(cache.find("e\u{301}").identifier, names.count + 1, "another spelling of it")
    },
    ByteCheck("a string is found where it was written first") { findings in
      var table = StringTable()
      let buffer = ByteBuffer()
      // With heads of all widths.
      let texts = (0..<2000).map { "number \($0)" + String(repeating: " of many", count: $0 % 50 == 0 ? 40 : $0 % 5) }
      var numbers: [Int] = []
      for (place, text) in texts.enumerated() {
        // Strings that are only counted, such as bytes.
        for _ in 0..<place % 3 { findings.expectEqual(table.number(stringOfLength: 20), table.count - 1, "bytes") }
        numbers.append(table.count)
        let found = text.withContiguousUTF8 { table.find($0, orNumberAt: buffer.count, in: buffer) }
        findings.expectEqual(found, nil, text)
        text.withContiguousUTF8 { buffer.appendString(.text, UnsafeRawBufferPointer($0)) }
        findings.expectEqual(table.count, numbers[place] + 1, "the number of strings")
      }
      // The written bytes move when a head before them becomes longer.
      buffer.insertGap(of: 3, at: 1000)
      table.shift(from: 1000, by: 3)
      var found = 0
      for (place, text) in texts.enumerated() {
        let number = text.withContiguousUTF8 { table.find($0, orNumberAt: buffer.count, in: buffer) }
        guard let number else { continue }
        findings.expectEqual(number, numbers[place], text)
        found += 1
      }
      // A string that is not found is written again, and the one that the gap has split is different.
      findings.expect(found > 1900, "only \(found) of 2,000 strings were found again")
    },
    ByteCheck("a text item is compared with its whole text") { findings in
      let lengths = [0, 1, 23, 24, 25, 255, 256, 65_535, 65_536]
      let buffer = ByteBuffer()
      var places: [Int] = []
      for length in lengths {
        places.append(buffer.count)
        buffer.appendText(String(repeating: "x", count: length))
      }
      for (place, stored) in zip(places, lengths) {
        for length in lengths {
          let text = String(repeating: "x", count: length)
          let isFound = text.withContiguousUTF8 { buffer.hasText($0, at: place) }
          findings.expectEqual(isFound, stored == length, "\(length) bytes where there are \(stored)")
        }
        let other = String(repeating: "x", count: max(0, stored - 1)) + "y"
        findings.expect(!other.withContiguousUTF8 { buffer.hasText($0, at: place) }, "another text of \(stored) bytes")
      }
    },
    ByteCheck("strings beyond those that are remembered are counted") { findings in
      var table = StringTable()
      for number in 0..<70_000 {
        let length = table.count < 24 ? 3 : table.count < 256 ? 4 : table.count < 65_536 ? 5 : 7
        findings.expectEqual(table.number(stringOfLength: length - 1), nil, "a string that is too short")
        findings.expectEqual(table.number(stringOfLength: length), number, "string \(number)")
      }
    },
    ByteCheck("texts have the same hash wherever they stand") { findings in
      var hashes: Set<UInt32> = []
      for length in 0..<200 {
        let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        let shifted = [0] + text
        let hash = text.withUnsafeBytes { TextHash.hash($0) }
        let other = shifted.withUnsafeBytes { TextHash.hash(UnsafeRawBufferPointer(rebasing: $0[1...])) }
        findings.expectEqual(hash, other, "a text of \(length) bytes")
        hashes.insert(hash)
      }
      findings.expectEqual(hashes.count, 200, "texts of different lengths")
      // The hash decides which repeated strings are found, and so determines the bytes of a file. It is the same on
      // each system.
      let known = Array("speed of the vehicle".utf8).withUnsafeBytes { TextHash.hash($0) }
      findings.expectEqual(known, 2_080_911_618, "a known text has the hash \(known)")
    },
  ]
}
