import Foundation
import KeyedArchive

// Shared instances (tags 28 and 29) are numbered from the start of a whole CBOR item, which is the file. A value that
// refers to them cannot know how many others stand before it, nor could it stay as it is when they change. So it stands
// in the file as an item of its own: tag 24 around a byte string (RFC 8949, section 3.4.5.1), which also keeps readers
// in other languages right. No other value begins with tag 24.

extension StoredEntry {
  private static let embeddedTag: UInt64 = 24

  /// The encoded value as it was when it was set.
  var content: Data {
    let value = value
    // Whatever fails to be read here is no embedding: then the value is taken as it is, and decoding it throws.
    let contentStart: Int? = value.withUnsafeBytes { bytes in
      let reader = CBORReader(bytes)
      guard let tag = try? reader.head(at: 0), tag.major == .tag, tag.argument == StoredEntry.embeddedTag,
        let string = try? reader.head(at: tag.end), string.major == .bytes, !string.isIndefinite,
        let end = try? reader.payloadEnd(of: string), end == bytes.count
      else { return nil }
      return string.end
    }
    return contentStart.map { value.dropFirst($0) } ?? value
  }

  static func isEmbedded(_ value: Data) -> Bool {
    value.withUnsafeBytes { bytes in
      guard let tag = try? CBORReader(bytes).head(at: 0) else { return false }  // an empty value is not embedded
      return tag.major == .tag && tag.argument == embeddedTag
    }
  }

  /// A value as an item of its own.
  static func embedding(_ value: Data) -> Data {
    let buffer = ByteBuffer(capacity: value.count + 16)
    buffer.appendHead(.tag, embeddedTag)
    buffer.appendHead(.bytes, UInt64(value.count))
    buffer.append(contentsOf: value)
    return buffer.takeData()
  }
}
