import Foundation
import GlobalData

/// Times this package's store, its peers and the bare system calls in one run.
enum StoreBenchmarks {
  static func run(_ report: inout Report, in workplace: Workplace) async throws {
    for line in StoreColumn.skipped { print("skipped \(line)") }
    report.add(try await WriteBenchmarks.one(in: workplace))
    report.add(try await WriteBenchmarks.inARow(in: workplace))
    for table in try await WriteBenchmarks.transaction(in: workplace) { report.add(table) }
    report.add(try await WriteBenchmarks.concurrent(in: workplace))
    report.add(try await ReadBenchmarks.hot(in: workplace))
    try await openings(&report, in: workplace)
  }

  static func openings(_ report: inout Report, in workplace: Workplace) async throws {
    report.add(try await OpenBenchmarks.cold(in: workplace))
    #if os(Linux)  // they read /proc
    report.add(try await MemoryAfterOpening.table(in: workplace))
    #endif
  }

  /// Only writes a number of times, so that other tools can count the cost: `write COLUMN ENTRIES WRITES`, or
  /// `write COLUMN ENTRIES AT_ONCE WRITES` to make several changes in one write.
  static func write(_ arguments: [String], in workplace: Workplace) async throws {
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == arguments.count - 1, [2, 3].contains(numbers.count), let writes = numbers.last else {
      throw PeerFailure("write COLUMN ENTRIES [AT_ONCE] WRITES, with the column of a table")
    }
    let (count, size) = (numbers[0], numbers.count == 3 ? numbers[1] : 1)
    guard let column = StoreColumn.all.first(where: { $0.name == arguments[0] }) else {
      throw PeerFailure("no column is called \(arguments[0]); columns lists them")
    }
    try await workplace.withStores(of: [column], count: count) { stores in
      for (_, store) in stores {
        for round in 0..<writes {
          try await store.write((round * size..<(round + 1) * size).map { .change($0, of: count) })
        }
      }
    }
  }

  /// Times only the writes of a few columns, in turn: `compare ENTRIES COLUMN COLUMN…`. The last number of a row is the
  /// ratio to the first column.
  static func compare(_ arguments: [String], in workplace: Workplace) async throws {
    guard let count = arguments.first.flatMap(Int.init), arguments.count > 1 else {
      throw PeerFailure("compare ENTRIES COLUMN COLUMN…, with columns of a table")
    }
    let columns = StoreColumn.all.filter { arguments.dropFirst().contains($0.name) }
    let changes = (0...2000).map { [SampleEntry.change($0, of: count)] }
    try await workplace.withStores(of: columns, count: count) { stores in
      let samples = try await time(
        stores.map { column, store in
          Subject(name: column.name) { round in try await store.write(changes[round]) }
        }, budget: .seconds(1), maximum: 2000)
      let first = samples.first??.median ?? 1
      for ((column, _), samples) in zip(stores, samples) {
        guard let samples else { continue }
        print(column.name, count, samples.median, samples.median / first, separator: "\t")
      }
    }
  }

  /// Reads one value repeatedly after a first read, for a profiler: `read ENTRIES TIMES`.
  static func read(_ arguments: [String], in workplace: Workplace) async throws {
    guard arguments.count == 2, let count = Int(arguments[0]), let times = Int(arguments[1]) else {
      throw PeerFailure("read ENTRIES TIMES")
    }
    let store = GlobalData.inMemory()
    let entries = SampleEntry.all(count)
    try await GlobalDataPeer(store: store).write(entries)
    for round in 0..<times { blackHole(try store.object(String.self, forKey: entries[round % count].key)) }
  }

  /// Opens a new store and reads one value, a number of times, for a profiler: `reopen ENTRIES TIMES`.
  static func reopen(_ arguments: [String], in workplace: Workplace) async throws {
    guard arguments.count == 2, let count = Int(arguments[0]), let times = Int(arguments[1]) else {
      throw PeerFailure("reopen ENTRIES TIMES")
    }
    let file = GlobalDataPeer.file(in: workplace.folder)
    let entries = SampleEntry.all(count)
    let configuration = GlobalDataPeer.configuration(.processCrash, .rewriting)
    try await GlobalDataPeer(store: GlobalData(at: file, configuration: configuration)).write(entries)
    for round in 0..<times {
      let store = GlobalData(at: file, configuration: configuration)
      blackHole(try store.object(String.self, forKey: entries[round % count].key))
    }
  }

  /// Lists the columns and their survival, for durability.py.
  static func listColumns() {
    for column in StoreColumn.all { print("\(column.name)\t\(column.survives.rawValue)") }
  }
}
