import Foundation
import GlobalData

/// Logs in once, stays logged in after a relaunch, and logs out: the life of a session in one archive file.
///
/// The first run reads the file with a server's answer and stores a session. Every later run is a new process that
/// finds the session in the store. `--logout` removes the session and its file.
@main
struct LoginSession {
  static func main() async {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      try await LoginSession().run(arguments)
    } catch let error as UsageError {
      printError("error: \(error)\n\n\(Arguments.usage)")
      exit(2)
    } catch {
      printError("error: \(error)")
      exit(1)
    }
  }

  func run(_ arguments: Arguments) async throws {
    // The types whose values can be read without naming a type. An app registers them once, at launch.
    GlobalData.register(User.self, CarInfo.self)

    switch arguments.command {
    case .help:
      print(Arguments.usage)
    case .logOut:
      try await Session.clear()
      print("Logged out.")
      print(Report.nothingStored())
    case .resume(let answerFile):
      if let session = try Session.stored() {
        try print(Report.session(session))
        return
      }
      print(Report.nothingStored())
      if let answerFile {
        let session = try Session(LoginAnswer.body(ofFileAt: answerFile))
        try await session.store()
        print(Report.loggedIn(session, from: answerFile))
      } else {
        print("To log in, give the file of a server's answer: LoginSession login.json")
      }
    }
  }
}

private func printError(_ message: String) {
  do {
    try FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
  } catch {
    return  // standard error is closed, so there is no stream left to report it
  }
}
