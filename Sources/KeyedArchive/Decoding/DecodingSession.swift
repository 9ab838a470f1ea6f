import Foundation

/// One decoding: the bytes, read in place, and what a first pass found out about them.
///
/// Reading is by cursor. A container moves its own cursor from field to field; skipping one that a type does not ask
/// for is O(1), and fields may be asked for in any order. See ``StructureIndex``.
final class DecodingSession {
  /// An item's head behind the tags that do not change what it is.
  struct Item {
    var head: CBORHead
    /// The place of the head.
    var cursor: CBORCursor
  }

  /// A value with the name of its type: tag 27.
  struct NamedValue {
    var name: ArchiveTag
    var content: CBORCursor
    var version: Int
  }

  let registry: TypeRegistry
  let limits: ArchiveLimits
  let userInfo: [CodingUserInfoKey: any Sendable]
  let index: StructureIndex
  /// Empty once ``invalidate()`` was called, so that a decoder kept by a program reads an error, not freed memory.
  @exclusivity(unchecked) private(set) var reader: CBORReader
  /// Keeps the memory behind `reader` alive where the session itself made it.
  private var ownedBytes: ByteBuffer?
  /// What migrations put in the place of stored values; `nil` until there is one.
  @exclusivity(unchecked) private(set) var splices: Splices?
  /// How deep in migrations the session is, and whether there were any.
  var migrations = Migrations()
  // The run-time check for conflicting accesses, which costs as much as reading a short field, is left out: no function
  // calls another one while it changes one of these, and one decoding runs on one thread.
  /// The texts that were referred to, by their numbers in the first namespace, which is the only one in what this module
  /// writes: the first ones, among which are the property names.
  @exclusivity(unchecked) var texts = ContiguousArray<String?>()
  /// The longer ones among the later texts, by the offsets of their heads.
  @exclusivity(unchecked) var laterTexts: [Int: String] = [:]
  /// The URLs of longer texts that are referred to, by the offsets of the texts' heads.
  @exclusivity(unchecked) var laterURLs: [Int: URL] = [:]
  @exclusivity(unchecked) private var paths = CodingPaths()
  @exclusivity(unchecked) private var typeTraits = TypeTable<TypeTraits>()
  /// What makes keyed containers, by the types of their keys.
  @exclusivity(unchecked) var containerMakers = TypeTable<AnyObject>()
  @exclusivity(unchecked) var containersMade = 0
  /// Where it is noted what is not read, if that is asked for.
  var unreadFields: UnreadFields?
  @exclusivity(unchecked) private var loneKeys = LoneKeys()
  /// Decoders whose values are complete and that nobody else refers to. They refer to the session, until it is
  /// invalidated.
  @exclusivity(unchecked) private var idleDecoders = ContiguousArray<ValueDecoder>()
  /// Only a session that will be invalidated may keep what refers to it.
  @exclusivity(unchecked) private var reusesDecoders = false
  /// The instances decoded so far, by the offset of their contents.
  private var instances: [Int: Any] = [:]
  private var openInstances: Set<Int> = []
  /// Whether another decoding of the same bytes could only give an equal value that shares nothing with this one: no
  /// instance of a class was made, and no type was looked up by its name.
  @exclusivity(unchecked) var isRepeatable = true
  /// The bytes of shared items that may still be read again, so that references cannot multiply work without end.
  /// An item of one byte may take 48 bytes of memory when it is decoded, so these are far fewer than the items allowed.
  private var repetitionBudget: Int

  init(
    _ bytes: UnsafeRawBufferPointer, registry: TypeRegistry, limits: ArchiveLimits,
    userInfo: [CodingUserInfoKey: any Sendable]
  ) throws(CBORError) {
    reader = CBORReader(bytes)
    index = try StructureIndex(reader, limits: limits)
    guard index.end == bytes.count else { throw CBORError(.trailingBytes, at: index.end) }
    self.registry = registry
    self.limits = limits
    self.userInfo = userInfo
    repetitionBudget = limits.maximumItems / 8
  }

