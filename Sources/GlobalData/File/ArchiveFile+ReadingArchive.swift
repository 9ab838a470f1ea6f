import Foundation
import KeyedArchive

extension ArchiveFile {
  /// A file as it was read once.
  struct Reading {
    /// What tells the file from a later one, where that was asked for.
    var stamp: FileStamp?
    let data: Data
    let outcome: Result<ArchiveImage.Contents, ArchiveImageError>

    fileprivate var isDamaged: Bool {
      switch outcome {
      case .success(let contents): !contents.damage.isEmpty
      case .failure(.damaged): true
      case .failure: false
      }
    }
  }

  /// Reads the file and what it holds.
  ///
  /// Reading takes no lock. While another process appends, it may copy one page of the file before a change and the next one behind the
  /// change after that, and what lies in between then looks damaged. So damage is only believed that two readings find in the same bytes.
  ///
  /// - Parameters:
  ///   - limits: What the file may hold.
  ///   - isStamped: Whether to ask for what tells the file from a later one.
  /// - Returns: The reading, or `nil` where there is no file.
  /// - Throws: ``GlobalDataError`` with a code of reading.
  /// - Complexity: O(*n*) in the size of the file, which is read twice where it is damaged.
  func readArchive(_ limits: ArchiveLimits, isStamped: Bool) throws(GlobalDataError) -> Reading? {
    var last: Reading?
    // A writer that is this fast for so long has to be met in the middle of a change each time.
    for _ in 0..<20 {
      // Both of the file that the path leads to now.
      if isStamped { _ = try followPath() }
      let stamp = isStamped ? try stamp() : nil
      guard let data = try read(limit: limits.maximumFileSize) else { return nil }
      if var last, last.data == data {
        last.stamp = stamp
        return last
      }
      let reading = Reading(stamp: stamp, data: data, outcome: ArchiveImage.parsing(data, limits: limits))
      guard reading.isDamaged else { return reading }
      last = reading
    }
    return last
  }
}
