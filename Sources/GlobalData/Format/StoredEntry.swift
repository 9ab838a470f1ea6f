import Foundation
import KeyedArchive

/// One entry as it stands in the file: its key and its encoded value, in the form of a ``StepRecord``.
///
/// The record is written again as it is when other entries change. It may be a part of the buffer that the file was
/// read into, which lives as long as one such part does.
struct StoredEntry: Sendable {
  let key: String
  /// All bytes of the entry. A part of a larger buffer has indices that do not start at 0.
  let record: Data
  /// Where the value starts, counted from the start of the record.
  let valueOffset: Int
  let checksum: UInt64

  /// The bytes of the value. They may be a part of a larger buffer, with indices that do not start at 0.
  var value: Data { record[(record.startIndex + valueOffset)...] }

  /// An entry for a new value.
  ///
  /// - Parameters:
  ///   - key: A key that ``check(_:_:)`` accepts.
  ///   - value: One encoded CBOR item.
  init(key: String, value: Data) {
    let length = UInt64(value.count)
    let keyLength = CBORHead.length(of: UInt64(key.utf8.count)) + key.utf8.count
    let valueOffset = keyLength + StoredEntry.lengthBetweenKeyAndValue(ofLength: value.count)
    var key = key
    let checksum = key.withUTF8 { key in
      value.withUnsafeBytes { StepRecord.checksum(key: UnsafeRawBufferPointer(key), value: $0) }
    }
    let record = ByteBuffer(capacity: valueOffset + value.count)
    record.appendText(key)
    record.appendHead(.array, 3)
    record.appendHead(.unsigned, length)
    record.appendHead(.bytes, 8)
    record.append(bigEndian: checksum)
    record.append(contentsOf: value)
    self.init(key: key, record: record.takeData(), valueOffset: valueOffset, checksum: checksum)
  }

  /// An entry that was read.
  init(key: String, record: Data, valueOffset: Int, checksum: UInt64) {
    self.key = key
    self.record = record
    self.valueOffset = valueOffset
    self.checksum = checksum
  }

  // MARK: Places in a record

  /// Where the key's text starts: behind its head, whose first byte tells its length.
  static func keyOffset(_ record: UnsafeRawBufferPointer) -> Int {
    switch record[0] & 0x1f {
    case 24: 2
    case 25: 3
    case 26: 5
    case 27: 9
    default: 1
    }
  }

  /// The number of bytes between the key and a value of a length: the array, that length, and the checksum.
  static func lengthBetweenKeyAndValue(ofLength length: Int) -> Int {
    1 + CBORHead.length(of: UInt64(length)) + 9
  }

  /// Refuses the keys that no file may hold, for writers and readers alike.
  static func check(_ key: String, _ limits: ArchiveLimits) throws(GlobalDataError) {
    let length = key.utf8.count
    guard length > 0 else { throw GlobalDataError(.invalidKey, "a key is empty", key: key) }
    guard length <= limits.maximumKeyLength else {
      throw GlobalDataError(
        .invalidKey,
        "a key has \(length) bytes; the limit is \(limits.maximumKeyLength)",
        advice: "Use a shorter key, or raise maximumKeyLength in the store's limits.",
        key: String(key.prefix(80))
      )
    }
    var text = key
    let hasLongRun = length >= ZeroRuns.limit && text.withUTF8 { ZeroRuns.areLong(in: UnsafeRawBufferPointer($0)) }
    guard !hasLongRun else {
      throw GlobalDataError(
        .invalidKey, "a key has \(ZeroRuns.limit) or more zero characters in a row", advice: "Use another key.",
        key: String(key.prefix(80)))
    }
  }
}