  /// A session over bytes that it owns.
  convenience init(owning buffer: ByteBuffer, like other: DecodingSession) throws(CBORError) {
    try self.init(
      buffer.contents, registry: other.registry, limits: other.limits, userInfo: other.userInfo)
    ownedBytes = buffer
    paths = other.paths
    migrations.room = other.migrations.room
  }

  /// Calls a function with a session over bytes that are there only during the call.
  static func run<Result>(
    _ bytes: UnsafeRawBufferPointer, registry: TypeRegistry, limits: ArchiveLimits,
    userInfo: [CodingUserInfoKey: any Sendable], _ body: (DecodingSession) throws -> Result
  ) throws -> Result {
    let session = try DecodingSession(bytes, registry: registry, limits: limits, userInfo: userInfo)
    session.reusesDecoders = true
    // Whoever may keep a decoder.
    defer { session.invalidate() }
    return try body(session)
  }

  /// Forgets the bytes. After this every read throws.
  private func invalidate() {
    reusesDecoders = false
    idleDecoders = []
    reader = .closed
  }

  /// What has to be known about a type.
  func traits<Value>(of type: Value.Type) -> TypeTraits {
    if let traits = typeTraits.find(type) { return traits }
    let traits = TypeTraits.shared(of: type)
    typeTraits.insert(traits, for: type)
    return traits
  }

  // MARK: Decoders

