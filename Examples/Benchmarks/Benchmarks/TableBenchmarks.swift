import Foundation
import GlobalData

/// Times a table of an app, ten thousand records of nine fields, with this package, a database, an array, and JSON.
///
/// SQLite has prepared statements, an index for the queries, and a record for each row: the cost of a wrapper comes on
/// top.
@MainActor
enum TableBenchmarks {
  private nonisolated static let count = 10_000
  private static let ours = "GlobalData"
  private static let ofMainActor = "GlobalData, a model of the main actor"
  private static let array = "floor: an array of the records"
  private static let sqlite = "SQLite, WAL, NORMAL; FULL if synced"
  private static let otherIndex = "SQLite, its index on the text that is sorted by"
  private static let json = "JSONDecoder, the same records in one array"
  private static let leastDecoder = "floor: a decoder without names, types and checks"

  static func run(_ report: inout Report, in workplace: Workplace) async throws {
    let records = (0..<count).map(TableRecord.sample)
    try await runWriting(&report, records, in: workplace)
    try await runQueries(&report, records, in: workplace)
  }

  /// Does a fixed amount of work of one kind, for a profiler: `repeat first 100`, `repeat predicate 1000`.
  nonisolated static func repeatWork(_ arguments: [String]) async throws {
    let times = arguments.last.flatMap { Int($0) } ?? 100
    let store = GlobalData.inMemory()
    let cars = store.collection(of: TableRecord.self)
    let records = (0..<count).map(TableRecord.sample)
    try await cars.insert(records)
    for round in 0..<times {
      switch arguments.first {
      case "first":
        let copy = GlobalData.inMemory()
        try await copy.restore(store.snapshot())
        blackHole(copy.collection(of: TableRecord.self).all)
      case "predicate": blackHole(cars.filter(#Predicate { $0.speed > 60 && $0.isOnline }))
      case "sorted": blackHole(firstTen(of: cars))
      case "insert":
        let copy = GlobalData.inMemory().collection(of: TableRecord.self)
        try await copy.insert(records)
      case "update":
        try await cars.update(round % count) { $0.speed = round }
        blackHole(cars.all)
      default: blackHole(cars.filter { $0.speed > 60 }.count)
      }
    }
  }

  // MARK: Writing, and the first list

  private static func runWriting(_ report: inout Report, _ records: [TableRecord], in workplace: Workplace) async throws
  {
    let columns = [
      "insert all in one", "open, read all", "read all again", "read one by its id", "update one", "update one, synced",
    ]
    var samples: [String: [[Double]]] = [:]
    func add(_ microseconds: Double, _ name: String, _ column: Int) {
      samples[name, default: columns.map { _ in [] }][column].append(microseconds)
    }
    for round in 0..<8 {
      let folder = try workplace.makeFolder()
      let file = folder.appendingPathComponent("table.archive")
      try await insert(records, at: file, .ordered) { if round > 0 { add($0, ours, 0) } }
      try await readAll(at: file) { if round > 0 { add($0, ours, $1) } }
      #if canImport(CSQLite)
      let database = try TableDatabase(folder.appendingPathComponent("table.sqlite"))
      let inserting = try microseconds { try database.insert(records) }
      try database.close()
      let began = ContinuousClock.now
      let opened = try TableDatabase(folder.appendingPathComponent("table.sqlite"))
      // SQLite makes a record from each row and keeps nothing, so the second time is like the first.
      blackHole(try opened.all())
      let reading = (ContinuousClock.now - began) / .microseconds(1)
      let again = try microseconds { blackHole(try opened.all()) }
      if round > 0 { for (column, time) in [inserting, reading, again].enumerated() { add(time, sqlite, column) } }
      try opened.close()
      #endif
      let text = try JSONEncoder().encode(records)
      let decoding = try microseconds { blackHole(try JSONDecoder().decode([TableRecord].self, from: text)) }
      let bytes = try FloorEncoder.encode(records)
      let leastDecoding = try microseconds { blackHole(try FloorDecoder.decode([TableRecord].self, from: bytes)) }
      if round > 0 {
        add(decoding, json, 1)
        add(leastDecoding, leastDecoder, 1)
      }
      try FileManager.default.removeItem(at: folder)
    }
    // After a power cut, an unsynced change may be lost.
    try await readOnesAndUpdate(records, .ordered, "NORMAL", in: workplace) { name, reading, update in
      add(reading, name, 3)
      add(update, name, 4)
    }
    try await readOnesAndUpdate(records, .powerLoss, "FULL", in: workplace) { name, _, update in add(update, name, 5) }

    var table = ResultTable(title: "10,000 records of nine fields", unit: "µs", columns: columns)
    table.floors[""] = ours
    for name in [ours, sqlite, json, leastDecoder] {
      guard let cells = samples[name] else { continue }
      table.rows.append(.init(name: name, cells: cells.map { Samples($0) }))
    }
    report.add(table)
  }

  private static func insert(
    _ records: [TableRecord], at file: URL, _ durability: Durability, _ tell: (Double) -> Void
  ) async throws {
    let store = GlobalData(at: file, configuration: GlobalDataPeer.configuration(durability, .appending))
    let cars = store.collection(of: TableRecord.self)
    let began = ContinuousClock.now
    try await cars.insert(records)
    tell((ContinuousClock.now - began) / .microseconds(1))
    try await store.close()
  }

  private static func readAll(at file: URL, _ tell: (Double, _ column: Int) -> Void) async throws {
    let began = ContinuousClock.now
    let store = GlobalData(at: file, configuration: GlobalDataPeer.configuration(.ordered, .appending))
    let cars = store.collection(of: TableRecord.self)
    blackHole(cars.all)
    tell((ContinuousClock.now - began) / .microseconds(1), 1)
    tell(microseconds { blackHole(cars.all) }, 2)
    try await store.close()
  }

  private static func readOnesAndUpdate(
    _ records: [TableRecord], _ durability: Durability, _ synchronous: String, in workplace: Workplace,
    _ tell: (String, _ reading: Double, _ update: Double) -> Void
  ) async throws {
    let folder = try workplace.makeFolder()
    let store = GlobalData(
      at: folder.appendingPathComponent("table.archive"),
      configuration: GlobalDataPeer.configuration(durability, .appending))
    let cars = store.collection(of: TableRecord.self)
    try await cars.insert(records)
    blackHole(cars.all)
    #if canImport(CSQLite)
    let database = try TableDatabase(folder.appendingPathComponent("table.sqlite"), synchronous: synchronous)
    try database.insert(records)
    #endif
    for round in 0..<200 {
      let id = round * 7919 % count
      let reading = microseconds { blackHole(cars[id]) }
      let began = ContinuousClock.now
      try await cars.update(id) { $0.speed += 1 }
      tell(ours, reading, (ContinuousClock.now - began) / .microseconds(1))
      #if canImport(CSQLite)
      tell(
        sqlite, try microseconds { blackHole(try database.record(id)) },
        try microseconds {
          guard var record = try database.record(id) else { return }
          record.speed += 1
          try database.replace(record)
        })
      #endif
    }
    #if canImport(CSQLite)
    try database.close()
    #endif
    try await store.close()
    try FileManager.default.removeItem(at: folder)
  }

  // MARK: Queries

  private static func runQueries(_ report: inout Report, _ records: [TableRecord], in workplace: Workplace) async throws
  {
    let cars = GlobalData.inMemory().collection(of: TableRecord.self)
    try await cars.insert(records)
    let bicycles = GlobalData.inMemory().collection(of: MainActorRecord.self)
    try await bicycles.insert(records.map(MainActorRecord.init))

    var counting: [Contender] = [
      Contender(name: array) { blackHole(records.count { $0.speed > 60 && $0.isOnline }) },
      Contender(name: ours) { blackHole(cars.all.count { $0.speed > 60 && $0.isOnline }) },
      Contender(name: ofMainActor) { blackHole(bicycles.all.count { $0.speed > 60 && $0.isOnline }) },
    ]
    var filtering: [Contender] = [
      Contender(name: array) { blackHole(records.filter { $0.speed > 60 && $0.isOnline }) },
      Contender(name: ours) { blackHole(cars.filter { $0.speed > 60 && $0.isOnline }) },
      Contender(name: ofMainActor) { blackHole(bicycles.filter { $0.speed > 60 && $0.isOnline }) },
    ]
    var predicate: [Contender] = [
      Contender(name: array) { blackHole(records.filter { $0.speed > 60 && $0.isOnline }) },
      Contender(name: ours) { blackHole(cars.filter(#Predicate { $0.speed > 60 && $0.isOnline })) },
      Contender(name: ofMainActor) { blackHole(bicycles.filter(#Predicate { $0.speed > 60 && $0.isOnline })) },
    ]
    var sorted: [Contender] = [
      Contender(name: array) {
        blackHole(
          records.filter { $0.speed > 60 && $0.isOnline }.sorted { $0.plate < $1.plate }.prefix(10).map { $0 })
      },
      Contender(name: ours) { blackHole(firstTen(of: cars)) },
      Contender(name: ofMainActor) {
        blackHole(
          bicycles.filter(
            #Predicate { $0.speed > 60 && $0.isOnline }, sortedBy: [SortDescriptor(\.plate)], limit: 10))
      },
    ]
    var sortedByFunction: [Contender] = [
      Contender(name: array) {
        blackHole(
          records.filter { $0.speed > 60 && $0.isOnline }.sorted { $0.plate < $1.plate }.prefix(10).map { $0 })
      },
      Contender(name: ours) {
        blackHole(cars.filter({ $0.speed > 60 && $0.isOnline }, sortedBy: { $0.plate < $1.plate }, limit: 10))
      },
      Contender(name: ofMainActor) {
        blackHole(bicycles.filter({ $0.speed > 60 && $0.isOnline }, sortedBy: { $0.plate < $1.plate }, limit: 10))
      },
    ]
    #if canImport(CSQLite)
    let folder = try workplace.makeFolder()
    let database = try TableDatabase(folder.appendingPathComponent("table.sqlite"))
    try database.insert(records)
    counting.append(Contender(name: sqlite) { blackHole(try database.fastCount()) })
    filtering.append(Contender(name: sqlite) { blackHole(try database.fast()) })
    predicate.append(Contender(name: sqlite) { blackHole(try database.fast()) })
    for (name, index) in [(sqlite, TableDatabase.Index.speed), (otherIndex, .plate)] {
      sorted.append(Contender(name: name) { blackHole(try database.firstTen(index)) })
      sortedByFunction.append(Contender(name: name) { blackHole(try database.firstTen(index)) })
    }
    #endif
    try report.add(
      "Queries of 10,000 records of nine fields",
      [
        ContenderColumn(name: "count by closure", contenders: counting),
        ContenderColumn(name: "filter by closure", contenders: filtering),
        ContenderColumn(name: "filter by predicate", contenders: predicate),
        ContenderColumn(name: "sorted, first 10", contenders: sorted),
        ContenderColumn(name: "by closures, first 10", contenders: sortedByFunction),
      ])
    #if canImport(CSQLite)
    try database.close()
    try FileManager.default.removeItem(at: folder)
    #endif
    try await runAfterChange(&report, cars)
  }

  private nonisolated static func firstTen(of cars: GlobalData.ModelCollection<TableRecord>) -> [TableRecord] {
    cars.filter(#Predicate { $0.speed > 60 && $0.isOnline }, sortedBy: [SortDescriptor(\.plate)], limit: 10)
  }

  /// Times reading after each change, as for a list that a view shows.
  private static func runAfterChange(
    _ report: inout Report, _ cars: GlobalData.ModelCollection<TableRecord>
  ) async throws {
    var table = ResultTable(
      title: "Reading 10,000 records again after one change", unit: "µs",
      columns: ["all, one updated", "all, one deleted", "all, one inserted", "first 10, one updated"])
    var samples = table.columns.map { _ in [Double]() }
    for round in 0..<50 {
      let id = round * 7919 % count
      try await cars.update(id) { $0.speed += 1 }
      samples[0].append(microseconds { blackHole(cars.all) })
      try await cars.delete(id)
      samples[1].append(microseconds { blackHole(cars.all) })
      try await cars.insert(TableRecord.sample(id))
      samples[2].append(microseconds { blackHole(cars.all) })
      try await cars.update(id) { $0.speed += 1 }
      samples[3].append(microseconds { blackHole(firstTen(of: cars)) })
    }
    table.rows.append(.init(name: ours, cells: samples.map { Samples($0) }))
    report.add(table)
  }

  private static func microseconds(_ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    return try clock.measure(work) / .microseconds(1)
  }
}

/// A tracked car, as an app stores it.
struct TableRecord: Identifiable, Codable, Equatable, Sendable {
  var id: Int
  var plate: String
  var name: String
  var speed: Int
  var latitude: Double
  var longitude: Double
  var isOnline: Bool
  var seen: Date
  var remark: String?

  static func sample(_ number: Int) -> TableRecord {
    // The same in every run, and not sorted.
    let mixed = number &* 7919 % 10_007
    return TableRecord(
      id: number, plate: "HH-GD \(10_000 + mixed)", name: "Van \(number) of group \(number % 20)", speed: mixed % 130,
      latitude: 53.5 + Double(mixed) / 100_000, longitude: 9.9 + Double(number) / 100_000, isOnline: mixed % 4 > 0,
      seen: Date(timeIntervalSince1970: 1_764_000_000 + Double(mixed)),
      remark: number % 3 == 0 ? "To be cleaned by the end of the week" : nil)
  }
}

/// The same record as a model that may not leave the main actor.
struct MainActorRecord: Identifiable, Codable {
  var id: Int
  var plate: String
  var name: String
  var speed: Int
  var latitude: Double
  var longitude: Double
  var isOnline: Bool
  var seen: Date
  var remark: String?

  init(_ record: TableRecord) {
    id = record.id
    plate = record.plate
    name = record.name
    speed = record.speed
    latitude = record.latitude
    longitude = record.longitude
    isOnline = record.isOnline
    seen = record.seen
    remark = record.remark
  }
}

// Without this declaration, the compiler infers that the type is Sendable.
@available(*, unavailable)
extension MainActorRecord: Sendable {}
