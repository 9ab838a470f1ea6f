import Foundation

// Texts and byte strings: written out, in chunks, or as references to strings that were read before.

extension DecodingSession {
  // MARK: Text

  /// The text of an item that has to be a text: its own, or that of the string it refers to.
  ///
  /// - Throws: An error also for a URL or a UUID, which ``text(at:)`` takes for its text.
  func plainText(at cursor: CBORCursor) throws -> String {
    guard let text = try textIfPresent(item(at: cursor)) else { throw ItemError.mismatch(stored: try describe(cursor)) }
    return text
  }

  /// The text of a value: its own, that of the string it refers to, or that of a URL or a UUID.
  func text(at cursor: CBORCursor) throws -> String {
    let item = try item(at: cursor)
    if let text = try textIfPresent(item) { return text }
    return try textOfValue(item, at: cursor)
  }

  /// The text of a value that text was made into: of a URL or a UUID.
  @inline(never)
  private func textOfValue(_ item: Item, at cursor: CBORCursor) throws -> String {
    if item.hasTag(CBORTag.url), let text = try textIfPresent(self.item(at: content(of: item))) { return text }
    if item.hasTag(CBORTag.uuid) {
      return try UUID.decode(from: self, at: item.cursor) { .root }.uuidString
    }
    throw ItemError.mismatch(stored: try describe(cursor))
  }

  /// The text of an item, or `nil` when the item is no text.
  @inline(__always)
  func textIfPresent(_ item: Item) throws -> String? {
    switch item.head.major {
    case .text where !item.head.isIndefinite:
      return try reader.text(item.head.end..<reader.payloadEnd(of: item.head))
    case .text:
      return try textOfChunks(from: item.head.end)
    case .tag where item.head.argument == CBORTag.stringReference:
      return try referencedText(item)
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

  /// The text that a reference (tag 25) names, or `nil` when it names bytes.
  @inline(__always)
  private func referencedText(_ item: Item) throws -> String? {
    try referencedText(reader.head(at: item.head.end), in: item.cursor)
  }

  /// The text of a number in a place's namespace, made once for each; `nil` when bytes have the number.
  func referencedText(_ number: CBORHead, in cursor: CBORCursor) throws -> String? {
    if isKnown(number, in: cursor), let text = texts[Int(truncatingIfNeeded: number.argument)] { return text }
    return try newReferencedText(number, in: cursor)
  }

  /// Whether a number refers to a name, which is compared where it is stored.
  @inline(__always)
  func refersToName(_ number: CBORHead, in cursor: CBORCursor, _ name: String) throws -> Bool {
    if isKnown(number, in: cursor), let text = texts[Int(truncatingIfNeeded: number.argument)] {
      return text.hasSameBytes(as: name)
    }
    return try newReferencedText(number, in: cursor)?.hasSameBytes(as: name) ?? false
  }

  @inline(__always)
  private func isKnown(_ number: CBORHead, in cursor: CBORCursor) -> Bool {
    number.major == .unsigned && cursor.namespace == 0 && number.argument < UInt64(truncatingIfNeeded: texts.count)
  }

  @inline(never)
  private func newReferencedText(_ number: CBORHead, in cursor: CBORCursor) throws -> String? {
    let (offset, head) = try referencedString(number, in: cursor)
    guard head.major == .text else { return nil }
    let range = try head.end..<reader.payloadEnd(of: head)
    if cursor.namespace == 0, number.argument < UInt64(DecodingSession.earlyTexts) {
      let text = try reader.text(range)
      remember(text, Int(truncatingIfNeeded: number.argument))
      return text
    }
    // A short text takes no more memory than a few items, and less time than to look it up.
    guard range.count > 47 else { return try reader.text(range) }
    if let text = laterTexts[offset] { return text }
    let text = try reader.text(range)
    laterTexts[offset] = text
    return text
  }

  private static var earlyTexts: Int { 1024 }

  private func remember(_ text: String, _ number: Int) {
    if number >= texts.count {
      let limit = min(DecodingSession.earlyTexts, index.namespaces[0].strings.count)
      let wanted = min(max(2 * number, 32), limit)
      texts.append(contentsOf: repeatElement(nil, count: max(wanted, number + 1) - texts.count))
    }
    texts[number] = text
  }

  /// The head of the string that has a number in a place's namespace.
  private func referencedString(
    _ number: CBORHead, in cursor: CBORCursor
  ) throws -> (offset: Int, head: CBORHead) {
    let namespace = Int(cursor.namespace)
    // A namespace of a new form is behind those of the archive.
    let index = namespace >= self.index.namespaces.count ? splices?.index ?? self.index : self.index
    guard namespace >= 0, namespace < index.namespaces.count, number.major == .unsigned,
      number.argument < UInt64(index.namespaces[namespace].strings.count)
    else { throw CBORError(.invalidStringReference, at: cursor.offset) }
    let offset = index.namespaces[namespace].strings[Int(truncatingIfNeeded: number.argument)]
    return (offset, try reader.head(at: offset))
  }

  /// The URL that a text is. One of a long text that is referred to is made once, since parsing it takes time and memory.
  func url(ofTextAt cursor: CBORCursor, _ make: (String) throws -> URL) throws -> URL {
    let item = try item(at: cursor)
    guard item.hasTag(CBORTag.stringReference) else { return try make(plainText(at: cursor)) }
    let offset = try referencedString(reader.head(at: item.head.end), in: item.cursor).offset
    if let url = laterURLs[offset] { return url }
    let text = try plainText(at: cursor)
    let url = try make(text)
    if text.utf8.count > 47 { laterURLs[offset] = url }
    return url
  }

  // MARK: Bytes

  /// Calls a function with the bytes of a byte string, or returns `nil` when the item is none.
  func withBytes<Result>(of item: Item, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result? {
    switch item.head.major {
    case .bytes where !item.head.isIndefinite:
      return try body(reader.bytes(item.head.end..<reader.payloadEnd(of: item.head)))
    case .bytes:
      var joined = Data()
      var offset = item.head.end
      while true {
        let chunk = try reader.head(at: offset)
        if chunk.isBreak { break }
        let end = try reader.payloadEnd(of: chunk)
        joined.append(contentsOf: reader.bytes(chunk.end..<end))
        offset = end
      }
      return try joined.withUnsafeBytes(body)
    case .tag where item.head.argument == CBORTag.stringReference:
      let string = try referencedString(reader.head(at: item.head.end), in: item.cursor).head
      guard string.major == .bytes else { return nil }
      let end = try reader.payloadEnd(of: string)
      try chargeRepetition(of: end - string.end)
      return try body(reader.bytes(string.end..<end))
    default:
      return nil
    }
  }
}
