/// When a file is appended to, when it is synced and when it is written anew: decisions over numbers, without a call of
/// the system.
enum AppendPolicy {
  /// In bytes: a file grows to a multiple of this.
  static let roomLength = 64 << 10

  static func room(after end: Int) -> Int { roomLength - end % roomLength }

  /// Returns the greatest offset where the last change may end; beyond it the file is written anew.
  static func greatestEnd(liveBytes: Int) -> Int { 2 * liveBytes + roomLength }

  /// Returns whether three quarters of the room that a file has for what is out of date are taken.
  static func isCompactionDue(end: Int, liveBytes: Int) -> Bool {
    4 * (end - liveBytes) > 3 * (greatestEnd(liveBytes: liveBytes) - liveBytes)
  }

  /// Returns whether the bytes before an offset have to be synced before a change is written there.
  ///
  /// After a store was opened, it is not known whether the last change was synced before its writer ended.
  static func syncsBeforeAppending(at point: AppendPoint, _ durability: Durability) -> Bool {
    switch durability {
    case .powerLoss: point.syncedLength < point.offset
    // A change that was found may have been promised to survive. It can be told from one that was not written only if
    // it is synced.
    case .ordered: point.syncedLength + (point.isFound ? 1 : roomLength) <= point.offset
    case .processCrash: false
    }
  }
}
