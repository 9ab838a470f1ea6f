import Foundation
import GlobalData
import GlobalDataImporting
import ModelMapping

enum SetCommand: Command {
  static let name = "set"
  static let synopsis = "FILE KEY JSON"
  static let summary = "stores a JSON value"
  static let discussion = """
    Stores a JSON value under a key and returns once it is safely on disk. Replaces an existing
    value. Creates the file if there is none. Text needs its own quotes: archivetool set FILE name '"Ada"'
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let text: JSONText
    do {
      text = try JSONText(Data(arguments.operands[2].utf8), maximumDepth: .max)
    } catch {
      throw UsageError(SetCommand.message(about: arguments.operands[2], error), self)
    }
    if let twice = text.duplicates.first {
      throw Failure(
        "an object has the key \(twice.name.prefix(80).quoted) twice, possibly in another Unicode form; the second is at byte \(twice.offset)"
      )
    }
    let key = arguments.operands[1]
    let store = try ArchiveOperand(arguments.operands[0]).store()
    guard text.kind(0) != .null else {
      try await store.set(ArchiveValue.null, forKey: key)
      return .done
    }
    // The import keeps all digits of numbers. The text is known to be a single value without duplicate fields.
    let object = Data("{\(ArchiveValue.string(key).json()):".utf8) + text.bytes + [UInt8(ascii: "}")]
    do {
      try await store.importJSON(object).showConversions()
      return .done
    } catch let error as GlobalDataError where error.code == .importFailed && !error.isOfLimit {
      throw error.advising("Nothing was changed. Put a number that is too large in quotes, which make it text.")
    }
  }

  private static func message(about text: String, _ error: ModelError) -> String {
    let position = error.location.map { " at \($0)" } ?? ""
    let reason = error.message.prefix(1).lowercased() + error.message.dropFirst().dropLast()
    let message = "\(text.shortened(to: 60).quoted) is not valid JSON\(position): \(reason)"
    guard let first = text.first, !"{[\"".contains(first) else { return message }
    return message + "; put text in double quotes inside the shell's quotes, as in '\"Ada\"'"
  }
}
