import Foundation
import GlobalData

/// `archivetool check FILE`
enum CheckCommand: Command {
  static let name = "check"
  static let synopsis = "FILE"
  static let summary = "verifies the format and every checksum"
  static let discussion = """
    Reads the whole file and verifies its format, every checksum and every value. Exits with 1 when something is not as
    it was written, and says what; the file stays as it is.
    """
  static let operandCount = 1

  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let operand = ArchiveOperand(arguments.operands[0])
    guard operand.exists else { throw MissingFile(path: operand.url.path) }
    let report = try GlobalData.check(fileAt: operand.url)
    for problem in report.problems { Output.complain(problem) }
    guard report.isIntact else { return .no }
    Output.write("intact: \(report.entryCount) entries, \(report.byteCount) bytes")
    return .done
  }
}
