/// The results of one pass over an encoded item before any value is created from it.
///
/// The pass proves that the item is well-formed and within the limits. It does not recurse, so no input can overflow
/// the stack. The pass records the end of each array and map, so that skipping one is O(1). It also records the strings
/// that have numbers in their namespaces (tags 256 and 25), and the positions of shareable items (tag 28). Fields can
/// then be read in any order.
struct StructureIndex: Sendable {
  /// An array or a map that is not empty.
  struct Container: Sendable {
    var end = 0
    /// The index of the first container after the end of this one.
    var next: Int32 = 0
    /// The number of elements, or of key-value pairs.
    var count: Int32
  }

  private(set) var containers = ContiguousArray<Container>()
  /// The strings of each namespace, by number. Each is represented by the offset of its head.
  private(set) var namespaces: [ContiguousArray<Int>] = []
  /// The namespace that each tag 256 opens, with the tag's offset as the key.
  private(set) var namespaceAtOffset: [Int: Int32] = .init()
  /// The contents of the items under tag 28, in the order of their numbers.
  private(set) var shareables = ContiguousArray<CBORCursor>()
  private(set) var end = 0
  /// The greatest nesting of arrays, maps and tags.
  private(set) var depth = 0
  /// An empty array whose memory the next pass reuses.
  private var spareLevels = ContiguousArray<Open>()

  /// Returns the least length at which a string gets a certain number in its namespace, so that a reference is shorter.
  /// Source: the registration of tags 25 and 256, <http://cbor.schmorp.de/stringref>.
  @inline(__always)
  static func minimumLength(ofString number: Int) -> Int {
    if number < 24 { return 3 }
    if number < 256 { return 4 }
    if number < 65536 { return 5 }
    return UInt64(truncatingIfNeeded: number) < UInt64(1) &<< 32 ? 7 : 11
  }

  init() {}

  init(_ reader: CBORReader, limits: ArchiveLimits) throws(CBORError) {
    try rebuild(reader, limits: limits)
  }

  /// Replaces this index with the index of another item, and reuses its memory.
  mutating func rebuild(_ reader: CBORReader, limits: ArchiveLimits) throws(CBORError) {
    containers.removeAll(keepingCapacity: true)
    if !namespaces.isEmpty { namespaces.removeAll() }
    if !namespaceAtOffset.isEmpty { namespaceAtOffset = .init() }
    if !shareables.isEmpty { shareables.removeAll() }
    var walk = Walk(reader: reader, limits: limits)
    swap(&walk.outer, &spareLevels)
    try walk.run(&self)
    swap(&walk.outer, &spareLevels)
  }

  /// The number of containers that the index has memory for.
  var capacity: Int { containers.capacity }

  /// Adds the contents of an item that follows all others. `item.container` must be ``nextContainer``. Returns the
  /// item's end and its nesting. The complexity is O(*n*) in the item's bytes.
  mutating func append(
    _ item: CBORCursor, _ reader: CBORReader, limits: ArchiveLimits
  ) throws(CBORError) -> (end: Int, depth: Int) {
    let whole = (end: end, depth: depth)
    var walk = Walk(reader: reader, limits: limits)
    try walk.run(&self, from: item)
    let appended = (end: end, depth: depth)
    (end, depth) = whole
    return appended
  }

  /// Reserves the first namespace number for an archive that has no namespace. The texts of the archive's namespace are
  /// remembered by number.
  mutating func reserveFirstNamespace() {
    if namespaces.isEmpty { namespaces.append([]) }
  }

  /// Returns the offset of the string with a number in a namespace, or `nil` if there is none.
  @inline(__always)
  func offset(ofString number: UInt64, in namespace: Int32) -> Int? {
    guard namespace >= 0, Int(namespace) < namespaces.count, number < UInt64(namespaces[Int(namespace)].count)
    else { return nil }
    return namespaces[Int(namespace)][Int(truncatingIfNeeded: number)]
  }

  var nextContainer: Int32 { Int32(truncatingIfNeeded: containers.count) }

  /// A container whose items are being visited.
  private struct Open {
    /// The container's index, or -1 for the context around the whole item.
    var container: Int32
    /// The number of items still to come. For an indefinite length, the number is negative and counts down from -1.
    var remaining: Int
    var isMap: Bool
    var depth: Int
    var namespace: Int32
  }

