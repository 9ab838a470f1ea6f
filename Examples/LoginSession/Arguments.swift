/// The arguments on the command line.
struct Arguments {
  enum Command {
    case resume(answerFile: String?)
    case logOut
    case help
  }

  static let usage = """
    usage: LoginSession [ANSWER.json] [--logout]

      ANSWER.json   a server's answer to a login; read only when nobody is logged in
      --logout      forget the session; an ANSWER.json beside it is not read
      --help        show this text

    Without arguments, shows the session that is stored.
    Exit status: 0 done, 1 failed, 2 wrong usage.
    """

  var command = Command.resume(answerFile: nil)

  init(_ arguments: some Sequence<String>) throws {
    var answerFile: String?
    var logsOut = false
    for argument in arguments {
      switch argument {
      case "--logout":
        logsOut = true
      case "--help", "-h":
        command = .help
        return
      case _ where argument.hasPrefix("-"):
        throw UsageError(description: "unknown option \(argument)")
      case _ where answerFile != nil:
        throw UsageError(description: "one file at most, but \(argument) is a second one")
      default:
        answerFile = argument
      }
    }
    command = logsOut ? .logOut : .resume(answerFile: answerFile)
  }
}

/// An invalid command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String
}
