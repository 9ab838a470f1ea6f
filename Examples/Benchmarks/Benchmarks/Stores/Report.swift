import Foundation

/// The distribution of many timings of the same work.
struct Samples: Codable {
  /// The median, and the quartiles: half of all values lie between these.
  var median: Double
  var lowerQuartile: Double
  var upperQuartile: Double
  var count: Int

  /// Returns `nil` if there are no values.
  init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return nil }
    count = sorted.count
    median = sorted[count / 2]
    lowerQuartile = sorted[count / 4]
    upperQuartile = sorted[count * 3 / 4]
  }

  /// Half the distance between the quartiles, as a percentage of the median.
  var spread: Double { median > 0 ? (upperQuartile - lowerQuartile) / median * 50 : 0 }
}

/// One question, with the results of all rows.
struct ResultTable: Codable {
  struct Row: Codable {
    var name: String
    var survives: Survival?
    /// One cell for each column; `nil` if it was not measured.
    var cells: [Samples?]
  }

  var title: String
  var unit: String
  var columns: [String]
  var rows: [Row] = []
  /// The row that ratios refer to, for each survival; rows without a survival use the key "".
  var floors: [String: String] = [:]

  private func floor(of row: Row) -> Row? {
    let name = floors[row.survives?.rawValue ?? ""]
    return rows.first { $0.name == name }
  }

  /// Returns the ratio of a cell to the same cell of another row.
  private func ratio(_ row: Row, _ other: Row?, _ column: Int) -> String {
    guard let cell = row.cells[column], let base = other?.cells[column], base.median > 0 else { return "" }
    let ratio = cell.median / base.median
    return ratio >= 100 ? "\(Int(ratio))x" : String(format: "%.2fx", ratio)
  }

  func show() {
    let base = floors[""].map { "\"\($0)\"" } ?? "the floor of the same durability"
    let ratios = floors.isEmpty ? "" : ", x is times \(base)"
    print("\n\(title), \(unit); ± is half the distance of the quartiles\(ratios)")
    line("", rows.contains { $0.survives != nil } ? "survives" : "", columns)
    for row in rows {
      let floor = floor(of: row)
      let cells = columns.indices.map { column in
        guard let cell = row.cells[column] else { return "-" }
        let median = cell.median < 100 ? String(format: "%.1f", cell.median) : "\(Int(cell.median))"
        return "\(median) ±\(Int(cell.spread.rounded()))% \(ratio(row, floor, column))"
      }
      line(row.name, row.survives?.rawValue ?? "", cells)
    }
    showPeers()
  }

  /// For each of this package's rows, shows the ratios to the other rows of the same durability.
  private func showPeers() {
    for ours in rows where ours.name.hasPrefix("GlobalData") {
      guard let floor = floor(of: ours) else { continue }
      let peers = rows.filter {
        self.floor(of: $0)?.name == floor.name && !$0.name.hasPrefix("GlobalData") && !$0.name.hasPrefix("floor")
          && floor.name != ours.name && floor.name != $0.name  // the table has those ratios
      }
      guard !peers.isEmpty else { continue }
      print("  Times as long as \(ours.name):")
      for peer in peers { line("  " + peer.name, "", columns.indices.map { ratio(peer, ours, $0) }) }
    }
  }

  private func line(_ name: String, _ survives: String, _ cells: [String]) {
    let name = name.padding(toLength: 62, withPad: " ", startingAt: 0)
    let survives = survives.padding(toLength: 23, withPad: " ", startingAt: 0)
    print("  \(name)\(survives)" + cells.map { $0.leftPadded(to: 21) }.joined())
  }
}

extension String {
  func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}

/// All results of one run, as JSON for `plots.py`.
struct Report: Codable {
  var date = Date()
  var system = ProcessInfo.processInfo.operatingSystemVersionString
  var processors = ProcessInfo.processInfo.activeProcessorCount
  var skipped = StoreColumn.skipped
  var tables: [ResultTable] = []

  /// Shows a table immediately, and stores it.
  mutating func add(_ table: ResultTable) {
    table.show()
    tables.append(table)
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }
}
