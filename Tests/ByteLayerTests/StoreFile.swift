@testable import GlobalData
@testable import KeyedArchive

/// A store's file in parts, each of which a check can forge.
struct StoreFile {
  var generation: UInt64 = 41
  var records: [[UInt8]] = []
  /// The claims of the heads, if they differ from the truth. The checksums are those of the claims.
  var claimedLength: UInt64?
  var claimedCount: UInt64?

  static let identity = StoreIdentity(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)

  /// The bytes of the archive, and the checksum of the whole.
  var archive: (bytes: [UInt8], checksum: UInt64) {
    let map = ByteBuffer()
    map.appendHead(.map, claimedCount ?? UInt64(records.count))
    let length = records.reduce(map.count) { $0 + $1.count }
    let buffer = ArchiveHead(
      version: 1, identity: StoreFile.identity, generation: generation, entriesLength: claimedLength ?? UInt64(length)
    ).encoded()
    buffer.append(contentsOf: map.written)
    var hash = XXHash64()
    buffer.written.withUnsafeBytes { hash.update($0) }
    for record in records {
      buffer.append(contentsOf: record)
      let checksum = StoreFile.checksum(in: record)
      checksum.withUnsafeBytes { hash.update($0) }
    }
    buffer.appendHead(.bytes, 8)
    buffer.append(bigEndian: hash.checksum)
    return (buffer.written, hash.checksum)
  }

  var bytes: [UInt8] { archive.bytes }

  /// A change after an archive.
  static func change(
    of steps: [ArchiveChange.Step], after archive: (bytes: [UInt8], checksum: UInt64), generation: UInt64 = 42
  ) -> [UInt8] {
    let change = ArchiveChange(
      generation: generation, syncedLength: archive.bytes.count, previousChecksum: archive.checksum, steps: steps)
    return change.encoded(archiveChecksum: archive.checksum).bytes.written
  }

  /// A change that sets one entry, and whose head claims wrong lengths. The checksums are those of the claims.
  static func forgedChange(
    setting entry: StoredEntry, after archive: (bytes: [UInt8], checksum: UInt64), claimedLength: UInt64? = nil,
    claimedSynced: UInt64? = nil
  ) -> [UInt8] {
    let head = ChangeHead(
      generation: 42, syncedLength: claimedSynced ?? UInt64(archive.bytes.count),
      length: claimedLength ?? UInt64(1 + entry.record.count + ArchiveChange.tailLength),
      previousChecksum: archive.checksum)
    let (buffer, headChecksum) = head.encoded(archiveChecksum: archive.checksum, capacity: 64)
    buffer.append(0x82)
    buffer.append(entry.record)
    var hash = XXHash64(seed: headChecksum)
    withUnsafeBytes(of: 0x82 as UInt8) { hash.update($0) }
    withUnsafeBytes(of: entry.checksum.bigEndian) { hash.update($0) }
    buffer.appendHead(.bytes, 8)
    buffer.append(bigEndian: hash.checksum)
    buffer.append(contentsOf: ArchiveChange.end)
    return buffer.written
  }

  /// The bytes of an entry.
  static func record(_ key: String, _ value: [UInt8]) -> [UInt8] { entry(key, value).record.written }

  static func entry(_ key: String, _ value: [UInt8]) -> StoredEntry {
    value.withUnsafeBytes { StoredEntry(key: key, content: $0) }
  }

  /// An entry that claims wrong lengths of its key and its value, with the checksum of its actual bytes.
  static func record(
    _ key: String, _ value: [UInt8], claimedKeyLength: UInt64? = nil, claimedLength: UInt64? = nil
  ) -> [UInt8] {
    let buffer = ByteBuffer()
    let text = Array(key.utf8)
    buffer.appendHead(.text, claimedKeyLength ?? UInt64(text.count))
    buffer.append(contentsOf: text)
    buffer.appendHead(.array, 3)
    buffer.appendHead(.unsigned, claimedLength ?? UInt64(value.count))
    buffer.appendHead(.bytes, 8)
    let checksum = text.withUnsafeBytes { key in value.withUnsafeBytes { StepRecord.checksum(key: key, value: $0) } }
    buffer.append(bigEndian: checksum)
    buffer.append(contentsOf: value)
    return buffer.written
  }

  /// The checksum in a record whose heads are as short as possible.
  private static func checksum(in record: [UInt8]) -> [UInt8] {
    let form: StepRecord? = record.withUnsafeBytes { bytes in
      do throws(ArchiveDamage) {
        return try StepRecord.read(bytes, at: 0, endingBy: .max)
      } catch {
        return nil
      }
    }
    guard let form else { return [] }
    return withUnsafeBytes(of: form.checksum.bigEndian) { Array($0) }
  }
}

/// The parser's result for a file.
func parsed(_ bytes: [UInt8]) -> ParsedArchive {
  ArchiveImage.parsing(bytes.withUnsafeBytes { SharedBytes(copying: $0) })
}

extension ParsedArchive {
  /// A word for the result.
  var word: String {
    switch self {
    case .intact: "intact"
    case .damaged: "damaged"
    case .newer: "newer"
    case .unreadable: "unreadable"
    case .foreign: "foreign"
    }
  }

  /// The keys and values that were read.
  var entries: [String] {
    contents?.image.entries.list().map { entry in "\(entry.key)=\(entry.content.written.count)" } ?? []
  }
}

extension SharedBytes {
  var written: [UInt8] { withUnsafeBytes { Array($0) } }
}
