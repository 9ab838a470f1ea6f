import FoundationCore

/// The contents of a store, together with changes that no commit has made yet.
///
/// The long methods are not inlined, so that there is one copy of each instead of one in each caller.
struct DraftedContents: ~Copyable {
  let contents: StoreContents
  var draft = StoreDraft()

  /// The version of the contents, or `nil` if there are changes on top of them.
  var version: UInt64? { draft.isEmpty ? contents.version : nil }

  subscript(key: String) -> StoredEntry? {
    switch draft[key] {
    case .set(let entry, _): entry
    case .remove: nil
    case nil: draft.keeps(key) ? contents[key] : nil
    }
  }

  func contains(_ key: String) -> Bool {
    switch draft[key] {
    case .set: true
    case .remove: false
    case nil: draft.keeps(key) && contents.contains(key)
    }
  }

  /// Returns whether there is neither an entry nor a change under the key.
  func isFree(_ key: String) -> Bool { draft[key] == nil && !contents.contains(key) }

  /// Returns whether the entry under the key has the same bytes. If `entry` is `nil`, returns whether the key has no
  /// entry.
  @inline(never)
  func holds(_ entry: StoredEntry?, forKey key: String) -> Bool {
    guard let entry else { return !contains(key) }
    if draft[key] == nil, draft.keeps(key) { return contents.holds(entry) }
    return self[key]?.record == entry.record
  }

  var allKeys: [String] { contents.entries(applying: draft).keys }

  /// Returns the keys with a prefix. An empty prefix returns all keys.
  @inline(never)
  func keys(withPrefix prefix: String, _ memory: StoreMemory) throws -> [String] {
    guard !prefix.isEmpty else { return allKeys }
    let kept = try memory.keys(withPrefix: prefix, of: contents)
    guard !draft.isEmpty else { return kept }
    // A key that was removed and set again is at the end.
    var added: [String] = []
    var moved: Set<String> = []
    for case .set(let entry, let movesToEnd)? in draft.edits where entry.key.isKey(ofCollection: prefix) {
      if movesToEnd || !contents.contains(entry.key) { added.append(entry.key) }
      if movesToEnd { moved.insert(entry.key) }
    }
    return kept.filter { contains($0) && !moved.contains($0) } + added
  }

  /// Applies a ticket's change, unless a clear with a greater number has overtaken it. Throws if a new key equals
  /// another key but has different bytes, without a change.
  @inline(never)
  mutating func apply(
    _ change: StoreTicket.Request, number: UInt64, _ queue: WriteQueue, in url: URL?
  ) throws(GlobalDataError) {
    switch change {
    case .set(let entry):
      guard !isCleared(entry.key, since: number, queue) else { return }
      try draft.set(entry, on: contents, in: url)
    case .remove(let key): draft.remove(key)
    case .clear(let kept): draft.clear(StoreClear(number: number, keptKeys: kept))
    case .update(let update):
      if update.isBased(on: self) {
        draft = update.draft  // Each of its changes was checked against these contents when it was made.
      } else {
        try draft.apply(update.draft, on: contents, in: url)
      }
      draft.recordClear(of: update.draft, number: number)
    }
  }

  /// Returns whether a later clear overrides a change of a key.
  func isCleared(_ key: String, since number: UInt64, _ queue: WriteQueue) -> Bool {
    draft.removesChange(of: key, since: number) || queue.isCleared(key, since: number)
  }
}
