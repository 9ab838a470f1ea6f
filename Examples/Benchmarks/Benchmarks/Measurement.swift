import Foundation

/// Keeps the optimizer from removing a computation whose result nobody uses.
@inline(never)
func blackHole<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

/// Something to time beside others that do the same work.
struct Contender {
  let name: String
  let work: () throws -> Void
}

/// Times contenders in turn, A B C A B C …, so that a drift of the machine's speed affects all of them equally.
///
/// - Parameters:
///   - contenders: The contenders to time.
///   - rounds: The number of times that each contender is timed, not counting the warm-up round.
///   - warmsUp: Whether to warm up caches in a first round, which is not counted.
/// - Returns: The times of each contender, in microseconds, in their order.
/// - Throws: Any error that the contenders throw.
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

/// One column of a table: its contenders, and the number of rounds.
struct ContenderColumn {
  let name: String
  var rounds = 40
  let contenders: [Contender]
}

extension Report {
  /// Times the contenders of each column in turn, and adds the table; ratios are to the first contender.
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
