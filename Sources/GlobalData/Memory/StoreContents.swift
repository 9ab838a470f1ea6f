import FoundationCore
import KeyedArchive

/// The contents of a store in memory: the entries of its file, in the order in which their keys were first set.
///
/// A key is identified by its UTF-8 bytes. Swift considers two strings equal even if they are composed differently. To
/// prevent confusion between such keys, a key that equals another key but has different bytes is rejected when it is
/// set.
struct StoreContents: Sendable {
  let identity: StoreIdentity
  private(set) var generation: UInt64
  private(set) var entries: EntryTable
  /// The stamp of the file after the last read or write.
  var stamp: FileStamp?
  /// The end of the file's last change. It reveals appends by other processes and shows where to continue. `nil` if the
  /// file must be rewritten.
  private(set) var appendPoint: AppendPoint?
  /// The condition in which the file was found. A commit sets it to `ready`.
  private(set) var condition = Condition.ready
  /// Whether some observers may have seen no values instead, because the file could not be read.
  var areUncertain = false

  /// A number that identifies a state of the contents in this process. States that follow from one another are counted
  /// from a random number, so no other state has the same one.
  private(set) var version = UInt64.random(in: .min ... .max)

  enum Condition: Equatable, Sendable {
    case absent
    case ready
    /// The entries are the intact ones of a file that must be set aside before it is replaced.
    case damaged
    /// The entries are those that could be read from a file of a newer version.
    case newer(version: UInt64)
  }

  /// Creates the contents of a store that has no file, or no file yet.
  init(_ condition: Condition) {
    self.condition = condition
    identity = .random()
    generation = 0
    entries = EntryTable()
  }

  init(_ image: ArchiveImage, _ condition: Condition, stamp: FileStamp?, appendPoint: AppendPoint? = nil) {
    self.condition = condition
    self.appendPoint = appendPoint
    identity = image.identity
    generation = image.generation
    entries = image.entries
    self.stamp = stamp
  }

  var keys: [String] { entries.keys }

  /// Whether the file has appended changes, and so perhaps values that were removed or replaced since.
  var hasChangesInFile: Bool { appendPoint.map { $0.checksum != $0.archiveChecksum } ?? false }

  subscript(key: String) -> StoredEntry? { entries[key] }

  /// Returns whether there is an entry under the same key with the same bytes.
  func holds(_ entry: StoredEntry) -> Bool { entries.holds(entry) }

  func contains(_ key: String) -> Bool { entries.contains(key) }

  /// Returns copies of the entries under some keys, for a change. A reader may keep a change for a long time, and would
  /// otherwise keep the memory of all entries that were read or written together with these.
  @inline(never)
  func copies(forKeys keys: Set<String>) -> [String: StoredEntry] {
    var found: [String: StoredEntry] = .init()
    for key in keys { if let entry = self[key] { found[key] = entry.copy } }
    return found
  }

  /// Returns those of some keys that have no entry.
  @inline(never)
  func missing(_ keys: Set<String>) -> Set<String> {
    var missing: Set<String> = []
    for key in keys where !contains(key) { missing.insert(key) }
    return missing
  }

  /// Returns the entries after a draft's changes: the entries that stay, and then the new ones. Copies the table, which
  /// has 24 bytes per entry, and its index.
  func entries(applying draft: StoreDraft) -> EntryTable {
    var result = entries
    result.apply(draft)
    return result
  }

  /// Applies a draft's changes after they have been written to the file. Takes O(*m*) in the number of changes, or
  /// O(*n*) in the number of entries if the draft clears any.
  mutating func apply(_ draft: StoreDraft, stamp: FileStamp?, appendPoint: AppendPoint?) {
    entries.apply(draft)
    finish(stamp: stamp, appendPoint)
  }

  /// Replaces the contents that a commit started from, after the image has been written to the file.
  mutating func become(_ image: ArchiveImage, stamp: FileStamp?, appendPoint: AppendPoint?) {
    entries = image.entries
    finish(stamp: stamp, appendPoint)
  }

  mutating func recordSynced(_ point: AppendPoint) {
    if appendPoint?.offset == point.offset { appendPoint = point }
  }

  private mutating func finish(stamp: FileStamp?, _ appendPoint: AppendPoint?) {
    version &+= 1
    generation &+= 1  // The file may already contain the largest number.
    self.stamp = stamp
    self.appendPoint = appendPoint
    condition = .ready
  }
}

/// Shows the number of entries in mirrors instead of the tables, so that a test that fails shows a snapshot of any size
/// immediately.
extension StoreContents: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: ["generation": generation, "count": entries.count]) }
}

extension EntryTable {
  fileprivate mutating func apply(_ draft: StoreDraft) {
    if draft.clearsOthers {
      for key in keys where draft[key] == nil && !draft.keeps(key) { remove(key) }
    }
    reserve(draft.edits.count)
    for case let edit? in draft.edits {
      switch edit {
      case .set(let entry, let movesToEnd):
        if movesToEnd { remove(entry.key) }
        set(entry)
      case .remove(let key): remove(key)
      }
    }
    gatherIfMostlyOutdated()
  }
}
