import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// A program can handle its stores' diagnostics itself, instead of the log.
@Suite struct DiagnosticHandlerTests {
  @TemporaryFolder private var folder

  /// The diagnostics that a handler received.
  private final class Record: Sendable {
    private let diagnostics = Locked<[GlobalData.Diagnostic]>([])

    var all: [GlobalData.Diagnostic] { diagnostics.withLock { $0 } }

    var configuration: GlobalData.Configuration {
      var configuration = GlobalData.Configuration()
      configuration.diagnosticHandler = { diagnostic in self.diagnostics.withLock { $0.append(diagnostic) } }
      return configuration
    }
  }

  private static let number = GlobalData.Key<Int>("number", default: 0)

  @Test func aHandlerReceivesEachDiagnosticOnceAndStreamsReceiveItToo() async throws {
    let record = Record()
    let store = GlobalData.inMemory(configuration: record.configuration)
    var stream = store.diagnostics.makeAsyncIterator()
    try await store.set("no number", forKey: "number")
    #expect(record.all.isEmpty)
    #expect(store[Self.number] == 0)
    #expect(store[Self.number] == 0)
    #expect(record.all.map(\.kind) == [.readFailed])
    #expect(record.all.first?.key == "number")
    #expect(record.all.first?.error?.code == .typeMismatch)
    #expect(await stream.next()?.kind == .readFailed)
  }

  @Test func aThousandFailedReadsAreReportedAndAStreamKeepsTheNewestHundred() async throws {
    let record = Record()
    let store = GlobalData.inMemory(configuration: record.configuration)
    var stream = store.diagnostics.makeAsyncIterator()
    let keys = (0..<1_001).map { GlobalData.Key("\($0)", default: 0) }
    try await store.update { data in
      for key in keys { try data.set("no number", forKey: key.name) }
    }
    for key in keys { #expect(store[key] == 0) }
    #expect(record.all.map(\.key) == (0..<1_000).map { "\($0)" })
    #expect(await stream.next()?.key == "900")
    for number in 0..<1_001 { store.engine.diagnostics.report(.concession, "concession \(number)") }
    #expect(record.all.count == 2_000)
    store.engine.diagnostics.report(.writeFailed, "a write failed")
    #expect(record.all.last?.kind == .writeFailed)
  }

  @Test func leftoverFilesThatCannotBeRemovedAreReportedAndTheStoreOpens() async throws {
    let record = Record()
    try await GlobalData(at: folder.file("store")).set(1, forKey: "number")
    try Data("left over".utf8).write(to: folder.file(".as-0123456789abcdef.tmp"))
    let faults = FaultInjector()
    faults.fail(.remove, with: StorageFailure(errorNumber: EIO))
    let store = GlobalData.faulty(at: folder.file("store"), faults, configuration: record.configuration)
    #expect(store[Self.number] == 1)
    #expect(record.all.map(\.kind) == [.leftovers])
    #expect(record.all.first?.error?.code == .removeFailed)
  }

  @MainActor @Test func eachFailedWriteIsReported() async throws {
    let record = Record()
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.file("store"), faults, configuration: record.configuration)
    let number = store.observable(Self.number)
    for attempt in 1...3 {
      faults.fail(.sync, with: StorageFailure(errorNumber: EIO))
      number.value = attempt
      await expectError(GlobalDataError.self) { try await number.waitUntilStored() }
      #expect(record.all.map(\.kind) == Array(repeating: .writeFailed, count: attempt))
      try await number.set(0)
    }
  }

  private struct Ticket: Codable, Sendable {
    /// An error that reads a setting to describe itself.
    private struct Refusal: Error, CustomStringConvertible {
      var description: String { "refused in hall \(GlobalData[DiagnosticHandlerTests.number])" }
    }

    var seat = 0

    init() {}

    init(from decoder: any Decoder) throws { throw Refusal() }
  }

  @Test func theDescriptionOfAnErrorMayReadAValueThatIsAlsoUnreadable() async throws {
    let record = Record()
    let store = GlobalData.inMemory(configuration: record.configuration)
    try await store.set("no number", forKey: "number")
    try await store.set("no ticket", forKey: "ticket")
    GlobalData.$replacement.withValue(store) {
      #expect(store[GlobalData.Key("ticket", default: Ticket())].seat == 0)
    }
    #expect(Set(record.all.map(\.key)) == ["number", "ticket"])
  }

