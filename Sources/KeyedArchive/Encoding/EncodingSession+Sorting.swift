import FoundationCore

extension EncodingSession {
  /// The indices of the elements of an unordered collection, in an order that depends on their contents only.
  ///
  /// Text is sorted as text and integers by value. Other keys are sorted by the bytes that each is encoded to on its
  /// own, which costs one further encoding of the keys. Indices are sorted because elements may be large. Keys of equal
  /// bytes are sorted by the bytes of their values; there are such: no NaN is equal to another.
  func sortedIndices<Elements: Collection, Key: Encodable, Value: Encodable>(
    of elements: Elements, by key: (Elements.Element) -> Key, then value: (Elements.Element) -> Value,
    path: () -> CodingPathNode
  ) throws -> [Elements.Index] {
    let indices = Array(elements.indices)
    guard indices.count > 1 else { return indices }
    let order: [Int]
    if Key.self == String.self {
      order = EncodingSession.order(of: indices.map { identical(key(elements[$0]), to: String.self) })
    } else if Key.self == Int.self {
      let integers = indices.map { identical(key(elements[$0]), to: Int.self) }
      order = EncodingSession.order(of: integers)
    } else {
      let path = path()
      order = try EncodingSession.order(
        of: indices.map { try encodedAlone(key(elements[$0]), path) },
        then: { try encodedAlone(value(elements[indices[$0]]), path) })
    }
    return order.map { indices[$0] }
  }

  static func order(of integers: [Int]) -> [Int] {
    order(of: integers.indices) { integers[$0] < integers[$1] }
  }

  static func order(of texts: [String]) -> [Int] {
    order(of: texts.indices) { texts[$0].hasSmallerBytes(than: texts[$1]) }
  }

  /// The indices of keys in the order of their bytes. Where those are equal, the bytes of the values are asked for.
  private static func order(of keys: [[UInt8]], then value: (Int) throws -> [UInt8]) throws -> [Int] {
    var order = order(of: keys.indices) { keys[$0].lexicographicallyPrecedes(keys[$1]) }
    var start = 0
    while start < order.count {
      let end = order[start...].firstIndex { keys[$0] != keys[order[start]] } ?? order.count
      if end - start > 1 {
        let values = try order[start..<end].map { (place: $0, bytes: try value($0)) }
        let sorted = self.order(of: values.indices) { values[$0].bytes.lexicographicallyPrecedes(values[$1].bytes) }
        order.replaceSubrange(start..<end, with: sorted.map { values[$0].place })
      }
      start = end
    }
    return order
  }

  /// Numbers in the order of what they stand for. Not inlined, as there is much of a sort.
  @inline(never)
  private static func order(of places: Range<Int>, by isBefore: (Int, Int) -> Bool) -> [Int] {
    places.sorted(by: isBefore)
  }

  /// A session for a part of what another one encodes, as deep and with the same open instances, to find circles too.
  private convenience init(sortingFor other: EncodingSession, isDeferred: Bool) {
    self.init(
      registry: other.registry, limits: other.limits, userInfo: other.userInfo, isDeferred: isDeferred,
      isDeep: other.isDeep)
    output.start(inside: other.output)
    paths = other.paths
  }

  private func encodedAlone(_ value: some Encodable, _ path: CodingPathNode) throws -> [UInt8] {
    for isDeferred in [false, true] {
      let session = EncodingSession(sortingFor: self, isDeferred: isDeferred)
      do {
        defer { needsDeepStack = needsDeepStack || session.needsDeepStack }
        try session.encode(value) { path }
        if isDeferred || !session.output.needsDeferral { return [UInt8](try session.finish().data) }
      } catch {
        guard session.output.needsDeferral, !isDeferred, !session.needsDeepStack else { throw error }
      }
    }
    return []
  }
}

extension String {
  /// Whether the scalars of this text come before those of another; UTF-8 keeps their order. `<` compares what is
  /// canonically equivalent, and not always as an order: two sorts of the same texts can differ.
  func hasSmallerBytes(than other: String) -> Bool {
    var (left, right) = (self, other)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard let first = left.baseAddress, let second = right.baseAddress else { return left.count < right.count }
        let order = memcmp(first, second, Swift.min(left.count, right.count))
        return order < 0 || order == 0 && left.count < right.count
      }
    }
  }
}
