import Foundation
import GlobalData
import NotesLibrary

/// Notes on the command line; ``Notebook`` does the work.
@main struct Notes {
  static func main() async {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      let store =
        arguments.folder.map { GlobalData(at: $0.appending(path: "Notes.archive")) } ?? GlobalData(named: "Notes")
      try await Notes(notebook: Notebook(in: store)).run(arguments.command)
    } catch let error as UsageError {
      printError("error: \(error)\n\n\(Arguments.usage)")
      exit(2)
    } catch {
      printError("error: \(error)")
      exit(1)
    }
  }

  let notebook: Notebook

  private func run(_ command: Arguments.Command) async throws {
    switch command {
    case .help: print(Arguments.usage)
    case .add(let text, let tags):
      print("added  \(line(try await notebook.add(text == "-" ? standardInput() : text, tags: tags)))")
    case .list(let tag): show(try await notebook.list(taggedWith: tag))
    case .search(let words): show(try await notebook.search(words))
    case .show(let id): show(try notebook.note(id))
    case .edit(let id, let text): try await notebook.edit(id, text: text == "-" ? standardInput() : text)
    case .pin(let id, let isPinned): try await notebook.setPinned(isPinned, id)
    case .remove(let ids): try await notebook.remove(ids)
    case .restore: show(try await notebook.restore())
    case .watch:
      printNow("watching \(try await notebook.list().count) notes")
      try await notebook.watch { change in
        switch change {
        case .added(let note): printNow("added    \(line(note))")
        case .edited(let note): printNow("changed  \(line(note))")
        case .removed(let note): printNow("removed  \(line(note))")
        }
      }
    }
  }

  private func show(_ notes: [Note]) {
    for note in notes { print(line(note)) }
    print(notes.count == 1 ? "1 note" : "\(notes.count) notes")
  }

  private func show(_ note: Note) {
    print(line(note))
    print("created \(note.created.formatted(.iso8601)), changed \(note.edited.formatted(.iso8601))\n")
    print(note.text)
  }

  private func standardInput() throws -> String {
    String(decoding: try FileHandle.standardInput.readToEnd() ?? Data(), as: UTF8.self)
  }
}

private nonisolated func line(_ note: Note) -> String {
  let tags = note.tags.map { "  #\($0)" }.joined()
  return "\(note.id)\(note.isPinned ? " *" : "")  \(note.title)\(tags)"
}

/// Prints a line that is visible immediately, even if standard output is not a terminal.
private nonisolated func printNow(_ line: String) {
  print(line)
  fflush(nil)
}

private func printError(_ message: String) {
  do {
    try FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
  } catch {
    return  // standard error is closed, so there is no stream left to report it
  }
}
