import Foundation
import GlobalData

/// Measures by how much the memory of a process grows when it opens a store, as a multiple of the file's size.
///
/// Each measurement runs in its own process. In one process, memory that an earlier store returned to the allocator
/// would hide growth.
enum MemoryAfterOpening {
  static func table(in workplace: Workplace) async throws -> ResultTable {
    let sizes = [10_000, 100_000]
    var table = ResultTable(
      title: "Resident memory after opening and one read", unit: "times the file's size", columns: sizes.map { "\($0)" }
    )
    for persistence in GlobalData.Persistence.allCases {
      var cells: [Samples?] = []
      for size in sizes {
        let file = try workplace.makeFolder().appendingPathComponent("GlobalData.archive")
        let configuration = GlobalDataPeer.configuration(.processCrash, persistence)
        let store = GlobalData(at: file, configuration: configuration)
        try await GlobalDataPeer(store: store).write(SampleEntry.all(size))
        try await store.close()
        let fileSize = try Data(contentsOf: file).count
        cells.append(Samples(try (0..<5).map { _ in Double(try child(opening: file)) / Double(fileSize) }))
      }
      table.rows.append(.init(name: "GlobalData \(persistence)", cells: cells))
    }
    return table
  }

  /// Starts this program again to open a file, and returns by how many bytes its memory grew.
  private static func child(opening file: URL) throws -> Int {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["open", file.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let bytes = Int(text) else { throw PeerFailure("the child that opened the store answered \"\(text)\"") }
    return bytes
  }

  /// Runs in the child process.
  static func open(_ path: String) async throws {
    // Open a store in memory first, so that all the code that opening needs is loaded.
    let small = GlobalData.inMemory()
    try await small.set("warm", forKey: "warm")
    blackHole(try small.object(String.self, forKey: "warm"))
    let before = try residentSize()
    let store = GlobalData(at: URL(fileURLWithPath: path))
    guard let key = store.allKeys.first, try store.object(String.self, forKey: key) != nil else {
      throw PeerFailure("the store is empty")
    }
    print(try residentSize() - before)
  }

  private static func residentSize() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { throw PeerFailure("/proc/self/statm cannot be read") }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
