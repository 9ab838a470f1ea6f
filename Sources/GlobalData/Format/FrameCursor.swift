import KeyedArchive

/// Reads the heads around a record, one after the other. Throws for a head that this library would not write.
struct FrameCursor {
  private let bytes: UnsafeRawBufferPointer
  private let reader: CBORReader
  /// The offset of the bytes in the file.
  private let start: Int
  var offset = 0

  init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
    self.bytes = bytes
    self.start = start
    reader = CBORReader(bytes)
  }

  /// Reads a head of the expected kind, and returns its argument. `what` names the item for the error.
  mutating func argument(_ major: CBORHead.Major, _ what: String) throws(ArchiveDamage) -> UInt64 {
    let head: CBORHead
    do throws(CBORError) {
      head = try reader.head(at: offset)
    } catch {
      throw ArchiveDamage(error.reason == .truncated ? .truncated : .malformed(error.reason.words), at: start + offset)
    }
    guard head.major == major, !head.isIndefinite else {
      throw ArchiveDamage(.expected(what), at: start + offset)
    }
    guard head.end - offset == CBORHead.length(of: head.argument) else {
      throw ArchiveDamage(.malformed("an overlong item head"), at: start + offset)
    }
    offset = head.end
    return head.argument
  }

  mutating func checksum() throws(ArchiveDamage) -> UInt64 {
    let (head, what) = (offset, "the checksum of the entry")
    guard try argument(.bytes, what) == 8 else {
      throw ArchiveDamage(.expected(what), at: start + head)
    }
    guard bytes.count - offset >= 8 else { throw ArchiveDamage(.truncated, at: start + offset) }
    defer { offset += 8 }
    return bytes.number(at: offset)
  }
}
