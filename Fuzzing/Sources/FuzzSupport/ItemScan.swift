/// A second reader that determines the properties of an item without the tested package, following RFC 8949, Appendix
/// C.
///
/// It only checks whether an item is well-formed, so it is short enough to review completely.
public struct ItemScan {
  /// Whether the bytes are one well-formed item with nothing after it.
  public private(set) var isWellFormed = true
  /// Whether all text is UTF-8.
  public private(set) var isText = true
  /// The greatest nesting of arrays, maps and tags.
  public private(set) var depth = 0
  public private(set) var hasMap = false
  /// The tags in the item.
  public private(set) var tags: Set<UInt64> = []
  /// Whether each head is as short as possible, each length definite, and each float in its shortest form.
  public private(set) var isShortest = true

  private let bytes: [UInt8]
  private var offset = 0

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    isWellFormed = item(depth: 0) == .complete && offset == bytes.count
  }

  private enum Outcome {
    case complete, pause, malformed
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  private mutating func argument(_ info: UInt8) -> UInt64? {
    guard info >= 24 else { return UInt64(info) }
    guard info < 28, let payload = take(1 << Int(info - 24)) else { return nil }
    return payload.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func item(depth level: Int, isChunkOf chunk: UInt8? = nil, allowsBreak: Bool = false) -> Outcome {
    depth = max(depth, level)
    // Only inputs that exceed the package's limit are nested more deeply.
    guard level < 2000, let head = take(1)?.first else { return .malformed }
    let (major, info) = (head >> 5, head & 31)
    if head == 0xff { return allowsBreak ? .pause : .malformed }
    if let chunk, major != chunk || info == 31 { return .malformed }
    if info == 31 {
      isShortest = false
      return indefinite(major, level)
    }
    guard let value = argument(info) else { return .malformed }
    if major != 7, info >= 24, value < (info == 24 ? 24 : 1 << (4 << (UInt64(info) - 24))) { isShortest = false }
    switch major {
    case 0, 1: return .complete
    case 2, 3:
      guard value <= UInt64(bytes.count), let content = take(Int(value)) else { return .malformed }
      isText = isText && (major == 2 || String(validating: content, as: UTF8.self) != nil)
      return .complete
    case 4, 5:
      hasMap = hasMap || major == 5
      guard value <= UInt64(bytes.count) else { return .malformed }
      depth = max(depth, level + 1)
      for _ in 0..<value * (major == 5 ? 2 : 1) {
        guard item(depth: level + 1) == .complete else { return .malformed }
      }
      return .complete
    case 6:
      tags.insert(value)
      depth = max(depth, level + 1)
      let content = offset
      let outcome = item(depth: level + 1)
      // The encoder omits version 1 of an object. Larger versions that end in this byte are counted as version 1.
      if value == 27, outcome == .complete, bytes[content] == 0x83, bytes[offset - 1] == 1 { isShortest = false }
      return outcome
    default:
      if info == 24 { return value >= 32 ? .complete : .malformed }
      isShortest = isShortest && isShortestFloat(info, value)
      return .complete
    }
  }

  private func isShortestFloat(_ info: UInt8, _ value: UInt64) -> Bool {
    switch info {
    case 26:
      // A float whose low 13 bits are zero may fit into half precision. Its exponent is not checked, so some shortest
      // floats are counted as longer ones.
      return value & 0x1fff != 0
    case 27: return value & 0x1fff_ffff != 0
    default: return true
    }
  }

  private mutating func indefinite(_ major: UInt8, _ level: Int) -> Outcome {
    switch major {
    case 2, 3:
      while true {
        switch item(depth: level, isChunkOf: major, allowsBreak: true) {
        case .complete: continue
        case .pause: return .complete
        case .malformed: return .malformed
        }
      }
    case 4, 5:
      hasMap = hasMap || major == 5
      depth = max(depth, level + 1)
      while true {
        switch item(depth: level + 1, allowsBreak: true) {
        case .pause: return .complete
        case .malformed: return .malformed
        case .complete: break
        }
        if major == 5 {
          guard item(depth: level + 1) == .complete else { return .malformed }
        }
      }
    default: return .malformed
    }
  }
}

/// Stops the program, which the fuzzer reports as a finding.
public func finding(_ message: String) -> Never {
  fatalError("FINDING: \(message)")
}
