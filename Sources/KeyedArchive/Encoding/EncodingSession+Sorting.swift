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
    var (texts, integers, items) = ([String](), [Int](), [[UInt8]]())
    let path = path()
    for index in indices {
      let key = key(elements[index])
      if let text = identityCast(key, to: String.self) {
        texts.append(text)
      } else if let integer = identityCast(key, to: Int.self) {
        integers.append(integer)
      } else {
        items.append(try encodedAlone(key, path))
      }
    }
    let order =
      !texts.isEmpty
      ? EncodingSession.order(of: texts)
      : !integers.isEmpty
        ? EncodingSession.order(of: integers)
        : try EncodingSession.order(of: items) { try encodedAlone(value(elements[indices[$0]]), path) }
    return order.map { indices[$0] }
  }

  static func order(of integers: [Int]) -> [Int] {
    order(of: integers.indices) { integers[$0] < integers[$1] }
  }

  static func order(of texts: [String]) -> [Int] {
    var leadingBytes: [UInt64] = []
    leadingBytes.reserveCapacity(texts.count)
    for text in texts { leadingBytes.append(text.leadingBytes) }
    return order(of: texts.indices) {
      let (left, right) = (leadingBytes[$0], leadingBytes[$1])
      return left == right ? texts[$0].hasSmallerBytes(than: texts[$1]) : left < right
    }
  }

  /// The indices of keys in the order of their bytes. Where those are equal, the bytes of the values are asked for.
  private static func order(of keys: [[UInt8]], then value: (Int) throws -> [UInt8]) throws -> [Int] {
    var order = order(of: keys.indices) { precedes(keys[$0], keys[$1]) }
    var start = 0
    while start < order.count {
      let end = order[start...].firstIndex { keys[$0] != keys[order[start]] } ?? order.count
      if end - start > 1 {
        let equal = Array(order[start..<end])
        let values = try equal.map(value)
        for (index, place) in self.order(of: values.indices, by: { precedes(values[$0], values[$1]) }).enumerated() {
          order[start + index] = equal[place]
        }
      }
      start = end
    }
    return order
  }

  fileprivate static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        guard let first = left.baseAddress, let second = right.baseAddress else { return left.count < right.count }
        return isBefore(first, left.count, second, right.count)
      }
    }
  }

  fileprivate static func isBefore(
    _ left: UnsafeRawPointer, _ leftCount: Int, _ right: UnsafeRawPointer, _ rightCount: Int
  ) -> Bool {
    let order = memcmp(left, right, min(leftCount, rightCount))
    return order < 0 || order == 0 && leftCount < rightCount
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
    let result = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right -> Bool in
        guard let first = left.baseAddress, let second = right.baseAddress else { return left.count < right.count }
        return EncodingSession.isBefore(first, left.count, second, right.count)
      }
    }
    return (result ?? nil) ?? EncodingSession.precedes(Array(utf8), Array(other.utf8))
  }

  /// The first eight bytes as a number. Where it differs between two texts, it has their order.
  fileprivate var leadingBytes: UInt64 {
    var (number, count) = (0 as UInt64, 0)
    for byte in utf8 {
      number = number << 8 | UInt64(byte)
      count += 1
      if count == 8 { return number }
    }
    return number << UInt64(8 * (8 - count))
  }
}
