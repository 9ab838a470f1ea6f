import Foundation

/// The two streams: values go to standard output, everything else to standard error.
enum Output {
  static func write(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  static func complain(_ text: String) {
    FileHandle.standardError.write(Data("archivetool: \(text)\n".utf8))
  }
}
