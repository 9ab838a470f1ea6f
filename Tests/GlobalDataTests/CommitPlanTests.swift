import Foundation
import TestSupport
import Testing

@testable import GlobalData

/// The plan of a commit for all values that the decision depends on.
@Suite struct CommitPlanTests {
  private struct Case: CustomStringConvertible {
    var draft: DraftKind
    var condition: StoreContents.Condition
    /// The number of bytes that are certainly synced; `nil` if the file cannot be appended to.
    var syncedLength: Int?
    var policy: CommitPlan.Policy
    var mayWait: Bool

    var description: String {
      "\(draft), \(condition), synced \(syncedLength.map(String.init) ?? "-"), \(policy), may wait: \(mayWait)"
    }
  }

  private enum DraftKind: CaseIterable {
    case nothing, sameValue, newValue, otherValue, removal, clear, clearKeepingAll, clearKeepingSome, clearAndValue

    var changesValues: Bool { ![.nothing, .sameValue, .clearKeepingAll].contains(self) }
  }

  private static let fileLength = 10_000

  /// Encoded once: there are thousands of cases.
  private let entries: [String: StoredEntry]
  private let image: ArchiveImage

  init() throws {
    let values = ["a=one": "one", "a=two": "two", "c=three": "three", "b=b": "b"]
    var entries: [String: StoredEntry] = [:]
    for (name, value) in values {
      entries[name] = try StoredEntry(key: String(name.prefix(1)), GlobalData.Configuration(), in: nil) {
        try $0.encodeItem(value, $1)
      }
    }
    self.entries = entries
    image = ArchiveImage(
      identity: UUID(), generation: 7, entries: [try #require(entries["a=one"]), try #require(entries["b=b"])])
  }

  private func contents(_ tested: Case) throws -> StoreContents {
    guard tested.condition != .absent else { return StoreContents(.absent) }
    let point = tested.syncedLength.map {
      AppendPoint(
        offset: Self.fileLength, checksum: 1, archiveChecksum: 1, syncedLength: $0, isFound: true, isNameSynced: true)
    }
    let stamp = FileStamp(
      FileStatus(
        kind: .regular, device: 1, inode: 1, size: Self.fileLength, modified: nil, permissions: 0o600, owner: 0,
        group: 0,
        linkCount: 1), head: nil)
    return StoreContents(image, tested.condition, stamp: stamp, appendPoint: point)
  }

  private func draft(_ kind: DraftKind) throws -> StoreDraft {
    var draft = StoreDraft()
    switch kind {
    case .nothing: break
    case .sameValue: draft.set(try #require(entries["a=one"]))
    case .newValue: draft.set(try #require(entries["c=three"]))
    case .otherValue: draft.set(try #require(entries["a=two"]))
    case .removal: draft.remove("a")
    case .clear: draft.clear(keeping: [])
    case .clearKeepingAll: draft.clear(keeping: ["a", "b"])
    case .clearKeepingSome: draft.clear(keeping: ["a"])
    case .clearAndValue:
      draft.clear(keeping: [])
      draft.set(try #require(entries["c=three"]))
    }
    return draft
  }

  private var cases: [Case] {
    var cases: [Case] = []
    for draft in DraftKind.allCases {
      for condition in [StoreContents.Condition.absent, .ready, .damaged] {
        for syncedLength in [nil, 0, Self.fileLength] as [Int?] {
          for persistence in [GlobalData.Persistence.rewriting, .appending] {
            for durability in Durability.allCases {
              for flags in 0..<16 {
                let policy = CommitPlan.Policy(
                  hasFile: flags & 1 == 0, persistence: persistence, durability: durability,
                  maximumFileSize: flags & 2 == 0 ? 1 << 30 : Self.fileLength, mustRewrite: flags & 4 != 0)
                cases.append(
                  Case(
                    draft: draft, condition: condition, syncedLength: syncedLength, policy: policy,
                    mayWait: flags & 8 == 0))
              }
            }
          }
        }
      }
    }
    return cases
  }

  private func plan(_ tested: Case) throws -> CommitPlan? {
    let (draft, contents) = (try draft(tested.draft), try contents(tested))
    return tested.mayWait
      ? CommitPlan(draft, on: contents, tested.policy) : CommitPlan.withoutWaiting(draft, on: contents, tested.policy)
  }

  @Test func eachCommitDoesOnlyWhatItsChangesNeed() throws {
    for tested in cases where tested.mayWait {
      let plan = try #require(try plan(tested), "\(tested)")
      let isEmpty = tested.condition == .absent
      let changes = tested.draft.changesValues && !(isEmpty && [.removal, .clearKeepingSome].contains(tested.draft))
      switch plan.action {
      case .removeAll: #expect(tested.draft == .clear, "\(tested)")
      case .nothing: #expect(!changes || !tested.policy.hasFile, "\(tested)")
      case .sync(let point):
        #expect(!changes && tested.policy.durability == .powerLoss && point.syncedLength < point.offset, "\(tested)")
      case .append, .replace: #expect(plan.changes.isEmpty == false && tested.policy.hasFile, "\(tested)")
      }
      if tested.draft == .clear { guard case .removeAll = plan.action else { return fail("not removed", tested) } }
      if changes, tested.policy.hasFile, case .nothing = plan.action { fail("not written", tested) }
    }
  }

  private func fail(_ text: String, _ tested: Case) {
    Issue.record("\(text): \(tested)")
  }

  @Test func onlyAnIntactFileIsAppendedTo() throws {
    var appends = 0
    for tested in cases {
      guard case .append(let append)? = try plan(tested)?.action else { continue }
      appends += 1
      #expect(tested.policy.persistence == .appending && tested.condition == .ready, "\(tested)")
      #expect(!tested.policy.mustRewrite, "the bytes after its end are unknown: \(tested)")
      #expect(tested.syncedLength != nil && tested.policy.maximumFileSize > Self.fileLength, "\(tested)")
      #expect(![.clearKeepingSome, .clearAndValue].contains(tested.draft), "cleared values would stay: \(tested)")
      #expect(append.point.offset == Self.fileLength && append.nextPoint.offset == Self.fileLength + append.bytes.count)
      #expect(append.nextPoint.syncedLength >= append.point.syncedLength, "\(tested)")
    }
    #expect(appends > 20)
  }

  @Test func aDamagedFileIsSetAsideUnlessItsValuesAreCleared() throws {
    var replacements: [Bool: Int] = [:]
    for tested in cases {
      guard case .replace(_, let setsAside)? = try plan(tested)?.action else { continue }
      #expect(setsAside == (tested.condition == .damaged && tested.draft != .clearAndValue), "\(tested)")
      replacements[setsAside, default: 0] += 1
    }
    #expect(replacements.values.min() ?? 0 > 50 && replacements.count == 2, "\(replacements)")
  }

  @Test func aCommitThatMayNotWaitNeitherSyncsNorReplaces() throws {
    var made = 0
    for tested in cases where !tested.mayWait {
      var waiting = tested
      waiting.mayWait = true
      let longPlan = try #require(try plan(waiting))
      let waits =
        switch longPlan.action {
        case .nothing: false
        case .append(let append): append.syncsBefore || tested.policy.durability == .powerLoss
        case .removeAll: tested.policy.hasFile
        case .sync, .replace: true
        }
      #expect(try (plan(tested) == nil) == waits, "\(tested)")
      made += waits ? 0 : 1
    }
    #expect(made > 100)
  }

  @Test(arguments: Durability.allCases) func bytesBeforeAnAppendAreSyncedInTime(_ durability: Durability) {
    let room = AppendPolicy.roomLength
    for (synced, isFound) in [
      (0, false), (1, false), (room, false), (2 * room, false), (0, true), (2 * room - 1, true), (2 * room, true),
    ] {
      let point = AppendPoint(
        offset: 2 * room, checksum: 0, archiveChecksum: 0, syncedLength: synced, isFound: isFound)
      let unsynced = 2 * room - synced
      let expected =
        switch durability {
        case .powerLoss: unsynced > 0
        case .ordered: unsynced >= (isFound ? 1 : room)
        case .processCrash: false
        }
      #expect(AppendPolicy.syncsBeforeAppending(at: point, durability) == expected, "\(synced), \(isFound)")
    }
  }
}
