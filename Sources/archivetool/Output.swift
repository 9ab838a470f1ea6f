import Foundation
import GlobalData

/// The two streams: values go to standard output, everything else to standard error.
enum Output {
  /// Writes to standard output; a disk that is full or a reader that is gone fails the command.
  static func write(_ text: String, terminator: String = "\n") throws {
    try FileHandle.standardOutput.write(contentsOf: Data((text + terminator).utf8))
  }

  static func write(json value: ArchiveValue) throws {
    try write(value.printableJSON)
  }

  static func complain(_ text: String) {
    show("archivetool: \(text.escapingControls(but: ["\n"]))\n")
  }

  /// Writes to standard error as it is. That this fails can be told nowhere; the exit status still says what is.
  static func show(_ text: String) {
    do {
      try FileHandle.standardError.write(contentsOf: Data(text.utf8))
    } catch {
      return
    }
  }
}

/// What the streams are connected to.
enum Terminal {
  static let isOutput = isatty(STDOUT_FILENO) == 1
  static let isErrors = isatty(STDERR_FILENO) == 1

  /// Whether standard output shows colours: on a terminal that can, unless the user wants none; see https://no-color.org.
  static let showsColors: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isOutput && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }()
}

/// Colours of standard output, where it shows any.
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
