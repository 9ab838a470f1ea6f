import Foundation
import GlobalData

/// Runs the code of one release with the store in the file that the first argument names.
@MainActor package func runExample(_ body: @MainActor (GlobalData) async throws -> Void) async {
  guard (2...3).contains(CommandLine.arguments.count) else {
    printError("usage: \(CommandLine.arguments[0]) FILE [write | migrate]")
    exit(2)
  }
  do {
    try await body(GlobalData(at: URL(fileURLWithPath: CommandLine.arguments[1])))
  } catch {
    printError("error: \(error)")
    exit(1)
  }
}

private func printError(_ message: String) {
  do {
    try FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
  } catch {
    return  // standard error is closed, so there is no stream left to report it
  }
}

/// Prints the value for a key, or the reason why it cannot be read. In that case, the other values are still shown.
package func show<Value>(_ key: String, in store: GlobalData, _ read: () throws -> Value?) {
  do {
    print("\(key): \(try read().map { "\($0)" } ?? "nothing")")
  } catch {
    print("\(key): unreadable: \(error)")
  }
}