  /// Visits each item once, in order, and adds what it finds to an index.
  private struct Walk: ~Copyable {
    let reader: CBORReader
    let limits: ArchiveLimits
    var offset = 0
    var depth = 0
    var deepest = 0
    var namespace: Int32 = -1
    /// The strings of the current namespace. They are kept outside the index while the namespace is in use,
    /// because an array inside an array requires a lookup for each string.
    var strings = ContiguousArray<Int>()
    var items = 0
    var innermost = Open(container: -1, remaining: 1, isMap: false, depth: 0, namespace: -1)
    /// The containers around the innermost one, outermost first.
    var outer = ContiguousArray<Open>()

    mutating func run(_ index: inout StructureIndex, from start: CBORCursor = .start) throws(CBORError) {
      offset = start.offset
      innermost.namespace = start.namespace
      enterNamespace(start.namespace, &index)
      while innermost.remaining != 0 {
        if depth == innermost.depth { passShortItems() }
        guard items < limits.maximumItems else {
          throw CBORError(.tooManyItems(limit: limits.maximumItems), at: offset)
        }
        items += 1
        let head = try reader.head(at: offset)
        switch head.major {
        case .unsigned, .negative: offset = head.end
        case .bytes, .text: try passString(head)
        case .array, .map:
          if try openContainer(head, &index) { continue }
        case .tag:
          if try enterTag(head, &index) { continue }
        case .simple:
          if head.isBreak { try closeIndefinite(&index) }
          offset = head.end
        }
        innermost.remaining -= 1
        if innermost.remaining == 0 { closeContainers(&index) }
        depth = innermost.depth
        if namespace != innermost.namespace { enterNamespace(innermost.namespace, &index) }
      }
      enterNamespace(-1, &index)
      index.end = offset
      index.depth = deepest
    }

    /// Passes over short items in the innermost container: texts, small numbers, simple values and references to
    /// strings. Most items of an archive are short. Stops at any other item, at invalid bytes, and before the last item
    /// of the container. ``run(_:from:)`` does the rest.
    @inline(__always)
    private mutating func passShortItems() {
      // Local variables, which the compiler keeps in registers.
      var (offset, strings) = (self.offset, ContiguousArray<Int>())
      swap(&self.strings, &strings)
      let (reader, isNumbering) = (reader, namespace >= 0)
      var leastLength = StructureIndex.minimumLength(ofString: strings.count)
      // For an indefinite length, the number of remaining items is negative.
      let most = max(0, min(innermost.remaining - 1, limits.maximumItems - items))
      var passed = 0
      walk: while passed < most, let item = reader.shortItem(at: offset) {
        switch item {
        case .text(let start, let end):
          if isNumbering, end - start >= leastLength {
            strings.append(offset)
            leastLength = StructureIndex.minimumLength(ofString: strings.count)
          }
          offset = end
        case .reference(let number, let end):
          guard isNumbering, number < strings.count else { break walk }
          offset = end
        case .scalar(let end): offset = end
        }
        passed += 1
      }
      self.offset = offset
      items += passed
      innermost.remaining -= passed
      swap(&self.strings, &strings)
    }

    private mutating func descend() throws(CBORError) {
      guard depth < limits.maximumDepth else {
        throw CBORError(.tooDeep(limit: limits.maximumDepth), at: offset)
      }
      depth += 1
      deepest = max(deepest, depth)
    }

    @inline(__always)
    private mutating func passString(_ head: CBORHead) throws(CBORError) {
      guard !head.isIndefinite else { return try passChunks(head) }
      let end = try reader.payloadEnd(of: head)
      if namespace >= 0 {
        if end - head.end >= StructureIndex.minimumLength(ofString: strings.count) { strings.append(offset) }
      }
      offset = end
    }

    /// Passes over a string of indefinite length. Its chunks are strings of the same kind and of definite length.
    private mutating func passChunks(_ head: CBORHead) throws(CBORError) {
      offset = head.end
      while true {
        let chunk = try reader.head(at: offset)
        if chunk.isBreak {
          offset = chunk.end
          return
        }
        guard chunk.major == head.major, !chunk.isIndefinite else { throw CBORError(.invalidChunk, at: offset) }
        offset = try reader.payloadEnd(of: chunk)
      }
    }

