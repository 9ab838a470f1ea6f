import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Stores of each durability and persistence write the same files in new folders, as several processes do. Some system
/// calls fail. At any moment, a power cut leaves what the completed calls have promised.
@Suite struct RandomPowerCutTests {
  @Test(arguments: SeededGenerator.seeds(8)) func aPowerCutLeavesWhatWasPromised(seed: UInt64) async throws {
    try await withTemporaryDirectory { folder in
      var walk = PowerCutWalk(in: folder, seed: seed)
      for _ in 0..<30 { try await walk.step() }
    }
  }
}

private typealias Texts = [String: String]

private enum Call {
  case write(WriteCall)
  case restore(GlobalData.Snapshot, Texts)
  case backUp
  case restoreBackup

  var isBackup: Bool { if case .backUp = self { true } else { false } }

  /// Whether the call changes only elements that it finds. If it finds none, it does not report that a sync has failed.
  var changesFoundElements: Bool {
    let kinds: [WriteCall.Kind] = [
      .updateElement, .setProperty, .updateWhere, .moveElement, .delete, .deleteWhere, .deleteAll,
    ]
    return if case .write(let call) = self { kinds.contains(call.kind) } else { false }
  }
}

private struct PowerCutWalk {
  /// What may be found in a file.
  private struct Promise {
    /// The contents that a reader finds now.
    var current: Texts = [:]
    /// The contents that may be found after a power cut.
    var possible: Set<Texts> = [[:]]
    /// Whether a power cut may damage the file.
    var isFragile = false
  }

  private static let backup = "b/c/backup"

  private let folder: URL
  private let recording: RecordingSystemCalls
  private let system: FaultySystemCalls
  private let stores: [(path: String, store: GlobalData)]
  private var promises: [String: Promise] = [:]
  private var snapshot: (GlobalData.Snapshot, Texts)?
  private var model: DiskModel
  private var appliedCount = 0
  private var random: SeededGenerator
  /// The calls so far, for the messages of failures.
  private var log: String

  init(in folder: URL, seed: UInt64) {
    let recording = RecordingSystemCalls(storeFolder: folder)
    let system = FaultySystemCalls(over: recording)
    var random = SeededGenerator(seed: seed)
    stores = ["x/store", "x/y/store", "z/store"].flatMap { path in
      [Durability.powerLoss, .powerLoss, .ordered, .processCrash].map { durability in
        var configuration = GlobalData.Configuration()
        configuration.durability = durability
        configuration.persistence = random.below(2) == 0 ? .appending : .rewriting
        return (path, GlobalData(at: folder.file(path), configuration: configuration, system: system))
      }
    }
    model = DiskModel(root: folder.path, files: [:])
    log = "seed \(seed)"
    (self.folder, self.recording, self.system, self.random) = (folder, recording, system, random)
  }

  /// Lets a store make a call, and examines the disk during the call and after it.
  mutating func step() async throws {
    let (storePath, store) = stores[random.below(stores.count)]
    let call = nextCall()
    let path = call.isBackup ? Self.backup : storePath
    let old = promises[path]?.current ?? [:]
    let (new, answer) = result(of: call, at: storePath)
    let fault = addFault()
    let outcome: Result<WriteCall.Answer, any Error>
    do {
      outcome = .success(try await make(call, on: store))
    } catch {
      outcome = .failure(error)
    }
    system.recover()
    let durability = store.configuration.durability
    log += "\n\(storePath), \(durability), \(store.configuration.persistence): \(call) \(fault): \(outcome)"

    var promise = promises[path] ?? Promise()
    promise.possible.insert(new)
    promise.isFragile = promise.isFragile || durability == .processCrash && !call.isBackup
    promise.current = try WriteCall.texts(in: GlobalData(at: folder.file(path), system: POSIXSystemCalls()))
    let isMade = try check(outcome, answer, promise.current, old, new)
    try await examine(during: (path, promise))
    if isMade, call.isBackup || durability == .powerLoss, new != old || !call.changesFoundElements {
      promise = Promise(current: new, possible: [new])
    }
    promises[path] = promise
    for _ in 0..<3 { try await checkImage(promises) }
    if random.below(4) == 0, let current = promises[storePath]?.current {
      try await store.refresh()
      snapshot = (try store.snapshot(), current)
    }
  }

