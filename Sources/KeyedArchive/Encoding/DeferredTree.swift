/// A value whose containers were not written one inside the other, held as a tree until all of it is known.
///
/// For the use of this class, see ``EncodingSession``. A container stores its entries separately, so that any entry can
/// be extended, replaced or discarded at any time. Strings and instances have no numbers until the tree is written out,
/// because the numbers depend on the order of the output.
///
/// Heads and scalars are written to the session's buffer. Every function here first moves them into the tree.
final class DeferredTree {
  /// The output of one value so far.
  final class Fragment {
    fileprivate var parts: [Part] = []
    /// The earlier fragment under the same key, which is restored if this one fails.
    fileprivate var replaced: Fragment?
    /// Whether the contents of an instance were written out.
    fileprivate var isWritten = false
  }

  enum Part {
    /// Complete heads and scalars.
    case raw([UInt8])
    case text(String)
    case bytes([UInt8])
    case node(Int32)
    /// An instance with its contents, or a reference to it. The first one of the output becomes the instance. There
    /// are no contents if they are outside the tree.
    case instance(Int, Fragment?)
  }

  private final class Node {
    var content = EncodingSlot.Content.empty
    /// Whether this is the node of a nested container or encoder, rather than of a value.
    var isNested: Bool
    /// The fragment that contains the node, and its nesting.
    var home: Fragment
    let outerDepth: Int
    var entries: [(key: String?, value: Fragment)] = []
    var indices: [ExactText: Int] = .init()

    init(isNested: Bool, home: Fragment, outerDepth: Int) {
      self.isNested = isNested
      self.home = home
      self.outerDepth = outerDepth
    }

    var depth: Int { content == .keyed || content == .unkeyed ? outerDepth + 1 : outerDepth }
  }

  private let buffer: ByteBuffer
  private let root = Fragment()
  private var nodes: [Node] = []
  private var instances = SharedCodeDictionary<Int, Fragment>()
  private(set) var current: Fragment

  init(_ buffer: ByteBuffer) {
    self.buffer = buffer
    current = root
  }

  /// Moves the contents of the buffer into the tree.
  @inline(never)
  private func flush() {
    guard buffer.count > 0 else { return }
    current.parts.append(.raw([UInt8](buffer.contents)))
    buffer.truncate(to: 0)
  }

  // Not inlined, because few values need a tree, and every function that writes would contain the code.
  @inline(never)
  func add(_ part: Part) {
    flush()
    current.parts.append(part)
  }

  func move(to fragment: Fragment) {
    flush()
    current = fragment
  }

  // MARK: Nodes

  /// Returns the node of a slot, or `nil` if its container could not be opened.
  private func node(_ identifier: Int32) -> Node? { identifier < 0 ? nil : nodes[Int(identifier)] }

  func addNode(depth: Int, isNested: Bool) -> Int32 {
    let identifier = Int32(truncatingIfNeeded: nodes.count)
    add(.node(identifier))
    nodes.append(Node(isNested: isNested, home: current, outerDepth: depth))
    return identifier
  }

  /// Makes a node a container. Returns `false` if the node already has other content. A single value that is a
  /// plain container of this kind is continued, as `JSONEncoder` does.
  func open(_ identifier: Int32, _ content: EncodingSlot.Content) -> Bool {
    flush()
    guard let node = node(identifier) else { return false }
    if let value = singleNode(of: node), open(value, content) {
      let continued = nodes[Int(value)]
      (continued.home, continued.isNested) = (node.home, node.isNested)
      nodes[Int(identifier)] = continued
      return true
    }
    if node.content == .empty { node.content = content }
    return node.content == content
  }

  /// Continues after a node. Returns the nesting there.
  func close(_ identifier: Int32) -> Int {
    let node = nodes[Int(identifier)]
    move(to: node.home)
    return node.outerDepth
  }

  /// Returns the node under a key that a nested container or encoder continues, or `nil` if the new one replaces the
  /// entry. A nested node is always continued, and it is an error if the kind differs. A value's node is continued only
  /// if it has the same kind.
  func openedNode(in identifier: Int32, key: String, keyed: Bool?) -> Int32? {
    flush()
    guard let node = node(identifier), let index = node.indices[ExactText(key)] else { return nil }
    let parts = node.entries[index].value.parts
    guard parts.count == 1, case .node(let child) = parts[0], let opened = self.node(child) else { return nil }
    let isSameKind = keyed.map { self.content(of: opened) == ($0 ? .keyed : .unkeyed) } ?? false
    return opened.isNested || isSameKind ? child : nil
  }

  /// Returns the kind of a node, or of the plain value that is its single value.
  private func content(of node: Node) -> EncodingSlot.Content {
    guard let value = singleNode(of: node) else { return node.content }
    return content(of: nodes[Int(value)])
  }

