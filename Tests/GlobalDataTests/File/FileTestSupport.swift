import Foundation
import TestSupport
import Testing

@testable import GlobalData

/// Properties of a folder that tests of the file layer examine without the code under test.
extension URL {
  /// The nine permission bits.
  var permissions: Int {
    get throws {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return try #require(attributes[.posixPermissions] as? Int) & 0o777
    }
  }

  func setPermissions(_ permissions: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
  }

  /// The target of a symbolic link.
  var linkDestination: String {
    get throws { try FileManager.default.destinationOfSymbolicLink(atPath: path) }
  }

  func makeLink(to destination: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
  }

  func makePipe() throws {
    try #require(mkfifo(path, 0o600) == 0)
  }

  /// Runs a program, expects it to succeed, and returns its output.
  @discardableResult
  static func run(_ program: String, _ arguments: String...) throws -> String {
    #if os(macOS) || os(Linux)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    // This is not an issue by itself: some tests request something that may be impossible, and continue.
    guard process.terminationStatus == 0 else { throw ProgramFailure(program: program, arguments: arguments) }
    return String(decoding: text, as: UTF8.self)
    #else
    throw ProgramFailure(program: program, arguments: arguments)
    #endif
  }

  struct ProgramFailure: Error {
    let program: String
    let arguments: [String]
  }
}

extension ArchiveFile {
  /// The file in a test's folder that most tests use.
  convenience init(in folder: URL, _ name: String = "store", system: any SystemCalls = POSIXSystemCalls()) {
    self.init(url: folder.file(name), system: system)
  }

  func replace(with text: String, durability: Durability = .powerLoss) throws(GlobalDataError) {
    try replace(with: [Data(text.utf8)], durability: durability)
  }

  func readText(limit: Int = 1 << 20) throws(GlobalDataError) -> String? {
    try read(limit: limit).map { String(decoding: $0, as: UTF8.self) }
  }
}
