import Foundation
import GlobalData
import TestSupport

// Writes files that are forged to take long to read, one family for each idea, and reads them, for a check that counts
// the steps:
//
//     forged-files write FOLDER SIZE...      writes a file of each family and about each size in bytes, and prints both
//     forged-files read FILE...              opens a store with each file, in a call of `readForgedFile`

typealias Record = ForgedFile.Record

func say(_ line: String) {
  print(line)
  fflush(nil)  // before a crash
}

/// An entry with a wrong checksum.
func wrong(_ key: String, _ value: [UInt8] = [1], length: UInt64? = nil) -> Record {
  var record = Record(key: key, value: value, length: length)
  record.bytes[record.bytes.count - value.count - 1] ^= 0x3c
  return record
}

func many(_ size: Int, _ make: (Int) -> [Record]) -> [Record] {
  var (records, length, number) = ([Record](), 0, 0)
  while length < size {
    let next = make(number)
    records += next
    length += next.reduce(0) { $0 + $1.bytes.count }
    number += 1
  }
  return records
}

/// A store of one entry, with changes until the file has a given size.
func changes(_ size: Int, _ records: [Record] = [], append: (inout ForgedFile, Int) -> Void) -> ForgedFile {
  var file = ForgedFile(records)
  var number = 0
  while file.bytes.count < size {
    append(&file, number)
    number += 1
  }
  return file
}

func file(_ records: [Record]) -> [UInt8] { ForgedFile(records).bytes }

/// A damaged entry with a wrong end, so that the next intact record after it is searched.
let lost = wrong("lost", [1, 2, 3], length: 5)

