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
    let entries = try ArchiveOperand(arguments.operands[0]).existingStore().entries()
    Output.write(arguments.has("--json") ? json(entries) : table(entries))
    return .done
  }

  private static func json(_ entries: [GlobalData.EntryInfo]) -> String {
    ArchiveValue.array(
      entries.map { ["key": .string($0.key), "type": .string($0.type), "size": .int($0.size)] }
    ).json(isPretty: true)
  }

  private static func table(_ entries: [GlobalData.EntryInfo]) -> String {
    let rows = [["KEY", "TYPE", "SIZE"]] + entries.map { [printable($0.key), printable($0.type), String($0.size)] }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let size = String(repeating: " ", count: widths[2] - row[2].count) + row[2]
      return padded(row[0], widths[0]) + "  " + padded(row[1], widths[1]) + "  " + size
    }.joined(separator: "\n")
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: width - text.count)
  }

  /// A text that stays on its line: control characters of a file must not reach a terminal.
  private static func printable(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    return isPlain ? text : ArchiveValue.string(text).json()
  }
}
