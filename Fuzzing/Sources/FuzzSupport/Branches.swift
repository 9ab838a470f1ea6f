import Foundation
import Synchronization

/// Counts the branches that inputs reach, to detect that all inputs fail at the first checksum, or have another type
/// than expected, and test nothing.
public enum Branches {
  private static let counts = Mutex<[String: Int]>([:])
  private static let required = Mutex<[String]>([])

  public static func reach(_ name: String) {
    counts.withLock { $0[name, default: 0] += 1 }
  }

  /// Prints at the end of the program which branches were reached. If the environment asks for it, fails if one was
  /// not. The corpus must reach all of them.
  public static func reportAtExit(_ names: [String]) {
    required.withLock { $0 = names }
    atexit {
      let counts = Branches.counts.withLock { $0 }
      let required = Branches.required.withLock { $0 }
      print("reached: " + required.map { "\($0) \(counts[$0] ?? 0)" }.joined(separator: ", "))
      let missing = required.filter { counts[$0] == nil }
      guard !missing.isEmpty, ProcessInfo.processInfo.environment["FUZZ_ALL_BRANCHES"] != nil else { return }
      print("error: never reached: \(missing.joined(separator: ", "))")
      fflush(nil)
      _exit(1)
    }
  }
}
