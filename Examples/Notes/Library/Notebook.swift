import Foundation
import GlobalData

/// All notes of one store, with the operations of an app.
///
/// Each change is one write: when a method returns, its change is in the file. The file never holds a part of a change.
package struct Notebook: Sendable {
  let store: GlobalData
  let notes: GlobalData.ModelCollection<Note>

  package init(in store: GlobalData) {
    self.store = store
    notes = store.collection(of: Note.self)
  }

  // MARK: Reading

  /// Returns the notes, pinned ones first, and then the most recently changed first.
  ///
  /// - Throws: An error if a note cannot be read, so that an unreadable note is not mistaken for a missing one.
  package func list(taggedWith tag: String? = nil) async throws -> [Note] {
    try await sorted(readAll().filter { tag.map($0.tags.contains) ?? true })
  }

  /// Returns the notes that contain all of the words, in their texts or as tags.
  package func search(_ words: [String]) async throws -> [Note] {
    try await sorted(readAll().filter { $0.matches(words) })
  }

  /// - Throws: ``NotebookError`` if there is no note with this number.
  package func note(_ id: Note.ID) throws -> Note {
    guard let note = try notes.element(withID: id) else { throw NotebookError.noNote(id) }
    return note
  }

  private func readAll() async throws -> [Note] {
    try await store.open()  // reads the file without blocking the caller's thread
    // One state of the store, so that no other process adds a note between the two numbers.
    let notes = try store.snapshot().collection(of: Note.self)
    let all = notes.all
    guard all.count == notes.count else { throw NotebookError.unreadable(notes.count - all.count) }
    return all
  }

  private func sorted(_ notes: [Note]) -> [Note] {
    notes.sorted { ($0.isPinned ? 1 : 0, $0.edited, $0.id) > ($1.isPinned ? 1 : 0, $1.edited, $1.id) }
  }

  // MARK: Writing

  /// Adds a note, with the next number.
  ///
  /// One update chooses the number and inserts the note, so two terminals that add notes at the same time never use the
  /// same number.
  @discardableResult
  package func add(_ text: String, tags: [String] = []) async throws -> Note {
    let text = try checked(text)
    let now = Date.now
    return try await store.update { [notes] data in
      data[.lastNoteID] += 1
      let note = Note(id: data[.lastNoteID], text: text, tags: tags, created: now)
      try data.insert([note], into: notes)
      return note
    }
  }

  package func edit(_ id: Note.ID, text: String) async throws {
    let text = try checked(text)
    let now = Date.now
    try await change(id) { note in
      note.text = text
      note.edited = now
    }
  }

  package func setPinned(_ isPinned: Bool, _ id: Note.ID) async throws {
    try await change(id) { $0.isPinned = isPinned }
  }

  private func change(_ id: Note.ID, _ change: @escaping @Sendable (inout Note) -> Void) async throws {
    guard try await notes.update(id, change) else { throw NotebookError.noNote(id) }
  }

  /// Removes either all of the notes or none, and keeps them for ``restore()``.
  ///
  /// If the function of an update throws, all its changes are undone.
  package func remove(_ ids: [Note.ID]) async throws {
    try await store.update { [notes] data in
      var removed: [Note] = []
      for id in ids {
        guard let note = try data.element(id, of: notes) else { throw NotebookError.noNote(id) }
        data.delete(id, from: notes)
        removed.append(note)
      }
      data[.trash] = removed
    }
  }

  /// Restores the notes that were removed last.
  ///
  /// - Returns: The restored notes; none if nothing was removed.
  package func restore() async throws -> [Note] {
    try await store.update { [notes] data in
      let removed = data[.trash]
      try data.insert(removed, into: notes)
      data.reset(.trash)
      return removed
    }
  }

  private func checked(_ text: String) throws -> String {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { throw NotebookError.emptyText }
    return text
  }
}
