import CodingSupport
import FoundationCore

// Texts and byte strings: stored as a whole, in chunks, or as references to earlier strings.

/// The texts of a decoding that references refer to, so that each is created only once.
struct ReferencedTexts: ~Copyable {
  /// The first texts of the first namespace, by number. Archives that this module writes have no other namespace, and
  /// the property names are among the first texts.
  fileprivate var early = ContiguousArray<String?>()
  /// The names that were found under the first numbers, by the identities of the texts that requested them.
  fileprivate var names = ContiguousArray<KnownName?>()
  /// The other texts that are long enough, by the offsets of their heads.
  fileprivate var later: [Int: String] = .init()
  /// What references to long texts were read as, by the offsets of the texts' heads, and for URLs also by their forms.
  fileprivate var urls = SharedCodeDictionary<Int, URL>()
  fileprivate var components = SharedCodeDictionary<Int, URLComponents>()

  fileprivate static var earlyCount: Int { 1024 }

  mutating func removeAll() {
    if !early.isEmpty { early.removeAll(keepingCapacity: true) }
    if !names.isEmpty { names.removeAll(keepingCapacity: true) }
    if !later.isEmpty { later = .init() }
    if !urls.contents.isEmpty { urls = .init() }
    if !components.contents.isEmpty { components = .init() }
  }

  fileprivate mutating func remember(_ text: String, _ number: Int, of count: Int) {
    if number >= early.count {
      let wanted = min(max(2 * number, 32), ReferencedTexts.earlyCount, count)
      while early.count < max(wanted, number + 1) { early.append(nil) }
    }
    early[number] = text
  }
}

/// A name, which keeps the text of the identity alive.
private typealias KnownName = (identity: TextIdentity, name: String)

extension DecodingInput {
  // MARK: Names

  /// Returns the cursor after a name if the name was found in this form before, and `nil` if that is not known.
  @inline(__always)
  func passKnownName(_ name: String, at cursor: CBORCursor) -> CBORCursor? {
    let name = TextIdentity(name)
    return passKnownReference(to: name, at: cursor) ?? passKnownText(name, at: cursor)
  }

  /// Returns the cursor after a reference to a name if the name was found under the same number before.
  @inline(__always)
  func passKnownReference(to name: TextIdentity, at cursor: CBORCursor) -> CBORCursor? {
    guard let (number, end) = reader.shortReference(at: cursor.offset), cursor.namespace == 0,
      number < texts.names.count, texts.names[number]?.identity == name
    else { return nil }
    return CBORCursor(offset: end, container: cursor.container, namespace: cursor.namespace)
  }

  /// Returns the cursor after a name that is stored as text if the name was found with the same bytes before.
  @inline(__always)
  func passKnownText(_ name: TextIdentity, at cursor: CBORCursor) -> CBORCursor? {
    guard let length = storedNames.length(of: name, at: cursor.offset, in: reader) else { return nil }
    return CBORCursor(offset: cursor.offset + length, container: cursor.container, namespace: cursor.namespace)
  }

  /// Returns whether a number refers to a name, and remembers the name if so.
  @inline(never)
  func refersToName(_ number: CBORHead, in cursor: CBORCursor, _ name: String) throws -> Bool {
    guard let text = try referencedText(number, in: cursor), text.hasSameBytes(as: name) else { return false }
    // References to other numbers, and other namespaces, are rare among names.
    if cursor.namespace == 0, number.argument < 256 {
      let number = Int(truncatingIfNeeded: number.argument)
      while texts.names.count <= number { texts.names.append(nil) }
      texts.names[number] = (TextIdentity(name), name)
    }
    return true
  }

  // MARK: Text

  /// Returns the text of an item, or of the string that it refers to. Unlike ``text(at:)``, rejects a URL and a UUID.
  func plainText(at cursor: CBORCursor) throws -> String {
    guard let text = try textIfPresent(item(at: cursor)) else { throw mismatch(at: cursor) }
    return text
  }

  func textIfPresent(_ item: StoredItem) throws -> String? {
    switch item.head.major {
    case .text where !item.head.isIndefinite:
      return try reader.text(item.head.end..<reader.payloadEnd(of: item.head))
    case .text: return try textOfChunks(from: item.head.end)
    case .tag where item.head.argument == CBORTag.stringReference:
      return try referencedText(reader.head(at: item.head.end), in: item.cursor)
    default: return nil
    }
  }

  private func textOfChunks(from offset: Int) throws -> String {
    var text = ""
    _ = try reader.forEachChunk(from: offset) { chunk throws(CBORError) in text += try reader.text(chunk) }
    return text
  }

  /// Returns the text with a number in a cursor's namespace, or `nil` if the number belongs to bytes. Remembered texts
  /// are created only once.
  func referencedText(_ number: CBORHead, in cursor: CBORCursor) throws -> String? {
    guard number.major == .unsigned else { throw CBORError(.invalidStringReference, at: cursor.offset) }
    return try referencedText(number.argument, in: cursor)
  }

