import Foundation

/// The arguments on the command line.
struct Arguments {
  enum Command {
    case add(text: String, tags: [String])
    case list(tag: String?)
    case show(Int)
    case edit(Int, text: String)
    case search([String])
    case pin(Int, isPinned: Bool)
    case remove([Int])
    case restore
    case watch
    case help
  }

  static let usage = """
    usage: Notes [--folder FOLDER] COMMAND

      add TEXT [--tag TAG]...   adds a note, and prints it with its number; the TEXT - is read from standard input
      list [--tag TAG]          shows pinned notes first, and then those that were changed last
      show NUMBER               shows one note as a whole
      edit NUMBER TEXT          replaces a note's text
      search WORD...            shows the notes with all of the words
      pin NUMBER                keeps a note on top; unpin NUMBER lets it go
      remove NUMBER...          removes notes, all of them or none
      restore                   brings back what was removed last
      watch                     prints each change, those of other terminals too, until it is interrupted

      --folder FOLDER           where the notes are; without it, in the folder for this program's data
      --help                    shows this text

    Exit status: 0 done, 1 failed, 2 wrong usage.
    """

  var command = Command.help
  var folder: URL?

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var words: [String] = []
    var tags: [String] = []
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h":
        return
      case "--folder", "--tag":
        guard let value = rest.popFirst(), !value.isEmpty else { throw UsageError("\(argument) wants a value") }
        if argument == "--tag" {
          tags.append(value)
        } else {
          folder = URL(filePath: value, directoryHint: .isDirectory)
        }
      case _ where argument.hasPrefix("--"):
        throw UsageError("unknown option \(argument)")
      default:
        words.append(argument)
      }
    }
    guard !words.isEmpty else { throw UsageError("a command is missing") }
    let name = words.removeFirst()
    guard tags.isEmpty || name == "add" || (name == "list" && tags.count == 1) else {
      throw UsageError("\(name) takes no --tag like that")
    }
    command = try Self.command(name, words, tags)
  }

  private static func command(_ name: String, _ words: [String], _ tags: [String]) throws(UsageError) -> Command {
    switch (name, words.count) {
    case ("add", 1): return .add(text: words[0], tags: tags)
    case ("list", 0): return .list(tag: tags.first)
    case ("show", 1): return .show(try number(words[0]))
    case ("edit", 2): return .edit(try number(words[0]), text: words[1])
    case ("search", 1...): return .search(words)
    case ("pin", 1): return .pin(try number(words[0]), isPinned: true)
    case ("unpin", 1): return .pin(try number(words[0]), isPinned: false)
    case ("remove", 1...):
      var numbers: [Int] = []
      for word in words { numbers.append(try number(word)) }
      return .remove(numbers)
    case ("restore", 0): return .restore
    case ("watch", 0): return .watch
    case ("add", _), ("list", _), ("show", _), ("edit", _), ("search", _), ("pin", _), ("unpin", _), ("remove", _),
      ("restore", _), ("watch", _):
      throw UsageError("\(name) takes other arguments; a text of several words stands in quotes")
    default: throw UsageError("unknown command \(name)")
    }
  }

  private static func number(_ word: String) throws(UsageError) -> Int {
    guard let number = Int(word) else { throw UsageError("\(word) is not a number of a note") }
    return number
  }
}

/// An invalid command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
