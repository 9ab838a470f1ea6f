/// A random number generator that returns the same numbers for the same seed, so that a failure can be reproduced.
///
/// Source: SplitMix64, Steele, Lea and Flood 2014.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// A number below a bound.
  public mutating func below(_ bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }
}
