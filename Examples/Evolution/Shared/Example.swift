import Foundation
import GlobalData

/// What the three releases have in common: a store in the file that the first argument names.
package func runExample(_ body: @Sendable (GlobalData) async throws -> Void) async {
  guard (2...3).contains(CommandLine.arguments.count) else {
    FileHandle.standardError.write(Data("usage: \(CommandLine.arguments[0]) FILE [write | migrate]\n".utf8))
    exit(2)
  }
  do {
    try await body(GlobalData(at: URL(fileURLWithPath: CommandLine.arguments[1])))
  } catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
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
