import Foundation
import GlobalData
import GlobalDataTesting
import NotesLibrary
import Testing

/// How an app tests its stored data: each test has its own store, in memory, and can make the disk fail.
@Suite struct NotebookTests {
  let notebook = Notebook(in: .inMemory())

  @Test func numbersAreNotGivenTwice() async throws {
    let first = try await notebook.add("Buy oats")
    try await notebook.remove([first.id])
    let second = try await notebook.add("Call Ada")
    #expect(second.id == first.id + 1)
  }

  @Test func pinnedNotesComeFirst() async throws {
    let first = try await notebook.add("Buy oats")
    let second = try await notebook.add("Call Ada")
    #expect(try await notebook.list().map(\.id) == [second.id, first.id])
    try await notebook.setPinned(true, first.id)
    #expect(try await notebook.list().map(\.id) == [first.id, second.id])
  }

  @Test func aSearchWantsAllWords() async throws {
    try await notebook.add("Buy oats and CRÈME", tags: ["shop"])
    #expect(try await notebook.search(["creme", "oats", "shop"]).count == 1)
    #expect(try await notebook.search(["oats", "milk"]).isEmpty)
  }

  @Test func aRemovalWithAWrongNumberRemovesNothing() async throws {
    let note = try await notebook.add("Buy oats")
    await #expect(throws: NotebookError.noNote(99)) { try await notebook.remove([note.id, 99]) }
    #expect(try await notebook.list() == [note])
  }

  @Test func aNoteThatCannotBeReadIsNotMissing() async throws {
    let store = GlobalData.inMemory()
    try await store.set("no note", forKey: "Note/1")
    await #expect(throws: NotebookError.unreadable(1)) { try await Notebook(in: store).list() }
  }

  @Test func whatWasRemovedComesBackOnce() async throws {
    let note = try await notebook.add("Buy oats")
    try await notebook.remove([note.id])
    #expect(try await notebook.restore() == [note])
    #expect(try await notebook.restore() == [])
    #expect(try await notebook.list() == [note])
  }

  @Test func aNoteThatDoesNotReachTheDiskIsNotInTheList() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let faults = FaultInjector()
    let notebook = Notebook(in: .faulty(at: folder.appending(path: "Notes.archive"), faults))
    let note = try await notebook.add("Buy oats")

    faults.fail(.write, with: .noSpace)
    await #expect(throws: GlobalDataError.self) { try await notebook.add("Call Ada") }
    #expect(try await notebook.list() == [note])
  }
}
