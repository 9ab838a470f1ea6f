import Foundation
import GlobalData

enum ListCommand: Command {
  static let name = "list"
  static let synopsis = "[--json] FILE"
  static let summary = "prints keys, types and sizes"
  static let discussion = """
    Prints one line for each entry, in the order in which the keys were first set: the key, the type tag of the value
    or the type of its stored form, and the size of the encoded value in bytes. Decodes no value.

    FILE may also be a property list or an NSKeyedArchiver file; it is shown as "import" would store it.

    --json   prints an array of objects with the fields "key", "type" and "size" instead
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let entries = try await ArchiveOperand(arguments.operands[0]).contents().entries
    if arguments.has("--json") {
      try Output.write(json: .array(entries.map(\.json)))
    } else {
      try writeTable(entries)
    }
    return .done
  }

  /// A longer key or type only shifts the rest of its own line.
  private static let greatestWidth = 60

  private static func writeTable(_ entries: [GlobalData.EntryInfo]) throws {
    var rows = [["KEY", "TYPE", "SIZE"]]
    rows += entries.map { [$0.key.quotedIfNeeded, $0.type.quotedIfNeeded, String($0.size)] }
    let widths = (0..<3).map { column in
      rows.map { $0[column].columnCount }.filter { $0 <= greatestWidth }.max() ?? 0
    }
    let writer = ValueOutput.unlimited.writer(.compact)
    for (index, row) in rows.enumerated() {
      let columns = [padded(row[0], widths[0]), padded(row[1], widths[1]), padded(row[2], widths[2], isRight: true)]
      writer.append(
        index == 0
          ? Style.faint(columns.joined(separator: "  "))
          : [Style.bold(columns[0]), Style.cyan(columns[1]), columns[2]].joined(separator: "  "))
      writer.append("\n")
    }
    try writer.finish()
  }

  private static func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.columnCount))
    return isRight ? space + text : text + space
  }
}
