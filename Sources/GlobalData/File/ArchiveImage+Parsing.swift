import Foundation
import KeyedArchive

extension ArchiveImage {
  /// What could be read of a file, and what could not.
  struct Contents: Sendable {
    /// The intact entries, and the other facts as they stand in the file.
    var image: ArchiveImage
    /// Empty if and only if the file is as it was written.
    var damage: [ArchiveDamage]
  }

  /// Reads a store's file.
  ///
  /// No value is decoded. The entries share the memory of `data`. Each entry in the result has passed its own
  /// checksum; a damaged one is left out, and as long as it has a credible length those after it are read.
  ///
  /// - Complexity: O(*n*) in the number of bytes. Memory beyond `data` is within a small multiple of its size.
  static func parse(_ data: Data, limits: ArchiveLimits) throws(ArchiveImageError) -> Contents {
    // Data's own method forgets which type of error its closure throws.
    let outcome = data.withUnsafeBytes { bytes in
      Result { () throws(ArchiveImageError) in
        var parser = ArchiveParser(data, bytes, limits)
        return try parser.parse()
      }
    }
    return try outcome.get()
  }
}
