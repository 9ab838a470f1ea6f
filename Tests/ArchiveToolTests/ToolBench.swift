import Foundation
import GlobalData
import TestSupport

/// A folder for the files of a test, and a way to run the tool. The tool's output is in another folder.
struct ToolBench {
  @TemporaryFolder var folder
  @TemporaryFolder private var outputs
  var file: URL { folder.appendingPathComponent("store.archive") }

  func tool(_ arguments: String...) async throws -> ProcessOutcome {
    try await run(arguments)
  }

  func run(_ arguments: [String]) async throws -> ProcessOutcome {
    try await ChildProcess.run("archivetool", arguments, outputIn: outputs)
  }

  /// Runs the tool through a shell command, in which `"$BENCH"` stands for the folder.
  func run(_ arguments: [String], through command: String) async throws -> ProcessOutcome {
    try await ChildProcess.run(
      "archivetool", arguments, environment: ["BENCH": folder.path], outputIn: outputs, through: command)
  }

  func url(_ name: String) -> URL {
    folder.appendingPathComponent(name)
  }

  /// Writes a file and returns its path.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url(name))
    return url(name).path
  }

  /// A store that appends its changes to the bench's file.
  func appendingStore() -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.persistence = .appending
    return GlobalData(at: file, configuration: configuration)
  }

  /// Changes one byte of the bench's file, in the middle of a text in it.
  func damage(_ text: String) throws {
    var data = try Data(contentsOf: file)
    guard let range = data.range(of: Data(text.utf8)) else { throw CocoaError(.fileReadCorruptFile) }
    data[range.lowerBound] ^= 0x01
    try data.write(to: file)
  }

  /// Everything about the folder and its files that a command could change.
  func snapshot() throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return try ([""] + names).map { name in
      let path = name.isEmpty ? folder.path : url(name).path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let date = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
      let bytes = name.isEmpty ? "" : try Data(contentsOf: url(name)).base64EncodedString()
      return
        "\(name) \(date) \(attributes[.systemFileNumber] ?? 0) \(attributes[.posixPermissions] ?? 0) \(bytes)"
    }
  }
}
