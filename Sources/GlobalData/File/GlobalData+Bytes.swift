package import FoundationCore
package import KeyedArchive

// Access to files as bytes, for imports and for the tests of apps.

extension GlobalData {
  /// The system calls of this process's platform.
  package static var systemCalls: any SystemCalls { POSIXSystemCalls() }

  /// Returns the bytes of a store's file with these entries. The same entries always give the same bytes.
  package static func archive(
    of entries: [(key: String, encode: (KeyedArchiveEncoder, KeyedArchiveEncoder.ItemReceiver) throws -> Void)],
    registry: TypeRegistry, identity: UUID
  ) throws -> Data {
    var configuration = Configuration()
    configuration.registry = registry

    let entries = try entries.map { [configuration] entry in
      try StoredEntry(key: entry.key, configuration, in: nil, encode: entry.encode)
    }
    let image = ArchiveImage(identity: StoreIdentity(identity), generation: 1, entries: entries)
    var data = Data()
    for piece in image.encoded().pieces { data.append(piece.data) }
    return data
  }

  /// Returns the bytes of a file to import; `nil` if there is no file. Throws if the file exceeds the limit.
  package static func bytes(ofFileAt url: URL, limit: Int) throws -> Data? {
    let session = FileSession(ArchiveFile(url: url), .reading)
    defer { session.end() }
    guard let (bytes, _) = try session.read(limit: limit) else { return nil }
    return bytes.data
  }

  /// Returns whether bytes start like a store's file.
  package static func isStore(_ bytes: Data) -> Bool { bytes.starts(with: ArchiveHead.magic) }

  /// Returns the encoded values in a store's file. Throws for a damaged file or a newer format.
  package static func encodedValues(inFileAt url: URL) throws -> [(key: String, value: Data)] {
    let parsed = ArchiveImage.parsing(SharedBytes(copying: try Data(contentsOf: url)))
    guard case .intact(let contents) = parsed else { throw GlobalDataError.notIntact(parsed, url) }
    return contents.image.entries.list().map { ($0.key, $0.content.data) }
  }
}

extension SharedBytes {
  // Avoids copies of Foundation's generic functions for these bytes.
  @inline(never)
  fileprivate var data: Data {
    withUnsafeBytes { bytes in bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data() }
  }
}
