// The part of a commit that is specific to appending. A store that rewrites its file also syncs changes that it finds,
// because another process may have appended them.

extension StoreWriter {
  func append(_ append: PreparedAppend, _ session: FileSession) throws -> WrittenFile {
    let stamp: FileStamp?
    do {
      stamp = try session.append(append, isSynced: configuration.durability == .powerLoss)
    } catch {
      mustRewrite = !session.isErased
      session.forgetFile()
      throw error
    }
    guard let stamp else { throw MustBeginAgain(url: session.url) }
    session.leaveAppendedFile()
    return WrittenFile(stamp: stamp, appendPoint: append.nextPoint)
  }

  /// Syncs changes that another writer may not have synced, before a caller is promised that its value is durable.
  func sync(_ point: AppendPoint, _ session: FileSession?) throws {
    try session?.syncFile()
    var point = point
    point.syncedLength = point.offset
    point.isNameSynced = true
    memory.recordSynced(point)
  }
}
