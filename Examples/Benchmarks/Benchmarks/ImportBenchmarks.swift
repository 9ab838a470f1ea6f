import Foundation
import GlobalData

/// Measures the import of 100,000 records of nine fields: its time, and its peak memory.
///
/// Each import runs in its own process, because the peak of a process never falls.
enum ImportBenchmarks {
  private static let count = 100_000

  static func run(_ report: inout Report, in workplace: Workplace) async throws {
    let sizes = [1000, count]
    let columns = sizes.map { "\($0) at once" }
    var times = ResultTable(title: "Inserting 100,000 records, by how many at once", unit: "µs each", columns: columns)
    var peaks = ResultTable(
      title: "Resident memory at the peak of that", unit: "times the file's size", columns: columns)
    for persistence in GlobalData.Persistence.allCases {
      var cells: [(times: [Double], peaks: [Double])] = sizes.map { _ in ([], []) }
      for _ in 0..<3 {
        for (index, size) in sizes.enumerated() {
          let folder = try workplace.makeFolder()
          let file = folder.appendingPathComponent("GlobalData.archive")
          let (time, peak) = try child(file, persistence, size)
          cells[index].times.append(time / Double(count))
          cells[index].peaks.append(peak / Double(try Data(contentsOf: file).count))
          try FileManager.default.removeItem(at: folder)
        }
      }
      times.rows.append(.init(name: "GlobalData \(persistence)", cells: cells.map { Samples($0.times) }))
      peaks.rows.append(.init(name: "GlobalData \(persistence)", cells: cells.map { Samples($0.peaks) }))
    }
    report.add(times)
    report.add(peaks)
  }

  /// Starts this program again, and returns the duration of its import in microseconds, and the most bytes by which its
  /// memory grew.
  private static func child(
    _ file: URL, _ persistence: GlobalData.Persistence, _ size: Int
  ) throws -> (time: Double, peak: Double) {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["importing", file.path, "\(persistence)", "\(count)", "\(size)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let numbers = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
      Double($0)
    }
    guard numbers.count == 2 else { throw PeerFailure("the child that imported answered \(numbers)") }
    return (numbers[0], numbers[1])
  }

  /// Runs in the child process, and under a profiler: `importing FILE PERSISTENCE RECORDS AT_ONCE`.
  static func insert(_ arguments: [String]) async throws {
    guard arguments.count == 4, let count = Int(arguments[2]), let size = Int(arguments[3]),
      let persistence = GlobalData.Persistence.allCases.first(where: { "\($0)" == arguments[1] })
    else {
      throw PeerFailure("importing FILE PERSISTENCE RECORDS AT_ONCE")
    }
    // Open a store in memory first, so that all the code that the import needs is loaded.
    try await GlobalData.inMemory().collection(of: TableRecord.self).insert(TableRecord.sample(0))
    let store = GlobalData(
      at: URL(fileURLWithPath: arguments[0]), configuration: GlobalDataPeer.configuration(.ordered, persistence))
    let cars = store.collection(of: TableRecord.self)
    let before = try residentSize("VmRSS")
    let began = ContinuousClock.now
    for start in stride(from: 0, to: count, by: size) {
      // Make the records one by one, as an importer reads them: an array of them would use most of the memory.
      try await cars.insert((start..<min(start + size, count)).lazy.map(TableRecord.sample))
    }
    let time = (ContinuousClock.now - began) / .microseconds(1)
    print(time, try residentSize("VmHWM") - before)
    try await store.close()
  }

  /// Returns a size from /proc/self/status, in bytes.
  private static func residentSize(_ name: String) throws -> Int {
    let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
    let fields = lines.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace) ?? []
    guard fields.count > 1, let kibibytes = Int(fields[1]) else {
      throw PeerFailure("/proc/self/status has no \(name)")
    }
    return kibibytes * 1024
  }
}
