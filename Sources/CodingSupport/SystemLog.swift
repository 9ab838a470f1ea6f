#if canImport(os)
import os
#else
import Foundation
#endif

/// The log that the library writes to where a program does not take warnings and diagnostics itself: the system's log on Apple's
/// systems, standard error elsewhere.
package enum SystemLog {
  private static let isSilenced = Locked(false)

  /// Writes nothing from now on. For tests: many of them provoke what is reported, and some look at it.
  package static func silence() {
    isSilenced.withLock { $0 = true }
  }

  /// Writes an entry.
  ///
  /// - Parameters:
  ///   - kind: The kind of what is reported, a fixed word.
  ///   - message: A sentence, which may hold paths and keys. Apple's log shows it to a debugger, and to others only where they may
  ///     see private data.
  ///   - category: The module that reports.
  package static func report(_ kind: String, _ message: String, from category: String) {
    guard !isSilenced.withLock({ $0 }) else { return }
    write(kind, message, category)
  }

  #if canImport(os)
  private static func write(_ kind: String, _ message: String, _ category: String) {
    Logger(subsystem: "GlobalData", category: category).error("\(kind, privacy: .public): \(message)")
  }
  #else
  /// Writes a line.
  ///
  /// A program may have closed standard error, or its reader may be gone. No other stream could tell that, and nothing that a
  /// store does may fail for it.
  private static func write(_ kind: String, _ message: String, _ category: String) {
    do {
      try FileHandle.standardError.write(contentsOf: Data("\(category): \(kind): \(message)\n".utf8))
    } catch {
      return
    }
  }
  #endif
}
