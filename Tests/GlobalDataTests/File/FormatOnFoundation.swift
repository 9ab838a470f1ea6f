import Foundation
import KeyedArchive

@testable import GlobalData

// The parser and the writer of files, which do not use Foundation, with the types in which tests compare bytes.

extension ArchiveImage {
  init(identity: UUID, generation: UInt64, entries: EntryTable) {
    self.init(identity: StoreIdentity(identity), generation: generation, entries: entries)
  }

  init(identity: UUID, generation: UInt64, entries: [StoredEntry]) {
    self.init(identity: StoreIdentity(identity), generation: generation, entries: entries)
  }

  /// Reads a file, and throws if nothing can be read.
  static func parse(_ data: Data) throws(ArchiveImageError) -> Contents {
    try parsing(SharedBytes(copying: data)).get()
  }
}

/// The reason why nothing can be read from a file.
enum ArchiveImageError: Error, Equatable, Sendable {
  case foreignFormat
  case newerFormat(version: UInt64)
  /// The bytes before the entries are damaged.
  case damaged(ArchiveDamage)
}

extension ParsedArchive {
  func get() throws(ArchiveImageError) -> ArchiveImage.Contents {
    switch self {
    case .intact(let contents), .damaged(let contents), .newer(_, let contents?): return contents
    case .newer(let version, nil): throw .newerFormat(version: version)
    case .unreadable(let damage): throw .damaged(damage)
    case .foreign: throw .foreignFormat
    }
  }
}

extension StoredEntry {
  init(key: String, value: Data, _ memory: RecordMemory? = nil) {
    self = value.withUnsafeBytes { StoredEntry(key: key, value: $0, memory) }
  }

  init(key: String, content: Data) {
    self = content.withUnsafeBytes { StoredEntry(key: key, content: $0) }
  }

  var recordData: Data { Data(record) }
  var valueData: Data { Data(value) }
  var contentData: Data { Data(content) }
}
