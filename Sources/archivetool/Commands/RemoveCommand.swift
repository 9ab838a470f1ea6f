import GlobalData

enum RemoveCommand: Command {
  static let name = "remove"
  static let synopsis = "FILE KEY"
  static let summary = "removes a value"
  static let discussion = """
    Removes the value under a key and returns when the file no longer holds it. Exits with 1 if there is no such key.
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let key = arguments.operands[1]
    let store = try ArchiveOperand(arguments.operands[0]).existingStore()
    // Distinguishes an unreadable file from one without the key.
    try await store.open()
    guard store.contains(key) else {
      Output.complain("there is no key \(key.quoted)")
      return .no
    }
    try await store.removeObject(forKey: key)
    return .done
  }
}
