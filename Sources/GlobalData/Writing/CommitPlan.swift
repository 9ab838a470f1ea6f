import KeyedArchive

/// What a commit does with the file. It is decided from values alone, without a lock or a call of the system.
///
/// It does not hold the contents, which are changed in place when the commit is made.
struct CommitPlan {
  let draft: StoreDraft
  let changes: KeyChanges
  let action: Action

  enum Action {
    /// Nothing changes in the file, or there is none.
    case nothing
    /// Nothing changes, but what another writer may have left unsynced before the point is synced.
    case sync(AppendPoint)
    /// Removes the file, and all else that holds values.
    case removeAll
    case append(PreparedAppend)
    /// Writes the whole file. If it sets the file aside, the damaged file is kept under another name first.
    case replace(ArchiveImage, setsAside: Bool)
  }

  /// What the decision depends on beside the changes and the contents.
  struct Policy {
    var hasFile: Bool
    var persistence: GlobalData.Persistence
    var durability: Durability
    var maximumFileSize: Int
    /// Whether the bytes after the file's last change are unknown, so that it cannot be appended to.
    var mustRewrite = false
  }

  /// Decides what a commit does.
  ///
  /// - Complexity: O(*m*) in the number and size of the changes, and O(*n*) in the number of entries for a file that is written anew.
  init(_ draft: StoreDraft, on contents: StoreContents, _ policy: Policy) {
    self.draft = draft
    changes = draft.clearsAll ? KeyChanges() : draft.keyChanges(on: contents)
    // Cleared values must not be kept in a file that is set aside.
    action =
      CommitPlan.actionWithoutRewriting(draft, changes, on: contents, policy)
      ?? .replace(contents.image(applying: draft), setsAside: contents.condition == .damaged && !draft.keepsNothing)
  }

  /// Decides the same for a commit that may not wait for the disk; `nil` where it would. No file is made ready to be
  /// written in vain.
  init?(withoutWaiting draft: StoreDraft, on contents: StoreContents, _ policy: Policy) {
    self.draft = draft
    changes = draft.clearsAll ? KeyChanges() : draft.keyChanges(on: contents)
    let action = CommitPlan.actionWithoutRewriting(draft, changes, on: contents, policy)
    guard let action, !CommitPlan.waits(action, policy) else { return nil }
    self.action = action
  }

  /// `nil` where the whole file has to be written.
  private static func actionWithoutRewriting(
    _ draft: StoreDraft, _ changes: KeyChanges, on contents: StoreContents, _ policy: Policy
  ) -> Action? {
    if draft.clearsAll { return .removeAll }
    if !policy.hasFile { return .nothing }
    if changes.isEmpty { return sync(contents, policy) }
    return PreparedAppend(draft, changes, on: contents, policy).map { .append($0) }
  }

  /// A plan to remove a file that cannot be read.
  init(removingFor clear: StoreClear) {
    var draft = StoreDraft()
    draft.clear(clear)
    (self.draft, changes, action) = (draft, KeyChanges(), .removeAll)
  }

  /// A plan to write the same contents anew.
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
  /// Returns the whole file with a draft's changes.
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
