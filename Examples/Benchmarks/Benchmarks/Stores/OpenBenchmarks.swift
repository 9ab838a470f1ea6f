import Floor
import Foundation
import GlobalData

/// Times opening a store that was closed, together with reading one value.
enum OpenBenchmarks {
  private static let sizes = [10_000, 100_000]

  static func cold(in workplace: Workplace) async throws -> ResultTable {
    var table = ResultTable(
      title: "Opening and one read, the file in the system's cache", unit: "µs", columns: sizes.map { "\($0)" })
    table.floors[""] = "floor: read and checksum of our file"
    for (index, size) in sizes.enumerated() {
      let folder = try workplace.makeFolder()
      let subjects = try await subjects(in: folder, size)
      let samples = try await time(subjects, budget: .milliseconds(1000), maximum: 100)
      for (subject, samples) in zip(subjects, samples) {
        if index == 0 { table.rows.append(.init(name: subject.name, cells: sizes.map { _ in nil })) }
        table.set(samples, subject.name, index)
      }
      try FileManager.default.removeItem(at: folder)
    }
    return table
  }

  private static func subjects(in folder: URL, _ count: Int) async throws -> [Subject] {
    let entries = SampleEntry.all(count)
    let key = entries[count / 2].key
    var subjects: [Subject] = []
    for persistence in GlobalData.Persistence.allCases {
      let configuration = GlobalDataPeer.configuration(.processCrash, persistence)
      let file = folder.appendingPathComponent("\(persistence)")
      try await fill(file, configuration, entries)
      if persistence == .rewriting { subjects.append(floor(file)) }
      subjects.append(
        Subject(name: "GlobalData \(persistence)") { _ in
          let store = GlobalData(at: file, configuration: configuration)
          guard try store.object(String.self, forKey: key) != nil else { throw PeerFailure("\(key) is missing") }
        })
    }
    #if canImport(CSQLite)
    let database = folder.appendingPathComponent("sqlite")
    let filled = try SQLitePeer(database, journal: "DELETE", synchronous: "NORMAL")
    try filled.write(entries)
    try filled.close()
    subjects.append(
      Subject(name: "SQLite, checks nothing") { _ in
        try await read(key, of: SQLitePeer(database, journal: "DELETE", synchronous: "NORMAL"))
      })
    #endif
    #if canImport(CLMDB)
    // A process may not have one file of LMDB open twice.
    let environment = try LMDBPeer(folder, syncs: false)
    try environment.write(entries)
    environment.close()
    subjects.append(
      Subject(name: "LMDB, checks nothing") { _ in try await read(key, of: LMDBPeer(folder, syncs: false)) })
    #endif
    for coder in WholeFileCoder.allCases where coder != .keyedArchiver || count <= 10_000 {
      try coder.peer(in: folder).write(entries)
      subjects.append(Subject(name: coder.rawValue) { _ in try await read(key, of: coder.peer(in: folder)) })
    }
    return subjects
  }

  /// A separate function, so that the store and its engine are deallocated when it returns.
  private static func fill(
    _ file: URL, _ configuration: GlobalData.Configuration, _ entries: [SampleEntry]
  ) async throws {
    let peer = GlobalDataPeer(store: GlobalData(at: file, configuration: configuration))
    try await peer.write(entries)
    try await peer.close()
  }

  private static func floor(_ file: URL) -> Subject {
    Subject(name: "floor: read and checksum of our file") { _ in
      var checksum: UInt64 = 0
      var size = 0
      try PeerFailure.check(floor_read(file.path, &checksum, &size), "floor_read")
      blackHole((checksum, size))
    }
  }

  private static func read(_ key: String, of peer: some StorePeer) async throws {
    guard try peer.read(key) != nil else { throw PeerFailure("\(key) is missing") }
    try await peer.close()
  }
}
