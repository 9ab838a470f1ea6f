@testable import GlobalData
@testable import KeyedArchive

/// Lengths close to the limits of an `Int` of 32 or 64 bits, and lengths that would be right without their upper half.
private func impossibleLengths(besides right: UInt64) -> [UInt64] {
  let powers: [UInt64] = [1 << 31, 1 << 32, 1 << 63]
  return powers.flatMap { [$0 - 1, $0, $0 + 1, $0 + right] } + [.max, .max - right]
}

extension ByteCheck {
  /// Complete files of stores, written and read.
  static let files = [
    ByteCheck("a file that was written is read, and written again in the same bytes") { findings in
      var table = EntryTable()
      let long = [0x59, 0x0f, 0xa0] + [UInt8](repeating: 7, count: 4000)
      let zeros = [0x59, 0x03, 0xe8] + [UInt8](repeating: 0, count: 1000)
      let values: [(String, [UInt8])] = [
        ("car", bytes("64 424d5721")), ("caf\u{e9}", bytes("f6")), ("long", long), ("zeros", zeros),
        ("embedded", bytes("d818 4101")), (String(repeating: "k", count: 300), bytes("1864")),
      ]
      for (key, value) in values { table.set(StoreFile.entry(key, value)) }
      let image = ArchiveImage(identity: StoreFile.identity, generation: .max, entries: table)
      let written = image.encoded().pieces.flatMap { $0.written }
      let read = parsed(written)
      findings.expectEqual(read.word, "intact", "the answer")
      findings.expectEqual(read.contents?.image.identity, StoreFile.identity, "the identity")
      findings.expectEqual(read.contents?.image.generation, .max, "the generation")
      findings.expectEqual(read.contents?.appendPoint?.offset, written.count, "the end")
      let entries = read.contents?.image.entries ?? EntryTable()
      for (key, value) in values { findings.expectEqual(entries[key]?.content.written, value, key) }
      findings.expectEqual(entries.count, values.count, "the number of entries")
      findings.expect(entries["cafe\u{301}"] != nil, "another spelling of a key")
      let again = ArchiveImage(identity: StoreFile.identity, generation: .max, entries: entries)
      findings.expectEqual(again.encoded().pieces.flatMap { $0.written }, written, "the bytes")
    },
    ByteCheck("entries are found, set, removed and gathered") { findings in
      var records: [[UInt8]] = []
      for number in 0..<1500 { records.append(StoreFile.record("key \(number)", [0x18, UInt8(number % 200) | 0x18])) }
      guard var table = parsed(StoreFile(records: records).bytes).contents?.image.entries else {
        return findings.expect(false, "the file cannot be read")
      }
      for number in stride(from: 0, to: 1500, by: 3) { table.remove("key \(number)") }
      for number in stride(from: 1, to: 1500, by: 3) { table.set(StoreFile.entry("key \(number)", [0xf6])) }
      table.gatherIfScattered()
      findings.expectEqual(table.count, 1000, "the number of entries")
      findings.expect(table.pieces().count < 30, "\(table.pieces().count) pieces")
      for number in 0..<1500 {
        let expected = number % 3 == 0 ? nil : number % 3 == 1 ? 1 : 2
        findings.expectEqual(table["key \(number)"]?.value.count, expected, "key \(number)")
      }
    },
    ByteCheck("changes are applied in order") { findings in
      let file = StoreFile(records: [StoreFile.record("a", [1]), StoreFile.record("b", [2])])
      let archive = file.archive
      let steps: [ArchiveChange.Step] = [.set(StoreFile.entry("c", bytes("420102"))), .remove("a")]
      let change = StoreFile.change(of: steps, after: archive)
      let read = parsed(archive.bytes + change + [UInt8](repeating: 0, count: 700))
      findings.expectEqual(read.word, "intact", "the answer")
      findings.expectEqual(read.entries, ["b=1", "c=3"], "the entries")
      findings.expectEqual(read.contents?.image.generation, 42, "the generation")
      findings.expectEqual(read.contents?.appendPoint?.offset, archive.bytes.count + change.count, "the end")
      findings.expectEqual(read.contents?.appendPoint?.archiveChecksum, archive.checksum, "the archive's checksum")
    },
    ByteCheck("generations count on from each number") { findings in
      for generation: UInt64 in [(1 << 31) - 1, (1 << 32) - 1, (1 << 63) - 1, .max] {
        let archive = StoreFile(generation: generation, records: [StoreFile.record("a", [1])]).archive
        let change = StoreFile.change(of: [.remove("a")], after: archive, generation: generation &+ 1)
        let read = parsed(archive.bytes + change)
        findings.expectEqual(read.word, "intact", "after \(generation)")
        findings.expectEqual(read.contents?.image.generation, generation &+ 1, "after \(generation)")
      }
    },
    ByteCheck("a change that was not written to its end counts for nothing") { findings in
      let archive = StoreFile(records: [StoreFile.record("a", [1])]).archive
      let change = StoreFile.change(of: [.set(StoreFile.entry("b", bytes("1901f4")))], after: archive)
      for length in 1..<change.count {
        let torn = parsed(archive.bytes + change[..<length])
        findings.expectEqual(torn.word, "intact", "cut after \(length) bytes")
        findings.expectEqual(torn.entries, ["a=1"], "cut after \(length) bytes")
        findings.expect(torn.contents?.appendPoint == nil, "an end after \(length) bytes")
      }
    },
    ByteCheck("work for damage is counted in 64 bits") { findings in
      var budget = RecoveryBudget(byteCount: 1 << 30)
      findings.expectEqual(budget.rest, (8 << 30) + (1 << 20) as Int64, "eight times the size of the file")
      findings.expect(budget.spendIfEnough(1 << 30, bitsOfKey: 1 << 28), "less than there is is refused")
      findings.expectEqual(budget.rest, (5 << 30) + (1 << 20) as Int64, "what is left")
      budget.spend(reading: 100..<200)
      findings.expectEqual(budget.rest, (5 << 30) + (1 << 20) as Int64, "bytes are read once for nothing")
      budget.spend(reading: 150..<250)
      findings.expectEqual(budget.rest, (5 << 30) + (1 << 20) - 50 as Int64, "bytes that are read again")
    },
  ]

