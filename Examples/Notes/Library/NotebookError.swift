/// The errors of a notebook, in addition to those of its store.
package enum NotebookError: Error, Equatable, CustomStringConvertible {
  case noNote(Note.ID)
  case emptyText
  case unreadable(Int)

  package var description: String {
    switch self {
    case .noNote(let id): "There is no note \(id). Nothing was changed; `list` shows the notes and their numbers."
    case .emptyText: "A note needs a text. Nothing was changed."
    case .unreadable(let count): "\(count) notes cannot be read; the log says why. They stay as they are."
    }
  }
}
