import Foundation

/// Keeps the optimizer from removing a computation whose result nobody uses.
@inline(never)
func blackHole<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

/// One thing to time, beside others that do the same work.
struct Contender {
  let name: String
  let work: () throws -> Void
}

/// Times contenders in turn, A B C A B C …, so that a drift of the machine's speed meets them all alike.
///
/// - Parameters:
///   - contenders: What is timed.
///   - rounds: How often each one is timed, beside the round that warms up.
///   - warmsUp: Whether a first round warms up caches and is not counted.
/// - Returns: The median time of each contender, in microseconds, in their order.
/// - Throws: What the contenders throw.
func medians(of contenders: [Contender], rounds: Int, warmsUp: Bool = true) throws -> [Double] {
  var times = contenders.map { _ in [Double]() }
  let clock = ContinuousClock()
  for round in 0...rounds {
    for (index, contender) in contenders.enumerated() {
      let duration = try clock.measure { try contender.work() }
      if round > 0 || !warmsUp {
        times[index].append(Double(duration.components.attoseconds) / 1e12 + Double(duration.components.seconds) * 1e6)
      }
    }
  }
  return times.map { $0.sorted()[$0.count / 2] }
}

/// Prints a table: a row for each contender with its median and how many times slower it is than the first.
func report(_ title: String, _ contenders: [Contender], rounds: Int) throws {
  let medians = try medians(of: contenders, rounds: rounds)
  print("\n\(title)")
  for (contender, median) in zip(contenders, medians) {
    let name = contender.name.padding(toLength: 34, withPad: " ", startingAt: 0)
    print("  \(name) \(fixed(median, 1, width: 12)) µs \(fixed(median / medians[0], 2, width: 8))x")
  }
}

private func fixed(_ value: Double, _ digits: Int, width: Int) -> String {
  let text = String(format: "%.\(digits)f", value)
  return String(repeating: " ", count: max(0, width - text.count)) + text
}
