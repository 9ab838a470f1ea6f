import Foundation
import GlobalData

/// Times writes.
enum WriteBenchmarks {
  static let sizes = [10, 100, 1000, 10_000, 100_000]
  private static let rounds = 300

  /// Times the change of one entry in stores of all sizes.
  static func one(in workplace: Workplace) async throws -> ResultTable {
    var table = emptyTable("One write of 200 bytes, by number of entries", columns: sizes.map { "\($0)" })
    for (index, size) in sizes.enumerated() {
      // Make the changes first, because making a string takes as long as some of the timed work.
      let changes = (0...rounds).map { [SampleEntry.change($0, of: size)] }
      try await workplace.withStores(of: StoreColumn.all, count: size) { stores in
        let samples = try await time(
          stores.map { column, store in
            Subject(name: column.name) { round in try await store.write(changes[round]) }
          }, maximum: rounds)
        for ((column, _), samples) in zip(stores, samples) { table.set(samples, column.name, index) }
      }
    }
    return table
  }

  /// Times many writes in a row, for stores whose writes postpone work: logs that are carried over, files that are
  /// rewritten, syncs that occur once in many writes. A median of single writes hides that cost.
  static func inARow(in workplace: Workplace) async throws -> ResultTable {
    let sizes = [10, 1000, 10_000, 100_000]
    let count = 1000
    var table = emptyTable("Each of 1,000 writes in a row, by number of entries", columns: sizes.map { "\($0)" })
    let columns = StoreColumn.all.filter { column in
      ["GlobalData appending", "SQLite WAL", "LMDB", "floor: append"].contains { column.name.hasPrefix($0) }
    }
    table.rows.removeAll { row in !columns.contains { $0.name == row.name } }
    let floor = "floor: append"
    table.floors = [
      Survival.powerCut.rawValue: "\(floor), fdatasync", Survival.olderState.rawValue: floor,
      Survival.kill.rawValue: floor,
    ]
    for (index, size) in sizes.enumerated() {
      let changes = (0..<count * 11).map { SampleEntry.change($0, of: size) }
      try await workplace.withStores(of: columns, count: size) { stores in
        let samples = try await time(
          stores.map { column, store in
            Subject(name: column.name, operations: count) { round in
              for change in changes[round * count..<(round + 1) * count] { try await store.write([change]) }
            }
          }, budget: .milliseconds(700), maximum: 10)
        for ((column, _), samples) in zip(stores, samples) { table.set(samples, column.name, index) }
      }
    }
    return table
  }

  /// Times a hundred changes in one write and a single change, and shows the ratio.
  static func transaction(in workplace: Workplace) async throws -> [ResultTable] {
    var table = emptyTable("One write and 100 writes as one, into 1,000 entries", columns: ["1", "100"])
    let changes = (0...rounds).map { round in (0..<100).map { SampleEntry.change(round * 100 + $0, of: 1000) } }
    let single = (0...rounds).map { [SampleEntry.change($0, of: 1000)] }
    try await workplace.withStores(of: StoreColumn.all, count: 1000) { stores in
      // Both kinds of writes use the same store, so that they start from the same state.
      let samples = try await time(
        stores.flatMap { column, store in
          [single, changes].map { changes in
            Subject(name: column.name) { round in try await store.write(changes[round]) }
          }
        }, maximum: rounds)
      for (index, (column, _)) in stores.enumerated() {
        table.set(samples[2 * index], column.name, 0)
        table.set(samples[2 * index + 1], column.name, 1)
      }
    }
    var ratios = ResultTable(title: "100 writes as one", unit: "times as long as one write", columns: ["1000"])
    ratios.rows = table.rows.map { row in
      let ratio = row.cells[0].flatMap { one in row.cells[1].map { $0.median / one.median } }
      return .init(name: row.name, survives: row.survives, cells: [ratio.flatMap { Samples([$0]) }])
    }
    return [table, ratios]
  }

  /// Times a thousand concurrent writes, and the same writes in a row.
  static func concurrent(in workplace: Workplace) async throws -> ResultTable {
    var table = ResultTable(
      title: "1,000 writes, each for itself, into 1,000 entries", unit: "µs a write", columns: ["in turn", "at once"])
    let columns = StoreColumn.globalData
    table.rows = columns.map { .init(name: $0.name, survives: $0.survives, cells: [nil, nil]) }
    let changes = (0..<31_000).map { SampleEntry.change($0, of: 1000) }
    try await workplace.withStores(of: columns, count: 1000) { stores in
      let inTurn = try await time(
        stores.map { column, store in
          Subject(name: column.name, operations: 20) { round in
            for number in 0..<20 { try await store.write([changes[round * 20 + number]]) }
          }
        }, maximum: 20)
      let atOnce = try await time(
        stores.compactMap { column, store in
          guard let store = (store as? GlobalDataPeer)?.store else { return nil }
          return Subject(name: column.name, operations: 1000) { round in
            let entries = changes[round * 1000..<(round + 1) * 1000]
            try await withThrowingTaskGroup(of: Void.self) { group in
              for entry in entries { group.addTask { try await store.set(entry.value, forKey: entry.key) } }
              try await group.waitForAll()
            }
          }
        }, maximum: 30)
      for (index, (column, _)) in stores.enumerated() {
        table.set(inTurn[index], column.name, 0)
        table.set(atOnce[index], column.name, 1)
      }
    }
    return table
  }

  private static func emptyTable(_ title: String, columns: [String]) -> ResultTable {
    var table = ResultTable(title: title, unit: "µs", columns: columns)
    table.rows = StoreColumn.all.map {
      .init(name: $0.name, survives: $0.survives, cells: columns.map { _ in nil })
    }
    for survival in Survival.allCases { table.floors[survival.rawValue] = StoreColumn.floor(of: survival) }
    return table
  }
}

extension ResultTable {
  mutating func set(_ samples: Samples?, _ name: String, _ column: Int) {
    guard let row = rows.firstIndex(where: { $0.name == name }) else { return }
    rows[row].cells[column] = samples
  }
}
