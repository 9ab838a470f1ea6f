import KeyedArchive

/// A key in a file, with its value or, in a change, the removal of the key.
///
///     63 636172                      key: text "car"
///     83                             array of 3: the key was set
///       05                           length of the value, in bytes
///       48 …8 bytes…                 checksum
///       64 42 4d 57 21               the value: any one CBOR item
///
///     63 636172                      key: text "car"
///     81                             array of 1: the key was removed
///       48 …8 bytes…                 checksum
///
/// The checksum is the XXH64 of the key's text, seeded with the XXH64 of the value. A removal has no value, so its seed
/// is the XXH64 of no bytes. As a result, a value is hashed only once, even if many keys are tried to repair a damaged
/// key.
struct StepRecord {
  var start: Int
  var key: Range<Int>
  /// The range of the value. Empty if the key was removed.
  var value: Range<Int>
  var checksum: UInt64
  var isRemoval: Bool

  var end: Int { value.upperBound }

  /// The length of the longest key in a file, in bytes, whatever the limits of the store that reads it.
  static let longestKey = 64 * 1024

  /// The length of the longest key that is repaired, in bytes. For each bit of a key, the whole key is hashed.
  static let longestRepairedKey = 1024

  /// Returns the checksum of a key and its value. Opening a file does this for each record.
  @inline(never)
  static func checksum(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> UInt64 {
    XXHash64.inlinedChecksum(key, seed: XXHash64.inlinedChecksum(value))
  }

  /// Reads the form of a record without comparing its checksum. Throws if there is no record. `frame` begins with the
  /// record, which is at `start` in the file. The record must not extend past `end`.
  static func read(
    _ frame: UnsafeRawBufferPointer, at start: Int, endingBy end: Int
  ) throws(ArchiveDamage) -> StepRecord {
    var cursor = FrameCursor(frame, at: start)
    let keyLength = try cursor.argument(.text, "a key")
    let keyStart = cursor.offset
    let isTooLong = keyLength > UInt64(longestKey)
    guard !isTooLong, keyLength <= UInt64(frame.count - keyStart) else {
      throw ArchiveDamage(isTooLong ? .invalidKey("is too long") : .truncated, at: start + keyStart)
    }
    cursor.offset += Int(truncatingIfNeeded: keyLength)
    let keyEnd = cursor.offset
    let isRemoval = try cursor.argument(.array, "the array of length, checksum and value") == 1
    if !isRemoval, frame[keyEnd] != 0x83 {
      throw ArchiveDamage(.malformed("an array whose length is neither 3 nor 1"), at: start + keyEnd)
    }
    let length = isRemoval ? 0 : try cursor.argument(.unsigned, "the length of the value")
    let checksum = try cursor.checksum()
    let valueStart = start + cursor.offset
    guard valueStart <= end, length <= UInt64(end - valueStart) else {
      throw ArchiveDamage(.truncated, at: valueStart)
    }
    return StepRecord(
      start: start, key: start + keyStart..<start + keyEnd,
      value: valueStart..<valueStart + Int(truncatingIfNeeded: length), checksum: checksum, isRemoval: isRemoval)
  }

  /// Returns the key of a record whose form is damaged after the key, if an array follows the key as in every record.
  static func readKey(_ frame: UnsafeRawBufferPointer) -> String? {
    guard let key = keyRange(in: frame), key.count <= longestRepairedKey,
      frame[key.upperBound] &>> 5 == CBORHead.Major.array.rawValue
    else { return nil }
    return String(validating: frame.part(key), as: UTF8.self)
  }

  /// Returns the range of a key that has an intact head and is not the end of the bytes.
  static func keyRange(in frame: UnsafeRawBufferPointer) -> Range<Int>? {
    var cursor = FrameCursor(frame, at: 0)
    guard let length = try? cursor.argument(.text, "a key"), length < UInt64(frame.count - cursor.offset) else {
      return nil
    }
    return cursor.offset..<cursor.offset + Int(truncatingIfNeeded: length)
  }

  static func removalLength(of key: String) -> Int {
    CBORHead.length(of: UInt64(key.utf8.count)) + key.utf8.count + 1 + 9
  }

  /// Appends the removal of a key and returns the checksum in the record.
  static func appendRemoval(of key: String, to buffer: ByteBuffer) -> UInt64 {
    var key = key
    let noValue = UnsafeRawBufferPointer(start: nil, count: 0)
    let checksum = key.withUTF8 { StepRecord.checksum(key: UnsafeRawBufferPointer($0), value: noValue) }
    buffer.appendText(key)
    buffer.appendHead(.array, 1)
    buffer.appendHead(.bytes, 8)
    buffer.append(bigEndian: checksum)
    return checksum
  }
}
