import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Two stores with one file, as in two processes, write, keep states and restore them, and are compared with a plain
/// model. A power cut follows at the end.
@Suite struct RandomRestoringTests {
  @TemporaryFolder private var folder

  @Test(arguments: SeededGenerator.seeds(4)) func twoStoresHaveTheWrittenAndRestoredValues(seed: UInt64) async throws {
    var walk = RestoringWalk(in: folder, seed: seed)
    for step in 0..<60 { try await walk.step("seed \(seed), step \(step)") }
  }

  @Test(arguments: SeededGenerator.seeds(4)) func aPowerCutLeavesTheStateBeforeOrAfterAndAWholeBackup(
    seed: UInt64
  ) async throws {
    let system = RecordingSystemCalls(storeFolder: folder)
    var walk = RestoringWalk(in: folder, seed: seed, system)
    var model = DiskModel(root: folder.path, files: [:])
    var applied = 0
    var random = SeededGenerator(seed: ~seed)
    for step in 0..<12 {
      let before = walk.state
      try await walk.step("seed \(seed), step \(step)")
      let steps = system.steps
      let cut = random.below(max(1, steps.count - applied)) + applied
      while applied < steps.count {
        model.apply(steps[applied])
        applied += 1
        // At a random step, and when the call has returned.
        guard applied == cut || applied == steps.count else { continue }
        let isOver = applied == steps.count
        for image in model.imagesAfterPowerCut().sorted(by: { "\($0)" < "\($1)" }).prefix(24) {
          let allowed = isOver ? [walk.state] : [before, walk.state]
          try await expect(allowed, in: image, "seed \(seed), step \(step), call \(applied)")
        }
      }
    }
  }

  private func expect(_ allowed: [RestoringWalk.State], in image: DiskModel.Image, _ comment: Comment) async throws {
    try await withTemporaryDirectory { folder in
      try image.write(to: folder)
      let configuration = GlobalData.Configuration.with { $0.recoveryPolicy = .refuse }
      func texts(_ name: String) throws -> [String: String] {
        try GlobalData(at: folder.file(name), configuration: configuration, system: POSIXSystemCalls()).texts()
      }
      let (store, backup) = (try texts("store"), try texts("backup"))
      #expect(allowed.contains { $0.store == store }, comment)
      #expect(allowed.contains { ($0.backup ?? [:]) == backup }, comment)
    }
  }
}

private struct RestoringWalk {
  struct State {
    var store: [String: String] = [:]
    var backup: [String: String]?
  }

  private(set) var state = State()
  private let folder: URL
  private let stores: [GlobalData]
  private var snapshots: [(GlobalData.Snapshot, [String: String])] = []
  private var random: SeededGenerator

  init(in folder: URL, seed: UInt64, _ system: (any SystemCalls)? = nil) {
    self.folder = folder
    random = SeededGenerator(seed: seed)
    stores = [GlobalData.Persistence.appending, .rewriting].map { persistence in
      var configuration = GlobalData.Configuration()
      configuration.persistence = persistence
      // A power cut must not lose acknowledged writes. Without one, the test need not wait for the disk.
      configuration.durability = system == nil ? .processCrash : .powerLoss
      return GlobalData(at: folder.file("store"), configuration: configuration, system: system ?? POSIXSystemCalls())
    }
  }

  /// Lets one store make one call, and examines both stores and the kept states.
  mutating func step(_ comment: Comment) async throws {
    let store = stores[random.below(2)]
    let (key, text) = (
      "key \(random.below(6))", String(repeating: "\(random.below(1000)) ", count: 1 + random.below(300))
    )
    switch random.below(14) {
    case 0..<4:
      try await store.set(text, forKey: key)
      state.store[key] = text
    case 4:
      try await store.removeObject(forKey: key)
      state.store[key] = nil
    case 5, 6:
      let other = "key \(random.below(6))"
      try await store.update { data in
        try data.set(text, forKey: key)
        data.removeObject(forKey: other)
      }
      state.store[key] = text
      state.store[other] = nil
    case 7, 8:
      try await store.refresh()
      snapshots.append((try store.snapshot(), state.store))
    case 9:
      guard let (snapshot, texts) = snapshots.randomElement(using: &random) else { return }
      try await store.restore(snapshot)
      state.store = texts
    case 10, 11:
      try await store.backup(to: folder.file("backup"))
      state.backup = state.store
    case 12:
      guard let backup = state.backup else { return }
      let before = state.store
      if let kept = try await store.restore(from: folder.file("backup")) {
        let earlier = GlobalData(at: kept, system: POSIXSystemCalls())
        #expect(try earlier.texts() == before, comment)
      } else {
        #expect(before.isEmpty || before == backup, comment)
      }
      state.store = backup
    default:
      if random.below(3) == 0 {
        try await store.clear()
        state.store = [:]
      } else {
        try await store.refresh()
      }
    }
    try await look(comment)
  }

  private mutating func look(_ comment: Comment) async throws {
    for store in stores {
      try await store.refresh()
      #expect(try store.texts() == state.store, comment)
    }
    guard let (snapshot, texts) = snapshots.randomElement(using: &random) else { return }
    for key in (0..<6).map({ "key \($0)" }) {
      #expect(try snapshot.object(String.self, forKey: key) == texts[key], comment)
    }
    let change = try stores[random.below(2)].snapshot().changes(since: snapshot)
    let differing = Set(texts.keys).union(state.store.keys).filter { texts[$0] != state.store[$0] }
    #expect(change.keys == differing, comment)
    #expect(change.removedKeys == differing.filter { state.store[$0] == nil }, comment)
    if let backup = state.backup {
      let kept = GlobalData(at: folder.file("backup"), system: POSIXSystemCalls())
      #expect(try kept.texts() == backup, comment)
    }
  }
}
