import GlobalData

/// What happened to a note.
package enum NoteChange: Equatable, Sendable {
  case added(Note)
  case edited(Note)
  case removed(Note)

  /// What has to happen to some notes, so that others come of them.
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
  /// Calls a function for each change, until the task is cancelled or the file cannot be read any more.
  ///
  /// What another process writes is seen when the store looks at its file, which it is asked to do here again and again. An app would do
  /// so when it comes to the foreground.
  package func watch(
    every interval: Duration = .milliseconds(200), _ report: @escaping @Sendable (NoteChange) -> Void
  ) async throws {
    try await store.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      var known = notes.all
      let values = notes.updates
      group.addTask {
        for await notes in values {
          NoteChange.changes(from: known, to: notes).forEach(report)
          known = notes
        }
      }
      group.addTask { [store] in
        while true {
          try await Task.sleep(for: interval)
          try await store.refresh()
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
