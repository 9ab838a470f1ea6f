import Foundation
import GlobalDataTesting
import KeyedArchive
import Observation
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

extension GlobalData.Keys {
  fileprivate static let text = GlobalData.Key("text", default: "")
  fileprivate static let nickname = GlobalData.Key<String?>("nickname")
  fileprivate static let limit = GlobalData.Key("limit", default: Int?.some(3))
  fileprivate static let refused = GlobalData.Key("refused", default: Refusing(isRefused: false))
  fileprivate static let counted = GlobalData.Key("counted", default: Counted(number: 0))
  fileprivate static let leaving = GlobalData.Key("leaving", default: Leaving(id: 0))
  fileprivate static let theme = GlobalData.Key("theme", default: Theme())
}

/// A value that cannot always be encoded.
private struct Refusing: Codable, Equatable, Sendable {
  var isRefused: Bool

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    guard !isRefused else {
      throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: "refused"))
    }
    try container.encode(1)
  }

  init(isRefused: Bool) {
    self.isRefused = isRefused
  }

  init(from decoder: any Decoder) throws {
    isRefused = false
  }
}

/// A value that counts how often it is decoded.
private struct Counted: Codable, Sendable, NotReadBack {
  static let decoded = Locked(0)

  var number: Int

  init(number: Int) {
    self.number = number
  }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
    Counted.decoded.withLock { $0 += 1 }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

/// A value with two parts.
private struct Theme: Archivable, Equatable {
  static let archiveTag = ArchiveTag("Theme")

  var isDark = false
  var fontSize = 10
}

/// An instance that calls a function when it is released on the main actor.
private final class Leaving: Codable, Identifiable {
  @MainActor static var onReleaseOfElement: (() -> Void)?

  let id: Int
  private var onRelease: (@MainActor @Sendable () -> Void)?

  init(id: Int, onRelease: (@MainActor @Sendable () -> Void)? = nil) {
    (self.id, self.onRelease) = (id, onRelease)
  }

  private enum CodingKeys: CodingKey {
    case id
  }

  deinit {
    // The store may release an instance that it has decoded on another thread.
    guard MainActorQueue.isCurrent else { return }
    MainActor.assumeIsolated { [onRelease] in onRelease.map { $0() } ?? Leaving.onReleaseOfElement?() }
  }
}

@MainActor private final class SeenNumbers {
  var numbers: Set<Int> = []
}

@MainActor private final class FollowedChanges {
  private(set) var count = 0

