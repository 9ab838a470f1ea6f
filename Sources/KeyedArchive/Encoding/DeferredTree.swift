import Foundation

/// A value whose containers were not written one inside the other: held as a tree until all is known.
///
/// See ``EncodingSession`` for when this is used. A container keeps its entries apart, so that any of them can be added
/// to, replaced or given up at any time. Strings and instances stay unnumbered until the tree is written out, because
/// their numbers follow the order of the output.
final class DeferredTree {
  /// What one value has written so far.
  final class Fragment {
    fileprivate var parts: [Part] = []
    /// What stood under the same key before, to be put back if this fails.
    fileprivate var replaced: Fragment?
  }

  enum Part {
    /// Complete heads and scalars.
    case raw(Data)
    case text(String)
    case bytes(Data)
    case node(Int32)
    case instance(Int, Fragment)
    case reference(Int)
  }

  private enum Kind {
    case empty, single, unkeyed, keyed
  }

  private struct Node {
    var kind = Kind.empty
    var isNested = false
    /// The nesting of what stands in this node.
    var depth: Int
    var entries: [(key: String?, value: Fragment)] = []
    var indices: [ExactText: Int] = [:]
  }

  private let root = Fragment()
  private var nodes: [Node] = []
  private var instances: [Int: Fragment] = [:]
  /// Where the next part goes.
  var place: Fragment

  init() {
    place = root
  }

  /// Moves what was written to the buffer since the last call into the tree.
  func flush(_ buffer: ByteBuffer) {
    guard buffer.count > 0 else { return }
    place.parts.append(.raw(buffer.withUnsafeBytes { Data($0) }))
    buffer.truncate(to: 0)
  }

  func add(_ part: Part) {
    place.parts.append(part)
  }

  func addNode(depth: Int) -> Int32 {
    let identifier = Int32(truncatingIfNeeded: nodes.count)
    nodes.append(Node(depth: depth))
    place.parts.append(.node(identifier))
    return identifier
  }

  /// Makes a node a container. Returns false when it already is something else.
  func open(_ identifier: Int32, keyed: Bool) -> Bool {
    guard identifier >= 0 else { return false }
    let kind: Kind = keyed ? .keyed : .unkeyed
    let node = Int(identifier)
    if nodes[node].kind == .empty {
      nodes[node].kind = kind
      nodes[node].depth += 1
    }
    return nodes[node].kind == kind
  }

  /// Notes that a node is that of a nested container or encoder, rather than of a value.
  func noteNested(_ identifier: Int32) {
    if identifier >= 0 { nodes[Int(identifier)].isNested = true }
  }

  /// The node under a key that a nested container or encoder goes on with; `nil` if it takes the place of what stands there.
  ///
  /// It goes on with any nested one, even of another kind, which is an error then; with a value's, only of its own kind.
  func openedNode(in identifier: Int32, key: String, keyed: Bool?) -> Int32? {
    guard identifier >= 0, let index = nodes[Int(identifier)].indices[ExactText(key)] else { return nil }
    let parts = nodes[Int(identifier)].entries[index].value.parts
    guard parts.count == 1, case .node(let child) = parts[0] else { return nil }
    let isSameKind = keyed.map { nodes[Int(child)].kind == ($0 ? .keyed : .unkeyed) } ?? false
    return nodes[Int(child)].isNested || isSameKind ? child : nil
  }

  /// Begins an entry. Returns the nesting of what stands in it.
  func begin(in identifier: Int32, key: String?) -> Int {
    guard identifier >= 0 else { return 0 }
    let node = Int(identifier)
    place = Fragment()
    if let key, let index = nodes[node].indices[ExactText(key)] {
      place.replaced = nodes[node].entries[index].value
      nodes[node].entries[index].value = place
      return nodes[node].depth
    }
    if let key { nodes[node].indices[ExactText(key)] = nodes[node].entries.count }
    nodes[node].entries.append((key, place))
    return nodes[node].depth
  }

  /// Begins the value of a node that is no container. Returns its nesting, or `nil` when the node has a value.
  func beginSingleValue(in identifier: Int32) -> Int? {
    guard identifier >= 0, nodes[Int(identifier)].kind == .empty else { return nil }
    nodes[Int(identifier)].kind = .single
    return begin(in: identifier, key: nil)
  }

