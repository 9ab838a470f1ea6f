/// The rules for when to append to a file, when to sync it and when to rewrite it. They only calculate, and make no
/// system calls.
enum AppendPolicy {
  /// The granularity of a file's growth, in bytes: a file grows to a multiple of this.
  static let roomLength = 64 * 1024

  static func room(after end: Int) -> Int { roomLength - end % roomLength }

  /// Returns the greatest offset at which the last change may end. A change that would end beyond it makes the store
  /// rewrite the file.
  static func greatestEnd(liveBytes: Int) -> Int { 2 * liveBytes + roomLength }

  /// Returns whether three quarters of the file's room for outdated bytes are used.
  static func isCompactionDue(end: Int, liveBytes: Int) -> Bool {
    4 * (end - liveBytes) > 3 * (greatestEnd(liveBytes: liveBytes) - liveBytes)
  }

  /// Returns whether the bytes before an offset must be synced before a change is written there.
  ///
  /// After a store is opened, it is unknown whether the last writer synced the last change before it ended.
  static func syncsBeforeAppending(at point: AppendPoint, _ durability: Durability) -> Bool {
    switch durability {
    case .powerLoss: point.syncedLength < point.offset
    // A caller may have been promised that the change found in the file survives. Only a sync makes sure that the
    // change can be told from one that was never written.
    case .ordered: point.syncedLength + (point.isFound ? 1 : roomLength) <= point.offset
    case .processCrash: false
    }
  }
}