  func follow(_ text: ObservableValue<String>) {
    withObservationTracking {
      _ = text.value
    } onChange: {
      MainActor.assumeIsolated {
        self.count += 1
        self.follow(text)
      }
    }
  }
}

/// A new value shows immediately, the store follows, and a failed write reverts the value.
@MainActor @Suite(.timeLimit(.minutes(20))) struct ObservableValueTests {
  @TemporaryFolder private var folder
  private let faults = FaultInjector()
  private let url: URL
  private let store: GlobalData

  init() async throws {
    url = _folder.wrappedValue.appendingPathComponent("store.archive")
    store = .faulty(at: url, faults)
    try await store.set("before", for: .text)
  }

  @Test func quicklyTypedTextIsStoredCompletelyAndNothingOlderShows() async throws {
    let text = store.observable(.text)
    #expect(text.value == "before")
    faults.reset()
    faults.pause(.rename)
    text.value = ""
    for end in 1..."hello world".count {
      text.value = String("hello world".prefix(end))
      #expect(text.value == "hello world".prefix(end))
      // Each time, the store's notification is handled, and must not revert the text.
      if end == 1 { try await faults.reached(.rename) }
      await Task.yield()
      #expect(text.value == "hello world".prefix(end))
    }
    #expect(store[.text] == "before")
    faults.resume()
    try await text.waitUntilStored()
    #expect(text.value == "hello world")
    #expect(store[.text] == "hello world")
    #expect(GlobalData(at: url, system: POSIXSystemCalls())[.text] == "hello world")
    #expect(faults.calls.filter { $0.operation == .rename }.count <= 2, "those in between are skipped")
  }

  @Test func theNewestTextShowsWhileManyAreStored() async throws {
    let store = GlobalData.inMemory()
    let text = store.observable(.text)
    for number in 0..<500 {
      text.value = "\(number)"
      for _ in 0..<number % 5 { await Task.yield() }
      #expect(text.value == "\(number)")
    }
    try await text.waitUntilStored()
    #expect(store[.text] == "499")
  }

  @Test func theValueOfTheLastWriterShows() async throws {
    let text = store.observable(.text)
    faults.pause(.rename)
    text.value = "first"
    try await faults.reached(.rename)
    async let others: Void = store.set("others", for: .text)
    text.value = "second"
    #expect(text.value == "second")
    faults.resume()
    try await others
    try await text.waitUntilStored()
    #expect(text.value == store[.text])

    // The later call of one actor wins.
    text.value = "third"
    try await store.set("fourth", for: .text)
    try await store.set("fifth", forKey: "something else")
    while text.value != "fourth" { await Task.yield() }
    #expect(store[.text] == "fourth")
  }

  @Test func aLaterChangeOfTheStoreShows() async throws {
    let text = store.observable(.text)
    for number in 0..<3 {
      text.value = "own \(number)"
      try await text.waitUntilStored()
      try await store.set("others' \(number)", for: .text)
      while text.value != "others' \(number)" { await Task.yield() }
    }
    try await store.set(5, forKey: "text")
    while text.value != "" { await Task.yield() }
  }

  @Test func waitingForAValueEndsWithoutAnErrorIfANewerOneIsStored() async throws {
    let text = store.observable(.text)
    faults.pause(.create)
    faults.fail(.rename, with: .inputOutput)
    let first = Task { try await text.set("first") }
    try await faults.reached(.create)
    text.value = "second"
    faults.resume()
    try await first.value
    #expect(store[.text] == "second" && text.value == "second")
    #expect(faults.faultCount == 2, "the pause, and the failure of the first commit")
  }

  @Test func aFailedWriteRevertsTheValueAndIsReported() async throws {
    let text = store.observable(.text)
    let other = store.observable(.text)
    var failures: [any Error] = []
    text.onFailure = { failures.append($0) }
    other.onFailure = { _ in Issue.record("it has set nothing") }
    var diagnostics = store.diagnostics.makeAsyncIterator()
    faults.fail(.write, with: .noSpace)
    text.value = "lost"
    #expect(text.value == "lost")
    #expect(other.value == "lost")
    while failures.isEmpty { await Task.yield() }
    #expect(text.value == "before")
    #expect(other.value == "before")
    await expectError(GlobalDataError.self) { try await other.waitUntilStored() }
    #expect((failures[0] as? GlobalDataError)?.code == .writeFailed)
    #expect((text.failure as? GlobalDataError)?.code == .writeFailed)
    let diagnostic = await diagnostics.next()
    #expect(diagnostic?.kind == .writeFailed)
    #expect(diagnostic?.key == "text")
    #expect(diagnostic?.error?.systemCall == "write")

    text.value = "after"
    #expect(text.failure == nil)
    try await text.waitUntilStored()
    #expect(store[.text] == "after")
    #expect(failures.count == 1)
  }

  @Test func aFailedWriteDoesNotMatterIfANewerOneSucceeds() async throws {
    let text = store.observable(.text)
    text.onFailure = { Issue.record($0) }
    faults.pause(.create)
    faults.fail(.rename, with: .inputOutput)
    text.value = "first"
    let second = Task { try await text.set("second") }
    while text.value != "second" { await Task.yield() }
    try await faults.reached(.create)
    text.value = "third"
    faults.resume()
    try await second.value
    try await text.waitUntilStored()
    #expect(text.value == "third")
    #expect(store[.text] == "third")
    #expect(text.failure == nil)
    #expect(faults.faultCount == 2, "the pause, and the failure")
  }

  @Test func settingAndWaitingThrowsAndRevertsTheValue() async throws {
    let text = store.observable(.text)
    text.onFailure = { Issue.record($0, "its caller gets the error") }
    faults.fail(.rename, with: .inputOutput)
    let error = await expectError(GlobalDataError.self) { try await text.set("lost") }
    #expect(error?.code == .writeFailed)
    #expect(text.value == "before")
    try await text.set("kept")
    #expect(text.value == "kept")
    #expect(store[.text] == "kept")
  }

  @Test func aValueOfUnknownDurabilityIsNotReverted() async throws {
    let text = store.observable(.text)
    faults.fail(.syncFolder, with: .inputOutput)
    let error = await expectError(GlobalDataError.self) { try await text.set("new") }
    #expect(error?.code == .durabilityUnknown)
    #expect(text.value == "new")
    #expect(store[.text] == "new")

    faults.fail(.syncFolder, with: .inputOutput)
    var diagnostics = store.diagnostics.makeAsyncIterator()
    text.value = "newer"
    // It was written, so the diagnostic must not deny that.
    #expect(await diagnostics.next()?.message == "the new value of \"text\" could not be written safely")
    #expect(text.value == "newer")
  }

  @Test func aValueThatCannotBeEncodedIsNotShown() async throws {
    let store = GlobalData.inMemory()
    let value = store.observable(.refused)
    var failures: [any Error] = []
    value.onFailure = { failures.append($0) }
    var diagnostics = store.diagnostics.makeAsyncIterator()
    let redrawn = Locked(false)
    withObservationTracking {
      _ = value.value
    } onChange: {
      redrawn.withLock { $0 = true }
    }
    value.value = Refusing(isRefused: true)
    #expect(!value.value.isRefused)
    #expect(redrawn.withLock { $0 }, "a control shows it, and has to look again")
    while failures.isEmpty { await Task.yield() }
    #expect((failures[0] as? GlobalDataError)?.code == .encodingFailed)
    #expect((value.failure as? GlobalDataError)?.code == .encodingFailed)
    #expect(await diagnostics.next()?.kind == .writeFailed)
    await expectError(GlobalDataError.self) { try await value.set(Refusing(isRefused: true)) }
    #expect(failures.count == 1)
  }

  @Test func aValueOfAnotherTypeIsReplaced() async throws {
    let store = GlobalData.inMemory()
    try await store.set(5, forKey: "text")
    let text = store.observable(.text)
    #expect(text.value == "")
    text.value = "new"
    try await text.waitUntilStored()
    #expect(try store.object(String.self, forKey: "text") == "new")
  }

  @Test func aValueOfALaterVersionIsNotReplaced() async throws {
    let store = GlobalData.inMemory()
    var later = ArchiveObject(tag: ArchiveTag("Theme"), version: 2)
    later["isDark"] = true
    later["accent"] = "blue"
    try await store.set(ArchiveValue.object(later), forKey: "theme")
    let theme = store.observable(.theme)
    var failures: [any Error] = []
    theme.onFailure = { failures.append($0) }
    theme.value.fontSize = 20
    #expect(theme.value == Theme())
    #expect((theme.failure as? GlobalDataError)?.code == .newerVersion)
    while failures.isEmpty { await Task.yield() }
    let error = await expectError(GlobalDataError.self) { try await theme.set(Theme(fontSize: 20)) }
    #expect(error?.code == .newerVersion)
    #expect(try store.object(ArchiveValue.self, forKey: "theme") == .object(later))

    try await store.set(Theme(fontSize: 30), for: .theme)
    while theme.value.fontSize != 30 { await Task.yield() }
    theme.value.isDark = true
    try await theme.waitUntilStored()
    #expect(store[.theme] == Theme(isDark: true, fontSize: 30))
  }

  @Test func aValueOfAStoreThatCouldNotBeReadIsNotReplaced() async throws {
    try await store.close()
    faults.fail(.open, times: .max, with: StorageFailure(errorNumber: EACCES))
    let text = store.observable(.text)
    #expect(text.value == "")
    faults.reset()
    text.value += " and after"
    #expect((text.failure as? GlobalDataError)?.code == .locked)
    #expect(text.value == "before", "it can be read now")
    text.value += " and after"
    try await text.waitUntilStored()
    #expect(store[.text] == "before and after")
  }

  @Test func anUnencodableValueDoesNotFailOnceANewerOneIsSet() async throws {
    let store = GlobalData.inMemory()
    let value = store.observable(.refused)
    var failures: [any Error] = []
    value.onFailure = { failures.append($0) }
    var diagnostics = store.diagnostics.makeAsyncIterator()
    value.value = Refusing(isRefused: true)
    value.value = Refusing(isRefused: false)
    #expect(await diagnostics.next()?.kind == .writeFailed, "the error is not lost")
    #expect(failures.isEmpty && value.failure == nil)
    try await value.waitUntilStored()
    #expect(store.contains("refused"))
  }

  @Test func anUnencodableValueFailsWhileAnEarlierOneIsWritten() async throws {
    let value = store.observable(.refused)
    faults.pause(.rename)
    value.value = Refusing(isRefused: false)
    try await faults.reached(.rename)
    await expectError(GlobalDataError.self) { try await value.set(Refusing(isRefused: true)) }
    #expect((value.failure as? GlobalDataError)?.code == .encodingFailed)
    let waiting = Task { try await value.waitUntilStored() }
    await Task.yield()
    faults.resume()
    await expectError(GlobalDataError.self) { try await waiting.value }
    try await value.set(Refusing(isRefused: false))
    #expect(value.failure == nil && store.contains("refused"))
    try await value.waitUntilStored()
  }

  @Test func aReplacedInstanceMayReadTheValueWhenItIsReleased() async throws {
    let store = GlobalData.inMemory()
    let value = store.observable(.leaving)
    let seen = SeenNumbers()
    let look: @MainActor @Sendable () -> Void = { seen.numbers.insert(value.value.id) }
    value.value = Leaving(id: 1, onRelease: look)
    value.value = Leaving(id: 2, onRelease: look)
    #expect(seen.numbers == [2])
    try await store.set(Leaving(id: 3), for: .leaving)
    while value.value.id != 3 { await Task.yield() }
    #expect(seen.numbers == [2, 3])
  }

  @Test func aReplacedElementMayReadTheElementsWhenItIsReleased() async throws {
    let cars = GlobalData.inMemory().collection(of: Leaving.self)
    try await cars.insert([Leaving(id: 1), Leaving(id: 2)])
    let observed = GlobalData.observable(cars)
    #expect(observed.elements.map(\.id) == [1, 2])
    var seen: Set<[Int]> = []
    Leaving.onReleaseOfElement = { seen.insert(observed.elements.map(\.id)) }
    defer { Leaving.onReleaseOfElement = nil }
    try await cars.delete(1)
    while observed.elements.count != 1 { await Task.yield() }
    #expect(seen.contains([2]))
  }

  @Test func settingNilRemovesTheValue() async throws {
    let store = GlobalData.inMemory()
    let nickname = store.observable(.nickname)
    try await nickname.set("Jo")
    #expect(store.contains("nickname"))
    nickname.value = nil
    #expect(nickname.value == nil)
    try await nickname.set(nil)
    #expect(!store.contains("nickname"))
  }

  @Test func settingNilShowsTheDefaultLikeEveryReader() async throws {
    let store = GlobalData.inMemory()
    let limit = store.observable(.limit)
    try await limit.set(7)
    limit.value = nil
    #expect(limit.value == 3)
    try await limit.waitUntilStored()
    #expect(limit.value == 3 && store[.limit] == 3 && !store.contains(.limit))
    try await limit.set(nil)
    #expect(limit.value == 3 && store.observable(.limit).value == 3)
  }

  @Test func aWriteCompletesAfterItsObjectIsReleased() async throws {
    faults.pause(.create)
    var text: ObservableValue<String>? = store.observable(.text)
    text?.value = "kept"
    text = nil
    try await faults.reached(.create)
    faults.resume()
    while store[.text] != "kept" { await Task.yield() }
    while !store.observers.isEmpty { await Task.yield() }
    #expect(GlobalData(at: url, system: POSIXSystemCalls())[.text] == "kept")
  }

  @Test func closingTheStoreWritesPendingValues() async throws {
    let text = store.observable(.text)
    text.value = "a"
    text.value = "last"
    try await store.close()
    #expect(faults.openFileCount == 0)
    #expect(GlobalData(at: url, system: POSIXSystemCalls())[.text] == "last")
    #expect(text.value == "last")
  }

  @Test func aStoreThatIsClosedDuringAWriteStaysClosed() async throws {
    let text = store.observable(.text)
    text.value = "last"
    try await store.close()
    try await text.waitUntilStored()
    #expect(text.value == "last")
    #expect(store.state == .notOpened)
  }

  @Test func aValueSetBeforeAClearDoesNotReappear() async throws {
    let text = store.observable(.text)
    faults.pause(.rename)
    text.value = "a"
    try await faults.reached(.rename)
    text.value = "secret"
    // Runs when the clear waits, after it was queued.
    Task { faults.resume() }
    try await store.clear()
    while text.value != "" { await Task.yield() }
    try await text.waitUntilStored()
    #expect(store[.text] == "")
    #expect(text.value == "")
  }

  @Test func allObjectsOfOneKeyAgreeImmediately() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store")
      let first = GlobalData(at: url).observable(.text)
      // Another store at the same path.
      let second = GlobalData(at: url).observable(.text)
      let elsewhere = GlobalData.inMemory().observable(.text)
      first.value = "new"
      #expect(second.value == "new")
      #expect(elsewhere.value == "")
      second.value = "newer"
      #expect(first.value == "newer")
      try await first.waitUntilStored()
    }
  }

  /// `MenuBarExtra` sets the value that it shows each time it is updated, and would be updated without end.
  @Test func settingANumberOrATextAgainUpdatesNoView() async throws {
    let text = store.observable(.text)
    let updates = Locked(0)
    text.value = "a"
    follow(text, updates)
    text.value = "a"
    try await text.waitUntilStored()
    text.value = "a"
    #expect(updates.withLock { $0 } == 0)
    text.value = "b"
    #expect(updates.withLock { $0 } == 1)
    try await text.waitUntilStored()

    // The value that a failed write shows again is not the one that was set last.
    faults.fail(.write, with: .noSpace)
    text.value = "c"
    await #expect(throws: GlobalDataError.self) { try await text.waitUntilStored() }
    follow(text, updates)
    text.value = "c"
    #expect(text.value == "c" && updates.withLock { $0 } == 2)
    try await text.waitUntilStored()
    #expect(store[.text] == "c")
  }

  private func follow(_ text: ObservableValue<String>, _ updates: Locked<Int>) {
    withObservationTracking {
      _ = (text.value, text.failure == nil)
    } onChange: {
      updates.withLock { $0 += 1 }
    }
  }

  @Test func theWritesOfAnotherProcessShow() async throws {
    let text = store.observable(.text)
    #expect(text.value == "before")
    try await GlobalData(at: url, system: POSIXSystemCalls()).set("elsewhere", for: .text)
    try await store.refresh()
    while text.value != "elsewhere" { await Task.yield() }
  }

  @Test func changesThatWaitForTheMainActorAreHandledOnce() async throws {
    let store = GlobalData.inMemory()
    let text = store.observable(.text)
    try await store.set("new", for: .text)
    while text.value != "new" { await Task.yield() }
    let changes = FollowedChanges()
    changes.follow(text)
    // The main actor is busy until here.
    for _ in 0..<1000 { store.observers.notify(GlobalData.Change(keys: ["text"], origin: .otherProcess)) }
    while changes.count == 0 { await Task.yield() }
    try await text.set("newer")
    #expect(changes.count == 2)
  }

  @Test func aSetValueIsNotDecodedAgain() async throws {
    let store = GlobalData.inMemory()
    let counted = store.observable(.counted)
    let before = Counted.decoded.withLock { $0 }  // The default may have been decoded before.
    for number in 1...100 {
      counted.value.number = number
      if number % 10 == 0 { try await counted.set(counted.value) }
    }
    #expect(counted.value.number == 100)
    #expect(Counted.decoded.withLock { $0 } == before)
    #expect(store[.counted].number == 100)
    #expect(Counted.decoded.withLock { $0 } == before + 1)
  }
}
