package import Foundation
package import KeyedArchive

// Files as bytes, for imports and the tests of apps.

extension GlobalData {
  /// The bytes of a store's file with certain entries, the same each time.
  ///
  /// - Throws: ``GlobalDataError`` when a value cannot be encoded or a key is none.
  package static func archive(
    of entries: [(key: String, encode: (KeyedArchiveEncoder) throws -> KeyedArchiveEncoder.Item)],
    registry: TypeRegistry, identity: UUID
  ) throws -> Data {
    var configuration = Configuration()
    configuration.registry = registry

    let entries = try entries.map { [configuration] entry in
      try StoredEntry(key: entry.key, configuration, in: nil, encode: entry.encode)
    }
    let image = ArchiveImage(identity: StoreIdentity(identity), generation: 1, entries: entries)
    return image.encoded().pieces.reduce(into: Data()) { $0 += $1 }
  }

  /// Reads a file that is to be imported, as a store's own is read.
  ///
  /// - Returns: All its bytes; `nil` if there is no file.
  /// - Throws: ``GlobalDataError`` for a file that is larger than the limit, or cannot be read.
  package static func bytes(ofFileAt url: URL, limit: Int) throws -> Data? {
    let session = FileSession(ArchiveFile(url: url), .reading)
    defer { session.end() }
    return try session.read(limit: limit).map { Data($0.0) }
  }

  /// The encoded values in the file of a store, by their keys.
  ///
  /// - Throws: ``GlobalDataError`` when the file is not as it was written, or of a newer format.
  package static func encodedValues(inFileAt url: URL) throws -> [(key: String, value: Data)] {
    let parsed = ArchiveImage.parsing(SharedBytes(copying: try Data(contentsOf: url)), limits: ArchiveLimits())
    guard case .intact(let contents) = parsed else { throw GlobalDataError.notIntact(parsed, url) }
    return contents.image.entries.map { ($0.key, Data($0.content)) }
  }
}
