import Foundation
import GlobalData

enum BackupCommand: Command {
  static let name = "backup"
  static let synopsis = "[--json] [--force] FILE TO"
  static let summary = "writes a consistent copy, even while apps write"
  static let discussion = """
    Writes the contents of FILE at one moment to TO, and returns once TO is safely on disk. An existing TO is replaced as
    a whole or stays unchanged. A damaged FILE is not backed up.

    --force   replaces TO even if it is not an archive, or has been written more often than FILE, which suggests that the two
              were swapped
    --json    prints an object with the fields "entryCount" and "byteCount" instead
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let target = try ArchiveOperand(arguments.operands[1])
    let source = try ArchiveOperand(arguments.operands[0])
    if target.exists, !arguments.has("--force") { try check(target, for: source) }
    try await source.existingStore().backup(to: target.url)
    let backup = try target.archive()
    let count = backup.entries.count
    if arguments.has("--json") {
      try Output.write(json: ["entryCount": .int(count), "byteCount": .int(backup.byteCount)])
    } else {
      try Output.write("backed up \(counted(count, "entry", "entries")), \(backup.byteCount) bytes")
    }
    return .done
  }

  /// Refuses to replace a file that is not an earlier backup. A damaged one may be replaced.
  private static func check(_ target: ArchiveOperand, for source: ArchiveOperand) throws {
    let contents: GlobalData.FileContents
    do {
      contents = try target.archive()
    } catch let error as GlobalDataError where error.code == .damaged {
      return
    }
    guard try contents.generation <= source.archive().generation else {
      throw Failure(
        "\(target.url.path) seems newer than the file to back up. Check the order of FILE and TO, "
          + "or use --force to replace it anyway.")
    }
  }
}
