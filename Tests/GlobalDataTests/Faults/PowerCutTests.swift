import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// The states that a power cut after any call of a write may leave, on a disk that keeps only what it has to keep.
///
/// The calls of real writes are recorded and replayed on a ``DiskModel``. A new store opens each resulting image as
/// real files.
@Suite struct PowerCutTests {
  /// Some writes, one after the other, and the contents of the store after each.
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var before: [String: String]? = ["a": "old", "b": "kept"]
    /// The contents that can be read before, if the file is damaged.
    var intact: [String: String]?
    var path = "store"
    /// Whether the store appends.
    var appends = false
    /// The number of outdated bytes in the file before.
    var outOfDate = 0
    let steps: [(after: [String: String], run: @Sendable (GlobalData) async throws -> Void)]
  }

  /// A write to a damaged file.
  private static let recovery = Scenario(
    testDescription: "recovery", intact: ["a": "old"], steps: [(["a": "1"], { try await $0.set("1", forKey: "a") })])

  static let scenarios: [Scenario] = [
    Scenario(testDescription: "first save", before: nil, steps: [(["a": "1"], { try await $0.set("1", forKey: "a") })]),
    Scenario(
      testDescription: "first save into new folders", before: nil, path: "outer/inner/store",
      steps: [(["a": "1"], { try await $0.set("1", forKey: "a") })]),
    Scenario(
      testDescription: "three saves",
      steps: [
        (["a": "1", "b": "kept"], { try await $0.set("1", forKey: "a") }),
        (["a": "2", "b": "kept"], { try await $0.set("2", forKey: "a") }),
        (["a": "2"], { try await $0.removeObject(forKey: "b") }),
      ]),
    Scenario(testDescription: "clear", steps: [([:], { try await $0.clear() })]),
    Scenario(
      testDescription: "clear, then a save",
      steps: [([:], { try await $0.clear() }), (["a": "1"], { try await $0.set("1", forKey: "a") })]),
    Scenario(testDescription: "clear(keeping:)", steps: [(["b": "kept"], { try await $0.clear(keeping: ["b"]) })]),
    Scenario(
      testDescription: "update",
      steps: [
        (
          ["a": "1", "b": "1"],
          { store in
            try await store.update { data in
              try data.set("1", forKey: "a")
              try data.set("1", forKey: "b")
            }
          }
        )
      ]),
  ]

  private static let long = String(repeating: "0123456789", count: 200)

  static let appendingScenarios: [Scenario] = [
    Scenario(
      testDescription: "appended changes of several sectors", appends: true,
      steps: [
        (["a": "1" + long, "b": "kept"], { try await $0.set("1" + long, forKey: "a") }),
        (["a": "1" + long, "b": "2" + long], { try await $0.set("2" + long, forKey: "b") }),
        (["b": "2" + long], { try await $0.removeObject(forKey: "a") }),
      ]),
    Scenario(
      testDescription: "an appended update, then a clear", appends: true,
      steps: [
        (
          ["a": "1" + long, "c": "1"],
          { store in
            try await store.update { data in
              try data.set("1" + long, forKey: "a")
              try data.set("1", forKey: "c")
              data.removeObject(forKey: "b")
            }
          }
        ), ([:], { try await $0.clear() }),
      ]),
    Scenario(
      testDescription: "a first save, then appended ones", before: nil, appends: true,
      steps: [
        (["a": "1"], { try await $0.set("1", forKey: "a") }), (["a": "2"], { try await $0.set("2", forKey: "a") }),
        (["a": "2", "b": long], { try await $0.set(long, forKey: "b") }),
      ]),
  ]

  /// The first change causes a rewrite of the file after it.
  private static let compaction = Scenario(
    testDescription: "a change, after which the file is rewritten early", appends: true,
    outOfDate: 52 << 10,
    steps: [
      (["a": "1" + long, "b": "kept"], { try await $0.set("1" + long, forKey: "a") }),
      (["a": "1" + long, "b": "kept"], waitForCompaction), (["b": "kept"], { try await $0.removeObject(forKey: "a") }),
    ])

  @Sendable private static func waitForCompaction(of store: GlobalData) async throws {
    try await store.refresh()
    let contents = try #require(store.engine.memory.knownContents)
    #expect(try #require(contents.appendPoint).offset < 2 * long.utf8.count, "it was rewritten")
  }

  @Test(arguments: appendingScenarios + [compaction])
  func acknowledgedAppendsSurviveAPowerCut(scenario: Scenario) async throws {
    let findings = try await explore(scenario, .powerLoss)
    #expect(findings.wrong == [])
    #expect(findings.imageCount > 5)
  }

  /// Nothing is synced between these, so a disk may have any part of them.
  private static let unsynced = Scenario(
    testDescription: "five appended changes", appends: true,
    steps: [
      (["a": "1" + long, "b": "kept"], { try await $0.set("1" + long, forKey: "a") }),
      (["a": "1" + long, "b": "kept", "c": "3"], { try await $0.set("3", forKey: "c") }),
      (["a": "1" + long, "b": "4" + long, "c": "3"], { try await $0.set("4" + long, forKey: "b") }),
      (["a": "1" + long, "b": "4" + long], { try await $0.removeObject(forKey: "c") }),
      (["a": "5", "b": "4" + long], { try await $0.set("5", forKey: "a") }),
    ])

  @Test(arguments: appendingScenarios + [unsynced, compaction])
  func orderedAppendsLeaveAnEarlierStateAfterAPowerCut(scenario: Scenario) async throws {
    let findings = try await explore(scenario, .ordered)
    #expect(findings.wrong == [])
    #expect(findings.imageCount > 5)
    #expect(findings.hasLostAcknowledged, "the model keeps what it was not made to keep")
  }

  @Test func withoutTheSyncOfTheFileWhatWasAppendedGetsLost() async throws {
    for scenario in Self.appendingScenarios.prefix(2) {
      let findings = try await explore(scenario, .powerLoss, without: .syncOfFiles)
      #expect(findings.wrong.contains { $0.contains("acknowledged") }, "\(scenario.testDescription)")
    }
  }

  @Test(arguments: scenarios)
  func aPowerCutLeavesTheAcknowledgedOrThePendingState(scenario: Scenario) async throws {
    let findings = try await explore(scenario, .powerLoss)
    #expect(findings.wrong == [])
    #expect(findings.imageCount > 2)
  }

  @Test(arguments: scenarios)
  func orderedWritesLeaveACompleteStateAfterAPowerCut(scenario: Scenario) async throws {
    let findings = try await explore(scenario, .ordered)
    #expect(findings.wrong == [])
    #expect(findings.hasLostAcknowledged, "the model keeps what it was not made to keep")
  }

  @Test func noPowerCutLosesADamagedFileBeforeItIsSetAside() async throws {
    for durability in [Durability.powerLoss, .ordered] {
      let findings = try await explore(Self.recovery, durability)
      #expect(findings.wrong == [])
      #expect(findings.imageCount > 2)
    }
    let unsafe = try await explore(Self.recovery, .powerLoss, without: .syncOfFolders)
    #expect(unsafe.wrong.contains { $0.contains("damaged file is gone") })
  }

  // MARK: The search finds errors

  @Test func withoutTheSyncOfTheFileThereAreDamagedFiles() async throws {
    for durability in [Durability.powerLoss, .ordered] {
      let findings = try await explore(Self.scenarios[2], durability, without: .syncOfFiles)
      #expect(findings.wrong.contains { $0.contains("damaged") })
    }
  }

  @Test func withoutTheSyncOfTheFolderAcknowledgedWritesGetLost() async throws {
    for scenario in Self.scenarios {
      let findings = try await explore(scenario, .powerLoss, without: .syncOfFolders)
      #expect(findings.wrong.contains { $0.contains("acknowledged") }, "\(scenario.testDescription)")
      #expect(!findings.wrong.contains { $0.contains("damaged") }, "\(scenario.testDescription)")
    }
  }

  @Test func withoutTheSyncOfNewFoldersTheFirstSaveGetsLost() async throws {
    let findings = try await explore(Self.scenarios[1], .powerLoss, without: .syncOfParents)
    #expect(findings.wrong.contains { $0.contains("acknowledged") })
  }

  @Test func withoutAnySyncThereAreDamagedFiles() async throws {
    let findings = try await explore(Self.scenarios[2], .processCrash)
    #expect(findings.wrong.contains { $0.contains("damaged") })
  }

  // MARK: The search

  private struct Findings {
    /// Descriptions of the errors that were found.
    var wrong: Set<String> = []
    /// Whether a completed write is missing, which some levels of durability allow.
    var hasLostAcknowledged = false
    /// The number of different images.
    var imageCount = 0
  }

  private func explore(
    _ scenario: Scenario, _ durability: Durability, without omission: RecordingSystemCalls.Omission? = nil
  ) async throws -> Findings {
    let recording = try await record(scenario, durability, omission)
    var model = recording.disk
    let states = [scenario.intact ?? scenario.before ?? [:]] + scenario.steps.map(\.after)
    var found: [DiskModel.Image: Outcome] = [:]
    var findings = Findings()
    for number in 0...recording.steps.count {
      if number > 0 { model.apply(recording.steps[number - 1]) }
      let returned = recording.returns.count { $0 <= number }
      // The current write may be there, whether or not it began: its first calls do not change the disk.
      let latest = min(returned + 1, scenario.steps.count)
      for image in model.imagesAfterPowerCut() {
        let outcome: Outcome
        if let known = found[image] {
          outcome = known
        } else {
          outcome = try await open(image, scenario, andWrite: omission == nil && durability != .processCrash)
          found[image] = outcome
        }
        let place = "after step \(number) of \(recording.steps.count)"
        if let damaged = recording.damaged, !image.values.contains(damaged) {
          findings.wrong.insert("\(place): the damaged file is gone")
        }
        switch outcome {
        case .holds(let state) where states[returned...latest].contains(state): break
        case .holds(let state) where states[...latest].contains(state):
          findings.hasLostAcknowledged = true
          if durability != .ordered { findings.wrong.insert("\(place): an acknowledged write is lost: \(state)") }
        case .holds(let state): findings.wrong.insert("\(place): a mix: \(state)")
        case .fails(let error): findings.wrong.insert("\(place): \(error)")
        }
      }
    }
    findings.imageCount = found.count
    return findings
  }

  /// The effect of a scenario on the disk.
  private struct Recording {
    /// The disk before the scenario.
    var disk: DiskModel
    /// The damaged file before the scenario, if there was one.
    var damaged: Data?
    var steps: [DiskStep] = []
    /// The number of completed steps when each write returned.
    var returns: [Int] = []
  }

  private func record(
    _ scenario: Scenario, _ durability: Durability, _ omission: RecordingSystemCalls.Omission?
  ) async throws -> Recording {
    try await withTemporaryDirectory { folder in
      let url = folder.file(scenario.path)
      if let before = scenario.before {
        var configuration = GlobalData.Configuration()
        if scenario.outOfDate > 0 { configuration.persistence = .appending }
        let system = FaultySystemCalls()
        let writer = GlobalData(at: url, configuration: configuration, system: system)
        if scenario.outOfDate > 0 {
          try await writer.set(String(repeating: "0", count: scenario.outOfDate), forKey: "a")
          system.fail(.create, .error(ENOSPC))  // It must leave the compaction to the store that is examined.
        }
        for key in before.keys.sorted() { try await writer.set(before[key], forKey: key) }
        try await writer.close()
      }
      if scenario.intact != nil { try StoreOperation.damageEntry(folder) }
      let files = try folder.names().map { ($0, try Data(contentsOf: folder.file($0))) }
      var recording = Recording(
        disk: DiskModel(root: folder.path, files: Dictionary(uniqueKeysWithValues: files)),
        damaged: scenario.intact == nil ? nil : try Data(contentsOf: url))

      var configuration = GlobalData.Configuration()
      configuration.durability = durability
      configuration.persistence = scenario.appends ? .appending : .rewriting
      let system = RecordingSystemCalls(storeFolder: url.deletingLastPathComponent(), omission: omission)
      let store = GlobalData(at: url, configuration: configuration, system: system)
      for step in scenario.steps {
        try await step.run(store)
        #expect(try store.texts() == step.after)
        recording.returns.append(system.steps.count)
      }
      recording.steps = system.steps
      if scenario.outOfDate > 0 {
        let append = try #require(recording.steps.firstIndex { if case .update = $0 { true } else { false } })
        let compaction = recording.steps[append...].contains { if case .rename = $0 { true } else { false } }
        #expect(compaction, "the file was not rewritten after the change")
      }
      return recording
    }
  }

  private enum Outcome {
    case holds([String: String])
    case fails(String)
  }

  /// Opens the state that a power cut left. Nothing may remain of writes that failed, and if it is to write, the store
  /// must work: not where a step of the protocol is left out, or where nothing is synced.
  private func open(_ image: DiskModel.Image, _ scenario: Scenario, andWrite writes: Bool) async throws -> Outcome {
    try await withTemporaryDirectory { folder in
      try image.write(to: folder)
      var configuration = GlobalData.Configuration()
      // Damage from the power cut must not be mistaken for the damage before.
      configuration.recoveryPolicy = scenario.intact == nil ? .refuse : .keepIntactEntries
      configuration.persistence = scenario.appends ? .appending : .rewriting
      let url = folder.file(scenario.path)
      let store = GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
      let state: [String: String]
      do {
        state = try store.texts()
      } catch let error as GlobalDataError {
        return .fails("\(error.code)")
      }
      guard writes else { return .holds(state) }
      try await store.set("next", forKey: "next")
      try await store.refresh()  // Waits for a compaction that this may have made due.
      #expect(try store.texts() == state.merging(["next": "next"]) { $1 })
      #expect(try url.deletingLastPathComponent().names().allSatisfy { !$0.hasSuffix(".tmp") })
      return .holds(state)
    }
  }
}
