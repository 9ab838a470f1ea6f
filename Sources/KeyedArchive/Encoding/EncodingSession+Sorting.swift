import CodingSupport
import FoundationCore

extension EncodingSession {
  /// Returns the indices of an unordered collection's elements, in an order that depends only on their contents.
  ///
  /// Text is sorted as text, and integers are sorted by value. Other keys are sorted by the bytes of their separate
  /// encodings, so the keys are encoded once more. The function sorts indices because elements may be large. Throws if
  /// two keys have equal encodings and `refusingEqualBytes` is `true`.
  ///
  /// If this session's output is only compared with others, also returns the separate encodings, which the caller
  /// writes instead of the keys. Otherwise each level of sets in sets would be encoded twice as often as the one around
  /// it.
  func sorted<Elements: Collection, Key: Encodable>(
    _ elements: Elements, by key: (Elements.Element) -> Key, refusingEqualBytes: Bool, path: () -> CodingPathNode
  ) throws -> (indices: [Elements.Index], items: [[UInt8]]) {
    let indices = Array(elements.indices)
    guard indices.count > 1 else { return (indices, []) }
    var (texts, integers, items) = ([String](), [Int](), [[UInt8]]())
    var spare: EncodingSession?
    let path = path()
    for index in indices {
      let key = key(elements[index])
      if let text = identityCast(key, to: String.self) {
        texts.append(text)
      } else if let integer = identityCast(key, to: Int.self) {
        integers.append(integer)
      } else {
        items.append(try encodedAlone(key, path, reusing: &spare))
      }
    }
    let order =
      !texts.isEmpty
      ? EncodingSession.order(of: texts)
      : !integers.isEmpty
        ? EncodingSession.order(of: integers)
        : sortedNumbers(Array(items.indices)) { EncodingSession.precedes(items[$0], items[$1]) }
    if refusingEqualBytes, !items.isEmpty,
      order.indices.dropFirst().contains(where: { items[order[$0]] == items[order[$0 - 1]] })
    {
      throw KeyedArchiveError(
        .invalidEncoding,
        """
        Two keys of a dictionary have the same encoding. Keep one of them, or let encode(to:) of \(Key.self) write what \
        distinguishes them.
        """)
    }
    return (order.map { indices[$0] }, isForSorting && !items.isEmpty ? order.map { items[$0] } : [])
  }

  static func order(of integers: [Int]) -> [Int] {
    sortedNumbers(Array(integers.indices)) { integers[$0] < integers[$1] }
  }

  static func order(of texts: [String]) -> [Int] {
    var leadingBytes: [UInt64] = []
    leadingBytes.reserveCapacity(texts.count)
    for text in texts { leadingBytes.append(text.leadingBytes) }
    return sortedNumbers(Array(texts.indices)) {
      let (left, right) = (leadingBytes[$0], leadingBytes[$1])
      return left == right ? texts[$0].hasSmallerBytes(than: texts[$1]) : left < right
    }
  }

  private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { precedes(left, $0) } }
  }

  @inline(never)
  fileprivate static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.count < right.count }
    let order = memcmp(first, second, min(left.count, right.count))
    return order < 0 || order == 0 && left.count < right.count
  }

  /// Creates a session for a part of another session's value, with the same depth.
  private convenience init(sortingFor other: EncodingSession, isDeferred: Bool) {
    self.init(
      registry: other.registry, limits: other.limits, userInfo: other.userInfo, isDeferred: isDeferred,
      isDeep: other.isDeep)
    isForSorting = true
    output.depth = other.output.depth
    paths = other.paths
  }

  private func sortingSession(reusing spare: inout EncodingSession?, isDeferred: Bool) -> EncodingSession {
    if !isDeferred, var session = spare.take(), EncodingSession.restart(&session, since: paths.count) {
      session.output.depth = output.depth
      return session
    }
    return EncodingSession(sortingFor: self, isDeferred: isDeferred)
  }

  private func encodedAlone(
    _ value: some Encodable, _ path: CodingPathNode, reusing spare: inout EncodingSession?
  ) throws -> [UInt8] {
    for isDeferred in [false, true] {
      let session = sortingSession(reusing: &spare, isDeferred: isDeferred)
      do {
        // With the open instances of this session, the other one also finds cycles.
        let instanceCount = session.output.borrowInstances(of: &output)
        defer {
          output.takeBackInstances(from: &session.output, count: instanceCount)
          needsDeepStack = needsDeepStack || session.needsDeepStack
        }
        try session.encode(value) { path }
        if isDeferred || !session.output.needsDeferral {
          let bytes = try session.finish().withUnsafeBytes { [UInt8]($0) }
          if !isDeferred { spare = session }
          return bytes
        }
      } catch {
        guard session.output.needsDeferral, !isDeferred, !session.needsDeepStack else { throw error }
      }
    }
    return []
  }
}

extension String {
  /// Returns whether the scalars of this text precede those of another. UTF-8 preserves their order. The `<` operator
  /// compares canonically equivalent text, and its result is not always an order: two sorts of the same texts can
  /// differ.
  fileprivate func hasSmallerBytes(than other: String) -> Bool {
    withContiguousUTF8 { left in
      other.withContiguousUTF8 {
        EncodingSession.precedes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0))
      }
    }
  }

  /// The first eight bytes as a number. If the numbers of two texts differ, they have the order of the texts.
  fileprivate var leadingBytes: UInt64 {
    var (number, count) = (0 as UInt64, 0)
    for byte in utf8 {
      number = number &<< 8 | UInt64(byte)
      count += 1
      if count == 8 { return number }
    }
    return number &<< UInt64(8 * (8 - count))
  }
}
