@testable import CodingSupport
@testable import KeyedArchive

/// The failures of a check.
struct Findings {
  private(set) var failures: [String] = []
  /// The number of comparisons.
  private(set) var count = 0

  mutating func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
    count += 1
    if !condition { failures.append(what()) }
  }

  mutating func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ what: @autoclosure () -> String) {
    expect(value == expected, what())
  }
}

/// A check of the byte layer that only needs Swift's standard library.
///
/// It runs on this machine as a test, and in WebAssembly, where an `Int` has 32 bits.
struct ByteCheck: Sendable {
  let name: String
  let run: @Sendable (inout Findings) -> Void

  init(_ name: String, _ run: @escaping @Sendable (inout Findings) -> Void) {
    self.name = name
    self.run = run
  }

  static let all = items + structure + tables + numbers + checksums + names + files + damagedFiles
}

/// A random number generator that gives the same numbers each time.
///
/// Source: SplitMix64, Steele, Lea and Flood 2014.
struct FixedRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }
}

/// The bytes of hexadecimal digits.
func bytes(_ digits: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var high: UInt8?
  for digit in digits.utf8 {
    guard let value = digit.hexadecimalValue else { continue }
    if let first = high {
      bytes.append(first << 4 | value)
      high = nil
    } else {
      high = value
    }
  }
  return bytes
}

extension ByteBuffer {
  var written: [UInt8] { withUnsafeBytes { Array($0) } }
}
