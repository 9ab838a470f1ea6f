import Foundation
import GlobalData
import GlobalDataTesting
import TestSupport
import Testing

/// A part of an app that saves a setting and shows errors.
@MainActor private final class SettingsModel {
  private let store: GlobalData
  private(set) var alert: String?
  /// The number of saves, as it is shown.
  private(set) var saves = 0

  init(store: GlobalData) { self.store = store }

  func save() async {
    do {
      let count = (try store.object(Int.self, forKey: "saves") ?? 0) + 1
      try await store.set(count, forKey: "saves")
      (saves, alert) = (count, nil)
    } catch {
      alert = "There is no room on this device."
    }
  }

  /// Whether what is shown as saved is stored.
  var isConsistent: Bool {
    do {
      return try (store.object(Int.self, forKey: "saves") ?? 0) >= saves
    } catch {
      return alert != nil
    }
  }
}

@MainActor @Suite struct FailureTestingExamples {
  @TemporaryFolder private var folder
  private let temporaryURL = FileManager.default.temporaryDirectory
    .appendingPathComponent("FailureTestingExamples-\(UUID().uuidString)")

  @Test func aFullDiskIsShownToTheUser() async throws {
    let faults = FaultInjector()
    let model = SettingsModel(store: .faulty(at: temporaryURL, faults))
    faults.fail(.write, with: .noSpace)
    await model.save()
    #expect(model.alert == "There is no room on this device.")
  }

  @Test func eachCallFailsInTurn() async throws {
    let faults = FaultInjector()
    let model = SettingsModel(store: .faulty(at: folder.appendingPathComponent("store"), faults))
    faults.reset()
    await model.save()
    for index in faults.calls.indices {
      faults.reset()
      faults.failCall(index, with: .inputOutput)
      await model.save()
      #expect(model.isConsistent, "call \(index)")
    }
    #expect(model.saves > 0 && faults.calls.count > 1)
  }

  @Test func faultsAreChosenOneByOne() async throws {
    let url = folder.appendingPathComponent("store")
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    try await store.set("old", forKey: "a")

    try await faults.stop(at: .rename) {
      try await store.set("new", forKey: "a")
    } while: {
      let seen = try store.object(String.self, forKey: "a")
      #expect(seen == "old")
    }
    #expect(try store.object(String.self, forKey: "a") == "new")

    try await store.set("old", forKey: "a")
    faults.reset()
    try await store.set("new", forKey: "a")
    #expect(faults.calls.count { $0.operation == .sync } == 1)
    #expect(faults.openFileCount == 0)

    faults.shorten(.write, to: 7)

    faults.fail(.sync, with: .inputOutput)  // the next one
    faults.fail(.write, after: 1, with: .noSpace)  // the second one from now
    faults.fail(.create, times: .max, with: .readOnly)  // all
    await #expect(throws: GlobalDataError.self) { try await store.set("lost", forKey: "a") }
    #expect(try store.object(String.self, forKey: "a") == "new")
  }

  @Test func theExampleOfTheReferenceHolds() async throws {
    let url = folder.appendingPathComponent("store")
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    try await store.set(1, forKey: "visits")

    faults.fail(.write, with: .noSpace)
    await #expect(throws: GlobalDataError.self) { try await store.set(2, forKey: "visits") }
    #expect(try store.object(Int.self, forKey: "visits") == 1)

    try await store.set("old", forKey: "a")
    try await faults.stop(at: .rename) {
      try await store.set("new", forKey: "a")
    } while: {
      let seen = try store.object(String.self, forKey: "a")
      #expect(seen == "old")
    }
  }
}
