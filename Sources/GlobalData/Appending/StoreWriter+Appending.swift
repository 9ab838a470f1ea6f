// What appending adds to a commit. A store that rewrites syncs what was found, too: another process may have appended
// it.

extension StoreWriter {
  func append(_ append: PreparedAppend, _ session: FileSession) throws -> WrittenFile {
    mustRewrite = true  // Until the append has returned.
    let stamp: FileStamp?
    do {
      stamp = try session.append(append, isSynced: configuration.durability == .powerLoss)
    } catch {
      session.forgetFile()
      throw error
    }
    mustRewrite = false
    guard let stamp else { throw MustBeginAgain(url: session.url) }
    session.leaveAppendedFile()
    return WrittenFile(stamp: stamp, appendPoint: append.nextPoint)
  }

  /// Syncs what another writer may not have synced, where a caller is to hear that its value is there for good.
  func sync(_ point: AppendPoint, _ session: FileSession?) throws {
    try session?.syncFile()
    var point = point
    point.syncedLength = point.offset
    point.isNameSynced = true
    memory.recordSynced(point)
  }
}
