@testable import GlobalData

// Only tests iterate over a table in other ways than one loop over all entries.

extension EntryTable: Sequence {
  func makeIterator() -> IndexingIterator<[StoredEntry]> { list().makeIterator() }
}
