import KeyedArchive

// The entries of an intact file. Nearly all of them bypass the code that handles damage.

extension ArchiveParser {
  /// Reads and appends an entry of the common form: intact, with a new ASCII key, and with heads of up to three bytes.
  /// Returns the offset of the end of the entry. Returns `nil` for any other entry, and appends nothing.
  mutating func appendPlainEntry(at start: Int, endingBy end: Int) -> Int? {
    guard end - start >= 2 else { return nil }
    let (keyStart, keyLength): (Int, Int)
    switch bytes[start] {
    case let head where head > 0x60 && head < 0x78: (keyStart, keyLength) = (start + 1, Int(head & 0x1f))
    case 0x78 where bytes[start + 1] >= 24: (keyStart, keyLength) = (start + 2, Int(bytes[start + 1]))
    default: return nil
    }
    // At most 13 bytes separate the key from the value: the head of the array, up to three bytes of length, the head of
    // the checksum, and the checksum.
    let keyEnd = keyStart + keyLength
    guard keyLength < ZeroRuns.limit, end - keyEnd >= 13, bytes[keyEnd] == 0x83 else { return nil }
    let (checksumStart, length): (Int, Int)
    switch bytes[keyEnd + 1] {
    case let head where head > 0 && head < 24: (checksumStart, length) = (keyEnd + 2, Int(head))
    case 0x18 where bytes[keyEnd + 2] >= 24: (checksumStart, length) = (keyEnd + 3, Int(bytes[keyEnd + 2]))
    case 0x19 where bytes[keyEnd + 2] > 0:
      (checksumStart, length) = (keyEnd + 4, Int(bytes[keyEnd + 2]) &<< 8 | Int(bytes[keyEnd + 3]))
    default: return nil
    }
    let valueStart = checksumStart + 9
    guard bytes[checksumStart] == 0x48, end - valueStart >= length else { return nil }
    let stored = bytes.number(at: checksumStart + 1)
    let key = bytes.part(keyStart..<keyEnd)
    let value = bytes.part(valueStart..<valueStart + length)
    guard StepRecord.checksum(key: key, value: value) == stored, key.isASCII,
      entries.append(start..<valueStart + length, asciiKey: key, checksum: stored)
    else { return nil }
    return valueStart + length
  }
}
