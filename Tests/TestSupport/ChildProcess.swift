public import Foundation

/// The outcome of a finished process.
public struct ProcessOutcome: Sendable {
  public let status: Int32
  public let output: String
  public let errors: String
}

/// A process that a test started. Its output is in files, so that it can be read while and after the process runs.
public final class ChildProcess: Sendable {
  private let exit: Task<Int32, Never>
  public let processID: Int32
  private let outputURL: URL
  private let errorsURL: URL

  /// Whether this system lets a program start another one. A condition of tests.
  public static var isPossible: Bool {
    #if os(macOS) || os(Linux)
    true
    #else
    false
    #endif
  }

  /// Starts one of the package's executables with its output in a folder, usually the test's own. If a shell command is
  /// given, starts the executable through it; `"$0" "$@"` stands for the executable and its arguments.
  public init(
    _ product: String, _ arguments: [String], environment: [String: String] = [:], outputIn folder: URL,
    through command: String? = nil
  ) throws {
    #if os(macOS) || os(Linux)
    let process = Process()
    process.executableURL = try ChildProcess.executable(product)
    process.arguments = arguments
    if let command, let path = process.executableURL?.path {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", command, path] + arguments
    }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let name = UUID().uuidString
    outputURL = folder.appendingPathComponent("\(name).out")
    errorsURL = folder.appendingPathComponent("\(name).err")
    let outputs = [try ChildProcess.emptyFile(outputURL), try ChildProcess.emptyFile(errorsURL)]
    (process.standardOutput, process.standardError) = (outputs[0], outputs[1])
    process.standardInput = FileHandle.nullDevice
    let (exits, continuation) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      continuation.yield(process.terminationStatus)
      continuation.finish()
    }
    try process.run()
    // The child has its own descriptors. These would stay open with the `Process`, which Foundation keeps, and beyond
    // about 1,300 open files, Foundation of Swift 6.3 reads past a buffer in `run()` (swift-corelibs-foundation, pull
    // request 5472).
    for output in outputs { try output.close() }
    processID = process.processIdentifier
    exit = Task {
      for await status in exits { return status }
      return -1
    }
    #else
    throw CocoaError(.featureUnsupported)
    #endif
  }

  private static func emptyFile(_ url: URL) throws -> FileHandle {
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }

  /// The standard output of the process so far.
  public func output() throws -> String {
    String(decoding: try Data(contentsOf: outputURL), as: UTF8.self)
  }

  /// Waits until the output so far meets a condition. Throws ``EndedTooEarly`` if the process ends before.
  public func waitForOutput(_ isMet: (String) -> Bool) async throws {
    while try !isMet(output()) {
      // Read again, because the process may have written between the two calls.
      if Foundation.kill(processID, 0) != 0, try !isMet(output()) {
        let outcome = try await outcome()
        throw EndedTooEarly(output: outcome.output, errors: outcome.errors)
      }
      await Task.yield()
    }
  }

  public struct EndedTooEarly: Error {
    let output: String
    let errors: String
  }

  public func kill() {
    Foundation.kill(processID, SIGKILL)
  }

  /// Waits for the end of the process without blocking a thread.
  public func outcome() async throws -> ProcessOutcome {
    let status = await exit.value
    return ProcessOutcome(
      status: status, output: try output(), errors: String(decoding: try Data(contentsOf: errorsURL), as: UTF8.self))
  }

  /// Runs one of the package's executables and waits for its end.
  public static func run(
    _ product: String, _ arguments: [String], environment: [String: String] = [:], outputIn folder: URL,
    through command: String? = nil
  ) async throws -> ProcessOutcome {
    try await ChildProcess(
      product, arguments, environment: environment, outputIn: folder, through: command
    ).outcome()
  }

  /// Returns the URL of an executable of the package, in the folder of the test bundle.
  private static func executable(_ product: String) throws -> URL {
    let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    let folders =
      bundles + [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()] + foldersOfTestBundle
    let candidates = folders.map { $0.appendingPathComponent(product) }
    guard let executable = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: product])
    }
    return executable
  }

  /// The folders that contain the test bundle, the innermost first.
  ///
  /// On macOS, `swift test` runs a program of the toolchain that loads the bundle as a library. There, the bundle is
  /// not the main bundle, and only an argument names it, or its executable three folders below
  /// (`X.xctest/Contents/MacOS/X`).
  private static var foldersOfTestBundle: [URL] {
    let arguments = CommandLine.arguments
    guard let option = arguments.firstIndex(of: "--test-bundle-path"), option + 1 < arguments.count else { return [] }
    var folder = URL(fileURLWithPath: arguments[option + 1])
    return (0..<4).map { _ in
      folder.deleteLastPathComponent()
      return folder
    }
  }
}
