import KeyedArchive

/// The bytes of a change to append, and the state of the file that they follow.
final class PreparedAppend {
  let bytes: ByteBuffer
  let point: AppendPoint
  let nextPoint: AppendPoint
  let stamp: FileStamp
  let syncsBefore: Bool
  /// Whether to rewrite the file once no caller is waiting.
  let isCompactionDue: Bool

  /// Returns `nil` if the store does not append, or if its file must be rewritten.
  init?(_ draft: StoreDraft, _ changes: KeyChanges, on contents: StoreContents, _ policy: CommitPlan.Policy) {
    // Cleared values must not stay in the file.
    guard policy.persistence == .appending, !policy.mustRewrite, !draft.clearsOthers, contents.condition == .ready,
      let point = contents.appendPoint, let stamp = contents.stamp
    else { return nil }
    let syncsBefore = AppendPolicy.syncsBeforeAppending(at: point, policy.durability)
    let syncedLength = syncsBefore ? point.offset : point.syncedLength
    let change = ArchiveChange(
      generation: contents.generation &+ 1, syncedLength: syncedLength, previousChecksum: point.checksum,
      steps: draft.steps(changes, on: contents))
    let (bytes, checksum) = change.encoded(archiveChecksum: point.archiveChecksum)
    let end = point.offset + bytes.count
    let liveBytes = contents.entries.byteCount + change.addedBytes - changes.outdatedBytes
    guard end <= AppendPolicy.greatestEnd(liveBytes: liveBytes), end + AppendPolicy.roomLength <= policy.maximumFileSize
    else { return nil }
    (self.bytes, self.point, self.stamp, self.syncsBefore) = (bytes, point, stamp, syncsBefore)
    let isSynced = policy.durability == .powerLoss
    nextPoint = AppendPoint(
      offset: end, checksum: checksum, archiveChecksum: point.archiveChecksum,
      syncedLength: isSynced ? end : syncedLength, isNameSynced: isSynced)
    isCompactionDue = AppendPolicy.isCompactionDue(end: end, liveBytes: liveBytes)
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