  /// Damaged files, and files with false claims.
  static let damagedFiles = [
    ByteCheck("each changed bit of a file is damage, and costs one entry at most") { findings in
      let records = [
        StoreFile.record("first", bytes("6568656c6c6f")), StoreFile.record("second", bytes("83010203")),
        StoreFile.record("third", bytes("1903e8")),
      ]
      let whole = StoreFile(records: records).bytes
      for bit in 0..<8 * whole.count {
        var damaged = whole
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        let read = parsed(damaged)
        findings.expectEqual(read.word, "damaged", "bit \(bit)")
        findings.expect(read.entries.count >= 2, "bit \(bit) costs \(3 - read.entries.count) entries")
        findings.expectEqual(read.contents?.losses.lostKeys.count, 3 - read.entries.count, "bit \(bit)")
      }
    },
    ByteCheck("entries after missing and additional bytes are found") { findings in
      let records = (0..<20).map { StoreFile.record("key \($0)", [UInt8](repeating: 0x20, count: 30 + $0)) }
      let whole = StoreFile(records: records).bytes
      // In the value of the third entry.
      let offset = ArchiveHead.length + 1 + records[0].count + records[1].count + 40
      let shorter = parsed(Array(whole[..<offset] + whole[(offset + 9)...]))
      let longer = parsed(Array(whole[..<offset] + [UInt8](repeating: 0x41, count: 50) + whole[offset...]))
      for (read, name) in [(shorter, "nine bytes less"), (longer, "fifty bytes more")] {
        findings.expectEqual(read.word, "damaged", name)
        findings.expectEqual(read.entries.count, 19, name)
        findings.expectEqual(read.contents?.losses.lostKeys, ["key 2"], name)
      }
    },
    ByteCheck("a file without a readable head has a clear answer") { findings in
      let whole = StoreFile(records: [StoreFile.record("a", [1])]).bytes
      findings.expectEqual(parsed([]).word, "unreadable", "an empty file")
      findings.expectEqual(parsed([UInt8](repeating: 0, count: 100)).word, "unreadable", "zeros")
      findings.expectEqual(parsed(Array("SQLite format 3".utf8)).word, "foreign", "another format")
      findings.expectEqual(parsed(Array(whole[..<40])).word, "unreadable", "a part of a head")
      var newer = whole
      (newer[15], newer[40]) = (2, 0xff)
      findings.expectEqual(parsed(newer).word, "newer", "a later version, with another head")
    },
    ByteCheck("a forged length of the entries loses none") { findings in
      let records = [StoreFile.record("a", [1]), StoreFile.record("b", [2])]
      let right = UInt64(1 + records[0].count + records[1].count)
      for length in impossibleLengths(besides: right) {
        let read = parsed(StoreFile(records: records, claimedLength: length).bytes)
        findings.expectEqual(read.word, "damaged", "\(length) bytes of entries")
        findings.expectEqual(read.entries, ["a=1", "b=1"], "\(length) bytes of entries")
      }
    },
    ByteCheck("a forged number of entries is damage and loses none") { findings in
      let records = [StoreFile.record("a", [1]), StoreFile.record("b", [2])]
      for count in impossibleLengths(besides: 2) {
        let length = UInt64(CBORHead.length(of: count) + records[0].count + records[1].count)
        let read = parsed(StoreFile(records: records, claimedLength: length, claimedCount: count).bytes)
        findings.expectEqual(read.word, "damaged", "\(count) entries")
        findings.expectEqual(read.entries, ["a=1", "b=1"], "\(count) entries")
        let damage = ArchiveDamage(.malformed("a map whose head does not fit its 2 entries"), at: ArchiveHead.length)
        findings.expectEqual(read.contents?.damage, [damage], "\(count) entries")
        findings.expectEqual(read.contents?.losses.lostCount, 0, "\(count) entries")
        // One entry is missing, so that the count shows that an entry was lost.
        let cut = StoreFile(records: records, claimedLength: length, claimedCount: count).bytes
        let rest = parsed(Array(cut[..<(cut.count - 12)]))
        findings.expectEqual(rest.word, "damaged", "\(count) entries, cut off")
        findings.expect(rest.contents.map { 1...8 ~= $0.losses.lostCount } == true, "\(count) entries, cut off")
      }
    },
    ByteCheck("a forged length of a key or a value costs that entry") { findings in
      for length in impossibleLengths(besides: 4) {
        for isOfKey in [true, false] {
          let forged = StoreFile.record(
            "four", bytes("19 03e8 f6"), claimedKeyLength: isOfKey ? length : nil, claimedLength: isOfKey ? nil : length
          )
          let records = [StoreFile.record("a", [1]), forged, StoreFile.record("b", [2])]
          let read = parsed(StoreFile(records: records).bytes)
          let name = "\(length) bytes of a \(isOfKey ? "key" : "value")"
          findings.expectEqual(read.word, "damaged", name)
          findings.expectEqual(read.entries, ["a=1", "b=1"], name)
          findings.expectEqual(read.contents?.losses.lostCount, 1, name)
        }
      }
    },
    ByteCheck("a forged length of a change is a change that was cut off") { findings in
      let archive = StoreFile(records: [StoreFile.record("a", [1])]).archive
      let entry = StoreFile.entry("b", [2])
      let right = UInt64(1 + entry.record.count + ArchiveChange.tailLength)
      let intact = archive.bytes + StoreFile.forgedChange(setting: entry, after: archive)
      findings.expectEqual(intact, archive.bytes + StoreFile.change(of: [.set(entry)], after: archive), "without a lie")
      for length in impossibleLengths(besides: right) {
        let read = parsed(
          archive.bytes + StoreFile.forgedChange(setting: entry, after: archive, claimedLength: length))
        findings.expectEqual(read.word, "intact", "\(length) bytes of a change")
        findings.expectEqual(read.entries, ["a=1"], "\(length) bytes of a change")
        findings.expect(read.contents?.appendPoint == nil, "\(length) bytes of a change are an end")
      }
    },
    ByteCheck("a forged length on stable storage is damage and loses nothing") { findings in
      let archive = StoreFile(records: [StoreFile.record("a", [1])]).archive
      for length in impossibleLengths(besides: UInt64(archive.bytes.count)) {
        let change = StoreFile.forgedChange(setting: StoreFile.entry("b", [2]), after: archive, claimedSynced: length)
        let read = parsed(archive.bytes + change)
        let damage = ArchiveDamage(
          .malformed("a change that claims more bytes on stable storage than precede it"), at: archive.bytes.count)
        findings.expectEqual(read.contents?.damage, [damage], "\(length) bytes on stable storage")
        findings.expectEqual(read.entries, ["a=1", "b=1"], "\(length) bytes on stable storage")
        findings.expectEqual(read.contents?.losses, LostRecords.Result(), "\(length) bytes on stable storage")
      }
    },
  ]
}