  func count(in identifier: Int32) -> Int {
    identifier < 0 ? 0 : nodes[Int(identifier)].entries.count
  }

  /// Takes an entry back. What stood under its key before stands there again.
  func abandon(_ entry: Fragment, of identifier: Int32) {
    place = Fragment()
    guard identifier >= 0 else { return }
    let node = Int(identifier)
    guard let index = nodes[node].entries.lastIndex(where: { $0.value === entry }) else { return }
    if let replaced = entry.replaced {
      nodes[node].entries[index].value = replaced
      return
    }
    if let key = nodes[node].entries.remove(at: index).key {
      nodes[node].indices[ExactText(key)] = nil
      for (later, entry) in nodes[node].entries.enumerated().dropFirst(index) {
        if let key = entry.key { nodes[node].indices[ExactText(key)] = later }
      }
    }
    if nodes[node].kind == .single { nodes[node].kind = .empty }
  }

  /// Names a nil that was added last, once more if it has a name.
  func nameNil() {
    var fragment = place
    var first = fragment.parts.count - 1
    while fragment.parts.indices.contains(first) {
      if case .node(let node) = fragment.parts[first], first == fragment.parts.count - 1 {
        guard nodes[Int(node)].kind == .single, let value = nodes[Int(node)].entries.first?.value else { return }
        (fragment, first) = (value, 0)
      } else if case .raw(DeferredTree.nameHead) = fragment.parts[first], first + 2 < fragment.parts.count,
        case .text(OptionalName.tag.name) = fragment.parts[first + 1]
      {
        first += 2
      } else {
        guard case .raw(let null) = fragment.parts[first], null == Data([0xf6]) || null == Data([0xf7]),
          first == fragment.parts.count - 1
        else { return }
        fragment.parts.insert(contentsOf: [.raw(DeferredTree.nameHead), .text(OptionalName.tag.name)], at: first)
        return
      }
    }
  }

  /// Tag 27 and an array of two.
  private static let nameHead = Data([0xd8, 0x1b, 0x82])

  /// Begins the contents of an instance and returns the place outside them.
  func beginInstance(_ identifier: Int, flushing buffer: ByteBuffer) -> Fragment {
    flush(buffer)
    let outer = place
    let contents = Fragment()
    instances[identifier] = contents
    place.parts.append(.instance(identifier, contents))
    place = contents
    return outer
  }

  func endInstance(_ outer: Fragment, flushing buffer: ByteBuffer) {
    flush(buffer)
    place = outer
  }

  // MARK: Writing out

  /// Streams the tree into a session.
  func write(to output: EncodingSession) {
    var written: Set<Int> = []
    write(root, to: output, &written)
  }

  private func write(_ fragment: Fragment, to output: EncodingSession, _ written: inout Set<Int>) {
    for part in fragment.parts {
      switch part {
      case .raw(let data): output.buffer.append(contentsOf: data)
      case .text(let text): output.write(text: text)
      case .bytes(let data): data.withUnsafeBytes { output.write(bytes: $0) }
      case .node(let identifier): write(nodes[Int(identifier)], to: output, &written)
      case .instance(let identifier, let contents): write(identifier, contents, to: output, &written)
      case .reference(let identifier): write(identifier, instances[identifier], to: output, &written)
      }
    }
  }

  /// Writes an instance where it stands first in the output, and a reference to it elsewhere.
  private func write(_ identifier: Int, _ contents: Fragment?, to output: EncodingSession, _ written: inout Set<Int>) {
    if written.insert(identifier).inserted, let contents {
      output.markShareable(instance: identifier)
      write(contents, to: output, &written)
    } else {
      output.writeReference(toInstance: identifier)
    }
  }

  private func write(_ node: Node, to output: EncodingSession, _ written: inout Set<Int>) {
    switch node.kind {
    case .empty: output.buffer.appendHead(.map, 0)
    case .single: break
    case .unkeyed: output.buffer.appendHead(.array, UInt64(node.entries.count))
    case .keyed: output.buffer.appendHead(.map, UInt64(node.entries.count))
    }
    for entry in node.entries {
      if let key = entry.key { output.write(text: key) }
      write(entry.value, to: output, &written)
    }
  }
}
