@testable import KeyedArchive

extension ByteCheck {
  /// The structure of an item, found before it is read.
  static let structure = [
    ByteCheck("an index says where containers end, and how deep they are") { findings in
      // {"a": [1, [2, 3]], "b": {}, "c": (_ 4)}, then one byte more
      let item = bytes("a3 6161 82 01 82 02 03 6162 a0 6163 9f 04 ff 00")
      let index = item.withUnsafeBytes { try? StructureIndex(CBORReader($0), limits: ArchiveLimits()) }
      findings.expectEqual(index?.end, item.count - 1, "the end")
      findings.expectEqual(index?.depth, 3, "the depth")
      findings.expectEqual(index?.containers.map { $0.end }, [16, 8, 8, 16], "the ends of the containers")
      findings.expectEqual(index?.containers.map { $0.count }, [3, 2, 2, 1], "the counts of the containers")
      findings.expectEqual(index?.containers.map { $0.next }, [4, 3, 3, 4], "what follows the containers")
    },
    ByteCheck("limits hold") { findings in
      var limits = ArchiveLimits()
      limits.maximumDepth = 10
      limits.maximumItems = 1000
      for depth in [10, 11, 100_000] {
        let item = [UInt8](repeating: 0x81, count: depth) + [0]
        let expected: CBORError? = depth > 10 ? CBORError(.tooDeep(limit: 10), at: 10) : nil
        findings.expectEqual(error(ofIndexing: item, limits: limits), expected, "\(depth) levels")
      }
      let long = bytes("9a 000003e8") + [UInt8](repeating: 0, count: 1000)
      findings.expectEqual(error(ofIndexing: long, limits: limits)?.reason, .tooManyItems(limit: 1000), "1,001 items")
    },
    ByteCheck("a string gets a number where a reference is shorter, also beyond 65,535") { findings in
      let lengths = [(0, 3), (23, 3), (24, 4), (255, 4), (256, 5), (65_535, 5), (65_536, 7), (Int(Int32.max), 7)]
      for (number, length) in lengths {
        findings.expectEqual(StructureIndex.minimumLength(ofString: number), length, "number \(number)")
      }
      // A list of 65,540 different texts of seven bytes, and references to the last ones.
      let count = 65_540
      let buffer = ByteBuffer()
      buffer.appendHead(.tag, CBORTag.stringNamespace)
      buffer.appendHead(.array, UInt64(count + 2))
      var places: [Int] = []
      for number in 0..<count {
        places.append(buffer.count)
        buffer.appendText(sevenDigits(number))
      }
      buffer.appendStringReference(UInt64(count - 1))
      buffer.appendStringReference(65_536)
      let index = buffer.withUnsafeBytes { try? StructureIndex(CBORReader($0), limits: ArchiveLimits()) }
      findings.expectEqual(index?.namespaces.count, 1, "the namespaces")
      let strings = index?.namespaces.first.map { Array($0) }
      findings.expectEqual(strings, places, "the strings have other places")
      buffer.appendStringReference(0)
      buffer.truncate(to: buffer.count - 3)
      findings.expectEqual(index?.end, buffer.count, "the end")
    },
    ByteCheck("a reference to no string is refused") { findings in
      for (digits, offset) in [("d81900", 0), ("d90100 82 63616263 d81901", 8), ("82 d90100 63616263 d81900", 8)] {
        findings.expectEqual(
          error(ofIndexing: bytes(digits)), CBORError(.invalidStringReference, at: offset), digits)
      }
      // A number whose low 32 bits are one.
      let great = bytes("d90100 82 63616263 d819 1b0000000100000000")
      findings.expectEqual(error(ofIndexing: great)?.reason, .invalidStringReference, "2^32")
      findings.expectEqual(error(ofIndexing: bytes("d90100 82 63616263 d81900")), nil, "a right one")
    },
    ByteCheck("random items are read as they were written") { findings in
      var random = FixedRandom(3)
      for round in 0..<400 {
        let buffer = ByteBuffer()
        var shape = Shape()
        writeRandomItem(to: buffer, &random, depth: 0, &shape)
        let index = buffer.withUnsafeBytes { try? StructureIndex(CBORReader($0), limits: ArchiveLimits()) }
        findings.expectEqual(index?.end, buffer.count, "round \(round): the end")
        findings.expectEqual(index?.depth, shape.depth, "round \(round): the depth")
        findings.expectEqual(index?.containers.map { $0.end }, shape.ends, "round \(round): the ends")
      }
    },
    ByteCheck("no damage stops the program") { findings in
      // The results do not matter here, only that the program continues.
      var random = FixedRandom(4)
      var refused = 0
      for _ in 0..<400 {
        let buffer = ByteBuffer()
        var shape = Shape()
        writeRandomItem(to: buffer, &random, depth: 0, &shape)
        var damaged = buffer.written
        for _ in 0..<10 {
          damaged[random.below(damaged.count)] = UInt8(truncatingIfNeeded: random.next())
          if error(ofIndexing: damaged) != nil { refused += 1 }
        }
        if error(ofIndexing: Array(damaged.prefix(random.below(damaged.count + 1)))) != nil { refused += 1 }
      }
      findings.expect(refused > 1000, "only \(refused) damaged items were refused")
    },
  ]
}

private func sevenDigits(_ number: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: 7 - digits.utf8.count) + digits
}

/// The expected index of an item.
private struct Shape {
  var depth = 0
  var ends: [Int] = []
}

private func writeRandomItem(to buffer: ByteBuffer, _ random: inout FixedRandom, depth: Int, _ shape: inout Shape) {
  shape.depth = max(shape.depth, depth)
  switch random.below(depth > 6 ? 5 : 8) {
  case 0: buffer.appendInteger(Int64(truncatingIfNeeded: random.next() >> UInt64(random.below(64))))
  case 1: buffer.appendInteger(~Int64(truncatingIfNeeded: random.next() >> UInt64(1 + random.below(63))))
  case 2: buffer.appendFloat(Double(bitPattern: random.next()))
  case 3: buffer.appendText(String(repeating: "ä", count: random.below(300)))
  case 4: buffer.appendBool(random.below(2) == 0)
  case 5:
    buffer.appendHead(.tag, random.next() >> 40 | 1 << 30)
    writeRandomItem(to: buffer, &random, depth: depth + 1, &shape)
  case let kind:
    let count = 1 + random.below(6)
    let container = shape.ends.count
    shape.ends.append(0)
    buffer.appendHead(kind == 6 ? .array : .map, UInt64(count))
    for _ in 0..<(kind == 6 ? count : 2 * count) {
      writeRandomItem(to: buffer, &random, depth: depth + 1, &shape)
    }
    shape.ends[container] = buffer.count
    shape.depth = max(shape.depth, depth + 1)
  }
}