let families: [(name: String, make: (Int) -> [UInt8])] = [
  ("intact entries", { size in file(many(size) { [Record(key: "\($0)", value: [1])] }) }),
  ("intact changes", { size in changes(size) { $0.append([Record(key: "\($1)", value: [1])]) }.bytes }),
  ("entries with wrong checksums", { size in file(many(size) { [wrong("\($0)")] }) }),
  (
    "keys of 1,024 bytes with wrong checksums",
    { size in file(many(size) { [wrong(String(repeating: "k", count: 1020) + "\(1000 + $0)")] }) }
  ),
  (
    "many keys of 1,024 bytes, one after the other, of which none is a record",
    { size in
      file(
        [lost] + [
          Record(
            key: "v",
            value: many(size) {
              [Record(key: "\($0)" + String(repeating: "a", count: 1018), value: [], length: 1 << 40)]
            }.flatMap(\.bytes)
          ).broken
        ])
    }
  ),
  (
    "keys of half the file with wrong checksums",
    { size in file((0..<2).map { wrong("\($0)" + String(repeating: "k", count: size / 2)) }) }
  ),
  (
    "many keys that claim half of the file, of which none is a record",
    { size in
      let rest = String(repeating: "a", count: min(size / 2, 60_000))
      let claims = (0..<size / 20).flatMap { _ in
        Array(Record(key: rest, value: [], length: 1 << 40).bytes.prefix(3)) + Array(repeating: 0x61, count: 7)
      }
      return file([lost, Record(key: "v", value: claims + Record(key: rest, value: [1]).bytes).broken])
    }
  ),
  (
    "lengths that claim the rest of the entries",
    { size in
      let records = many(size) { [wrong("\(1000 + $0)", [1, 2, 3, 4], length: 1 << 16)] }
      return file(records + [Record(key: "end", value: [1])])
    }
  ),
  (
    "lengths that end in the last entry",
    { size in
      var (records, left) = ([Record](), size)
      while left > 40 {
        records.append(wrong("k", [1, 2], length: UInt64(left)))
        left -= records[records.count - 1].bytes.count
      }
      return file(records + [Record(key: "end", value: [UInt8](repeating: 1, count: 40))])
    }
  ),
  ("records that a changed bit explains, each before one that claims the rest", repairedBeforeClaims),
  (
    "the same in a change",
    { size in
      var forged = ForgedFile([])
      let records = repairedRecords(size)
      forged.append(records)
      return forged.bytes
    }
  ),
  (
    "heads of texts of 255 bytes",
    { size in searched([UInt8](repeating: 0x78, count: size).enumerated().map { $0.offset % 2 == 0 ? 0x78 : 0xff }) }
  ),
  (
    "heads of texts, each with an array after it",
    { size in searched((0..<size / 4).flatMap { _ in [0x61, 0x61, 0x83, 0x00] as [UInt8] }) }
  ),
  (
    "records that lead nowhere",
    { size in searched(many(size) { [wrong("\($0 % 10)")] }.flatMap(\.bytes) + [0xff, 0xff]) }
  ),
  (
    "records that lead to the end and are damaged",
    { size in file([lost] + many(size) { [wrong("\($0)")] }) }
  ),
  (
    "whole archives in a damaged value",
    { size in
      let inner = file([Record(key: "inner", value: [1]), Record(key: "other", value: [2])])
      return searched((0..<size / inner.count).flatMap { _ in inner })
    }
  ),
  (
    "copies of changes in a damaged change",
    { size in
      var inner = ForgedFile([])
      inner.append([Record(key: "inner", value: [1])], generation: 1 << 40)
      let change = Array(inner.bytes[72...])
      var forged = ForgedFile([])
      forged.append([Record(key: "v", value: (0..<size / change.count).flatMap { _ in change })])
      var bytes = forged.bytes
      bytes[80] ^= 0x55
      bytes[85] ^= 0x55
      return bytes
    }
  ),
  ("one key many times", { size in file(many(size) { [Record(key: "k", value: [UInt8($0 % 24)])] }) }),
  (
    "one key many times, composed in two ways",
    { size in file(many(size) { [Record(key: $0 % 2 == 0 ? "caf\u{e9}" : "cafe\u{301}", value: [1])] }) }
  ),
  (
    "keys of combining marks",
    { size in
      file(
        many(size) { number in
          let marks = (0..<500).map { ($0 + number) % 2 == 0 ? "\u{301}" : "\u{323}" }.joined()
          return [Record(key: "\(number % 10)\(number)" + marks, value: [1])]
        })
    }
  ),
  (
    "a key that is removed and set again, beside many",
    { size in
      // Large enough that a doubling of the table's memory matters little.
      let size = 4 * size
      return changes(size, many(size / 2) { [Record(key: "\($0)", value: [1])] }) { file, number in
        file.append(many(2000) { _ in [Record(removalOf: [0x6b]), Record(key: "k", value: [1])] })
      }.bytes
    }
  ),
  (
    "a key in another script that is removed and set again, beside many",
    { size in
      changes(size, many(size / 2) { [Record(key: "\u{e9}\($0)", value: [1])] }) { file, number in
        file.append(many(2000) { _ in [Record(removalOf: Array("\u{e9}".utf8)), Record(key: "\u{e9}", value: [1])] })
      }.bytes
    }
  ),
  (
    "every key removed",
    { size in
      let keys = many(size / 2) { [Record(key: "\($0)", value: [1])] }.indices
      var forged = ForgedFile(keys.map { Record(key: "\($0)", value: [1]) })
      for key in keys { forged.append([Record(removalOf: Array("\(key)".utf8))]) }
      return forged.bytes
    }
  ),
  (
    "changes of which one step is lost, beside many entries",
    { size in
      changes(size, many(size / 2) { [Record(key: "\($0)", value: [1])] }) { file, number in
        file.append([wrong("\(number)"), Record(key: "\(number)", value: [2])])
      }.bytes
    }
  ),
  (
    "changes that count more steps than they have, beside many entries",
    { size in
      changes(size, many(size / 2) { [Record(key: "\($0)", value: [1])] }) { file, number in
        file.append([Record(key: "\(number)", value: [2])], count: .max - 1)
      }.bytes
    }
  ),
  (
    "damaged changes before much room",
    { size in
      changes(size / 2) { $0.append([wrong("\($1)")]) }.bytes + [UInt8](repeating: 0, count: size / 2)
    }
  ),
  (
    "garbage before each change, before much room",
    { size in
      changes(size / 2) { file, number in
        file.append(raw: [1, 2, 3, 4, 5])
        file.append([Record(key: "\(number)", value: [1])], generation: file.generation + 2, synced: 0)
      }.bytes + [UInt8](repeating: 0, count: size / 2)
    }
  ),
  (
    "heads that cannot be read, each before one that can",
    { size in
      changes(size) { file, number in
        var head = [UInt8](repeating: 0x20, count: 46)
        (head[0], head[1], head[10], head[19], head[28], head[37]) = (0x88, 0x1b, 0x1b, 0x1b, 0x48, 0x48)
        file.append(raw: head)
        file.append([Record(key: "\(number)", value: [1])], generation: file.generation + 2, synced: 0)
      }.bytes
    }
  ),
  (
    "heads of changes that claim the rest",
    { size in
      changes(size) { file, number in
        file.append(
          [Record(key: "\(number)", value: [1])], generation: file.generation + 2, synced: 0,
          length: UInt64(max(size - file.bytes.count - 46, 14)))
      }.bytes
    }
  ),
  (
    "heads of changes without steps that claim the rest",
    { size in
      changes(size) { file, _ in
        file.append([], synced: 0, length: UInt64(max(size - file.bytes.count - 46, 14)))
      }.bytes
    }
  ),
  (
    "heads of changes that claim the rest, before one with many steps",
    { size in
      let records = many(size / 2) { [Record(key: "\($0)", value: [1])] }
      var last = ForgedFile([])
      let start = last.bytes.count
      last.append(records)
      let room = size / 2 / 60 * 60
      let end = start + room + last.bytes.count - start
      var forged = ForgedFile([])
      while forged.bytes.count < start + room {
        forged.append([], synced: 0, length: UInt64(end - forged.bytes.count - 46))
      }
      forged.append(records)
      return forged.bytes
    }
  ),
  (
    "heads of changes that claim the rest, each before a record that claims much",
    { size in
      let value = [UInt8](repeating: 1, count: size / 2)
      let record = Record(key: "k", value: value)
      return changes(size / 2) { file, _ in
        let end = size / 2 + record.bytes.count
        file.append(
          [Record(key: "k", value: [], length: UInt64(max(end - file.bytes.count - 46 - 16, 0)))],
          synced: 0, length: UInt64(max(end - file.bytes.count - 46, 14)))
      }.bytes + record.bytes
    }
  ),
  (
    "heads of changes that claim more than the file",
    { size in
      changes(size) { file, number in
        file.append(
          [Record(key: "\(number)", value: [1])], generation: file.generation + 2, synced: .max, length: .max)
      }.bytes
    }
  ),
  (
    "heads of changes of which only the forms are right",
    { size in
      var bytes = ForgedFile([]).bytes
      bytes += (0..<size).map { [0x88, 0x1b, 0x1b, 0x1b, 0x48, 0x48][$0 % 6] }
      return bytes
    }
  ),
  ("beginnings of heads", { size in file([]) + (0..<size).map { $0 % 2 == 0 ? 0x88 : 0x1b } }),
  (
    "heads of changes of an earlier generation",
    { size in changes(size) { $0.append([Record(key: "\($1)", value: [1])], generation: 0) }.bytes }
  ),
  (
    "generations that go round",
    { size in
      changes(size) { $0.append([Record(key: "\($1)", value: [1])], generation: $0.generation &+ (1 << 62)) }.bytes
    }
  ),
  (
    "sectors of zeros in changes",
    { size in
      changes(size) { file, number in
        file.append([Record(key: "\(number)", value: [UInt8](repeating: 0, count: 3000))], count: 7)
      }.bytes
    }
  ),
  ("values of zeros", { size in file(many(size) { [wrong("\($0)", [UInt8](repeating: 0, count: 2000))] }) }),
  (
    "zeros for entries",
    { size in ForgedFile([], entriesLength: UInt64(size)).bytes + [UInt8](repeating: 0, count: size) }
  ),
  (
    "a count of entries that there are not",
    { size in ForgedFile(many(size) { [wrong("\($0)")] }, entriesLength: .max, count: .max).bytes }
  ),
]

