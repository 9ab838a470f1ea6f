import Foundation

/// The lines that the library writes to standard error where a program does not take warnings and diagnostics itself.
package enum StandardError {
  private static let isSilenced = Locked(false)

  /// Writes nothing from now on. For tests: many of them provoke what is reported, and some look at it.
  package static func silence() {
    isSilenced.withLock { $0 = true }
  }

  /// Writes a line.
  ///
  /// A program may have closed standard error, or its reader may be gone. No other stream could tell that, and nothing that a
  /// store does may fail for it.
  package static func write(_ line: String) {
    guard !isSilenced.withLock({ $0 }) else { return }
    do {
      try FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    } catch {
      return
    }
  }
}