  private struct Seat: Codable, Identifiable, Sendable {
    struct Place: Codable, Hashable, Sendable {
      var hall: String
      var row: Int
    }

    var id: Place
    var guest: String?
  }

  @Test func anUnevaluablePredicateIsNotReportedAsAnUnreadableValue() async throws {
    let record = Record()
    let store = GlobalData.inMemory(configuration: record.configuration)
    let seats = store.collection(of: Seat.self)
    try await seats.insert(Seat(id: Seat.Place(hall: "a", row: 1)))
    #expect(seats.filter(#Predicate { $0.guest!.isEmpty }).isEmpty)
    let diagnostic = try #require(record.all.first)
    #expect(diagnostic.key == store.allKeys.first)
    #expect(diagnostic.message.contains("the predicate of a query could not be evaluated"))
    #expect(!diagnostic.message.contains("could not be read"))
  }

  @Test func theFirstStoreOfAFileDecidesTheHandler() async throws {
    let url = folder.appending(path: "store")
    let (first, second) = (Record(), Record())
    let store = GlobalData(at: url, configuration: first.configuration)
    let same = GlobalData(at: url, configuration: second.configuration)
    #expect(first.all.isEmpty)
    try await store.set("no number", forKey: "number")
    #expect(same[Self.number] == 0)
    #expect(first.all.map(\.kind) == [.readFailed])
    #expect(second.all.isEmpty)

    // A store that requests the log gets the handler in effect, and a diagnostic says so.
    let other = GlobalData(at: url)
    #expect(other.engine === store.engine)
    #expect(other.configuration.diagnosticHandler != nil)
    #expect(first.all.map(\.kind) == [.readFailed, .configuration])
    #expect(first.all.last?.message.hasSuffix("in effect; it differs in diagnosticHandler") == true)
  }

  /// Diagnostics from reading the file are delivered once the store can be read.
  @Test(.timeLimit(.minutes(20))) func aHandlerMayReadTheStore() async throws {
    let url = folder.appending(path: "store")
    let writer = GlobalData(at: url)
    try await writer.set("kept", forKey: "a")
    try await writer.set(String(repeating: "lost", count: 20), forKey: "b")
    try await writer.close()
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count - 50] ^= 0xff
    try bytes.write(to: url)

    let store = Locked<GlobalData?>(nil)
    let seen = Locked<[[String]]>([])
    var configuration = GlobalData.Configuration()
    configuration.diagnosticHandler = { _ in
      guard let store = store.withLock({ $0 }) else { return }
      seen.withLock { $0.append(store.allKeys) }
    }
    let damaged = GlobalData(at: url, configuration: configuration, system: FaultySystemCalls())
    store.withLock { $0 = damaged }
    #expect(try damaged.object(String.self, forKey: "a") == "kept")
    store.withLock { $0 = nil }
    #expect(seen.withLock { $0 } == [["a"]])
  }

  @Test func storesOfDifferentFilesHaveTheirOwnHandlers() async throws {
    let (first, second) = (Record(), Record())
    let store = GlobalData(at: folder.appending(path: "first"), configuration: first.configuration)
    let other = GlobalData(at: folder.appending(path: "second"), configuration: second.configuration)
    try await other.set("no number", forKey: "number")
    #expect(store[Self.number] == 0)
    #expect(other[Self.number] == 0)
    #expect(first.all.isEmpty)
    #expect(second.all.map(\.kind) == [.readFailed])
  }

  @Test func aKindIsDescribedByItsName() {
    let kinds: [GlobalData.Diagnostic.Kind] = [
      .readFailed, .recovered, .olderCopy, .otherStore, .concession, .keyClash, .configuration, .leftovers,
      .compactionFailed,
    ]
    #expect(
      kinds.map { "\($0)" } == [
        "readFailed", "recovered", "olderCopy", "otherStore", "concession", "keyClash", "configuration", "leftovers",
        "compactionFailed",
      ])
  }

  #if compiler(>=6.1)
  private static let record = Record()

  @Test(.inMemoryStore(configuration: record.configuration)) func storesOfTheTraitHaveAHandler() async throws {
    try await GlobalData.set("no number", forKey: "number")
    #expect(GlobalData[Self.number] == 0)
    #expect(Self.record.all.map(\.kind) == [.readFailed])
  }
  #endif
}
