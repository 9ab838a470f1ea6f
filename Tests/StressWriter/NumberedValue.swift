import Foundation
import GlobalData

/// A value that shows its save, and whether it is complete.
struct NumberedValue: Codable, Sendable {
  private static let key = "value"

  var number: Int
  var filling: Data

  init(number: Int, size: Int) {
    self.number = number
    filling = NumberedValue.filling(number, size)
  }

  private var isWhole: Bool { filling == NumberedValue.filling(number, filling.count) }

  /// Bytes that differ everywhere between saves, so that parts of two saves never form a complete one.
  private static func filling(_ number: Int, _ size: Int) -> Data {
    // In blocks, because a test needs many and large saves, even from a debug build.
    let block = Data((0..<1 << 12).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) })
    var filling = Data(capacity: size)
    while filling.count + block.count <= size { filling.append(block) }
    filling.append(block.prefix(size - filling.count))
    return filling
  }

  /// Saves values one after the other, and prints each save.
  ///
  /// A writer that is started again continues the numbers.
  static func save(to store: GlobalData, count: Int, size: Int) async throws {
    let last = try store.object(NumberedValue.self, forKey: key)?.number ?? 0
    for offset in 0..<count {
      let number = last &+ 1 &+ offset
      try say("TRY \(number)")
      do {
        try await store.set(NumberedValue(number: number, size: size), forKey: key)
      } catch {
        try say("ERR \(number) \(error)")
        continue
      }
      try say("ACK \(number)")
    }
  }

  /// Returns the problem of a file, or `nil` if it contains a save that may be there: not older than the last
  /// acknowledged one, and one that was begun.
  static func problem(in store: GlobalData, acknowledged: Int, started: Int) -> String? {
    let value: NumberedValue?
    do {
      value = try store.object(NumberedValue.self, forKey: key)
    } catch {
      return "CORRUPT \(error)"
    }
    guard let value else {
      return acknowledged > 0 ? "LOST the file holds nothing, acknowledged was \(acknowledged)" : nil
    }
    guard value.isWhole else { return "CORRUPT save \(value.number) is not whole" }
    guard value.number >= acknowledged else {
      return "STALE the file holds save \(value.number), acknowledged was \(acknowledged)"
    }
    guard value.number <= started else {
      return "FUTURE the file holds save \(value.number), started was \(started)"
    }
    return nil
  }
}
