import Foundation

/// The state that is guaranteed after the worst event that a column's writes are meant to survive. Only columns with
/// the same survival are compared.
enum Survival: String, Codable, CaseIterable {
  /// Acknowledged changes survive a power cut: each write waits for stable storage.
  case powerCut = "power cut"
  /// After a power cut, the file holds an acknowledged state, which may be an older one.
  case olderState = "power cut, maybe older"
  /// Each write waits for stable storage, but overwrites existing bytes: a power cut or a kill during a write may
  /// destroy everything.
  case inPlace = "synced in place"
  /// Acknowledged changes survive when the process is killed. A power cut may remove or damage them.
  case kill = "kill only"
}

/// One entry of a store: about 200 bytes of text with a short key.
struct SampleEntry: Sendable {
  var key: String
  var value: String

  init(_ number: Int, round: Int = 0) {
    key = "entry-\(String(100_000 + number))"
    let start = "round \(round) of entry \(number) "
    value = start + SampleEntry.padding.dropLast(start.utf8.count)
  }

  private static let padding = String(repeating: "x", count: 200)

  static func all(_ count: Int) -> [SampleEntry] { (0..<count).map { SampleEntry($0) } }

  /// Returns the change to time in a round: entries all over the store, with a new value each time.
  static func change(_ round: Int, of count: Int) -> SampleEntry {
    SampleEntry(Int(UInt64(truncatingIfNeeded: round &* 2_654_435_761) % UInt64(count)), round: round + 1)
  }
}

/// A store of any kind: this package's, a peer's, or bare system calls.
protocol StorePeer {
  /// Writes entries together, and returns when they survive what the column states.
  func write(_ entries: [SampleEntry]) async throws

  /// Reads the value of one entry.
  func read(_ key: String) throws -> String?

  func close() async throws
}

/// One row of the tables: how to make a store, and what its writes survive.
struct StoreColumn {
  let name: String
  let survives: Survival
  /// The largest number of entries to time: more would take many seconds for each write and show nothing new.
  var largest = 100_000
  /// Makes a store in a new folder with the given entries.
  let make: (URL, [SampleEntry]) async throws -> any StorePeer

  /// All columns that this machine supports.
  static var all: [StoreColumn] {
    let waiting = ["floor: replace, fsync, fsync folder", "floor: append, fdatasync", "SQLite WAL, FULL"]
    let offThread = (floors + sqlite).filter { waiting.contains($0.name) }.map(\.offThread)
    return floors + globalData + sqlite + offThread + lmdb + wholeFiles
  }

  /// Descriptions of what is missing on this machine.
  static var skipped: [String] {
    var skipped: [String] = []
    if sqlite.isEmpty { skipped.append("SQLite: sqlite3.h is not installed (apt-get install libsqlite3-dev)") }
    if lmdb.isEmpty { skipped.append("LMDB: lmdb.h is not installed (apt-get install liblmdb-dev)") }
    return skipped
  }
}

/// The reason why a peer failed.
struct PeerFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// Checks the result of a C function that returns 0 for success.
  static func check(_ answer: Int32, _ what: String) throws {
    guard answer == 0 else { throw PeerFailure("\(what) failed: \(answer), errno \(errno)") }
  }
}
