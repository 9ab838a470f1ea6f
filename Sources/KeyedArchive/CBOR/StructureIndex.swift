/// A place in an encoded item: an offset, and what has to be known to read on from there.
struct CBORCursor: Hashable, Sendable {
  /// The offset of the item's first byte.
  var offset: Int
  /// The index of the first array or map that starts at this offset or after it.
  var container: Int32
  /// The string namespace in force, or -1 outside any.
  var namespace: Int32

  static let start = CBORCursor(offset: 0, container: 0, namespace: -1)
}

/// What one pass over an encoded item finds out before any value is made from it.
///
/// The pass proves that the item is well-formed and within the limits, without recursion, so that no input can overflow
/// the stack. It records where each array and map ends, so that a reader skips one in O(1); which strings have a number
/// in their namespace (tags 256 and 25); and where shareable items stand (tag 28). A reader can then visit fields in any
/// order and still resolve every reference.
struct StructureIndex: Sendable {
  /// An array or a map.
  struct Container: Sendable {
    var end = 0
    /// The index of the first container after this one's end.
    var next: Int32 = 0
    /// The number of elements, or of key-value pairs.
    var count: Int32
  }

  /// The strings of one namespace, by number.
  struct Namespace: Sendable {
    var strings = ContiguousArray<StringPlace>()
  }

  struct StringPlace: Sendable {
    var start: Int
    var count: Int
    var isText: Bool
  }

  private(set) var containers = ContiguousArray<Container>()
  private(set) var namespaces: [Namespace] = []
  /// The namespace that a tag 256 opens, by the tag's offset.
  private(set) var namespaceAtOffset: [Int: Int32] = [:]
  /// The contents of the items under tag 28, in the order of their numbers.
  private(set) var shareables = ContiguousArray<CBORCursor>()
  /// The end of the item.
  private(set) var end = 0
  /// The greatest nesting of arrays, maps and tags.
  private(set) var depth = 0

  /// The length from which on a string gets the next number of its namespace, so that a reference is shorter.
  ///
  /// Source: the registration of tags 25 and 256, <http://cbor.schmorp.de/stringref>.
  @inline(__always)
  static func minimumLength(ofString number: Int) -> Int {
    if number < 24 { return 3 }
    if number < 256 { return 4 }
    if number < 65536 { return 5 }
    return number < 1 << 32 ? 7 : 11
  }

  /// - Complexity: O(*n*) in the number of bytes.
  init(_ reader: CBORReader, limits: ArchiveLimits) throws(CBORError) {
    var walk = Walk(reader: reader, limits: limits)
    try walk.run(&self)
  }

  /// The state of the pass: the containers that are open, outermost first.
  private struct Walk {
    struct Open {
      var container: Int32
      /// Items still to come; negative for an indefinite length.
      var remaining: Int
      var isMap: Bool
      var itemsRead = 0
      var depth: Int
      var namespace: Int32
    }

    let reader: CBORReader
    let limits: ArchiveLimits
    var offset = 0
    var depth = 0
    var deepest = 0
    var namespace: Int32 = -1
    var items = 0
    var open = ContiguousArray<Open>()

    mutating func run(_ index: inout StructureIndex) throws(CBORError) {
      repeat {
        guard items < limits.maximumItems else {
          throw CBORError(.tooManyItems(limit: limits.maximumItems), at: offset)
        }
        items += 1
        let head = try reader.head(at: offset)
        let isComplete: Bool
        switch head.major {
        case .unsigned, .negative:
          offset = head.end
          isComplete = true
        case .bytes, .text:
          try passString(head, &index)
          isComplete = true
        case .array, .map:
          isComplete = try openContainer(head, &index)
        case .tag:
          isComplete = try passTag(head, &index)
        case .simple:
          if head.isBreak { try closeIndefinite(&index) }
          offset = head.end
          isComplete = true
        }
        if isComplete { finishItem(&index) }
      } while !open.isEmpty || depth > 0
      index.end = offset
      index.depth = deepest
    }

    private mutating func descend() throws(CBORError) {
      guard depth < limits.maximumDepth else {
        throw CBORError(.tooDeep(limit: limits.maximumDepth), at: offset)
      }
      depth += 1
      deepest = max(deepest, depth)
    }

