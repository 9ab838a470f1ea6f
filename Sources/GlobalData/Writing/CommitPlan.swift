/// A plan for the changes that a commit makes to the file. It is based on values alone, without a lock or a system
/// call.
///
/// A plan to append does not hold the contents, so they can be changed in place. A plan to replace holds the image of
/// the new contents. A plan is an object because copying its parts at each step would take longer than making it.
final class CommitPlan {
  let draft: StoreDraft
  let changes: KeyChanges
  let action: Action

  /// The cases with large values are indirect, because an action is copied several times in each commit.
  enum Action {
    /// Nothing changes in the file, or there is no file.
    case nothing
    /// Syncs data before the point that another writer may have left unsynced. Nothing else changes.
    indirect case sync(AppendPoint)
    /// Removes the file and everything else that contains values.
    case removeAll
    case append(PreparedAppend)
    /// Writes the whole file. If `setsAside` is `true`, first keeps a damaged file under another name.
    indirect case replace(ArchiveImage, setsAside: Bool)
  }

  struct Policy {
    var hasFile: Bool
    var persistence: GlobalData.Persistence
    var durability: Durability
    var maximumFileSize: Int
    /// Whether the bytes after the file's last change are unknown, so that the file cannot be appended to.
    var mustRewrite = false
  }

  /// Plans a commit. Takes O(*m*) in the number and size of the changes, plus O(*n*) in the number of entries if the
  /// file is rewritten.
  convenience init(_ draft: StoreDraft, on contents: StoreContents, _ policy: Policy) {
    let changes = draft.clearsAll ? KeyChanges() : draft.keyChanges(on: contents)
    // Cleared values must not be kept in a file that is set aside.
    let action =
      CommitPlan.actionWithoutRewriting(draft, changes, on: contents, policy)
      ?? .replace(contents.image(applying: draft), setsAside: contents.condition == .damaged && !draft.keepsNothing)
    self.init(draft, changes, action)
  }

  /// Plans a commit that must not wait for the disk. Returns `nil` if the commit would wait, without preparing a file
  /// that would not be used.
  static func withoutWaiting(_ draft: StoreDraft, on contents: StoreContents, _ policy: Policy) -> CommitPlan? {
    let changes = draft.clearsAll ? KeyChanges() : draft.keyChanges(on: contents)
    guard let action = actionWithoutRewriting(draft, changes, on: contents, policy), !waits(action, policy) else {
      return nil
    }
    return CommitPlan(draft, changes, action)
  }

  private init(_ draft: StoreDraft, _ changes: KeyChanges, _ action: Action) {
    (self.draft, self.changes, self.action) = (draft, changes, action)
  }

  /// Returns `nil` if the whole file has to be written.
  @inline(never)
  private static func actionWithoutRewriting(
    _ draft: StoreDraft, _ changes: KeyChanges, on contents: StoreContents, _ policy: Policy
  ) -> Action? {
    if draft.clearsAll { return .removeAll }
    if !policy.hasFile { return .nothing }
    if changes.isEmpty {
      // A clear that finds nothing to remove still has to remove the values that are out of date, damaged or set aside.
      return draft.keepsNothing || draft.clearsOthers && contents.hasChangesInFile ? nil : sync(contents, policy)
    }
    return PreparedAppend(draft, changes, on: contents, policy).map { .append($0) }
  }

  convenience init(removingFor clear: StoreClear) {
    var draft = StoreDraft()
    draft.clear(clear)
    self.init(draft, KeyChanges(), .removeAll)
  }

  convenience init(rewriting contents: StoreContents) {
    self.init(StoreDraft(), KeyChanges(), .replace(contents.image(applying: StoreDraft()), setsAside: false))
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
