import Foundation

/// What is known to be there after the worst that a column's writes are made for. Only like is compared with like.
enum Survival: String, Codable, CaseIterable {
  /// What was acknowledged is there after a power cut: each write waits for the medium.
  case powerCut = "power cut"
  /// After a power cut the file holds an acknowledged state, perhaps an older one.
  case olderState = "power cut, maybe older"
  /// Each write waits for the medium, but writes over what is there: a power cut or a kill during one may take everything.
  case inPlace = "synced in place"
  /// What was acknowledged is there when the process is killed. A power cut may take or damage it.
  case kill = "kill only"
}

/// One entry of a store: about 200 bytes of text under a short key.
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

  /// The changes that are timed: entries all over the store, each time with another value.
  static func change(_ round: Int, of count: Int) -> SampleEntry {
    SampleEntry(Int(UInt64(truncatingIfNeeded: round &* 2_654_435_761) % UInt64(count)), round: round + 1)
  }
}

/// A store of any make, ours, a peer's or the bare calls of the system.
protocol StorePeer {
  /// Writes entries as one, and returns when that survives what the column says.
  func write(_ entries: [SampleEntry]) async throws

  /// Reads the value of one entry.
  func read(_ key: String) throws -> String?

  func close() async throws
}

/// One row of the tables: how a store is made, and what its writes survive.
struct StoreColumn {
  let name: String
  let survives: Survival
  /// The most entries with which it is timed: what takes many seconds for one write tells nothing more.
  var largest = 100_000
  /// Makes a store in a new folder, with entries in it.
  let make: (URL, [SampleEntry]) async throws -> any StorePeer

  /// All that can be had on this machine.
  static var all: [StoreColumn] {
    let waiting = ["floor: replace, fsync, fsync folder", "floor: append, fdatasync", "SQLite WAL, FULL"]
    let offThread = (floors + sqlite).filter { waiting.contains($0.name) }.map(\.offThread)
    return floors + globalData + sqlite + offThread + lmdb + wholeFiles
  }

  /// What is missing here, in words.
  static var skipped: [String] {
    var skipped: [String] = []
    if sqlite.isEmpty { skipped.append("SQLite: sqlite3.h is not installed (apt-get install libsqlite3-dev)") }
    if lmdb.isEmpty { skipped.append("LMDB: lmdb.h is not installed (apt-get install liblmdb-dev)") }
    return skipped
  }
}

/// Why a peer could not do its work.
struct PeerFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// The answer of a C function that gives 0 where all is well.
  static func check(_ answer: Int32, _ what: String) throws {
    guard answer == 0 else { throw PeerFailure("\(what) failed: \(answer), errno \(errno)") }
  }
}