    private mutating func passString(_ head: CBORHead, _ index: inout StructureIndex) throws(CBORError) {
      guard !head.isIndefinite else { return try passChunks(head) }
      let end = try reader.payloadEnd(of: head)
      if namespace >= 0 {
        let length = end - head.end
        let number = index.namespaces[Int(namespace)].strings.count
        if length >= StructureIndex.minimumLength(ofString: number) {
          index.namespaces[Int(namespace)].strings.append(
            StringPlace(start: head.end, count: length, isText: head.major == .text))
        }
      }
      offset = end
    }

    /// Passes over a string of indefinite length; its chunks are strings of the same kind and of definite length.
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

    private mutating func openContainer(_ head: CBORHead, _ index: inout StructureIndex) throws(CBORError) -> Bool {
      let isMap = head.major == .map
      // Each element takes a byte at least, so a count beyond the bytes that are left is a lie told to allocate.
      let room = UInt64(reader.count - head.end) / (isMap ? 2 : 1)
      guard head.argument <= room else { throw CBORError(.lengthBeyondEnd, at: offset) }
      guard let count = Int32(exactly: head.argument) else {
        throw CBORError(.tooManyItems(limit: limits.maximumItems), at: offset)
      }
      try descend()
      offset = head.end
      let container = Int32(truncatingIfNeeded: index.containers.count)
      index.containers.append(Container(count: count))
      if count == 0 && !head.isIndefinite {
        index.containers[Int(container)].end = offset
        index.containers[Int(container)].next = container + 1
        return true
      }
      let remaining = head.isIndefinite ? -1 : Int(count) * (isMap ? 2 : 1)
      open.append(
        Open(container: container, remaining: remaining, isMap: isMap, depth: depth, namespace: namespace))
      return false
    }

    /// Passes over a tag. Returns whether its content was passed too.
    private mutating func passTag(_ head: CBORHead, _ index: inout StructureIndex) throws(CBORError) -> Bool {
      if head.argument == CBORTag.stringReference {
        let reference = try reader.head(at: head.end)
        guard reference.major == .unsigned, namespace >= 0,
          reference.argument < UInt64(index.namespaces[Int(namespace)].strings.count)
        else { throw CBORError(.invalidStringReference, at: offset) }
        offset = reference.end
        return true
      }
      try descend()
      if head.argument == CBORTag.stringNamespace {
        namespace = Int32(truncatingIfNeeded: index.namespaces.count)
        index.namespaceAtOffset[offset] = namespace
        index.namespaces.append(Namespace())
      } else if head.argument == CBORTag.shareable {
        index.shareables.append(
          CBORCursor(
            offset: head.end, container: Int32(truncatingIfNeeded: index.containers.count), namespace: namespace))
      }
      offset = head.end
      return false
    }

    private mutating func closeIndefinite(_ index: inout StructureIndex) throws(CBORError) {
      // A depth beyond the container's own means a tag that still waits for its content.
      guard let top = open.last, top.remaining < 0, depth == top.depth,
        !top.isMap || top.itemsRead.isMultiple(of: 2)
      else { throw CBORError(.unexpectedBreak, at: offset) }
      index.containers[Int(top.container)].count = Int32(
        truncatingIfNeeded: top.isMap ? top.itemsRead / 2 : top.itemsRead)
      index.containers[Int(top.container)].end = offset + 1
      index.containers[Int(top.container)].next = Int32(truncatingIfNeeded: index.containers.count)
      open.removeLast()
    }

    /// Counts a complete item in its container, and the container in its own when that completes it.
    private mutating func finishItem(_ index: inout StructureIndex) {
      while let last = open.indices.last {
        if open[last].remaining < 0 {
          open[last].itemsRead += 1
        } else {
          open[last].remaining -= 1
        }
        if open[last].remaining != 0 {
          depth = open[last].depth
          namespace = open[last].namespace
          return
        }
        let container = Int(open[last].container)
        index.containers[container].end = offset
        index.containers[container].next = Int32(truncatingIfNeeded: index.containers.count)
        open.removeLast()
      }
      depth = 0
    }
  }
}
