import GlobalData

enum GetCommand: Command {
  static let name = "get"
  static let synopsis = "[--diagnostic] [--unlimited] FILE KEY"
  static let summary = "prints a value as JSON"
  static let discussion = """
    Prints the value under a key as JSON: data as Base64, dates in ISO 8601, without type tags. Exits with 1 if
    there is no such key.

    FILE may also be a property list or an NSKeyedArchiver file; it is shown as "import" would store it.

    --diagnostic   prints the CBOR diagnostic notation of RFC 8949 instead, which shows every tag
    --unlimited    \(ValueOutput.optionText)
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let key = arguments.operands[1]
    let contents = try await ArchiveOperand(arguments.operands[0]).contents(
      isUnlimited: arguments.has(ValueOutput.option))
    guard let value = try contents.value(forKey: key) else {
      Output.complain("there is no key \(key.quoted)")
      return .no
    }
    let output = ValueOutput(fileSize: contents.byteCount, arguments)
    if arguments.has("--diagnostic") { try output.write(diagnostic: value) } else { try output.write(value) }
    return .done
  }
}
