import Foundation
import GlobalData

// A writer that a test can kill at any moment, and what looks at the file afterwards. See `StressCommand.usage`.
//
// It says what it is about to do before it does it, and that it is done after the store said so. Exit status: 0 done,
// 1 the file does not hold what it must, 2 wrong usage, 3 something else failed.

do {
  // Without a descriptor 1, the first file to be opened would get that number, and the lines.
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
