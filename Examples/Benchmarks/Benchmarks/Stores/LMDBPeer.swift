import Foundation

#if canImport(CLMDB)

import CLMDB

/// LMDB with one unnamed database, a transaction for each write and each read.
final class LMDBPeer: StorePeer {
  private var environment: OpaquePointer?
  private var database: MDB_dbi = 0

  init(_ folder: URL, syncs: Bool) throws {
    try check(mdb_env_create(&environment))
    try check(mdb_env_set_mapsize(environment, 1 << 28))
    try check(mdb_env_open(environment, folder.path, UInt32(syncs ? 0 : MDB_NOSYNC), 0o600))
    try transaction(0) { try check(mdb_dbi_open($0, nil, 0, &database)) }
  }

  private func check(_ answer: Int32) throws {
    guard answer == 0 else { throw PeerFailure("LMDB: \(mdb_strerror(answer).map { String(cString: $0) } ?? "?")") }
  }

  private func transaction(_ flags: Int32, _ body: (OpaquePointer?) throws -> Void) throws {
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, UInt32(flags), &transaction))
    do {
      try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try check(mdb_txn_commit(transaction))
  }

  /// Calls a function with the bytes of a string, which the store copies before the function returns.
  private func withBytes<Result>(of text: String, _ body: (inout MDB_val) throws -> Result) rethrows -> Result {
    var text = text
    return try text.withUTF8 { bytes in
      var value = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return try body(&value)
    }
  }

  func write(_ entries: [SampleEntry]) throws {
    try transaction(0) { transaction in
      for entry in entries {
        try withBytes(of: entry.key) { key in
          try withBytes(of: entry.value) { value in try check(mdb_put(transaction, database, &key, &value, 0)) }
        }
      }
    }
  }

  func read(_ key: String) throws -> String? {
    var result: String?
    try transaction(MDB_RDONLY) { transaction in
      try withBytes(of: key) { key in
        var value = MDB_val()
        let answer = mdb_get(transaction, database, &key, &value)
        if answer == MDB_NOTFOUND { return }
        try check(answer)
        result = String(decoding: UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size), as: UTF8.self)
      }
    }
    return result
  }

  func close() {
    mdb_env_close(environment)
  }
}

extension StoreColumn {
  static var lmdb: [StoreColumn] {
    [(name: "LMDB, sync", Survival.powerCut), (name: "LMDB, no sync", .kill)].map { name, survival in
      StoreColumn(name: name, survives: survival) { folder, entries in
        let peer = try LMDBPeer(folder, syncs: survival == .powerCut)
        try peer.write(entries)
        return peer
      }
    }
  }
}

#else

extension StoreColumn {
  static var lmdb: [StoreColumn] { [] }
}

#endif
