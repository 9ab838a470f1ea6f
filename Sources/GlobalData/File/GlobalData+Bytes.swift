package import FoundationCore
package import KeyedArchive

// Files as bytes, for imports and the tests of apps.

extension GlobalData {
  /// Returns the bytes of a store's file with these entries, the same each time.
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

  /// Reads a file that is to be imported; `nil` if there is none. Throws for a file that exceeds the limit.
  package static func bytes(ofFileAt url: URL, limit: Int) throws -> Data? {
    let session = FileSession(ArchiveFile(url: url), .reading)
    defer { session.end() }
    return try session.read(limit: limit).map { Data($0.0) }
  }

  /// Returns the encoded values in a store's file. Throws for a damaged file or a newer format.
  package static func encodedValues(inFileAt url: URL) throws -> [(key: String, value: Data)] {
    let parsed = ArchiveImage.parsing(SharedBytes(copying: try Data(contentsOf: url)), limits: ArchiveLimits())
    guard case .intact(let contents) = parsed else { throw GlobalDataError.notIntact(parsed, url) }
    return contents.image.entries.map { ($0.key, Data($0.content)) }
  }
}
