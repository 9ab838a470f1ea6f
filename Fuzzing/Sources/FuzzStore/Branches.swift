import Foundation
import Synchronization

/// Counts the branches that inputs reach, to detect that all inputs fail at the first checksum and
/// test nothing.
enum Branches {
  private static let counts = Mutex<[String: Int]>([:])

  /// The branches that the corpus must reach.
  private static let required = [
    "intact", "intact with changes", "newer", "foreign", "head of the archive lost", "unwritten", "one bit put right",
    "truncated", "malformed", "entry's checksum", "archive's checksum", "change's checksum", "duplicate key",
    "invalid key",
    "bytes at the end", "gap", "more bytes than stand before it", "lost key", "outdated key", "unnamed loss",
    "refused", "recovered", "written over",
  ]

  static func reach(_ name: String) {
    counts.withLock { $0[name, default: 0] += 1 }
  }

  /// Prints at the end of the program which branches were reached. If the environment asks for it, fails if one was
  /// not.
  static func reportAtExit() {
    atexit {
      let counts = Branches.counts.withLock { $0 }
      for name in Branches.required { print("reached \(counts[name] ?? 0) times: \(name)") }
      let missing = Branches.required.filter { counts[$0] == nil }
      guard !missing.isEmpty, ProcessInfo.processInfo.environment["FUZZ_ALL_BRANCHES"] != nil else { return }
      print("error: never reached: \(missing.joined(separator: ", "))")
      fflush(nil)
      _exit(1)
    }
  }
}