  /// Decodes a value through its own `init(from:)`.
  @inline(__always)
  func decodePlainly<Value: Decodable>(
    _ type: Value.Type, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Value {
    var decoder = decoder(at: cursor, path: path())
    // Not after the call, because the value would be copied from where it is made to where it goes.
    defer { reuse(&decoder) }
    return try type.init(from: decoder)
  }

  @inline(__always)
  private func reuse(_ decoder: inout ValueDecoder) {
    if reusesDecoders, isKnownUniquelyReferenced(&decoder) { idleDecoders.append(decoder) }
  }

  private func decoder(at cursor: CBORCursor, path: CodingPathNode) -> ValueDecoder {
    guard let decoder = idleDecoders.popLast() else {
      return ValueDecoder(session: self, cursor: cursor, path: path)
    }
    decoder.move(to: cursor, path: path)
    return decoder
  }

  /// The coding keys of a type for a name: one, or none where the type has no such key or there is no name.
  func keys<Key: CodingKey>(named name: String?, as type: Key.Type) -> [Key] {
    if let name, let keys = loneKeys.find(name, as: type) { return keys }
    return newKeys(named: name, as: type)
  }

  @inline(never)
  private func newKeys<Key: CodingKey>(named name: String?, as type: Key.Type) -> [Key] {
    guard let name else { return [] }
    var keys: [Key] = []
    if let key = Key(stringValue: name) { keys.append(key) }
    loneKeys.remember(keys, named: name)
    return keys
  }

  // MARK: Coding paths

  /// The place of a key below another place, until the value that is being decoded is complete.
  func path(_ parent: CodingPathNode, _ key: some CodingKey) -> CodingPathNode {
    paths.add(key, below: parent)
  }

  /// The keys from the root to a place.
  func keys(of path: CodingPathNode) -> [any CodingKey] {
    paths.keys(to: path)
  }

  var pathMark: Int { paths.mark }

  func forgetPaths(since mark: Int) {
    paths.remove(to: mark)
  }

  // MARK: Moving

  /// The place behind an item.
  func skip(_ cursor: CBORCursor) throws(CBORError) -> CBORCursor {
    var cursor = cursor
    while true {
      let head = try reader.head(at: cursor.offset)
      switch head.major {
      case .unsigned, .negative, .simple:
        cursor.offset = head.end
        return cursor
      case .bytes, .text:
        cursor.offset = head.isIndefinite ? try endOfChunks(from: head.end) : try reader.payloadEnd(of: head)
        return cursor
      case .array, .map:
        let container = try container(at: cursor)
        cursor.offset = container.end
        cursor.container = container.next
        return cursor
      case .tag:
        cursor.offset = head.end
      }
    }
  }

  private func endOfChunks(from offset: Int) throws(CBORError) -> Int {
    var offset = offset
    while true {
      let chunk = try reader.head(at: offset)
      if chunk.isBreak { return chunk.end }
      offset = try reader.payloadEnd(of: chunk)
    }
  }

  func container(at cursor: CBORCursor) throws(CBORError) -> StructureIndex.Container {
    let head = try reader.head(at: cursor.offset)
    if head.argument == 0, !head.isIndefinite {
      return StructureIndex.Container(end: head.end, next: cursor.container, count: 0)
    }
    guard cursor.container >= 0, Int(cursor.container) < index.containers.count else {
      return try splicedContainer(at: cursor)
    }
    return index.containers[Int(cursor.container)]
  }

  /// The place of a container's first element.
  func firstElement(of item: Item) -> CBORCursor {
    CBORCursor(offset: item.head.end, container: item.cursor.container + 1, namespace: item.cursor.namespace)
  }

  /// The content of a tag.
  func content(of item: Item) -> CBORCursor {
    CBORCursor(offset: item.head.end, container: item.cursor.container, namespace: item.cursor.namespace)
  }

  /// Whether null or undefined stands at a place. A reference to a shared item costs no more than any other item.
  @inline(__always)
  func isNull(at cursor: CBORCursor) throws -> Bool {
    let head = try reader.head(at: cursor.offset)
    return head.major == .tag ? try isTaggedNull(at: cursor) : head.isNull
  }

  private func isTaggedNull(at cursor: CBORCursor) throws -> Bool {
    let item = try itemOrReference(at: cursor)
    guard item.hasTag(CBORTag.sharedReference) else { return item.head.isNull }
    return try reader.head(at: earlierShareable(item).offset).isNull
  }

  /// Whether a name stands at a place.
  @inline(__always)
  func isNamed(at cursor: CBORCursor) throws -> Bool {
    try reader.head(at: cursor.offset).major == .tag && markedItem(at: cursor).hasTag(CBORTag.object)
  }

  /// Reads the item at a place, passing over tags that do not change what it is, up to the mark of a shared instance.
  func markedItem(at cursor: CBORCursor) throws(CBORError) -> Item {
    var item = Item(head: try reader.head(at: cursor.offset), cursor: cursor)
    while item.head.major == .tag {
      if CBORTag.isTransparent(item.head.argument), item.head.argument != CBORTag.shareable {
        item.cursor = contentOfTransparentTag(item)
      } else if let target = splicedTarget(of: item) {
        item.cursor = target
      } else {
        break
      }
      item.head = try reader.head(at: item.cursor.offset)
    }
    return item
  }

  /// Reads the item at a place, passing over tags that do not change what it is.
  func itemOrReference(at cursor: CBORCursor) throws(CBORError) -> Item {
    var item = Item(head: try reader.head(at: cursor.offset), cursor: cursor)
    while item.head.major == .tag {
      if CBORTag.isTransparent(item.head.argument) {
        item.cursor = contentOfTransparentTag(item)
      } else if let target = splicedTarget(of: item) {
        item.cursor = target
      } else {
        break
      }
      item.head = try reader.head(at: item.cursor.offset)
    }
    return item
  }

  /// Reads the item at a place, passing over tags that do not change what it is and following shared references.
  @inline(__always)
  func item(at cursor: CBORCursor) throws -> Item {
    let head = try reader.head(at: cursor.offset)
    if head.major != .tag { return Item(head: head, cursor: cursor) }
    return try taggedItem(at: cursor)
  }

  private func taggedItem(at cursor: CBORCursor) throws -> Item {
    var item = try itemOrReference(at: cursor)
    while item.hasTag(CBORTag.sharedReference) {
      let target = try target(ofReference: item)
      try chargeRepetition(of: skip(target).offset - target.offset)
      item = try itemOrReference(at: target)
    }
    return item
  }

  /// Counts bytes that are read once more than they are stored.
  func chargeRepetition(of length: Int) throws {
    guard length <= repetitionBudget else {
      throw KeyedArchiveError(
        .limitReached,
        "Shared items are repeated too often. Raise ArchiveLimits.maximumItems if the archive is trusted.")
    }
    repetitionBudget -= length
  }

  /// Runs a function with a budget for repeated bytes of its own, of which what it used is returned.
  func repeating<Result>(atMost budget: Int, _ body: () throws -> Result) throws -> (result: Result, used: Int) {
    let outer = repetitionBudget
    let inner = min(budget, limits.maximumItems / 8)
    repetitionBudget = inner
    defer { repetitionBudget = outer }
    let result = try body()
    return (result, inner - repetitionBudget)
  }

  private func contentOfTransparentTag(_ item: Item) -> CBORCursor {
    var content = content(of: item)
    if item.head.argument == CBORTag.stringNamespace {
      content.namespace =
        index.namespaceAtOffset[item.cursor.offset] ?? splices?.index.namespaceAtOffset[item.cursor.offset]
        ?? content.namespace
    }
    return content
  }

  /// The shared item that a reference names, which stands before the reference.
  private func earlierShareable(_ reference: Item) throws -> CBORCursor {
    let number = try reader.head(at: reference.head.end)
    guard number.major == .unsigned, number.argument < UInt64(index.shareables.count) else {
      throw ItemError.malformed("A reference to a shared value that does not exist.")
    }
    let target = index.shareables[Int(truncatingIfNeeded: number.argument)]
    guard target.offset < reference.cursor.offset else {
      throw ItemError.malformed("A reference to a shared value that stands behind it.")
    }
    return target
  }

  /// The shared item that a reference names. It stands before the reference and does not contain it.
  private func target(ofReference item: Item) throws -> CBORCursor {
    let target = try earlierShareable(item)
    guard try skip(target).offset <= item.cursor.offset else {
      throw KeyedArchiveError(.cycle, "A stored value contains a reference to itself.")
    }
    return target
  }

  // MARK: Names and instances

  /// Reads tag 27 at an item: `[name, value]` or `[name, value, version]`.
  func namedValue(_ item: Item) throws -> NamedValue? {
    guard item.head.major == .tag, item.head.argument == CBORTag.object else { return nil }
    let array = try self.item(at: content(of: item))
    guard array.head.major == .array else { return nil }
    let count = try container(at: array.cursor).count
    guard count == 2 || count == 3 else { return nil }
    let nameCursor = firstElement(of: array)
    guard let name = try textIfPresent(self.item(at: nameCursor)) else { return nil }
    guard !name.isEmpty, name.utf8.count <= limits.maximumTagLength else {
      throw ItemError.malformed("A type tag of \(name.utf8.count) bytes; the limit is \(limits.maximumTagLength).")
    }
    let content = try skip(nameCursor)
    var version = 1
    if count == 3 {
      guard let stored = try typeVersion(self.item(at: skip(content))), stored > 0 else {
        throw ItemError.malformed("The version after the type tag \"\(name)\" is not a positive integer.")
      }
      version = stored
    }
    return NamedValue(name: ArchiveTag(name), content: content, version: version)
  }

  /// The version after a type's name; it may have the form of a big integer, as any integer that other programs write.
  private func typeVersion(_ item: Item) throws -> Int? {
    if item.head.major == .unsigned { return Int(exactly: item.head.argument) }
    return try BigInteger(item, in: self).flatMap { Int(exactly: $0) }
  }

  /// Decodes a shared item once; later calls return the same instance.
  ///
  /// - Throws: ``KeyedArchiveError`` with code `cycle` when the instance is asked for while it is being decoded.
  func instance(at cursor: CBORCursor, path: () -> CodingPathNode, decode: () throws -> Any) throws -> Any {
    if let instance = instances[cursor.offset] { return instance }
    guard openInstances.insert(cursor.offset).inserted else {
      throw KeyedArchiveError(.cycle, "A stored instance contains a reference to itself.", codingPath: keys(of: path()))
    }
    defer { openInstances.remove(cursor.offset) }
    let instance = try decode()
    instances[cursor.offset] = instance
    return instance
  }

  /// The contents of the shared item at a place or referred to there, or `nil` when the item is not shared.
  func sharedContent(at cursor: CBORCursor) throws -> CBORCursor? {
    var item = Item(head: try reader.head(at: cursor.offset), cursor: cursor)
    while item.head.major == .tag {
      switch item.head.argument {
      case CBORTag.shareable:
        return content(of: item)
      case CBORTag.sharedReference:
        return try earlierShareable(item)
      case CBORTag.selfDescribed, CBORTag.stringNamespace:
        item.cursor = contentOfTransparentTag(item)
        item.head = try reader.head(at: item.cursor.offset)
      case CBORTag.elsewhere:
        guard let target = splicedTarget(of: item) else { return nil }
        item.cursor = target
        item.head = try reader.head(at: item.cursor.offset)
      default:
        return nil
      }
    }
    return nil
  }

  // MARK: Splices

  /// The place that a reference of a new form leads to; `nil` for any other item.
  private func splicedTarget(of item: Item) -> CBORCursor? {
    guard item.head.argument == CBORTag.elsewhere else { return nil }
    return splices?.target(ofReferenceAt: item.cursor.offset)
  }

  /// Adds an item that is not in the archive, to be read as if it were.
  ///
  /// - Returns: The item's place and its nesting.
  func splice(_ form: Splices.Form) throws(CBORError) -> (place: CBORCursor, depth: Int) {
    let splices = self.splices ?? Splices(reader.bytes(0..<reader.count), index)
    self.splices = splices
    // Whatever becomes of the new form, its bytes may have moved the others.
    defer { reader = splices.window }
    return try splices.append(form, limits: limits)
  }

  private func splicedContainer(at cursor: CBORCursor) throws(CBORError) -> StructureIndex.Container {
    guard let containers = splices?.index.containers, containers.indices.contains(Int(cursor.container)) else {
      throw CBORError(.truncated, at: cursor.offset)
    }
    return containers[Int(cursor.container)]
  }

  // MARK: Descriptions

  /// What stands at a place, in words for an error message.
  func describe(_ cursor: CBORCursor) throws -> String {
    let item = try item(at: cursor)
    switch item.head.major {
    case .unsigned: return "the integer \(item.head.argument)"
    case .negative: return "the integer \(~Int128(item.head.argument))"
    case .bytes: return "bytes"
    case .text: return "text"
    case .array: return "an array"
    case .map: return "a map"
    case .simple:
      switch item.head.argument {
      case CBORSimple.null where item.head.info < 24, CBORSimple.undefined where item.head.info < 24:
        return ItemError.null
      case CBORSimple.falseValue where item.head.info < 24, CBORSimple.trueValue where item.head.info < 24:
        return "a Boolean"
      default: return reader.float(item.head).map { "the number \($0)" } ?? "a simple value"
      }
    case .tag:
      switch item.head.argument {
      case CBORTag.stringReference: return "text"
      case CBORTag.dateText, CBORTag.date: return "a date"
      case CBORTag.positiveBigInteger, CBORTag.negativeBigInteger: return "a big integer"
      case CBORTag.decimalFraction: return "a decimal number"
      case CBORTag.url: return "a URL"
      case CBORTag.uuid: return "a UUID"
      case CBORTag.set: return "a set"
      case CBORTag.typedArrays:
        let hasType = NumberArrayFormat(tag: item.head.argument) != nil
        return hasType ? "an array of numbers" : "an array of numbers of a format that has no type here"
      case CBORTag.object: return try namedValue(item).map { "a value of type \($0.name)" } ?? "a named value"
      default: return "an item with tag \(item.head.argument)"
      }
    }
  }
}

extension CBORHead {
  /// Whether this is null or undefined.
  fileprivate var isNull: Bool {
    major == .simple && (info == 22 || info == 23)
  }
}

extension DecodingSession.Item {
  /// Whether the item is null or undefined.
  var isNull: Bool { head.isNull }

  /// Whether the item carries a certain tag.
  func hasTag(_ tag: UInt64) -> Bool { head.isTag(tag) }
}
