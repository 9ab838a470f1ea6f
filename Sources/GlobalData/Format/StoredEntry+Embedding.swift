import KeyedArchive

// Two kinds of values are stored in tag 24, as the bytes of an item of their own (RFC 8949, section 3.4.5.1):
//
// - Values with shared instances (tags 28 and 29). Shared instances are numbered from the start of a whole CBOR item,
//   which is the file. A value that refers to its instances cannot know how many others precede it. It would also have
//   to change whenever they change.
// - Values with long runs of zeros. Their bytes are stored in chunks; see ZeroRuns.
//
// A value that itself begins with tag 24 is embedded, too, so that a reader always removes one tag.

extension StoredEntry {
  private static let embeddedTag: UInt64 = 24
  private static let chunkLength = 255

  /// Encodes an entry from one CBOR item, which is embedded if necessary. Only `StoredEntry+Coding` calls this
  /// initializer, with a checked key. The item `sharesInstances` if it has tags that depend on how many instances
  /// precede it.
  init(key: String, content: UnsafeRawBufferPointer, sharesInstances: Bool = false, _ memory: RecordMemory? = nil) {
    let hasLongRuns = ZeroRuns.areLong(in: content)
    guard sharesInstances || hasLongRuns || StoredEntry.isEmbedded(content) else {
      self.init(key: key, value: content, memory)
      return
    }
    let buffer = StoredEntry.embedding(content, isChunked: hasLongRuns)
    self = buffer.withUnsafeBytes { StoredEntry(key: key, value: $0, memory) }
  }

  /// The encoded value as it was when it was set.
  var content: SharedBytes { StoredEntry.content(of: value) }

  static func content(of value: SharedBytes) -> SharedBytes {
    value.withUnsafeBytes { bytes in
      guard isEmbedded(bytes) else { return value }
      return (try? content(of: value, bytes)) ?? value  // Decoding a value that embeds nothing throws.
    }
  }

  private static func content(of value: SharedBytes, _ bytes: UnsafeRawBufferPointer) throws(CBORError) -> SharedBytes {
    let reader = CBORReader(bytes)
    let string = try reader.head(at: try reader.head(at: 0).end)
    guard string.major == .bytes else { return value }
    guard string.isIndefinite else {
      return try reader.payloadEnd(of: string) == bytes.count ? value.part(string.end..<bytes.count) : value
    }
    let content = ByteBuffer(capacity: bytes.count)
    var chunk = try reader.head(at: string.end)
    while chunk.major == .bytes, !chunk.isIndefinite {
      let end = try reader.payloadEnd(of: chunk)
      content.append(bytes.part(chunk.end..<end))
      chunk = try reader.head(at: end)
    }
    return chunk.isBreak && chunk.end == bytes.count ? content.takeBytes() : value
  }

  private static func isEmbedded(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 2 && bytes[0] == 0xd8 && UInt64(bytes[1]) == embeddedTag
  }

  /// Returns a value as the bytes of a separate item in tag 24.
  private static func embedding(_ content: UnsafeRawBufferPointer, isChunked: Bool) -> ByteBuffer {
    let buffer = ByteBuffer(capacity: content.count + content.count / 100 + 16)
    buffer.appendHead(.tag, embeddedTag)
    guard isChunked else {
      buffer.appendHead(.bytes, UInt64(content.count))
      buffer.append(content)
      return buffer
    }
    buffer.append(0x5f)
    for start in stride(from: 0, to: content.count, by: chunkLength) {
      let chunk = content[start..<min(start + chunkLength, content.count)]
      buffer.appendString(.bytes, UnsafeRawBufferPointer(rebasing: chunk))
    }
    buffer.append(0xff)
    return buffer
  }
}
