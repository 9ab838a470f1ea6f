import CodingSupport
import FoundationCore

// Errors about the contents of a file that could be read.

extension GlobalDataError {
  static func notIntact(_ parsed: ParsedArchive, _ url: URL) -> GlobalDataError {
    switch parsed {
    case .foreign: GlobalDataError(.foreignFormat, "\(url.path) is not an archive of GlobalData", fileURL: url)
    case .newer(let version, _):
      GlobalDataError(
        .newerFormat,
        "\(url.path) has version \(version) of the archive format; this app reads versions up to \(ArchiveImage.version)",
        fileURL: url
      )
    case .unreadable(let damage): damaged([damage], url)
    case .intact(let contents), .damaged(let contents): damaged(contents.damage, url)
    }
  }

  /// Returns the error for writing to a file in a newer format, which must not be overwritten.
  static func cannotWriteNewer(_ version: UInt64, _ url: URL?) -> GlobalDataError {
    GlobalDataError(
      .newerFormat,
      "\(url?.path ?? "the file") has version \(version) of the archive format; this app writes version "
        + "\(ArchiveImage.version)",
      fileURL: url
    )
  }

  /// Returns the error for a damaged file. The message describes the first damage in full.
  static func damaged(_ damage: [ArchiveDamage], _ url: URL) -> GlobalDataError {
    let first = damage.first.map { ": \($0)" } ?? ""
    let more = damage.count > 1 ? " (and \(counted(damage.count - 1, "more problem", "more problems")))" : ""
    return GlobalDataError(
      .damaged,
      "\(url.path) is damaged\(first)\(more)",
      fileURL: url,
      key: damage.first?.key,
      underlyingError: damage.first
    )
  }
}
