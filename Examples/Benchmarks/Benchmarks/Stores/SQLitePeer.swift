import Foundation

#if canImport(CSQLite)

import CSQLite

/// One table of keys and values, with statements that are prepared once.
final class SQLitePeer: BlockingPeer {
  private var database: OpaquePointer?
  private var insert: OpaquePointer?
  private var select: OpaquePointer?

  init(_ file: URL, journal: String, synchronous: String) throws {
    try check(sqlite3_open(file.path, &database))
    try run("PRAGMA journal_mode=\(journal)")
    try run("PRAGMA synchronous=\(synchronous)")
    try run("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
    try check(sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO entries VALUES (?, ?)", -1, &insert, nil))
    try check(sqlite3_prepare_v2(database, "SELECT value FROM entries WHERE key = ?", -1, &select, nil))
  }

  private func check(_ answer: Int32) throws {
    guard [SQLITE_OK, SQLITE_DONE, SQLITE_ROW].contains(answer) else {
      throw PeerFailure("SQLite: \(sqlite3_errmsg(database).map { String(cString: $0) } ?? "?")")
    }
  }

  private func run(_ statement: String) throws {
    try check(sqlite3_exec(database, statement, nil, nil, nil))
  }

  /// Binds a string that SQLite copies, which `-1` requests.
  private func bind(_ text: String, to statement: OpaquePointer?, at position: Int32) throws {
    try check(sqlite3_bind_text(statement, position, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self)))
  }

  func write(_ entries: [SampleEntry]) throws {
    if entries.count > 1 { try run("BEGIN") }
    for entry in entries {
      try bind(entry.key, to: insert, at: 1)
      try bind(entry.value, to: insert, at: 2)
      try check(sqlite3_step(insert))
      try check(sqlite3_reset(insert))
    }
    if entries.count > 1 { try run("COMMIT") }
  }

  func read(_ key: String) throws -> String? {
    try bind(key, to: select, at: 1)
    defer { sqlite3_reset(select) }
    guard sqlite3_step(select) == SQLITE_ROW else { return nil }
    return sqlite3_column_text(select, 0).map { String(cString: $0) }
  }

  func close() throws {
    sqlite3_finalize(insert)
    sqlite3_finalize(select)
    try check(sqlite3_close(database))
  }
}

extension StoreColumn {
  static var sqlite: [StoreColumn] {
    let modes: [(journal: String, synchronous: String, Survival)] = [
      ("DELETE", "FULL", .powerCut), ("WAL", "FULL", .powerCut),
      ("DELETE", "NORMAL", .olderState), ("WAL", "NORMAL", .olderState),
    ]
    return modes.map { journal, synchronous, survival in
      StoreColumn(name: "SQLite \(journal), \(synchronous)", survives: survival) { folder, entries in
        let peer = try SQLitePeer(
          folder.appendingPathComponent("sqlite"), journal: journal, synchronous: synchronous)
        try peer.write(entries)
        return peer
      }
    }
  }
}

#else

extension StoreColumn {
  static var sqlite: [StoreColumn] { [] }
}

#endif
