import Foundation
import GlobalData

// A writer that a test can kill at any moment, and commands that examine the file afterward. See `StressCommand.usage`.
//
// It prints a line before each action, and another one after the store has acknowledged the action. Exit status: 0
// success, 1 wrong contents of the file, 2 usage error, 3 another failure.

do {
  // Without a descriptor 1, the first opened file would get that number, and receive the lines.
  guard fcntl(1, F_GETFD) != -1 else { throw POSIXError(.EBADF) }
  let command = try StressCommand(Array(CommandLine.arguments.dropFirst()))
  exit(try await command.run())
} catch let error as UsageError {
  complain("\(error.message)\n\(StressCommand.usage)")
  exit(2)
} catch {
  complain("\(error)")
  exit(3)
}
