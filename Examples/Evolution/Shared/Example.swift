import Foundation
import GlobalData

/// What the three releases have in common: a store in the file that the first argument names.
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
    return  // standard error is closed, and no other stream could tell
  }
}

/// Prints the value under a key, or why it cannot be read: that is no reason not to show the others.
package func show<Value>(_ key: String, in store: GlobalData, _ read: () throws -> Value?) {
  do {
    print("\(key): \(try read().map { "\($0)" } ?? "nothing")")
  } catch {
    print("\(key): unreadable: \(error)")
  }
}
