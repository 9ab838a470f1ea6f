import Foundation
import KeyedArchive

extension ArchiveImage {
  /// What could be read of a file, and what could not.
  struct Contents: Sendable {
    /// The intact entries, changes included, and the other facts as they stand in the file.
    var image: ArchiveImage
    /// The version of the format. Of a newer one, only what has the form of the known one could be read.
    var version: UInt64
    /// The size of the file.
    var byteCount: Int
    /// Empty if and only if the file is as it was written, but for a change at its end that was not written to its end.
    var damage: [ArchiveDamage]
    /// What the damage has cost.
    var losses = LostRecords.Result()
    /// Where the next change may be appended; `nil` where the file has to be rewritten first.
    var appendPoint: AppendPoint?
  }

  /// Reads a store's file.
  ///
  /// No value is decoded. The entries share the memory of `data`. Each entry in the result has passed its own
  /// checksum; a damaged one is left out, and as long as it has a credible length those after it are read.
  ///
  /// - Complexity: O(*n*) in the number of bytes. Memory beyond `data` is within a small multiple of its size.
  static func parse(_ data: Data, limits: ArchiveLimits) throws(ArchiveImageError) -> Contents {
    try parsing(data, limits: limits).get()
  }

  /// The same, without throwing.
  static func parsing(_ data: Data, limits: ArchiveLimits) -> Result<Contents, ArchiveImageError> {
    data.withUnsafeBytes { bytes in
      Result { () throws(ArchiveImageError) in
        var parser = ArchiveParser(data, bytes, limits)
        return try parser.parse()
      }
    }
  }
}
