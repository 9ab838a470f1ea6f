import Foundation
import GlobalData
import GlobalDataImporting

enum SetCommand: Command {
  static let name = "set"
  static let synopsis = "FILE KEY JSON"
  static let summary = "stores a JSON value"
  static let discussion = """
    Stores a JSON value under a key and returns once it is safely on disk. Replaces an existing
    value. Creates the file if there is none. Text needs its own quotes: archivetool set FILE name '"Ada"'
    """
  static let operandCount = 3

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let value: ArchiveValue
    do {
      value = try JSONDecoder().decode(ArchiveValue.self, from: Data(arguments.operands[2].utf8))
    } catch {
      throw UsageError(
        "\"\(arguments.operands[2])\" is not valid JSON; "
          + "put text in double quotes inside the shell's quotes, as in '\"Ada\"'", self)
    }
    let key = arguments.operands[1]
    let store = ArchiveOperand(arguments.operands[0]).store()
    guard !value.isNull else {
      try await store.set(value, forKey: key)
      return .done
    }
    // The import keeps all digits of numbers and refuses a duplicate field, which a decoder would lose. The text is
    // known to be a single value.
    let object = "{\(ArchiveValue.string(key).json()):\(arguments.operands[2])}"
    try await store.importJSON(Data(object.utf8))
    return .done
  }
}
