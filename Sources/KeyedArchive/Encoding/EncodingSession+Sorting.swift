import Foundation

extension EncodingSession {
  /// The places of the elements of an unordered collection, in an order that depends on their contents only.
  ///
  /// Text is sorted as text and integers by value. Other keys are sorted by the bytes that each is encoded to on its
  /// own, which costs one further encoding of the keys. Places are sorted instead of elements, because those may be
  /// large. Keys of equal bytes are sorted by the bytes of their values; there are such: no NaN is equal to another.
  func sortedIndices<Elements: Collection, Key: Encodable, Value: Encodable>(
    of elements: Elements, by key: (Elements.Element) -> Key, then value: (Elements.Element) -> Value,
    path: () -> CodingPathNode
  ) throws -> [Elements.Index] {
    guard elements.count > 1 else { return Array(elements.indices) }
    if Key.self == String.self {
      let texts = elements.indices.map { (text: identityCast(key(elements[$0]), to: String.self) ?? "", index: $0) }
      return texts.sorted { $0.text.hasSmallerBytes(than: $1.text) }.map { $0.index }
    }
    if Key.self == Int.self {
      return sortedIndices(of: elements) { identityCast(key($0), to: Int.self) ?? 0 }
    }
    let path = path()
    var sorted = sortedByBytes(
      try elements.indices.map { (bytes: try encodedAlone(key(elements[$0]), path), index: $0) })
    for run in runsOfEqualBytes(in: sorted) {
      let values = try sorted[run].map { (bytes: try encodedAlone(value(elements[$0.index]), path), index: $0.index) }
      sorted.replaceSubrange(run, with: sortedByBytes(values))
    }
    return sorted.map { $0.index }
  }

  private func sortedByBytes<Index>(_ elements: [(bytes: Data, index: Index)]) -> [(bytes: Data, index: Index)] {
    elements.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Where neighbours have equal bytes.
  private func runsOfEqualBytes<Index>(in sorted: [(bytes: Data, index: Index)]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    for end in 1...sorted.count where end == sorted.count || sorted[end].bytes != sorted[start].bytes {
      if end - start > 1 { runs.append(start..<end) }
      start = end
    }
    return runs
  }

  private func sortedIndices<Elements: Collection, Key: Comparable>(
    of elements: Elements, by key: (Elements.Element) -> Key
  ) -> [Elements.Index] {
    elements.indices.map { (key: key(elements[$0]), index: $0) }.sorted { $0.key < $1.key }.map { $0.index }
  }

  /// A session for a part of what another one encodes, which is encoded there too.
  ///
  /// It starts as deep and knows the same open instances, so that a circle is found here as it is there.
  private convenience init(sortingFor other: EncodingSession, isDeferred: Bool) {
    self.init(
      registry: other.registry, limits: other.limits, userInfo: other.userInfo, isDeferred: isDeferred,
      isDeep: other.isDeep)
    output.start(inside: other.output)
    paths = other.paths
  }

  private func encodedAlone(_ value: some Encodable, _ path: CodingPathNode) throws -> Data {
    for isDeferred in [false, true] {
      let session = EncodingSession(sortingFor: self, isDeferred: isDeferred)
      do {
        defer { needsDeepStack = needsDeepStack || session.needsDeepStack }
        try session.encode(value) { path }
        if isDeferred || !session.output.needsDeferral { return try session.finish().data }
      } catch {
        guard session.output.needsDeferral, !isDeferred, !session.needsDeepStack else { throw error }
      }
    }
    return Data()
  }
}

extension String {
  /// Whether the scalars of this text come before those of another; UTF-8 keeps their order.
  ///
  /// `<` compares what is canonically equivalent to them, and not always as an order: two sorts of the same texts can
  /// differ.
  func hasSmallerBytes(than other: String) -> Bool {
    let result = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right -> Bool in
        guard let first = left.baseAddress, let second = right.baseAddress else { return left.count < right.count }
        let order = memcmp(first, second, Swift.min(left.count, right.count))
        return order < 0 || order == 0 && left.count < right.count
      }
    }
    return (result ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
  }
}