extension ForgedFile.Record {
  /// The record with a wrong checksum.
  var broken: Self {
    var record = self
    // The checksum precedes the value, whose first bytes may be damaged.
    record.bytes[record.bytes.count - 1] ^= 0x55
    return record
  }
}

/// An archive with a damaged record with a wrong end, followed by bytes in which the next record is searched.
func searched(_ bytes: [UInt8]) -> [UInt8] {
  file([Record(key: "lost", value: bytes, length: UInt64(bytes.count / 2)).broken, Record(key: "last", value: [1])])
}

/// Records of which each third is small and intact except for one bit. Uncorrected, it covers the record after it,
/// which claims the rest and has a wrong end. So all of them lead to the end, but after the correction of the bit, they
/// lead to the record that does not.
func repairedRecords(_ size: Int) -> [Record] {
  var parts = [Record(key: "end", value: [UInt8](repeating: 1, count: 8))]
  var length = parts[0].bytes.count
  while length < size {
    // Built from the end, because each record claims the distance to it, which is in the middle of the last value.
    let claim = wrong("c", [1], length: UInt64(length - 6))
    // With the bit, its key has 17 bytes: the text, the array, the length, the checksum and 5 bytes of the value. These
    // bytes follow.
    let after = [0x83] + ForgedFile.head(0, UInt64(claim.bytes.count)) + [0x48] + [UInt8](repeating: 7, count: 8)
    var record = Record(key: "a", value: [UInt8](repeating: 0x40, count: 5) + after)
    record.bytes[0] ^= 0x10
    parts += [claim, record, Record(key: "i", value: [1])]
    length += parts.suffix(3).reduce(0) { $0 + $1.bytes.count }
  }
  return [lost] + parts.reversed()
}

func repairedBeforeClaims(_ size: Int) -> [UInt8] { file(repairedRecords(size)) }

@inline(never) func readForgedFile(_ url: URL) -> GlobalData {
  var configuration = GlobalData.Configuration()
  configuration.registry = TypeRegistry()
  let store = GlobalData(at: url, configuration: configuration)
  _ = store.allKeys  // reads the file
  return store
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "write"? where arguments.count > 2:
  var number = 0
  for (name, make) in families {
    for size in arguments.dropFirst(2).compactMap({ Int($0) }) {
      let bytes = make(size)
      try Data(bytes).write(to: URL(fileURLWithPath: arguments[1]).appendingPathComponent("\(number)"))
      say("\(bytes.count) \(name)")
      number += 1
    }
  }
case "read"? where arguments.count > 1:
  for path in arguments.dropFirst() {
    let store = readForgedFile(URL(fileURLWithPath: path))
    say("kept \(store.allKeys.count), lost \(store.recovery?.lostEntryCount ?? 0), \(store.state)")
  }
default:
  say("usage: forged-files write FOLDER SIZE... | read FILE...")
  exit(64)
}
