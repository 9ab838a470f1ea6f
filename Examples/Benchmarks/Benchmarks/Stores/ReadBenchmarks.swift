import Foundation
import GlobalData

/// Times reading a value that was already read before.
enum ReadBenchmarks {
  private static let count = 10_000
  private static let batch = 1000

  /// The floor: a dictionary behind a lock.
  private final class LockedDictionary: @unchecked Sendable {
    private let lock = NSLock()
    // Only used while the lock is held.
    private var values: [String: String]

    init(_ entries: [SampleEntry]) {
      values = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
    }

    func value(forKey key: String) -> String? {
      lock.lock()
      defer { lock.unlock() }
      return values[key]
    }
  }

  /// One way to read. The caller's function calls it as often as it wants.
  private struct Reader: Sendable {
    let name: String
    let read: @Sendable (_ index: Int) throws -> Void
  }

  static func hot(in workplace: Workplace) async throws -> ResultTable {
    var table = ResultTable(
      title: "Reading a value that was read before, of 10,000", unit: "ns",
      columns: ["from a task", "from the main actor", "while a commit runs"])
    table.floors[""] = "floor: dictionary behind a lock"
    let columns = StoreColumn.all.filter {
      $0.name.hasSuffix("rewriting, ordered") || $0.name == "SQLite WAL, NORMAL" || $0.name == "LMDB, no sync"
        || $0.name.hasPrefix("UserDefaults")
    }
    let file = try workplace.makeFolder().appendingPathComponent("GlobalData.archive")
    let store = GlobalData(at: file, configuration: GlobalDataPeer.configuration(.processCrash, .rewriting))
    try await GlobalDataPeer(store: store).write(SampleEntry.all(count))
    let readers = self.readers(of: store)
    let onMain = try await readOnMain(readers)
    let inTask = try await time(subjects(readers), nanoseconds: true)
    let whileWriting = try await readWhileWriting(readers, store)
    for (index, reader) in readers.enumerated() {
      table.rows.append(
        .init(name: reader.name, cells: [inTask[index], onMain[index], whileWriting[index]]))
    }
    try await workplace.withStores(of: columns.filter { !$0.name.hasPrefix("GlobalData") }, count: count) { stores in
      let keys = SampleEntry.all(count).map(\.key)
      let samples = try await time(
        stores.map { column, store in
          Subject(name: column.name, operations: batch) { round in
            for index in 0..<batch { blackHole(try store.read(keys[(index &* 7919 &+ round) % count])) }
          }
        }, nanoseconds: true)
      for ((column, _), samples) in zip(stores, samples) {
        table.rows.append(.init(name: column.name, cells: [samples, nil, nil]))
      }
    }
    return table
  }

  private static func readers(of store: GlobalData) -> [Reader] {
    let entries = SampleEntry.all(count)
    let names = entries.map(\.key)
    let keys = names.map { GlobalData.Key($0, default: "") }
    let dictionary = LockedDictionary(entries)
    return [
      Reader(name: "floor: dictionary behind a lock") { blackHole(dictionary.value(forKey: names[$0])) },
      Reader(name: "GlobalData, object(String.self, forKey:)") {
        blackHole(try store.object(String.self, forKey: names[$0]))
      },
      Reader(name: "GlobalData, store[key]") { blackHole(store[keys[$0]]) },
    ]
  }

  private static func subjects(_ readers: [Reader]) -> [Subject] {
    readers.map { reader in
      Subject(name: reader.name, operations: batch) { try read(reader, $0) }
    }
  }

  private static func read(_ reader: Reader, _ round: Int) throws {
    // Read the same thousand keys each time, so that for the floor, too, they are in the processor's cache.
    for index in 0..<batch { try reader.read((index &* 7919) % count) }
  }

  @MainActor
  private static func readOnMain(_ readers: [Reader]) async throws -> [Samples?] {
    var times = readers.map { _ in [Double]() }
    let clock = ContinuousClock()
    for round in 0...300 {
      for (index, reader) in readers.enumerated() {
        let duration = try clock.measure { try read(reader, round) }
        guard round > 0 else { continue }
        times[index].append(Double(duration.components.attoseconds) / 1e9 / Double(batch))
      }
    }
    return times.map { Samples($0) }
  }

  /// Times reads while another task writes continuously.
  private static func readWhileWriting(_ readers: [Reader], _ store: GlobalData) async throws -> [Samples?] {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var round = 0
        while !Task.isCancelled {
          // Write a key that is not read. Otherwise, each read would have to decode it.
          try await store.set(round, forKey: "counter")
          round += 1
        }
      }
      let samples = try await time(subjects(readers), nanoseconds: true)
      group.cancelAll()
      try await group.waitForAll()
      return samples
    }
  }
}
