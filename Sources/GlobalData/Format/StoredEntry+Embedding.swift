import Foundation
import KeyedArchive

// Two kinds of values stand in the file in tag 24, as the bytes of an item of their own (RFC 8949, section 3.4.5.1):
//
// - Values with shared instances (tags 28 and 29). These are numbered from the start of a whole CBOR item, which is the file. A value that
//   refers to them cannot know how many others stand before it, nor could it stay as it is when they change.
// - Values with long runs of zeros. Their bytes stand in chunks; see ZeroRuns.
//
// A value that begins with tag 24 itself is embedded, too, so that a reader always takes one tag away.

extension StoredEntry {
  private static let embeddedTag: UInt64 = 24
  private static let chunkLength = 255

  /// An entry for an encoded value.
  ///
  /// - Parameters:
  ///   - key: A key that ``check(_:_:)`` accepts.
  ///   - content: One encoded CBOR item.
  ///   - sharesInstances: Whether the item has tags that number what stands before it.
  init(key: String, content: Data, sharesInstances: Bool = false) {
    let (hasLongRuns, hasTag) = content.withUnsafeBytes { bytes in
      (ZeroRuns.areLong(in: bytes), StoredEntry.isEmbedded(bytes))
    }
    let isEmbedded = sharesInstances || hasLongRuns || hasTag
    self.init(
      key: key, value: isEmbedded ? StoredEntry.embedding(content, isChunked: hasLongRuns) : content)
  }

  /// The encoded value as it was when it was set.
  var content: Data {
    value.withUnsafeBytes { bytes in
      guard StoredEntry.isEmbedded(bytes) else { return value }
      do throws(CBORError) {
        return try content(of: bytes)
      } catch {
        return value  // It embeds nothing. Decoding it throws.
      }
    }
  }

  private func content(of bytes: UnsafeRawBufferPointer) throws(CBORError) -> Data {
    let reader = CBORReader(bytes)
    let string = try reader.head(at: try reader.head(at: 0).end)
    guard string.major == .bytes else { return value }
    guard string.isIndefinite else {
      return try reader.payloadEnd(of: string) == bytes.count ? value.dropFirst(string.end) : value
    }
    var content = Data(capacity: bytes.count)
    var chunk = try reader.head(at: string.end)
    while chunk.major == .bytes, !chunk.isIndefinite {
      let end = try reader.payloadEnd(of: chunk)
      content.append(contentsOf: reader.bytes(chunk.end..<end))
      chunk = try reader.head(at: end)
    }
    return chunk.isBreak && chunk.end == bytes.count ? content : value
  }

  private static func isEmbedded(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 2 && bytes[0] == 0xd8 && UInt64(bytes[1]) == embeddedTag
  }

  /// A value as the bytes of an item of its own.
  private static func embedding(_ content: Data, isChunked: Bool) -> Data {
    let buffer = ByteBuffer(capacity: content.count + content.count / 100 + 16)
    buffer.appendHead(.tag, embeddedTag)
    guard isChunked else {
      buffer.appendHead(.bytes, UInt64(content.count))
      buffer.append(contentsOf: content)
      return buffer.takeData()
    }
    buffer.append(0x5f)
    content.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: chunkLength) {
        let chunk = bytes[start..<min(start + chunkLength, bytes.count)]
        buffer.appendString(.bytes, UnsafeRawBufferPointer(rebasing: chunk))
      }
    }
    buffer.append(0xff)
    return buffer.takeData()
  }
}
