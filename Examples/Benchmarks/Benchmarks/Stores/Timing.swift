import Foundation

/// Asynchronous work to time beside others that do the same work.
struct Subject {
  let name: String
  /// The number of operations in one call, by which its time is divided.
  var operations = 1
  let work: (_ round: Int) async throws -> Void
}

/// Times subjects in turn, so that a drift of the machine's speed affects all of them equally. The order changes in
/// each round, so that the effects of one subject, such as unwritten pages or a cold cache, do not always affect the
/// same one.
///
/// - Parameters:
///   - subjects: The subjects to time.
///   - budget: The time for each subject; a slow one has fewer rounds, but at least three.
///   - maximum: The largest number of rounds.
///   - nanoseconds: Whether to return nanoseconds for each operation instead of microseconds.
/// - Returns: The times of each subject, in their order.
/// - Throws: Any error that the work throws.
func time(
  _ subjects: [Subject], budget: Duration = .milliseconds(400), maximum: Int = 300, nanoseconds: Bool = false
) async throws -> [Samples?] {
  var times = subjects.map { _ in [Double]() }
  var spent = subjects.map { _ in Duration.zero }
  let clock = ContinuousClock()
  var order = Array(subjects.indices)
  var random = SplitMix64()
  for round in 0...maximum {
    order.shuffle(using: &random)
    for index in order where spent[index] < budget || times[index].count < 3 {
      let subject = subjects[index]
      let began = clock.now
      try await subject.work(round)
      let duration = clock.now - began
      // The first round only warms up caches.
      guard round > 0 else { continue }
      spent[index] += duration
      let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
      times[index].append(seconds * (nanoseconds ? 1e9 : 1e6) / Double(subject.operations))
    }
  }
  return times.map { Samples($0) }
}

/// A random number generator with the same numbers in each run. Source: Sebastiano Vigna,
/// https://prng.di.unimi.it/splitmix64.c
private struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
