struct KeyChanges: Sendable {
  /// Keys that had no value, in the order of the contents.
  var added: [String] = []
  var replaced: [String] = []
  var removed: [String] = []
  /// Keys that keep a value, the same or another one, and come after all others: they were removed and set again.
  var moved: [String] = []
  /// The keys that come after all others, in order: those that were added or moved.
  var appended: [String] = []

  var isEmpty: Bool { added.isEmpty && replaced.isEmpty && removed.isEmpty && moved.isEmpty }

  var keys: Set<String> { Set(added).union(replaced).union(removed).union(moved) }
}

extension StoreDraft {
  /// Returns the draft's effect on the keys, without those that stay the same: in O(*m*) changes, or O(*n*) entries
  /// where it clears or moves any.
  func keyChanges(on contents: StoreContents) -> KeyChanges {
    var result = KeyChanges()
    // Each as it is spelled where it is stored, which may be another spelling than that of the change.
    for (key, change) in changes {
      switch change {
      case .set(let entry, let movesToEnd):
        let isSame = contents.holds(entry)
        if isSame == nil { result.added.append(entry.key) }
        if isSame == false { result.replaced.append(entry.key) }
        if isSame != nil, movesToEnd { result.moved.append(entry.key) }
        if isSame == nil || movesToEnd { result.appended.append(entry.key) }
      case .remove: if let old = contents[key] { result.removed.append(old.key) }
      }
    }
    if clearsOthers {
      for key in contents.keys where self[key] == nil && !keeps(key) { result.removed.append(key) }
    }
    if !result.moved.isEmpty, keepsOrder(of: contents, result) {
      (result.moved, result.appended) = ([], result.added)
    }
    return result
  }

  /// Returns whether the keys that come after all others were the last ones before, in the same order.
  private func keepsOrder(of contents: StoreContents, _ changes: KeyChanges) -> Bool {
    let removed = Set(changes.removed)
    return contents.keys.filter { !removed.contains($0) } + changes.added == contents.entries(applying: self).keys
  }

  func steps(_ changes: KeyChanges, on contents: StoreContents) -> [ArchiveChange.Step] {
    let moved = Set(changes.moved)
    var steps: [ArchiveChange.Step] = []
    for (key, change) in self.changes {
      switch change {
      case .set(let entry, _):
        let isMoved = !moved.isEmpty && moved.contains(key)
        if isMoved { steps.append(.remove(key)) }
        if isMoved || contents.holds(entry) != true { steps.append(.set(entry)) }
      case .remove: if let old = contents[key] { steps.append(.remove(old.key)) }
      }
    }
    return steps
  }
}

extension StoreContents {
  /// Returns the keys whose entries differ, in O(*n*) entries; bytes are compared only where checksums are equal.
  func keysChanged(to other: StoreContents) -> Set<String> {
    var changed: Set<String> = []
    for key in keys {
      if let old = self[key], other.holds(old) != true { changed.insert(key) }
    }
    for key in other.keys where !contains(key) { changed.insert(key) }
    return changed
  }
}
