import Foundation

/// A table of cars, in columns.
struct Table: CustomStringConvertible {
  private let rows: [[String]]

  init(_ cars: [Car]) {
    rows =
      [["ID", "PLATE", "SPEED", "STATUS", "ONLINE", "SEEN", "DRIVERS"]]
      + cars.map { car in
        [
          car.id, car.plate, "\(car.speed)", "\(car.status)", car.isOnline ? "yes" : "no",
          car.time?.formatted(.iso8601) ?? "-", car.drivers.joined(separator: ", "),
        ]
      }
  }

  var description: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
      return cells.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }.joined(separator: "\n")
  }
}
