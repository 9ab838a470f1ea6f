import Foundation

/// Where failures go that happened in a place that cannot throw: one line each on standard error, and each only once.
enum FailureLog {
  private static let reported = Locked<Set<String>>([])

  static func report(_ error: any Error) {
    let line = "GlobalData: \(error)"
    guard reported.withLock({ $0.insert(line).inserted }) else { return }
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