    /// Passes over the head of an array or a map. Returns `false` if the container is empty, and therefore complete.
    private mutating func openContainer(_ head: CBORHead, _ index: inout StructureIndex) throws(CBORError) -> Bool {
      let isMap = head.major == .map
      // Each element takes at least one byte. A count greater than the remaining bytes can only be an attempt to cause
      // a large allocation.
      let room = UInt64(reader.count - head.end) / (isMap ? 2 : 1)
      guard head.argument <= room else { throw CBORError(.lengthBeyondEnd, at: offset) }
      guard let count = Int32(exactly: head.argument) else {
        throw CBORError(.tooManyItems(limit: limits.maximumItems), at: offset)
      }
      try descend()
      offset = head.end
      // An empty container ends with its head, so it needs no entry in the index.
      if count == 0 && !head.isIndefinite { return false }
      let container = Int32(truncatingIfNeeded: index.containers.count)
      index.containers.append(Container(count: count))
      let remaining = head.isIndefinite ? -1 : Int(count) * (isMap ? 2 : 1)
      outer.append(innermost)
      innermost = Open(container: container, remaining: remaining, isMap: isMap, depth: depth, namespace: namespace)
      return true
    }

    /// Passes over the head of a tag. Returns `false` if the content was passed as well.
    @inline(__always)
    private mutating func enterTag(_ head: CBORHead, _ index: inout StructureIndex) throws(CBORError) -> Bool {
      guard head.argument == CBORTag.stringReference else { return try enterOtherTag(head, &index) }
      let reference = try reader.head(at: head.end)
      guard reference.major == .unsigned, namespace >= 0, reference.argument < UInt64(strings.count)
      else { throw CBORError(.invalidStringReference, at: offset) }
      offset = reference.end
      return false
    }

    private mutating func enterOtherTag(_ head: CBORHead, _ index: inout StructureIndex) throws(CBORError) -> Bool {
      try descend()
      if head.argument == CBORTag.stringNamespace {
        index.namespaces.append([])
        enterNamespace(Int32(truncatingIfNeeded: index.namespaces.count - 1), &index)
        index.namespaceAtOffset[offset] = namespace
      } else if head.argument == CBORTag.shareable {
        index.shareables.append(
          CBORCursor(
            offset: head.end, container: Int32(truncatingIfNeeded: index.containers.count), namespace: namespace))
      }
      offset = head.end
      return true
    }

    /// Closes the innermost container, which has an indefinite length, at its break.
    private mutating func closeIndefinite(_ index: inout StructureIndex) throws(CBORError) {
      // A break must not be between a tag and its content, or between a key and its value.
      let itemsRead = -1 - innermost.remaining
      guard innermost.remaining < 0, depth == innermost.depth, !innermost.isMap || itemsRead.isMultiple(of: 2) else {
        throw CBORError(.unexpectedBreak, at: offset)
      }
      index.containers[Int(innermost.container)].count = Int32(
        truncatingIfNeeded: innermost.isMap ? itemsRead / 2 : itemsRead)
      close(at: offset + 1, &index)
    }

    /// Closes the innermost container, which is complete, and all containers that it completes.
    private mutating func closeContainers(_ index: inout StructureIndex) {
      while innermost.remaining == 0, innermost.container >= 0 {
        close(at: offset, &index)
        innermost.remaining -= 1
      }
    }

    @inline(never)
    private mutating func enterNamespace(_ other: Int32, _ index: inout StructureIndex) {
      if namespace >= 0 { swap(&index.namespaces[Int(namespace)], &strings) }
      namespace = other
      if namespace >= 0 { swap(&index.namespaces[Int(namespace)], &strings) }
    }

    private mutating func close(at end: Int, _ index: inout StructureIndex) {
      index.containers[Int(innermost.container)].end = end
      index.containers[Int(innermost.container)].next = Int32(truncatingIfNeeded: index.containers.count)
      innermost = outer.removeLast()
    }
  }
}

/// A position in an encoded item, with the information needed to continue reading there.
struct CBORCursor: Equatable, Sendable {
  var offset: Int
  /// The index of the first array or map that starts at this offset or after it.
  var container: Int32
  /// The current string namespace, or -1 outside any namespace.
  var namespace: Int32

  static let start = CBORCursor(offset: 0, container: 0, namespace: -1)
}
