import Foundation

/// The arguments on the command line.
struct Arguments {
  static let usage = """
    usage: FetchAndStore [URL] [--timeout SECONDS] [--progress]

      URL                  where a server answers with cars; without it, shows what is stored
      --timeout SECONDS    how long the server may be silent; 20 unless stated
      --progress           shows how far a download is, also where standard error is no terminal
      --help               shows this text

    Exit status: 0 done, 1 not fetched (what was stored before is shown), 2 wrong usage.
    """

  var url: URL?
  var timeout: TimeInterval = 20
  var showsProgress = isatty(STDERR_FILENO) == 1
  var wantsHelp = false

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--progress":
        showsProgress = true
      case "--help", "-h":
        wantsHelp = true
      case "--timeout":
        guard let seconds = rest.popFirst().flatMap(TimeInterval.init), seconds > 0, seconds < 3600 else {
          throw UsageError(description: "--timeout wants a number of seconds")
        }
        timeout = seconds
      case _ where argument.hasPrefix("-"):
        throw UsageError(description: "unknown option \(argument)")
      default:
        guard url == nil else { throw UsageError(description: "one URL at most, but \(argument) is a second one") }
        guard let url = URL(string: argument), ["http", "https"].contains(url.scheme), url.host() != nil else {
          throw UsageError(description: "\(argument) is no address of a web server")
        }
        self.url = url
      }
    }
  }
}

/// An invalid command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String
}
