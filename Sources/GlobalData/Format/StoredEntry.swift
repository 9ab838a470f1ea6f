import KeyedArchive

/// An entry as it is stored in the file: its key and its encoded value, in the form of a ``StepRecord``.
///
/// When other entries change, the record is rewritten as it is. The record may be a slice of the buffer that the file
/// was read into. The buffer lives as long as any of its slices.
struct StoredEntry: Sendable {
  let key: String
  let record: SharedBytes
  /// The offset of the value from the start of the record.
  let valueOffset: Int
  let checksum: UInt64

  var value: SharedBytes { record.part(valueOffset..<record.count) }

  /// The same entry in memory of its own.
  var copy: StoredEntry {
    let buffer = ByteBuffer(capacity: record.count)
    buffer.append(record)
    return StoredEntry(key: key, record: buffer.takeBytes(), valueOffset: valueOffset, checksum: checksum)
  }
}

extension StoredEntry {
  /// Creates an entry from a value in the stored form, which `init(key:content:sharesInstances:)` creates.
  init(key: String, value: UnsafeRawBufferPointer, _ memory: RecordMemory? = nil) {
    let keyLength = CBORHead.length(of: UInt64(key.utf8.count)) + key.utf8.count
    let valueOffset = keyLength + StoredEntry.lengthBetweenKeyAndValue(ofLength: value.count)
    var key = key
    let checksum = key.withUTF8 { StepRecord.checksum(key: UnsafeRawBufferPointer($0), value: value) }
    let record: SharedBytes
    if let memory {
      StoredEntry.appendHead(key, value, checksum, to: memory.head)
      record = memory.add(value)
    } else {
      let buffer = ByteBuffer(capacity: valueOffset + value.count)
      StoredEntry.appendHead(key, value, checksum, to: buffer)
      buffer.append(value)
      record = buffer.takeBytes()
    }
    self.init(key: key, record: record, valueOffset: valueOffset, checksum: checksum)
  }

  private static func appendHead(
    _ key: String, _ value: UnsafeRawBufferPointer, _ checksum: UInt64, to buffer: ByteBuffer
  ) {
    buffer.appendText(key)
    buffer.appendHead(.array, 3)
    buffer.appendHead(.unsigned, UInt64(value.count))
    buffer.appendHead(.bytes, 8)
    buffer.append(bigEndian: checksum)
  }

  // MARK: Offsets in a record

  /// Returns the range of the key in a record, which begins with the key's head.
  static func keyRange(_ record: UnsafeRawBufferPointer) -> Range<Int> {
    let start = headLength(record[0])
    var length = UInt64(record[0] & 0x1f)
    if start > 1 { length = record[1..<start].reduce(0) { $0 &<< 8 | UInt64($1) } }
    return start..<start + Int(truncatingIfNeeded: length)
  }

  /// Returns the offset of the value. Before it are the key, one byte of an array's head, the length, and the checksum.
  static func valueOffset(_ record: UnsafeRawBufferPointer) -> Int {
    let length = keyRange(record).upperBound + 1
    return length + headLength(record[length]) + 9
  }

  /// Returns the length of a head, which its first byte determines.
  private static func headLength(_ first: UInt8) -> Int {
    switch first & 0x1f {
    case 24: 2
    case 25: 3
    case 26: 5
    case 27: 9
    default: 1
    }
  }

  /// Returns the number of bytes between the key and a value of the given length: the array, that length, and the
  /// checksum.
  private static func lengthBetweenKeyAndValue(ofLength length: Int) -> Int {
    1 + CBORHead.length(of: UInt64(length)) + 9
  }
}

/// Memory for records that are made one after the other, such as those of a transaction. It belongs to one thread, but
/// the records do not.
final class RecordMemory {
  private let memory = SharedMemory()
  /// The bytes of the next record that precede its value.
  let head = ByteBuffer(capacity: 128)

  /// Returns a record of the bytes in ``head``, which is empty afterward, and a value.
  func add(_ value: UnsafeRawBufferPointer) -> SharedBytes {
    defer { head.truncate(to: 0) }
    return head.withUnsafeBytes { memory.add($0, value) }
  }
}
