import Foundation
import GlobalData

/// `archivetool export FILE`
enum ExportCommand: Command {
  static let name = "export"
  static let synopsis = "[--html] FILE"
  static let summary = "prints the whole archive as JSON, or as a page to browse it"
  static let discussion = """
    Prints one JSON object with a field for each key, in the order in which the keys were first set, and the values as "get"
    prints them. "import" takes it back, without the types that JSON cannot tell.

    --html   prints a page for a browser instead: archivetool export --html FILE > page.html
             It has a search, the types, the sizes and a chart of them, and needs nothing but itself.
    """
  static let options: Set = ["--html"]
  static let operandCount = 1

  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let operand = ArchiveOperand(arguments.operands[0])
    let contents = try operand.contents()
    if arguments.has("--html") {
      let page = HTMLPage(title: operand.url.lastPathComponent, byteCount: contents.byteCount)
      try Output.write(page.beginning)
      try write(contents, separator: ",") { page.entry($0, $1) }
      try Output.write(page.end)
    } else {
      guard !contents.entries.isEmpty else {
        try Output.write("{}")
        return .done
      }
      try Output.write("{")
      try write(contents, separator: ",") { entry, value in
        let name = ArchiveValue.string(entry.key).json().escapingControls()
        // Line breaks of JSON stand between values only, so that all of them may be followed by spaces.
        return "  \(name): " + value.printableJSON.replacing("\n", with: "\n  ")
      }
      try Output.write("}")
    }
    return .done
  }

  /// Writes one entry after the other, so that a large archive is never in memory as text.
  private static func write(
    _ contents: GlobalData.FileContents, separator: String,
    _ text: (GlobalData.EntryInfo, ArchiveValue) -> String
  ) throws {
    // Where the text itself goes to the terminal, it shows well enough that something happens.
    var progress = ProgressBar("exporting", isShown: Terminal.isErrors && !Terminal.isOutput)
    defer { progress.finish() }
    for (index, entry) in contents.entries.enumerated() {
      progress.update(Double(index) / Double(contents.entries.count))
      guard let value = try contents.value(forKey: entry.key) else { continue }
      let isLast = index == contents.entries.count - 1
      try Output.write(text(entry, value), terminator: isLast ? "\n" : separator + "\n")
    }
  }
}
