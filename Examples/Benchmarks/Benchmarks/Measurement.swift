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
/// - Returns: The times of each contender, in microseconds, in their order.
/// - Throws: What the contenders throw.
func times(of contenders: [Contender], rounds: Int, warmsUp: Bool = true) throws -> [[Double]] {
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
  return times
}

/// One column of a table: what is timed there, and how often.
struct ContenderColumn {
  let name: String
  var rounds = 40
  let contenders: [Contender]
}

extension Report {
  /// Times the contenders of each column beside each other; ratios are to the first of them.
  mutating func add(_ title: String, _ columns: [ContenderColumn]) throws {
    var table = ResultTable(title: title, unit: "µs", columns: columns.map(\.name))
    table.floors[""] = columns.first?.contenders.first?.name
    for (index, column) in columns.enumerated() {
      let times = try times(of: column.contenders, rounds: column.rounds)
      for (contender, times) in zip(column.contenders, times) {
        if !table.rows.contains(where: { $0.name == contender.name }) {
          table.rows.append(.init(name: contender.name, cells: columns.map { _ in nil }))
        }
        table.set(Samples(times), contender.name, index)
      }
    }
    add(table)
  }
}
