import GlobalData

/// A change of a note.
package enum NoteChange: Equatable, Sendable {
  case added(Note)
  case edited(Note)
  case removed(Note)

  /// Returns the changes that turn the old notes into the new ones.
  static func changes(from old: [Note], to new: [Note]) -> [NoteChange] {
    let oldNotes = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
    let newIDs = Set(new.map(\.id))
    return old.filter { !newIDs.contains($0.id) }.map(NoteChange.removed)
      + new.compactMap { note in
        guard let oldNote = oldNotes[note.id] else { return .added(note) }
        return oldNote == note ? nil : .edited(note)
      }
  }
}

extension Notebook {
  /// Calls a function for each change, including those of other processes, until the task is cancelled.
  package func watch(_ report: @Sendable (NoteChange) -> Void) async throws {
    try await store.open()
    var known = notes.all
    for await notes in notes.updates {
      NoteChange.changes(from: known, to: notes).forEach(report)
      known = notes
    }
  }
}
