import Foundation

#if canImport(CSQLite)

import CSQLite

/// A table of records in SQLite, with statements that are prepared once.
final class TableDatabase {
  enum Index: String {
    /// An index for the query's condition.
    case speed = "by_speed"
    /// An index for the query's order.
    case plate = "by_plate"
  }

  private static let condition = "speed > 60 AND is_online"
  private var database: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  init(_ file: URL, synchronous: String = "NORMAL") throws {
    try check(sqlite3_open(file.path, &database))
    try run("PRAGMA journal_mode=WAL")
    try run("PRAGMA synchronous=\(synchronous)")
    try run(
      """
      CREATE TABLE IF NOT EXISTS cars (id INTEGER PRIMARY KEY, plate TEXT, name TEXT, speed INTEGER, latitude REAL,
        longitude REAL, is_online INTEGER, seen REAL, remark TEXT)
      """)
    try run("CREATE INDEX IF NOT EXISTS by_speed ON cars (speed, is_online)")
    try run("CREATE INDEX IF NOT EXISTS by_plate ON cars (plate)")
  }

  func insert(_ records: [TableRecord]) throws {
    try run("BEGIN")
    for record in records { try replace(record) }
    try run("COMMIT")
  }

  func replace(_ record: TableRecord) throws {
    let statement = try prepared("INSERT OR REPLACE INTO cars VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    try check(sqlite3_bind_int64(statement, 1, Int64(record.id)))
    try bind(record.plate, to: statement, at: 2)
    try bind(record.name, to: statement, at: 3)
    try check(sqlite3_bind_int64(statement, 4, Int64(record.speed)))
    try check(sqlite3_bind_double(statement, 5, record.latitude))
    try check(sqlite3_bind_double(statement, 6, record.longitude))
    try check(sqlite3_bind_int(statement, 7, record.isOnline ? 1 : 0))
    try check(sqlite3_bind_double(statement, 8, record.seen.timeIntervalSinceReferenceDate))
    if let remark = record.remark {
      try bind(remark, to: statement, at: 9)
    } else {
      try check(sqlite3_bind_null(statement, 9))
    }
    try check(sqlite3_step(statement))
    try check(sqlite3_reset(statement))
  }

  func all() throws -> [TableRecord] {
    try rows(of: prepared("SELECT * FROM cars ORDER BY id"))
  }

  func record(_ id: Int) throws -> TableRecord? {
    let statement = try prepared("SELECT * FROM cars WHERE id = ?")
    try check(sqlite3_bind_int64(statement, 1, Int64(id)))
    return try rows(of: statement).first
  }

  func fast() throws -> [TableRecord] {
    try rows(of: prepared("SELECT * FROM cars INDEXED BY by_speed WHERE \(Self.condition)"))
  }

  func fastCount() throws -> Int {
    let statement = try prepared("SELECT COUNT(*) FROM cars INDEXED BY by_speed WHERE \(Self.condition)")
    defer { sqlite3_reset(statement) }
    try check(sqlite3_step(statement))
    return Int(sqlite3_column_int64(statement, 0))
  }

  func firstTen(_ index: Index) throws -> [TableRecord] {
    try rows(
      of: prepared(
        "SELECT * FROM cars INDEXED BY \(index.rawValue) WHERE \(Self.condition) ORDER BY plate LIMIT 10"))
  }

  func close() throws {
    for statement in statements.values { sqlite3_finalize(statement) }
    try check(sqlite3_close(database))
  }

  private func rows(of statement: OpaquePointer) throws -> [TableRecord] {
    var records: [TableRecord] = []
    defer { sqlite3_reset(statement) }
    while true {
      let answer = sqlite3_step(statement)
      guard answer == SQLITE_ROW else {
        try check(answer)
        return records
      }
      records.append(
        TableRecord(
          id: Int(sqlite3_column_int64(statement, 0)), plate: text(statement, 1) ?? "", name: text(statement, 2) ?? "",
          speed: Int(sqlite3_column_int64(statement, 3)), latitude: sqlite3_column_double(statement, 4),
          longitude: sqlite3_column_double(statement, 5), isOnline: sqlite3_column_int(statement, 6) != 0,
          seen: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 7)), remark: text(statement, 8)))
    }
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String? {
    sqlite3_column_text(statement, column).map { String(cString: $0) }
  }

  private func prepared(_ text: String) throws -> OpaquePointer {
    if let statement = statements[text] { return statement }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(database, text, -1, &statement, nil))
    guard let statement else { throw PeerFailure("SQLite: no statement") }
    statements[text] = statement
    return statement
  }

  private func run(_ statement: String) throws {
    try check(sqlite3_exec(database, statement, nil, nil, nil))
  }

  /// Binds a string that SQLite copies, which `-1` requests.
  private func bind(_ text: String, to statement: OpaquePointer?, at position: Int32) throws {
    try check(sqlite3_bind_text(statement, position, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self)))
  }

  private func check(_ answer: Int32) throws {
    guard [SQLITE_OK, SQLITE_DONE, SQLITE_ROW].contains(answer) else {
      throw PeerFailure("SQLite: \(sqlite3_errmsg(database).map { String(cString: $0) } ?? "?")")
    }
  }
}

#endif