  private mutating func nextCall() -> Call {
    switch random.below(16) {
    case 0:
      if let (snapshot, texts) = snapshot { return .restore(snapshot, texts) }
    case 1:
      if promises[Self.backup] != nil { return .restoreBackup }
    case 2: return .backUp
    default: break
    }
    let kinds = WriteCall.Kind.allCases
    let text = String(repeating: "\(random.below(1000)) ", count: 1 + random.below(300))
    return .write(WriteCall(kind: kinds[random.below(kinds.count)], text: text))
  }

  /// Returns the contents after a call, and the expected answer.
  private func result(of call: Call, at path: String) -> (Texts, WriteCall.Answer) {
    var texts = promises[path]?.current ?? [:]
    switch call {
    case .write(let call):
      let answer = call.apply(to: &texts)
      return (texts, answer)
    case .restore(_, let texts): return (texts, .made(0))
    case .backUp: return (texts, .made(0))
    case .restoreBackup: return (promises[Self.backup]?.current ?? [:], .made(0))
    }
  }

  private mutating func make(_ call: Call, on store: GlobalData) async throws -> WriteCall.Answer {
    switch call {
    case .write(let call): return try await call.make(in: store)
    case .restore(let snapshot, _): try await store.restore(snapshot)
    case .backUp: try await store.backup(to: folder.file(Self.backup))
    case .restoreBackup: try await store.restore(from: folder.file(Self.backup))
    }
    return .made(0)
  }

  /// Makes some later system calls fail in one of three steps.
  private mutating func addFault() -> String {
    guard random.below(3) == 0 else { return "" }
    let (skipped, times) = (random.below(20), random.below(2) == 0 ? 1 : Int.max)
    let number = [EIO, ENOSPC][random.below(2)]
    system.fail(.error(number), skipping: skipped, times: times) { _ in true }
    return "(errno \(number) after \(skipped) calls, \(times) times)"
  }

  /// Compares the outcome of a call and the contents after it with those expected. Returns whether the call was made.
  private func check(
    _ outcome: Result<WriteCall.Answer, any Error>, _ answer: WriteCall.Answer, _ found: Texts, _ old: Texts,
    _ new: Texts
  ) throws -> Bool {
    switch outcome {
    case .success(let given):
      try #require(given == answer && found == new, "\(log)")
      if case .made = given { return true } else { return false }
    case .failure(let error):
      switch (error as? GlobalDataError)?.code {
      case .durabilityUnknown?: try #require(found == new, "\(log)")
      // The values are gone if only a file beside the store's could not be removed.
      case .removeFailed?: try #require(found == old || found == new, "\(log)")
      default: try #require(found == old, "\(log)")
      }
      return false
    }
  }

  /// Replays the steps of a call on the model, and examines the disk after one of them.
  private mutating func examine(during changed: (path: String, promise: Promise)) async throws {
    let steps = recording.steps
    let cut = appliedCount + random.below(max(1, steps.count - appliedCount))
    while appliedCount < steps.count {
      model.apply(steps[appliedCount])
      appliedCount += 1
      if appliedCount == cut { try await checkImage(promises.merging([changed.path: changed.promise]) { $1 }) }
    }
  }

  /// Compares what a power cut may leave with what all files have promised.
  private mutating func checkImage(_ promises: [String: Promise]) async throws {
    let image = model.imageAfterPowerCut(using: &random)
    try await withTemporaryDirectory { folder in
      try image.write(to: folder)
      let configuration = GlobalData.Configuration.with { $0.recoveryPolicy = .refuse }
      for (path, promise) in promises where !promise.isFragile {
        let store = GlobalData(at: folder.file(path), configuration: configuration, system: POSIXSystemCalls())
        do {
          try #require(promise.possible.contains(try WriteCall.texts(in: store)), "\(path) in \(log)")
        } catch let error as GlobalDataError {
          Issue.record("\(path): \(error) in \(log)")
          throw error
        }
      }
    }
  }
}
