import GlobalData

/// `archivetool get FILE KEY`
enum GetCommand: Command {
  static let name = "get"
  static let synopsis = "[--diagnostic] FILE KEY"
  static let summary = "prints a value as JSON"
  static let discussion = """
    Prints the value under a key as JSON: data as base64, dates in the form of ISO 8601, without type tags. Exits with
    1 when there is no such key.

    --diagnostic   prints the CBOR diagnostic notation of RFC 8949 instead, which shows every tag.
    """
  static let options: Set = ["--diagnostic"]
  static let operandCount = 2

  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let key = arguments.operands[1]
    let contents = try ArchiveOperand(arguments.operands[0]).contents()
    guard let value = try contents.value(forKey: key) else {
      Output.complain("there is no key \"\(key)\"")
      return .no
    }
    try Output.write(arguments.has("--diagnostic") ? value.diagnostic.escapingControls() : value.printableJSON)
    return .done
  }
}
