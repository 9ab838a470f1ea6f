#if canImport(os)
import os
#else
import FoundationCore
#endif

/// The log for warnings and diagnostics that a program does not handle itself: the system log on Apple's platforms, and
/// standard error elsewhere.
package enum SystemLog {
  private static let isSilenced = Locked(false)

  /// Stops all output from now on. Many tests provoke reports, and some examine the output.
  package static func silence() { isSilenced.withLock { $0 = true } }

  /// Writes an entry. It consists of a fixed word for its kind, a sentence that may contain paths and keys, and the
  /// name of the reporting module. Apple's log shows the sentence to a debugger, and elsewhere only to readers who may
  /// see private data.
  package static func report(_ kind: String, _ message: String, from category: String) {
    guard !isSilenced.withLock({ $0 }) else { return }
    write(kind, message, category)
  }

  #if canImport(os)
  private static func write(_ kind: String, _ message: String, _ category: String) {
    Logger(subsystem: "GlobalData", category: category).error("\(kind, privacy: .public): \(message)")
  }
  #else
  /// Writes a line. If standard error is closed, there is nowhere to report that, and no store operation may fail
  /// because of it.
  private static func write(_ kind: String, _ message: String, _ category: String) {
    var line = Array("\(category): \(kind): \(message)\n".utf8)[...]
    while !line.isEmpty {
      let written = line.withUnsafeBytes { FoundationCore.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard written >= 0 || errno == EINTR else { return }
      line = line.dropFirst(max(0, written))
    }
  }
  #endif
}
