import FoundationCore
import KeyedArchive

/// What a store holds in memory: the entries of its file, in the order in which their keys were first set.
///
/// A key is its UTF-8 bytes. Swift takes two texts for equal that are composed differently; so that they cannot be
/// taken for each other, a key that equals another one but has other bytes is refused when it is set.
struct StoreContents: Sendable {
  let identity: StoreIdentity
  private(set) var generation: UInt64
  private var entries: EntryTable
  /// That of the last reading or write.
  var stamp: FileStamp?
  /// The end of the file's last change, which shows appends by other processes and where to continue; `nil` where the
  /// file has to be written anew.
  private(set) var appendPoint: AppendPoint?
  var recordBytes: Int { entries.byteCount }
  /// The condition that the file was found in. A commit sets it to `ready`.
  private(set) var condition = Condition.ready

  enum Condition: Equatable, Sendable {
    case absent
    case ready
    /// The entries are the intact ones of a file that has to be set aside before it is replaced.
    case damaged
    /// The entries are what could be read of a newer version's file.
    case newer(version: UInt64)
  }

  /// A store that has no file yet, or none at all.
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

  /// Those that begin with the bytes of a text, in order.
  func keys(withPrefix prefix: String) -> [String] { entries.keys(withPrefix: prefix) }

  subscript(key: String) -> StoredEntry? {
    entries[key]
  }

  /// The encoded value under a key, as it was when it was set.
  func content(forKey key: String) -> SharedBytes? { entries.content(forKey: key) }

  /// Whether the entry under its key has the same bytes; `nil` where there is none.
  func holds(_ entry: StoredEntry) -> Bool? { entries.holds(entry) }

  /// In the file, in bytes; 0 where there is none.
  func recordLength(of key: String) -> Int { entries.recordLength(of: key) }

  func contains(_ key: String) -> Bool { entries.contains(key) }

  /// Whether there is an equal key (as Swift compares them) with other bytes.
  func hasOtherSpelling(of key: String) -> Bool { entries.hasOtherSpelling(of: key) }

  /// Returns the entries after a draft's changes: those that stay, then new ones. Copies the table, 32 bytes an entry.
  func entries(applying draft: StoreDraft) -> EntryTable {
    var result = entries
    result.apply(draft)
    return result
  }

  /// Makes a draft's changes, once the file has them, in O(*m*) changes; O(*n*) entries for a draft that clears.
  mutating func apply(_ draft: StoreDraft, stamp: FileStamp?, appendPoint: AppendPoint? = nil) {
    entries.apply(draft)
    finish(stamp: stamp, appendPoint)
  }

  /// Replaces the contents that a commit started from, once the file has the image.
  mutating func become(_ image: ArchiveImage, stamp: FileStamp?, appendPoint: AppendPoint? = nil) {
    entries = image.entries
    finish(stamp: stamp, appendPoint)
  }

  mutating func noteSynced(_ point: AppendPoint) {
    if appendPoint?.offset == point.offset { appendPoint = point }
  }

  private mutating func finish(stamp: FileStamp?, _ appendPoint: AppendPoint?) {
    generation &+= 1  // A file may hold the largest number there is.
    self.stamp = stamp
    self.appendPoint = appendPoint
    condition = .ready
  }
}

extension EntryTable {
  fileprivate mutating func apply(_ draft: StoreDraft) {
    if draft.clearsOthers {
      for key in keys where draft[key] == nil && !draft.keeps(key) { remove(key) }
    }
    for (key, change) in draft.changes {
      switch change {
      case .set(let entry, let movesToEnd):
        if movesToEnd { remove(key) }
        set(entry)
      case .remove: remove(key)
      }
    }
  }
}
