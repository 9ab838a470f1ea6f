import GlobalData

enum ClearCommand: Command {
  static let name = "clear"
  static let synopsis = "FILE"
  static let summary = "removes all values, and the file"
  static let discussion = """
    Removes all values, the file, and what "repair" and "restore" have kept beside it. Empties a file behind a symbolic
    link instead of removing it. Keeps a file that is not an archive or cannot be read. Does nothing if there is no file.
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    try await ArchiveOperand(arguments.operands[0]).store().clear()
    return .done
  }
}
