import Foundation
import GlobalData

/// `archivetool list FILE`
enum ListCommand: Command {
  static let name = "list"
  static let synopsis = "[--json] FILE"
  static let summary = "prints keys, types and sizes"
  static let discussion = """
    Prints one line for each entry, in the order in which the keys were first set: the key, the type tag of the value
    or the type that its stored form stands for, and the size of the encoded value in bytes. No value is decoded.

    --json   prints an array of objects with the fields "key", "type" and "size" instead.
    """
  static let options: Set = ["--json"]
  static let operandCount = 1

  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let entries = try ArchiveOperand(arguments.operands[0]).contents().entries
    if arguments.has("--json") {
      try Output.write(json: .array(entries.map(\.json)))
    } else {
      try Output.write(table(entries))
    }
    return .done
  }

  private static func table(_ entries: [GlobalData.EntryInfo]) -> String {
    let rows = [["KEY", "TYPE", "SIZE"]] + entries.map { [$0.key.printable, $0.type.printable, String($0.size)] }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.enumerated().map { index, row in
      let size = String(repeating: " ", count: widths[2] - row[2].count) + row[2]
      let columns = [padded(row[0], widths[0]), padded(row[1], widths[1]), size]
      guard index > 0 else { return Style.faint(columns.joined(separator: "  ")) }
      return [Style.bold(columns[0]), Style.cyan(columns[1]), columns[2]].joined(separator: "  ")
    }.joined(separator: "\n")
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: width - text.count)
  }
}
