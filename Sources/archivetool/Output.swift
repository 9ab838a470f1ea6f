import Foundation
import GlobalData

/// The two streams: values go to standard output, everything else to standard error.
enum Output {
  static func write(_ text: String) throws { try write(Data((text + "\n").utf8)) }

  /// Writes to standard output; throws if the disk is full or the stream is closed.
  fileprivate static func write(_ data: Data) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: data)
    } catch {
      let cause = (error as? CocoaError)?.underlying ?? error
      throw Failure("cannot write to standard output: \(cause.localizedDescription)")
    }
  }

  /// Writes the findings of a command, which are never longer than the names in a file.
  static func write(json value: ArchiveValue) throws { try ValueOutput.unlimited.write(value) }

  static func complain(_ text: String) {
    show("archivetool: \(text.escapingControls(but: ["\n"]))\n")
  }

  static func complain(about report: GlobalData.FileReport, isUnlimited: Bool) {
    for problem in report.problems { complain(problem) }
    if report.exceedsLimits, !isUnlimited { complain(ValueOutput.optionAdvice) }
  }

  /// Writes to standard error unchanged. An error here cannot be reported; the exit status still is.
  static func show(_ text: String) {
    do {
      try FileHandle.standardError.write(contentsOf: Data(text.utf8))
    } catch {
      return
    }
  }
}

/// Writes values to standard output in pieces. A value's text can be far longer than its file, because a file can refer
/// to one text many times, and each level is indented. A limit far above usual files keeps a small file from filling a
/// disk.
struct ValueOutput {
  static let option = "--unlimited"
  static let optionAdvice = "use \(option) to read the file anyway"
  static let optionText = "prints values in full, even past the limit of 64 times the file plus 16 MiB"
  static let checkingOptionText = "also verifies values that are beyond the limits for nesting and items"

  static let unlimited = ValueOutput(limit: .max)

  let limit: Int

  private init(limit: Int) { self.limit = limit }

  /// Creates the output of a command for files of a total size.
  init(fileSize: Int, _ arguments: Arguments) {
    let (share, isTooLarge) = fileSize.multipliedReportingOverflow(by: 64)
    let (sum, isSumTooLarge) = share.addingReportingOverflow(16 << 20)
    limit = arguments.has(ValueOutput.option) || isTooLarge || isSumTooLarge ? .max : sum
  }

  func writer(_ style: JSONStyle) -> TextWriter { TextWriter(style, write: counting()) }

  func write(_ value: ArchiveValue) throws {
    let writer = writer(.pretty)
    writer.append(json: value)
    writer.append("\n")
    try writer.finish()
  }

  func write(diagnostic value: ArchiveValue) throws {
    let writer = writer(.compact)
    writer.append(notation: value)
    try writer.finish()
    try Output.write("")
  }

  private func counting() -> ([UInt8]) throws -> Void {
    var remaining = limit
    return { piece in
      try Output.write(Data(piece.prefix(remaining)))
      guard piece.count <= remaining else {
        throw Failure(
          """
          the output stops after \(limit) bytes: its text exceeds 64 times the file plus \
          16 MiB; use \(ValueOutput.option) to print all of it
          """)
      }
      remaining -= piece.count
    }
  }
}

enum Terminal {
  static let isOutput = isatty(STDOUT_FILENO) == 1
  static let isErrors = isatty(STDERR_FILENO) == 1

  /// Whether standard output shows colors: on a capable terminal, unless `NO_COLOR` is set (https://no-color.org).
  static let showsColors: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isOutput && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }()
}

/// Colors of standard output, if it shows any.
enum Style: Int {
  case bold = 1
  case faint = 2
  case red = 31
  case green = 32
  case yellow = 33
  case cyan = 36

  func callAsFunction(_ text: String) -> String {
    Terminal.showsColors ? "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" : text
  }
}
