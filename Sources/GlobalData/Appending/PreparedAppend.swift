import KeyedArchive

final class PreparedAppend {
  let bytes: ByteBuffer
  let point: AppendPoint
  let nextPoint: AppendPoint
  let stamp: FileStamp
  let syncsBefore: Bool
  /// Whether to rewrite the file once no caller is waiting.
  let isCompactionDue: Bool

  private init(
    _ change: (bytes: ByteBuffer, checksum: UInt64), at point: AppendPoint, _ stamp: FileStamp, syncsBefore: Bool,
    syncedLength: Int, liveBytes: Int, _ durability: Durability
  ) {
    (bytes, self.point, self.stamp, self.syncsBefore) = (change.bytes, point, stamp, syncsBefore)
    let end = point.offset + bytes.count
    nextPoint = AppendPoint(
      offset: end, checksum: change.checksum, archiveChecksum: point.archiveChecksum,
      syncedLength: durability == .powerLoss ? end : syncedLength,
      isNameSynced: point.isNameSynced || durability == .powerLoss)
    isCompactionDue = AppendPolicy.isCompactionDue(end: end, liveBytes: liveBytes)
  }

  /// Returns `nil` if the store does not append, or if its file must be rewritten.
  static func preparing(
    _ draft: StoreDraft, _ changes: KeyChanges, on contents: StoreContents, _ policy: CommitPlan.Policy
  ) -> PreparedAppend? {
    // Cleared values must not stay in the file.
    guard policy.persistence == .appending, !policy.mustRewrite, !draft.clearsOthers, contents.condition == .ready,
      let point = contents.appendPoint, let stamp = contents.stamp
    else { return nil }
    let syncsBefore = AppendPolicy.syncsBeforeAppending(at: point, policy.durability)
    let syncedLength = syncsBefore ? point.offset : point.syncedLength
    let change = ArchiveChange(
      generation: contents.generation &+ 1, syncedLength: syncedLength, previousChecksum: point.checksum,
      steps: draft.steps(changes, on: contents))
    let encoded = change.encoded(archiveChecksum: point.archiveChecksum)
    let end = point.offset + encoded.bytes.count
    let liveBytes = contents.entries.byteCount + change.addedBytes - changes.outdatedBytes
    guard end <= AppendPolicy.greatestEnd(liveBytes: liveBytes),
      end + AppendPolicy.roomLength <= policy.maximumFileSize
    else { return nil }
    return PreparedAppend(
      encoded, at: point, stamp, syncsBefore: syncsBefore, syncedLength: syncedLength, liveBytes: liveBytes,
      policy.durability)
  }

  /// Whether the write follows the check of the file so late that the file must be checked again.
  var takesTime: Bool { syncsBefore || bytes.count > AppendPolicy.roomLength }
}

extension ArchiveChange {
  fileprivate var addedBytes: Int {
    steps.reduce(0) { count, step in
      if case .set(let entry) = step { count + entry.record.count } else { count }
    }
  }
}
