import FoundationCore
import KeyedArchive

/// The changes of an update, and what its closure read to decide on them.
final class StoreUpdate: Sendable {
  let draft: StoreDraft
  let basis: Basis

  /// The entries and keys that a closure read, to check whether it would read the same again.
  struct Basis: Sendable {
    /// The version of the contents that the closure saw, or `nil` if it saw changes that were not committed yet.
    fileprivate(set) var version: UInt64?
    fileprivate(set) var entries: [String: StoredEntry] = .init()
    /// The keys without an entry.
    fileprivate(set) var absentKeys: Set<String> = []
    /// More keys without an entry: those for which the closure set one right after.
    fileprivate(set) var insertedKeys: [String] = []
    /// The keys by prefix, in order. The empty prefix stands for all keys.
    fileprivate(set) var keys: [(prefix: String, keys: [String])] = []
  }

  init(draft: StoreDraft, basis: Basis) { (self.draft, self.basis) = (draft, basis) }

  var withoutChanges: StoreUpdate { StoreUpdate(draft: StoreDraft(), basis: basis) }

  /// Returns whether the closure saw exactly these contents.
  func isBased(on contents: borrowing DraftedContents) -> Bool {
    basis.version.map { $0 == contents.version } ?? false
  }

  /// Returns whether the closure would read the same from other contents. Takes O(1) if they are those that it saw, and
  /// otherwise O(*n*) in the number of entries that it read and their size.
  func isCurrent(in contents: borrowing DraftedContents, _ memory: StoreMemory) throws -> Bool {
    if isBased(on: contents) { return true }
    for key in basis.insertedKeys where contents.contains(key) { return false }
    for key in basis.absentKeys where contents.contains(key) { return false }
    for (key, entry) in basis.entries where !contents.holds(entry, forKey: key) { return false }
    for (prefix, keys) in basis.keys {
      guard haveEqualBytes(try contents.keys(withPrefix: prefix, memory), keys) else { return false }
    }
    return true
  }
}

/// Returns whether all strings have the same bytes. Strings that are equal in Swift may have different bytes.
@inline(never)
func haveEqualBytes(_ some: [String], _ others: [String]) -> Bool {
  guard some.count == others.count else { return false }
  for (one, other) in zip(some, others) where ExactText(one) != ExactText(other) { return false }
  return true
}

/// The contents that the closure of an update sees before its own changes, and a record of what the closure reads. This
/// is a class, because reading does not mutate a transaction.
final class ReadLog {
  let base: DraftedContents
  let configuration: GlobalData.Configuration
  let engine: StoreEngine
  let url: URL?
  private let encoder: KeyedArchiveEncoder
  private(set) var basis = StoreUpdate.Basis()

  init(_ base: consuming DraftedContents, _ configuration: GlobalData.Configuration, _ engine: StoreEngine) {
    basis.version = base.version
    self.base = base
    self.configuration = configuration
    self.engine = engine
    encoder = KeyedArchiveEncoder(registry: configuration.registry, limits: configuration.limits)
    url = engine.location.url
  }

  // These are methods of the log because a transaction would have to copy what they use, for each value that it sets.

  /// Creates an entry that the closure sets.
  func makeEntry(
    forKey key: String, _ memory: RecordMemory?,
    encode: (KeyedArchiveEncoder, KeyedArchiveEncoder.ItemReceiver) throws -> Void
  ) throws -> StoredEntry {
    try StoredEntry(key: key, encoder, in: url, memory, encode: encode)
  }

  /// Adds an entry to the closure's changes. Throws if an equal key with different bytes exists, or was set before, and
  /// was not removed since.
  @inline(never)
  func put(_ entry: StoredEntry, into draft: inout StoreDraft) throws(GlobalDataError) {
    // Unless the closure has changed the key, an earlier call in the queue may have.
    if draft[entry.key] == nil, draft.keeps(entry.key) {
      try base.draft.checkSpelling(of: entry, on: base.contents, in: url)
      return draft.set(entry)
    }
    try draft.set(entry, on: base.contents, in: url)
  }

  /// Records that there was no entry under a key, for which the closure has set one. Such a key is recorded once,
  /// because the closure's own changes answer all later reads.
  func recordInsertion(forKey key: String) { basis.insertedKeys.append(key) }

  @inline(never)
  func record(_ entry: StoredEntry?, forKey key: String) {
    // Equal keys have one entry in the dictionary. Their stored entries are the same, because nothing changes while the
    // closure runs.
    if let entry { basis.entries[key] = entry } else { basis.absentKeys.insert(key) }
  }

  /// Records that the closure read the entries under some keys.
  func recordEntries(forKeys keys: [String]) {
    for key in keys { record(base[key], forKey: key) }
  }

  func record(_ keys: [String], withPrefix prefix: String) {
    if !basis.keys.contains(where: { $0.prefix == prefix }) { basis.keys.append((prefix, keys)) }
  }
}

/// A count of the runs of an update's closure, so that the closure does not run forever.
struct UpdateAttempts {
  private static let leastCount = 10

  private let timeout: Duration
  private var count = 0
  private var deadline: Duration?

  init(timeout: Duration) { self.timeout = timeout }

  /// Begins an attempt. Throws `busy` after at least ten attempts if the timeout has passed since the second one.
  mutating func begin(in url: URL?) throws(GlobalDataError) {
    count += 1
    guard count > 1 else { return }
    let deadline = deadline ?? SteadyClock.now + timeout
    self.deadline = deadline
    if count > UpdateAttempts.leastCount, SteadyClock.now > deadline {
      throw GlobalDataError(
        .busy, "other processes changed what an update read, \(count - 1) times in a row",
        advice: "Nothing was changed. Try again later or read fewer keys in the update.", fileURL: url)
    }
  }
}
