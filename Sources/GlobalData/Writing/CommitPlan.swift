import KeyedArchive

/// What a commit does with the file, decided from values alone, without a lock or a system call.
///
/// A plan to append does not hold the contents, which are then changed in place. A plan to replace holds the image of
/// the new ones.
struct CommitPlan {
  let draft: StoreDraft
  let changes: KeyChanges
  let action: Action

  indirect enum Action {
    /// Nothing changes in the file, or there is none.
    case nothing
    /// Syncs what another writer may have left unsynced before the point; nothing else changes.
    case sync(AppendPoint)
    /// Removes the file, and all else that holds values.
    case removeAll
    case append(PreparedAppend)
    /// Writes the whole file; first keeps a damaged one under another name if it `setsAside`.
    case replace(ArchiveImage, setsAside: Bool)
  }

  struct Policy {
    var hasFile: Bool
    var persistence: GlobalData.Persistence
    var durability: Durability
    var maximumFileSize: Int
    /// Whether the bytes after the file's last change are unknown, so that it cannot be appended to.
    var mustRewrite = false
  }

  /// Takes O(*m*) in the number and size of the changes, and O(*n*) entries for a file that is rewritten.
  init(_ draft: StoreDraft, on contents: StoreContents, _ policy: Policy) {
    self.draft = draft
    changes = draft.clearsAll ? KeyChanges() : draft.keyChanges(on: contents)
    // Cleared values must not be kept in a file that is set aside.
    action =
      CommitPlan.actionWithoutRewriting(draft, changes, on: contents, policy)
      ?? .replace(contents.image(applying: draft), setsAside: contents.condition == .damaged && !draft.keepsNothing)
  }

  /// Plans a commit that may not wait for the disk; `nil` where it would. No file is prepared in vain.
  init?(withoutWaiting draft: StoreDraft, on contents: StoreContents, _ policy: Policy) {
    self.draft = draft
    changes = draft.clearsAll ? KeyChanges() : draft.keyChanges(on: contents)
    let action = CommitPlan.actionWithoutRewriting(draft, changes, on: contents, policy)
    guard let action, !CommitPlan.waits(action, policy) else { return nil }
    self.action = action
  }

  /// `nil` where the whole file has to be written.
  @inline(never)
  private static func actionWithoutRewriting(
    _ draft: StoreDraft, _ changes: KeyChanges, on contents: StoreContents, _ policy: Policy
  ) -> Action? {
    if draft.clearsAll { return .removeAll }
    if !policy.hasFile { return .nothing }
    if changes.isEmpty { return sync(contents, policy) }
    return PreparedAppend(draft, changes, on: contents, policy).map { .append($0) }
  }

  init(removingFor clear: StoreClear) {
    var draft = StoreDraft()
    draft.clear(clear)
    (self.draft, changes, action) = (draft, KeyChanges(), .removeAll)
  }

  init(rewriting contents: StoreContents) {
    (draft, changes) = (StoreDraft(), KeyChanges())
    action = .replace(contents.image(applying: draft), setsAside: false)
  }

  private static func sync(_ contents: StoreContents, _ policy: Policy) -> Action {
    guard policy.durability == .powerLoss, let point = contents.appendPoint,
      point.syncedLength < point.offset || !point.isNameSynced
    else { return .nothing }
    return .sync(point)
  }

  private static func waits(_ action: Action, _ policy: Policy) -> Bool {
    switch action {
    case .nothing: false
    case .append(let append): append.syncsBefore || policy.durability == .powerLoss
    case .removeAll: policy.hasFile
    case .sync, .replace: true
    }
  }
}

extension StoreContents {
  func image(applying draft: StoreDraft) -> ArchiveImage {
    var image = ArchiveImage(identity: identity, generation: generation &+ 1, entries: entries(applying: draft))
    image.entries.gatherIfScattered()
    return image
  }
}

struct WrittenFile {
  var stamp: FileStamp
  var appendPoint: AppendPoint
}