  func referencedText(_ number: UInt64, in cursor: CBORCursor) throws -> String? {
    if cursor.namespace == 0, number < UInt64(truncatingIfNeeded: texts.early.count),
      let text = texts.early[Int(truncatingIfNeeded: number)]
    {
      return text
    }
    return try newReferencedText(number, in: cursor)
  }

  @inline(never)
  private func newReferencedText(_ number: UInt64, in cursor: CBORCursor) throws -> String? {
    let (offset, head) = try referencedString(number, in: cursor)
    guard head.major == .text else { return nil }
    let range = try head.end..<reader.payloadEnd(of: head)
    if cursor.namespace == 0, number < UInt64(ReferencedTexts.earlyCount) {
      let text = try reader.text(range)
      texts.remember(text, Int(truncatingIfNeeded: number), of: index.namespaces[0].count)
      return text
    }
    // A short text takes no more memory than a few items, and less time than a lookup.
    guard range.count > 47 else { return try reader.text(range) }
    if let text = texts.later[offset] { return text }
    let text = try reader.text(range)
    texts.later[offset] = text
    return text
  }

  private func referencedString(_ number: UInt64, in cursor: CBORCursor) throws -> (offset: Int, head: CBORHead) {
    // The namespace of a new form follows those of the archive.
    let isInArchive = Int(cursor.namespace) < index.namespaces.count
    guard
      let offset = isInArchive
        ? index.offset(ofString: number, in: cursor.namespace)
        : splices?.index.offset(ofString: number, in: cursor.namespace)
    else { throw CBORError(.invalidStringReference, at: cursor.offset) }
    return (offset, try reader.head(at: offset))
  }

  private func referencedString(ofTag item: StoredItem) throws -> (offset: Int, head: CBORHead) {
    let number = try reader.head(at: item.head.end)
    guard number.major == .unsigned else { throw CBORError(.invalidStringReference, at: item.cursor.offset) }
    return try referencedString(number.argument, in: item.cursor)
  }

  /// A way to store a URL as text.
  enum URLForm: Int {
    case tagged, plain, relative
  }

  /// Returns the URL in a text, or `nil` for an item that is not a text. The URL of a long text that references refer
  /// to is created only once, because parsing takes time and memory. With another base, the text has to be parsed
  /// again, and counts as repeated if it is long.
  func url(_ form: URLForm, at cursor: CBORCursor, relativeTo base: URL? = nil) throws -> URL? {
    let item = try item(at: cursor)
    guard let text = try textIfPresent(item) else { return nil }
    guard item.hasTag(CBORTag.stringReference), text.utf8.count > 47 else {
      return try url(form, of: text, at: cursor, relativeTo: base)
    }
    // A fourth number is left for the base.
    let key = try 4 * referencedString(ofTag: item).offset
    if let url = texts.urls[key + form.rawValue] {
      guard let base else { return url }
      // Comparing long bases, or bases with bases, would take as long as parsing.
      if base.baseURL == nil, base.relativeString.utf8.count <= 1024, texts.urls[key + 3] == base { return url }
      // Few relative texts have more than 1,024 bytes, and a reference takes only four.
      if text.utf8.count > 1024 { try chargeRepetition(of: text.utf8.count) }
    }
    let url = try url(form, of: text, at: cursor, relativeTo: base)
    texts.urls[key + form.rawValue] = url
    if base != nil { texts.urls[key + 3] = base }
    return url
  }

  private func url(_ form: URLForm, of text: String, at cursor: CBORCursor, relativeTo base: URL?) throws -> URL {
    if let base, let outer = base.baseURL {
      // Foundation resolves such a base again for each URL.
      let length = base.relativeString.utf8.count + outer.relativeString.utf8.count
      if length > 1024 { try chargeRepetition(of: length) }
    }
    guard form == .plain else { return try URL(stored: text, relativeTo: base) }
    // A property that used to be text. The text is a URL if no part of it has to be escaped or left out.
    guard let url = URL(string: text), url.relativeString.hasSameBytes(as: text) else { throw mismatch(at: cursor) }
    return url
  }

  /// Returns the components of the URL in a text, or `nil` for an item that is not a text. Those of a long text that
  /// references refer to are created only once.
  func components(at cursor: CBORCursor) throws -> URLComponents? {
    let item = try item(at: cursor)
    guard let text = try textIfPresent(item) else { return nil }
    guard item.hasTag(CBORTag.stringReference), text.utf8.count > 47 else { return try URLComponents(stored: text) }
    let offset = try referencedString(ofTag: item).offset
    if let components = texts.components[offset] { return components }
    let components = try URLComponents(stored: text)
    texts.components[offset] = components
    return components
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
      let string = try referencedString(ofTag: item).head
      guard string.major == .bytes else { return nil }
      let end = try reader.payloadEnd(of: string)
      try chargeRepetition(of: end - string.end)
      return (reader.bytes(string.end..<end), nil)
    default: return nil
    }
  }

  private func bytesOfChunks(from offset: Int) throws -> ByteBuffer {
    let joined = ByteBuffer()
    _ = try reader.forEachChunk(from: offset) { joined.append(reader.bytes($0)) }
    return joined
  }
}
