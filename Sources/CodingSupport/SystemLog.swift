#if canImport(os)
import os
#else
import FoundationCore
#endif

/// The log that the library writes to where a program does not take warnings and diagnostics itself: the system's log
/// on Apple's systems, standard error elsewhere.
package enum SystemLog {
  private static let isSilenced = Locked(false)

  /// Writes nothing from now on. For tests: many of them provoke what is reported, and some look at it.
  package static func silence() {
    isSilenced.withLock { $0 = true }
  }

  /// Writes an entry: a fixed word for its kind, a sentence, which may hold paths and keys, and the module that
  /// reports. Apple's log shows the sentence to a debugger, and to others only where they may see private data.
  package static func report(_ kind: String, _ message: String, from category: String) {
    guard !isSilenced.withLock({ $0 }) else { return }
    write(kind, message, category)
  }

  #if canImport(os)
  private static func write(_ kind: String, _ message: String, _ category: String) {
    Logger(subsystem: "GlobalData", category: category).error("\(kind, privacy: .public): \(message)")
  }
  #else
  /// Writes a line. A closed standard error cannot be reported anywhere, and nothing that a store does may fail for it.
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