  @inline(__always)
  private func singleNode(of node: Node) -> Int32? {
    guard node.content == .single, let parts = node.entries.first?.value.parts, parts.count == 1,
      case .node(let value) = parts[0]
    else { return nil }
    return value
  }

  /// Begins an entry. Returns its nesting.
  func begin(in identifier: Int32, key: String?) -> Int {
    flush()
    guard let node = node(identifier) else { return 0 }
    current = Fragment()
    if let key, let index = node.indices[ExactText(key)] {
      current.replaced = node.entries[index].value
      node.entries[index].value = current
      return node.depth
    }
    if let key { node.indices[ExactText(key)] = node.entries.count }
    node.entries.append((key, current))
    return node.depth
  }

  /// Begins the value of a node that is not a container. Returns its nesting, or `nil` if the node already has a value.
  func beginSingleValue(in identifier: Int32) -> Int? {
    guard let node = node(identifier), node.content == .empty else { return nil }
    node.content = .single
    return begin(in: identifier, key: nil)
  }

  func count(in identifier: Int32) -> Int { node(identifier)?.entries.count ?? 0 }

  /// Removes an entry, and restores the earlier entry under its key.
  func abandon(_ entry: Fragment, of identifier: Int32) {
    move(to: Fragment())
    guard let node = node(identifier), let index = node.entries.lastIndex(where: { $0.value === entry }) else { return }
    if let replaced = entry.replaced {
      node.entries[index].value = replaced
      return
    }
    if let key = node.entries.remove(at: index).key {
      node.indices[ExactText(key)] = nil
      for (later, entry) in node.entries.enumerated().dropFirst(index) {
        if let key = entry.key { node.indices[ExactText(key)] = later }
      }
    }
    if node.content == .single { node.content = .empty }
  }

  /// Names the nil that was added last, and adds another name if it already has one.
  func nameNil() {
    flush()
    var fragment = current
    var first = fragment.parts.count - 1
    while fragment.parts.indices.contains(first) {
      if case .node(let node) = fragment.parts[first], first == fragment.parts.count - 1 {
        guard nodes[Int(node)].content == .single, let value = nodes[Int(node)].entries.first?.value else { return }
        (fragment, first) = (value, 0)
      } else if case .raw(DeferredTree.nameHead) = fragment.parts[first], first + 2 < fragment.parts.count,
        case .text(OptionalName.tag.name) = fragment.parts[first + 1]
      {
        first += 2
      } else {
        guard case .raw(let null) = fragment.parts[first], null == [0xf6] || null == [0xf7],
          first == fragment.parts.count - 1
        else { return }
        fragment.parts.insert(contentsOf: [.raw(DeferredTree.nameHead), .text(OptionalName.tag.name)], at: first)
        return
      }
    }
  }

  /// Tag 27 and an array of two elements.
  private static let nameHead: [UInt8] = [0xd8, 0x1b, 0x82]

  /// Begins the contents of an instance. Returns the fragment outside the contents.
  func beginInstance(_ identifier: Int) -> Fragment {
    let (outer, contents) = (current, Fragment())
    instances[identifier] = contents
    add(.instance(identifier, contents))
    current = contents
    return outer
  }

  func addReference(toInstance identifier: Int) { add(.instance(identifier, instances[identifier])) }

  // MARK: Writing out

  func write(to output: inout EncodingStream) {
    flush()
    write(root, to: &output)
  }

  @inline(never)
  private func write(_ fragment: Fragment, to output: inout EncodingStream) {
    for part in fragment.parts {
      switch part {
      case .raw(let bytes): output.buffer.append(contentsOf: bytes)
      case .text(let text): output.write(text: text)
      case .bytes(let bytes): bytes.withUnsafeBytes { output.write(bytes: $0) }
      case .node(let identifier): write(nodes[Int(identifier)], to: &output)
      case .instance(let identifier, let contents): write(identifier, contents, to: &output)
      }
    }
  }

  /// Writes an instance at its first position in the output, and a reference to the instance at all others.
  @inline(never)
  private func write(_ identifier: Int, _ contents: Fragment?, to output: inout EncodingStream) {
    if let contents, !contents.isWritten {
      contents.isWritten = true
      output.markShareable(identifier)
      write(contents, to: &output)
    } else {
      output.markReference(identifier)
    }
  }

  @inline(never)
  private func write(_ node: Node, to output: inout EncodingStream) {
    switch node.content {
    case .empty: output.buffer.appendHead(.map, 0)
    case .single: break
    case .unkeyed: output.buffer.appendHead(.array, UInt64(node.entries.count))
    case .keyed: output.buffer.appendHead(.map, UInt64(node.entries.count))
    }
    for entry in node.entries {
      if let key = entry.key { output.write(text: key) }
      write(entry.value, to: &output)
    }
  }
}
