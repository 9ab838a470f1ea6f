import Foundation
import GlobalData

enum ExportCommand: Command {
  static let name = "export"
  static let synopsis = "[--html] [--unlimited] FILE"
  static let summary = "prints the whole archive as JSON or as an HTML page"
  static let discussion = """
    Prints one JSON object with a field for each key, in the order in which the keys were first set. Values appear as "get"
    prints them. "import" reads it back, without the types that JSON cannot express.

    --html        prints a page for a browser instead: archivetool export --html FILE > page.html
                  The page shows types, sizes and a chart, has a search, and loads nothing.
    --unlimited   \(ValueOutput.optionText)
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let operand = try ArchiveOperand(arguments.operands[0])
    let contents = try await operand.contents(isUnlimited: arguments.has(ValueOutput.option))
    let output = ValueOutput(fileSize: contents.byteCount, arguments)
    // All of it goes through the writer, which prints nothing yet if one of the first values cannot be read.
    if arguments.has("--html") {
      let page = HTMLPage(title: operand.url.lastPathComponent, byteCount: contents.byteCount)
      let writer = output.writer(HTMLPage.style)
      writer.append("\(page.beginning)\n")
      try append(contents, to: writer) { page.append($0, $1, to: writer) }
      writer.append("\(page.end)\n")
      try writer.finish()
    } else {
      var style = JSONStyle.pretty
      style.indentation = 1
      let writer = output.writer(style)
      writer.append(contents.entries.isEmpty ? "{" : "{\n")
      try append(contents, to: writer) { entry, value in
        writer.append("  ")
        writer.append(name: entry.key)
        writer.append(": ")
        writer.append(json: value)
      }
      writer.append("}\n")
      try writer.finish()
    }
    return .done
  }

  /// Appends one entry after the other, so that only one value is in memory.
  private static func append(
    _ contents: Contents, to writer: TextWriter, _ appendEntry: (GlobalData.EntryInfo, ArchiveValue) -> Void
  ) throws {
    // Text on the terminal already shows progress.
    var progress = ProgressBar("exporting", isShown: Terminal.isErrors && !Terminal.isOutput)
    defer { progress.finish() }
    for (index, entry) in contents.entries.enumerated() {
      progress.update(Double(index) / Double(contents.entries.count))
      guard let value = try contents.value(forKey: entry.key) else { continue }
      appendEntry(entry, value)
      writer.append(index == contents.entries.count - 1 ? "\n" : ",\n")
      try writer.check()
    }
  }
}
