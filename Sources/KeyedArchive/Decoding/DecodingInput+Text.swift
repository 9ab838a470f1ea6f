import FoundationCore

// Texts and byte strings: stored as a whole, in chunks, or as references to earlier strings.

/// The texts of a decoding that references refer to, so that each is created only once.
struct ReferencedTexts {
  /// The first texts of the first namespace, by number. Archives that this module writes have no other namespace, and
  /// the property names are among the first texts.
  fileprivate var early = ContiguousArray<String?>()
  /// The other texts that are long enough, by the offsets of their heads.
  fileprivate var later: [Int: String] = .init()
  /// The URLs of long texts, by the offsets of the texts' heads.
  fileprivate var urls: [Int: URL] = .init()

  fileprivate static var earlyCount: Int { 1024 }

  mutating func removeAll() {
    if !early.isEmpty { early.removeAll(keepingCapacity: true) }
    if !later.isEmpty { later = .init() }
    if !urls.isEmpty { urls = .init() }
  }

  fileprivate mutating func remember(_ text: String, _ number: Int, of count: Int) {
    if number >= early.count {
      let wanted = min(max(2 * number, 32), ReferencedTexts.earlyCount, count)
      early.append(contentsOf: repeatElement(nil, count: max(wanted, number + 1) - early.count))
    }
    early[number] = text
  }
}

extension DecodingInput {
  // MARK: Text

  /// Returns the text of an item, or of the string that it refers to. Unlike ``text(at:)``, rejects a URL and a UUID.
  func plainText(at cursor: CBORCursor) throws -> String {
    guard let text = try textIfPresent(item(at: cursor)) else { throw ItemError.mismatch(stored: try describe(cursor)) }
    return text
  }

  func textIfPresent(_ item: StoredItem) throws -> String? {
    switch item.head.major {
    case .text where !item.head.isIndefinite:
      return try reader.text(item.head.end..<reader.payloadEnd(of: item.head))
    case .text:
      return try textOfChunks(from: item.head.end)
    case .tag where item.head.argument == CBORTag.stringReference:
      return try referencedText(reader.head(at: item.head.end), in: item.cursor)
    default:
      return nil
    }
  }

  private func textOfChunks(from offset: Int) throws(CBORError) -> String {
    var text = ""
    var offset = offset
    while true {
      let chunk = try reader.head(at: offset)
      if chunk.isBreak { return text }
      let end = try reader.payloadEnd(of: chunk)
      text += try reader.text(chunk.end..<end)
      offset = end
    }
  }

  /// Returns the text with a number in a cursor's namespace, or `nil` if the number belongs to bytes. Remembered texts
  /// are created only once.
  func referencedText(_ number: CBORHead, in cursor: CBORCursor) throws -> String? {
    if isKnown(number, in: cursor), let text = texts.early[Int(truncatingIfNeeded: number.argument)] { return text }
    return try newReferencedText(number, in: cursor)
  }

  /// Returns whether a number refers to a name.
  @inline(__always)
  func refersToName(_ number: CBORHead, in cursor: CBORCursor, _ name: String) throws -> Bool {
    if isKnown(number, in: cursor), let text = texts.early[Int(truncatingIfNeeded: number.argument)] {
      return text.hasSameBytes(as: name)
    }
    return try newReferencedText(number, in: cursor)?.hasSameBytes(as: name) ?? false
  }

  @inline(__always)
  private func isKnown(_ number: CBORHead, in cursor: CBORCursor) -> Bool {
    number.major == .unsigned && cursor.namespace == 0
      && number.argument < UInt64(truncatingIfNeeded: texts.early.count)
  }

  @inline(never)
  private func newReferencedText(_ number: CBORHead, in cursor: CBORCursor) throws -> String? {
    let (offset, head) = try referencedString(number, in: cursor)
    guard head.major == .text else { return nil }
    let range = try head.end..<reader.payloadEnd(of: head)
    if cursor.namespace == 0, number.argument < UInt64(ReferencedTexts.earlyCount) {
      let text = try reader.text(range)
      texts.remember(text, Int(truncatingIfNeeded: number.argument), of: index.namespaces[0].strings.count)
      return text
    }
    // A short text takes no more memory than a few items, and less time than a lookup.
    guard range.count > 47 else { return try reader.text(range) }
    if let text = texts.later[offset] { return text }
    let text = try reader.text(range)
    texts.later[offset] = text
    return text
  }

  private func referencedString(
    _ number: CBORHead, in cursor: CBORCursor
  ) throws -> (offset: Int, head: CBORHead) {
    let namespace = Int(cursor.namespace)
    // The namespace of a new form follows those of the archive.
    let index = namespace >= self.index.namespaces.count ? splices?.index ?? self.index : self.index
    guard namespace >= 0, namespace < index.namespaces.count, number.major == .unsigned,
      number.argument < UInt64(index.namespaces[namespace].strings.count)
    else { throw CBORError(.invalidStringReference, at: cursor.offset) }
    let offset = index.namespaces[namespace].strings[Int(truncatingIfNeeded: number.argument)]
    return (offset, try reader.head(at: offset))
  }

  /// Returns the URL in a text. The URL of a long text that references refer to is created only once, because parsing
  /// takes time and memory.
  func url(ofTextAt cursor: CBORCursor, _ make: (String) throws -> URL) throws -> URL {
    let item = try item(at: cursor)
    guard item.hasTag(CBORTag.stringReference) else { return try make(plainText(at: cursor)) }
    let offset = try referencedString(reader.head(at: item.head.end), in: item.cursor).offset
    if let url = texts.urls[offset] { return url }
    let text = try plainText(at: cursor)
    let url = try make(text)
    if text.utf8.count > 47 { texts.urls[offset] = url }
    return url
  }

  // MARK: Bytes

  @inline(__always)
  func withBytes<Result>(of item: StoredItem, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result? {
    guard let (bytes, owner) = try bytesIfPresent(item) else { return nil }
    return try withExtendedLifetime(owner) { try body(bytes) }
  }

  /// Returns the bytes of an item, and their owner if they are not part of the archive.
  private func bytesIfPresent(_ item: StoredItem) throws -> (bytes: UnsafeRawBufferPointer, owner: ByteBuffer?)? {
    switch item.head.major {
    case .bytes where !item.head.isIndefinite:
      return (reader.bytes(item.head.end..<(try reader.payloadEnd(of: item.head))), nil)
    case .bytes:
      let joined = try bytesOfChunks(from: item.head.end)
      return (joined.contents, joined)
    case .tag where item.head.argument == CBORTag.stringReference:
      let string = try referencedString(reader.head(at: item.head.end), in: item.cursor).head
      guard string.major == .bytes else { return nil }
      let end = try reader.payloadEnd(of: string)
      try chargeRepetition(of: end - string.end)
      return (reader.bytes(string.end..<end), nil)
    default:
      return nil
    }
  }

  private func bytesOfChunks(from offset: Int) throws(CBORError) -> ByteBuffer {
    let joined = ByteBuffer()
    var offset = offset
    while true {
      let chunk = try reader.head(at: offset)
      if chunk.isBreak { return joined }
      offset = try reader.payloadEnd(of: chunk)
      joined.append(reader.bytes(chunk.end..<offset))
    }
  }
}
