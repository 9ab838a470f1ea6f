import Foundation
import GlobalData

enum RestoreCommand: Command {
  static let name = "restore"
  static let synopsis = "[--json] FILE FROM"
  static let summary = "replaces the contents with those of a backup"
  static let discussion = """
    Checks the whole backup FROM, then replaces the contents of FILE with it, or changes nothing if anything is wrong. Keeps
    the previous file beside it, under a name that is printed, until the next restore. Apps that have FILE open continue
    with the restored values. FILE may be damaged; it is created if there is none.

    --json   prints an object with the fields "entryCount" and "kept", a path or null, instead
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let backup = try ArchiveOperand(arguments.operands[1])
    try backup.requireFile()
    // Values that an app stored with other limits are not damage.
    let store = try ArchiveOperand(arguments.operands[0]).store(isUnlimited: true)
    let kept = try await store.restore(from: backup.url)
    let count = try store.entries().count
    if arguments.has("--json") {
      try Output.write(json: ["entryCount": .int(count), "kept": kept.map { .string($0.path) } ?? .null])
    } else {
      try Output.write("restored \(counted(count, "entry", "entries"))")
      if let kept { try Output.write("the previous file is now \(kept.path.quotedIfNeeded)") }
    }
    return .done
  }
}
