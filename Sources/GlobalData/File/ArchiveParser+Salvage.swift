import Foundation
import KeyedArchive

// What is read behind a place where an entry should be and none is: a changed byte in a key's head or in a length hides
// where the next entry starts. Entries are found again by their form and their checksum, which nothing else in a file
// has by chance.
//
// A value may hold a whole archive, though, as data, and the entries in it are not the store's. That is why a place is
// preferred from which one entry follows the other up to the very end of the file. Only where there is none, and the
// file does not just end too early, are single entries taken.

extension ArchiveParser {
  /// The entries that can be found in a damaged region, which a damaged entry begins.
  ///
  /// - Parameters:
  ///   - region: Where to look.
  ///   - end: Where the last entry would end.
  ///   - isTruncated: Whether the file ends too early, so that single entries may be those of a value.
  /// - Returns: The entries, in order.
  /// - Complexity: O(*n*) in the bytes of the region; the bytes that are checked are bounded to eight times as many.
  func entriesFound(in region: Range<Int>, endingAt end: Int, isTruncated: Bool) -> [StoredEntry] {
    var budget = 8 * region.count
    var result: [StoredEntry] = []
    var place = region.lowerBound + 1
    while place < end, budget > 0 {
      guard let run = run(from: place, to: end, &budget) else {
        place += 1
        continue
      }
      if run.end == end { return run.entries }
      result += run.entries
      place = run.end
    }
    return isTruncated ? [] : result
  }

  private struct Run {
    var entries: [StoredEntry]
    var end: Int
  }

  /// The intact entries that follow one another from a place up to the end of the region, or `nil` when none is there.
  private func run(from start: Int, to end: Int, _ budget: inout Int) -> Run? {
    var entries: [StoredEntry] = []
    var place = start
    while place < end, let entry = intactEntry(at: place, &budget) {
      entries.append(entry)
      place += entry.record.count
    }
    guard !entries.isEmpty else { return nil }
    return Run(entries: entries, end: place)
  }

  func byte(at offset: Int) -> UInt8? {
    offset < reader.count ? reader.bytes(offset..<offset + 1).first : nil
  }

  /// The entry at a place, if its form is that of an entry and its checksum is right.
  private func intactEntry(at start: Int, _ budget: inout Int) -> StoredEntry? {
    guard let first = byte(at: start), first >> 5 == CBORHead.Major.text.rawValue else { return nil }
    budget -= 1
    var parser = ArchiveParser(data, bytesFrom: self, at: start)
    let found = parser.readOneEntry()
    budget -= parser.offset - start
    return found
  }
}
