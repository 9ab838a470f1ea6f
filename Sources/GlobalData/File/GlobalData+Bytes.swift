package import Foundation
package import KeyedArchive

// Files as bytes, for the tests of apps.

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
    return ArchiveImage(identity: StoreIdentity(identity), generation: 1, entries: entries).pieces().reduce(
      into: Data()
    ) { $0 += $1 }
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
