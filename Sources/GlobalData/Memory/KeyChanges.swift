/// The keys that a draft changes in certain contents.
struct KeyChanges: Sendable {
  /// Keys that had no value, in the order of the new contents.
  var added: [String] = []
  var replaced: [String] = []
  var removed: [String] = []
  /// Keys that were removed and set again. They still have a value, the same or another one, and follow all other keys.
  var moved: [String] = []
  /// The added and moved keys, which follow all other keys, in order.
  fileprivate(set) var appended: [String] = []
  /// The number of bytes in the records that are replaced, removed or moved.
  fileprivate(set) var outdatedBytes = 0

  var isEmpty: Bool { added.isEmpty && replaced.isEmpty && removed.isEmpty && moved.isEmpty }

  var keys: Set<String> { Set(added).union(replaced).union(removed).union(moved) }
}

extension StoreDraft {
  /// Returns the draft's effect on the keys, without the keys that stay the same. Takes O(*m*) in the number of
  /// changes, or O(*n*) in the number of entries if the draft clears or moves any.
  func keyChanges(on contents: StoreContents) -> KeyChanges {
    var result = KeyChanges()
    var movedBytes = 0
    // Each key has the spelling of its stored entry, which may differ from the spelling in the change.
    for case let edit? in edits {
      switch edit {
      case .set(let entry, let movesToEnd):
        guard let (isSame, length) = contents.entries.compare(entry) else {
          result.added.append(entry.key)
          result.appended.append(entry.key)
          continue
        }
        if !isSame {
          result.replaced.append(entry.key)
          result.outdatedBytes += length
        }
        if movesToEnd {
          result.moved.append(entry.key)
          result.appended.append(entry.key)
          if isSame { movedBytes += length }
        }
      case .remove(let key):
        if let old = contents[key] {
          result.removed.append(old.key)
          result.outdatedBytes += old.record.count
        }
      }
    }
    if clearsOthers {
      for key in contents.keys where self[key] == nil && !keeps(key) { result.removed.append(key) }
    }
    if !result.moved.isEmpty, keepsOrder(of: contents, result) {
      (result.moved, result.appended, movedBytes) = ([], result.added, 0)
    }
    result.outdatedBytes += movedBytes
    return result
  }

  /// Returns whether the appended keys already followed all other keys, in the same order.
  private func keepsOrder(of contents: StoreContents, _ changes: KeyChanges) -> Bool {
    let removed = Set(changes.removed)
    // A key that is set again in another spelling is written as removed, as the format wants it.
    return haveEqualBytes(
      contents.keys.filter { !removed.contains($0) } + changes.added, contents.entries(applying: self).keys)
  }

  func steps(_ changes: KeyChanges, on contents: StoreContents) -> [ArchiveChange.Step] {
    let moved = Set(changes.moved)
    var steps: [ArchiveChange.Step] = []
    steps.reserveCapacity(edits.count)
    for case let edit? in edits {
      switch edit {
      case .set(let entry, _):
        let isMoved = moved.contains(entry.key)
        if isMoved { steps.append(.remove(entry.key)) }
        if isMoved || !contents.holds(entry) { steps.append(.set(entry)) }
      case .remove(let key): if let old = contents[key] { steps.append(.remove(old.key)) }
      }
    }
    return steps
  }
}

extension StoreContents {
  /// Returns the keys whose entries differ, and those of elements that were moved within their collection. Takes O(*n*)
  /// in the number of entries. Bytes are compared only if checksums are equal.
  ///
  /// If some observers may have seen no values instead, returns all keys.
  func keysChanged(to other: StoreContents) -> Set<String> {
    if areUncertain { return Set(keys).union(other.keys) }
    var changed: Set<String> = []
    var first = Int.max
    for key in keys.reversed() {
      guard let old = self[key] else { continue }
      guard other.holds(old), let position = other.entries.position(of: key) else {
        changed.insert(key)
        continue
      }
      guard CollectionKeys.prefix(ofKey: key) != nil else { continue }
      // An element that was removed and inserted again now comes after those that followed it.
      if position < first { first = position } else { changed.insert(key) }
    }
    for key in other.keys where !contains(key) { changed.insert(key) }
    return changed
  }
}
