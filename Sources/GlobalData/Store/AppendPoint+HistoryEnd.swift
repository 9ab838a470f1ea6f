extension AppendPoint {
  /// The point after the history of a file that was read.
  init(_ end: HistoryEnd) {
    self.init(
      offset: end.offset, checksum: end.checksum, archiveChecksum: end.archiveChecksum, syncedLength: end.syncedLength,
      isFound: true)
  }
}

extension ArchiveImage.Contents {
  /// Where the next change may be appended; `nil` where the file has to be rewritten first.
  var appendPoint: AppendPoint? { historyEnd.map { AppendPoint($0) } }
}
