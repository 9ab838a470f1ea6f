import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// Appended changes that may not be on the disk yet, and the changes after them.
@Suite struct UnsyncedChangesTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.file("store") }

  private static var configuration: GlobalData.Configuration {
    .with { $0.persistence = .appending }
  }

  private static var ordered: GlobalData.Configuration {
    var configuration = configuration
    configuration.durability = .ordered
    return configuration
  }

  /// A store that shares nothing with others, as in another process.
  private func store(_ url: URL, _ configuration: GlobalData.Configuration = configuration) -> GlobalData {
    GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
  }

  private static let long = String(repeating: "0123456789", count: 100)

  /// Each of these calls finds no file. After a power cut, the values that it should have removed could be back.
  @Test(arguments: [
    WriteCall.Kind.remove, .setNothing, .reset, .clear, .clearKeeping, .delete, .deleteWhere, .deleteAll,
  ])
  func aRemovalSyncsTheRemovalByAnotherStore(kind: WriteCall.Kind) async throws {
    let other = store(url, Self.ordered)
    try await other.set("a", forKey: "a")
    try await other.clear()
    let system = FaultySystemCalls()
    let durable = GlobalData(at: url, configuration: Self.configuration, system: system)
    _ = try await WriteCall(kind: kind, text: "").make(in: durable)
    #expect(system.records.contains { $0.call == .fsync && $0.isFolder && $0.name == folder.path })
  }

  @Test func orderedChangesAreSyncedOnceForEach64KiB() async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: Self.ordered, system: system)
    try await store.set(String(repeating: "x", count: 300_000), forKey: "large")
    system.recover()
    for number in 0..<200 { try await store.set("\(number)" + Self.long, forKey: "\(number % 10)") }
    #expect(system.count(of: .pwrite) == 200)
    let length = try Data(contentsOf: url).count - 300_000
    #expect(system.count(of: .fsync) == length / AppendPolicy.roomLength)
    let fresh = self.store(url)
    #expect(fresh.stateOnceOpen == .ready)
    #expect(try fresh.texts()["9"] == "199" + Self.long)
  }

  /// A store with an archive of one entry and four changes of a thousand bytes, and the offsets where they begin and
  /// end. Those from the given one on are not synced.
  private func unsyncedFile(_ url: URL, from first: Int = 0) async throws -> [Int] {
    var places: [Int] = []
    let (synced, unsynced) = (store(url), store(url, Self.ordered))
    for number in -1..<4 {
      let store = number < first ? synced : unsynced
      try await store.set("\(number)" + Self.long, forKey: "\(number)")
      let image = try ArchiveImage.parse(Data(contentsOf: url))
      places.append(try #require(image.appendPoint).offset)
    }
    return places
  }

  /// A store with full durability for such a file, and its calls.
  private func storeThatFindsUnsyncedChanges(_ url: URL) async throws -> (GlobalData, FaultySystemCalls) {
    _ = try await unsyncedFile(url)
    let system = FaultySystemCalls()
    return (GlobalData(at: url, configuration: Self.configuration, system: system), system)
  }

  private func texts(until count: Int) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (-1..<count).map { ("\($0)", "\($0)" + Self.long) })
  }

  @Test func aLostSectorOfUnsyncedChangesLeavesAnEarlierState() async throws {
    let places = try await unsyncedFile(url)
    let bytes = try Data(contentsOf: url)
    for number in 0..<4 {
      for sector in places[number] / 512...(places[number + 1] - 1) / 512 {
        let start = max(sector * 512, places[number])
        let end = min((sector + 1) * 512, bytes.count)
        var torn = bytes
        torn.replaceSubrange(start..<end, with: Data(count: end - start))
        try torn.write(to: url)
        let store = store(url, Self.ordered)
        #expect(try store.texts() == texts(until: number), "without the sector at \(start)")
        #expect(store.stateOnceOpen == .ready && store.recoveryOnceOpen == nil)
        try await store.set("next", forKey: "next")
        #expect(try self.store(url).texts() == texts(until: number).merging(["next": "next"]) { $1 })
      }
    }
  }

  /// A power cut cannot explain that synced bytes are missing, even if unsynced changes follow.
  @Test func aLostSectorOfASyncedChangeIsDamage() async throws {
    let places = try await unsyncedFile(url, from: 2)
    var bytes = try Data(contentsOf: url)
    let sector = (places[0] / 512 + 1) * 512
    bytes.replaceSubrange(sector..<sector + 512, with: Data(count: 512))
    try bytes.write(to: url)
    let store = store(url)
    #expect(store.stateOnceOpen == .damaged)
    let problems = try #require(store.recoveryOnceOpen).problems
    #expect(problems.count == 1 && store.recoveryOnceOpen?.keptKeys.contains("3") == true)
  }

  /// The same for a change that was written after this store was opened.
  @Test func anUnchangingWriteSyncsTheLaterWritesOfAnotherStore() async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: Self.configuration, system: system)
    try await store.set("zero", forKey: "zero")
    try await store.set("one", forKey: "zero")
    let other = self.store(url, Self.ordered)
    for number in 0..<3 { try await other.set("\(number)", forKey: "other") }
    system.recover()
    try await store.set("2", forKey: "other")
    #expect(system.count(of: .pwrite) == 0 && system.count(of: .write) == 0)
    #expect(system.count(of: .fsync) == 1)
    try await store.set("2", forKey: "other")
    #expect(system.count(of: .fsync) == 1)
  }

  /// A file that was found may keep its name only until a power cut: the process that gave it the name may not have
  /// synced it, or was killed before.
  @Test func theNameOfAFoundFileIsSyncedOnce() async throws {
    let (store, system) = try await storeThatFindsUnsyncedChanges(folder.file("store"))
    for number in 0..<3 {
      try await store.set("\(number)", forKey: "found")
      #expect(system.count(of: .pwrite) == number + 1)
      #expect(system.count(of: .fsync, onFolder: true) == 1)
    }
    let last = try #require(system.records.lastIndex { $0.call == .fsync && $0.isFolder })
    #expect(system.records[..<last].contains { $0.call == .fsync && !$0.isFolder }, "the bytes come before the name")
  }

  /// An existing value is promised, too, even if another writer has not synced it.
  @Test func anUnchangingWriteSyncsTheFileThatWasFound() async throws {
    let (store, system) = try await storeThatFindsUnsyncedChanges(url)
    for _ in 0..<2 {
      try await store.set("3" + Self.long, forKey: "3")
      #expect(system.count(of: .fsync) == 1 && system.count(of: .pwrite) == 0)
      #expect(system.count(of: .fsync, onFolder: true) == 1)
    }
    let other = GlobalData(at: url, configuration: Self.configuration, system: system)
    system.fail(.fsync, .error(EIO))
    let error = try await requireError(GlobalDataError.self) { try await other.set("3" + Self.long, forKey: "3") }
    #expect(error.code == .durabilityUnknown)
    #expect(try other.texts() == texts(until: 4))
  }

  /// The bytes of a file without changes are synced before it gets its name, but perhaps not the name.
  @Test func anUnchangingWriteSyncsTheNameOfAFoundFile() async throws {
    try await self.store(folder.file("store"), Self.ordered).set("found", forKey: "a")
    let system = FaultySystemCalls()
    let store = GlobalData(at: folder.file("store"), configuration: Self.configuration, system: system)
    for _ in 0..<2 {
      try await store.set("found", forKey: "a")
      #expect(system.count(of: .fsync, onFolder: true) == 1)
    }
  }

  /// Numbers contain zero bytes, like unwritten sectors.
  @Test func aFlippedBitAmongZerosIsDamage() async throws {
    let store = store(url)
    try await store.set("zero", forKey: "zero")
    try await store.set([Int](repeating: 1, count: 500), forKey: "numbers")
    let whole = try Data(contentsOf: url)
    let place = try #require(whole.range(of: Data([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]))).lowerBound
    for offset in stride(from: place, to: place + 3900, by: 37) {
      var bytes = whole
      bytes[offset] ^= 0x40
      try bytes.write(to: url)
      let damaged = self.store(url)
      #expect(damaged.stateOnceOpen == .damaged, "byte \(offset)")
      #expect(damaged.recoveryOnceOpen?.lostKeys == ["numbers"], "byte \(offset)")
    }
  }

  @Test func damageToUnsyncedChangesIsReported() async throws {
    let places = try await unsyncedFile(url)
    let bytes = try Data(contentsOf: url)
    for place in stride(from: places[0], to: places[4], by: 7) {
      var damaged = bytes
      damaged[place] ^= 0x10
      try damaged.write(to: url)
      let store = store(url)
      let texts = try store.texts()
      #expect(store.recoveryOnceOpen != nil, "byte \(place)")
      #expect(texts.count >= 4 && texts.allSatisfy { self.texts(until: 4)[$0.key] == $0.value }, "byte \(place)")
    }
  }

  /// A reader does not know whether the last change was synced.
  @Test func aFoundFileIsSyncedBeforeTheFirstSyncedChange() async throws {
    let (store, system) = try await storeThatFindsUnsyncedChanges(url)
    for number in 0..<3 {
      try await store.set("\(number)", forKey: "synced")
      let image = try ArchiveImage.parse(Data(contentsOf: url))
      let point = try #require(image.appendPoint)
      #expect(point.offset - point.syncedLength < 100, "all before the last change")
      #expect(system.count(of: .fsync) == number + 2)
    }
    #expect(try self.store(url).texts() == texts(until: 4).merging(["synced": "2"]) { $1 })
  }
}
