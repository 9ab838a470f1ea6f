import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

@Suite struct AppendingTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.file("store") }

  private static var configuration: GlobalData.Configuration {
    .with { $0.persistence = .appending }
  }

  /// A store that shares nothing with others, as in another process.
  private func store(_ url: URL, _ configuration: GlobalData.Configuration = configuration) -> GlobalData {
    GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
  }

  private func fileNumber(_ url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int
  }

  @Test func aLargeChangeIsWrittenAlthoughTheFileWasJustRemoved() async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: Self.configuration, system: system)
    try await store.set("old", forKey: "a")
    let text = String(repeating: "x", count: 2 * AppendPolicy.roomLength)
    let removal = FaultySystemCalls.Fault.interlude {
      do { try FileManager.default.removeItem(at: url) } catch { Issue.record(error) }
    }
    system.fail(.fstatat, nth: 1, removal)
    try await store.set(text, forKey: "b")
    #expect(try store.texts() == ["b": text])
    #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == ["b": text])
  }

  @Test func aChangeIsAppendedAndReadByANewStore() async throws {
    let store = store(url)
    try await store.set("one", forKey: "a")
    let before = try Data(contentsOf: url)
    let number = try fileNumber(url)
    try await store.set("two", forKey: "b")
    try await store.removeObject(forKey: "a")
    try await store.update { data in
      try data.set("three", forKey: "c")
      try data.set("new", forKey: "b")
    }
    let after = try Data(contentsOf: url)
    #expect(after.starts(with: before), "what was written stays where it is")
    #expect(try fileNumber(url) == number)
    #expect(after.count % AppendPolicy.roomLength == 0)
    #expect(try store.texts() == ["b": "new", "c": "three"])
    let other = self.store(url)
    #expect(try other.texts() == ["b": "new", "c": "three"])
    #expect(other.allKeys == ["b", "c"])
    #expect(other.stateOnceOpen == .ready)
    #expect(try GlobalData.check(fileAt: url).isIntact)
  }

  @Test(arguments: Durability.allCases, [0, 250_000])
  func aHalfFailedAppendLeavesTheFileUnchanged(durability: Durability, room: Int) async throws {
    let system = FaultySystemCalls()
    var configuration = Self.configuration
    configuration.durability = durability
    configuration.isShared = room > 0
    let store = GlobalData(at: url, configuration: configuration, system: system)
    try await store.set(Data(count: 400_000), forKey: "large")
    try await store.set("one", forKey: "a")
    let before = try Data(contentsOf: url) + Data(count: room)
    if room > 0 { try before.write(to: url) }
    system.recover()
    system.fail(.pwrite, nth: 1, .short(100_000))
    system.fail(.pwrite, nth: 2, .error(ENOSPC))
    // The third call erases what was written. If the file needs to be longer, the next one leaves out the room for
    // later changes, and then there is no space for the change either.
    system.fail(.pwrite, nth: 4, .error(ENOSPC))
    let error = try await requireError(GlobalDataError.self) {
      try await store.set(Data(repeating: 1, count: 300_000), forKey: "b")
    }
    #expect(error.code == .writeFailed && system.faults == (durability == .powerLoss && room == 0 ? 3 : 2))
    #expect(try Data(contentsOf: url) == before, "other changes need the space")
    let calls = system.records.map(\.call).filter { [.truncate, .fsync].contains($0) }
    #expect(calls.suffix(2) == [.truncate, .fsync], "the disk, too, has nothing of the change")
    system.recover()
    try await store.set("two", forKey: "a")
    #expect(try self.store(url).object(String.self, forKey: "a") == "two")
    #expect(!system.records.contains { $0.call == .renameat }, "there may be no space for another file")
  }

  @Test(arguments: [EACCES, EPERM, EROFS, ETXTBSY])
  func aFileThatMayNotBeWrittenInPlaceIsReplaced(number: Int32) async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: Self.configuration, system: system)
    try await store.set("old", forKey: "a")
    // The file is then opened for reading.
    system.fail(.error(number), times: 1) { $0.call == .openat && $0.name == "store" }
    try await store.set("new", forKey: "a")
    #expect(system.faults == 1 && system.count(of: .renameat) == 2)
    #expect(try self.store(url).texts() == ["a": "new"])
  }

  /// The bytes of a failed append that are not cut off, or only in memory, may become a part of the next one.
  @Test(arguments: [SystemCall.truncate, .fsync], [1, 2])
  func afterAnAppendThatCannotBeErasedTheFileIsRewritten(call: SystemCall, attempt: Int) async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: Self.configuration, system: system)
    try await store.set(String(repeating: "x", count: 400_000), forKey: "large")
    try await store.set("one", forKey: "a")
    let expected = try store.texts()
    system.recover()
    // Each attempt writes a part of the change, and then meets the end of the space. The second call after that
    // erases the part.
    for number in [1, 4] {
      system.fail(.pwrite, nth: number, .short(100_000))
      system.fail(.pwrite, nth: number + 1, .error(ENOSPC))
    }
    system.fail(call, nth: attempt, .error(EIO))
    let error = try await requireError(GlobalDataError.self) {
      try await store.set(String(repeating: "y", count: 300_000), forKey: "b")
    }
    #expect(error.code == .writeFailed)
    #expect(try self.store(url).texts() == expected)
    system.recover()
    try await store.set("two", forKey: "c")
    #expect(system.count(of: .renameat) == 1)
    let other = self.store(url)
    #expect(try other.texts() == expected.merging(["c": "two"]) { $1 })
    #expect(other.state == .ready)
  }

  @Test func onlyTheChangeIsWritten() async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: Self.configuration, system: system)
    try await store.update { data in
      for number in 0..<1000 { try data.set(String(repeating: "x", count: 200), forKey: "\(number)") }
    }
    try await store.set("fills the room", forKey: "0")
    system.recover()
    for number in 0..<10 { try await store.set("\(number)", forKey: "7") }
    let writes = system.records.filter { $0.call == .pwrite }
    #expect(writes.count == 10)
    #expect(writes.allSatisfy { $0.byteCount < 100 })
    #expect(system.count(of: .write) == 0 && system.count(of: .renameat) == 0)
    #expect(system.count(of: .fsync) == 10)
  }

  @Test func theFileNeverExceedsTwiceItsContentsAndAConstant() async throws {
    var configuration = Self.configuration
    configuration.durability = .processCrash
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: configuration, system: system)
    for round in 0..<400 {
      try await store.set(String(repeating: "\(round % 10)", count: 3000), forKey: "\(round % 7)")
      let live = try store.entries().map(\.size).reduce(0, +)
      let size = try Data(contentsOf: url).count
      #expect(size <= 2 * live + 2 * AppendPolicy.roomLength + 1000, "round \(round)")
    }
    try await store.close()
    let rewrites = system.count(of: .renameat)
    #expect((5...60).contains(rewrites), "\(rewrites)")
  }

  @Test func largeRemovedValuesDoNotStayInTheFile() async throws {
    let store = store(url)
    let large = String(repeating: "large", count: 100_000)
    for change in [{ $0.removeObject(forKey: "a") }, { try $0.set("small", forKey: "a") }] as [Change] {
      try await store.set(large, forKey: "a")
      try await store.update(change)
      #expect(try Data(contentsOf: url).count <= 2 * AppendPolicy.roomLength + 1000)
    }
    #expect(try self.store(url).texts() == ["a": "small"])
  }

  private typealias Change = @Sendable (inout GlobalData.Transaction) throws -> Void

  @Test(arguments: 0..<6) func appendingAndRewritingStoresHaveTheSameContents(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var configurations = [Self.configuration, Self.configuration, GlobalData.Configuration()]
    for index in configurations.indices { configurations[index].durability = .processCrash }
    // Two that append and one that rewrites write in turn, each as in its own process.
    let stores = configurations.map { store(url, $0) }
    var model: [(key: String, value: String)] = []
    for step in 0..<200 {
      let store = stores[Int.random(in: 0..<10, using: &random) == 0 ? 2 : random.below(2)]
      let key = "\(random.below(30))"
      let value = String(repeating: "\(step) ", count: random.below(4) == 0 ? 400 : 3)
      switch random.below(10) {
      case 0..<6:
        try await store.set(value, forKey: key)
        if let index = model.firstIndex(where: { $0.key == key }) {
          model[index].value = value
        } else {
          model.append((key, value))
        }
      case 6, 7:
        try await store.removeObject(forKey: key)
        model.removeAll { $0.key == key }
      case 8:
        try await store.clear(keeping: ["1", "2", "3"])
        model.removeAll { !["1", "2", "3"].contains($0.key) }
      default: try await store.close()
      }
      try await store.refresh()
      #expect(store.allKeys == model.map(\.key))
      let fresh = self.store(url)
      #expect(fresh.allKeys == model.map(\.key))
      #expect(try fresh.texts() == Dictionary(uniqueKeysWithValues: model.map { ($0.key, $0.value) }))
    }
  }

  @Test func clearedValuesAreNotInTheFile() async throws {
    let store = store(url)
    try await store.set("kept", forKey: "a")
    try await store.set("a secret", forKey: "b")
    try await store.clear(keeping: ["a"])
    #expect(try Data(contentsOf: url).firstRange(of: Data("a secret".utf8)) == nil)
    #expect(try store.texts() == ["a": "kept"])
  }

  @Test(arguments: GlobalData.Persistence.allCases, [false, true])
  func valuesRemovedBeforeAClearAreNotInTheFileAfterIt(
    persistence: GlobalData.Persistence, inUpdate: Bool
  ) async throws {
    let appending = store(url)
    try await appending.set("kept", forKey: "a")
    try await appending.set("a secret", forKey: "b")
    try await appending.removeObject(forKey: "b")
    #expect(try Data(contentsOf: url).firstRange(of: Data("a secret".utf8)) != nil)
    var configuration = Self.configuration
    configuration.persistence = persistence
    let store = store(url, configuration)
    if inUpdate {
      try await store.update { $0.clear(keeping: ["a"]) }
    } else {
      try await store.clear(keeping: ["a"])
    }
    #expect(try Data(contentsOf: url).firstRange(of: Data("a secret".utf8)) == nil)
    #expect(try store.texts() == ["a": "kept"])
    let number = try fileNumber(url)
    try await store.clear(keeping: ["a"])
    #expect(try fileNumber(url) == number, "there is nothing left to remove")
    try await appending.set("new", forKey: "c")
    #expect(try self.store(url).texts() == ["a": "kept", "c": "new"])
  }

  // MARK: Incomplete changes

  /// A file with three changes, and the offsets where they begin and end.
  private func appendedFile(_ url: URL, values: [String] = ["one", "two", "three"]) async throws -> [Int] {
    var places: [Int] = []
    func end() throws -> Int {
      let bytes = try Data(contentsOf: url)
      return try #require(try ArchiveImage.parse(bytes).appendPoint).offset
    }
    let store = store(url)
    try await store.set("zero", forKey: "zero")
    places.append(try end())
    for (number, value) in values.enumerated() {
      try await store.set(value, forKey: "\(number)")
      places.append(try end())
    }
    return places
  }

  @Test func aTruncatedChangeIsIgnored() async throws {
    let places = try await appendedFile(url)
    let bytes = try Data(contentsOf: url)
    for length in places[2]..<places[3] {
      for room in [0, 100, AppendPolicy.roomLength] {
        // With a part of its end, the change is complete except for damage; see the next test.
        guard room == 0 || length <= places[3] - ArchiveChange.end.count else { continue }
        try (bytes.prefix(length) + Data(count: room)).write(to: url)
        let store = store(url)
        #expect(try store.texts() == ["zero": "zero", "0": "one", "1": "two"], "\(length) bytes and \(room)")
        #expect(store.stateOnceOpen == .ready && store.recoveryOnceOpen == nil, "\(length) bytes and \(room)")
        try await store.set("next", forKey: "next")
        #expect(try self.store(url).texts() == ["zero": "zero", "0": "one", "1": "two", "next": "next"])
      }
    }
  }

  /// Its checksum shows that the change is complete, so a byte or two of zeros must not lose acknowledged data.
  @Test func aChangeWithoutAPartOfItsEndIsDamagedButRead() async throws {
    let places = try await appendedFile(url)
    let bytes = try Data(contentsOf: url)
    for length in places[3] - ArchiveChange.end.count + 1..<places[3] {
      try (bytes.prefix(length) + Data(count: 100)).write(to: url)
      let store = store(url)
      #expect(try store.texts() == ["zero": "zero", "0": "one", "1": "two", "2": "three"], "\(length) bytes")
      #expect(store.stateOnceOpen == .damaged, "\(length) bytes")
    }
  }

  @Test func aChangeWithAnUnwrittenSectorIsIgnored() async throws {
    let long = String(repeating: "0123456789", count: 300)
    let places = try await appendedFile(url, values: ["one", "two", long])
    let bytes = try Data(contentsOf: url)
    var start = places[2]
    while start < places[3] {
      let end = min((start / 512 + 1) * 512, places[3])
      var torn = bytes
      torn.replaceSubrange(start..<end, with: Data(count: end - start))
      try torn.write(to: url)
      let store = store(url)
      #expect(try store.texts() == ["zero": "zero", "0": "one", "1": "two"], "without the sector at \(start)")
      #expect(store.recoveryOnceOpen == nil)
      start = end
    }
  }

  // MARK: Damage

  /// Each byte of the changes in turn: acknowledged values are there or reported as lost, and never changed.
  @Test func damageToAnyByteAffectsOnlyItsEntryAndIsReported() async throws {
    let places = try await appendedFile(url)
    let bytes = try Data(contentsOf: url)
    let whole = ["zero": "zero", "0": "one", "1": "two", "2": "three"]
    for place in places[0]..<places[3] {
      var damaged = bytes
      damaged[place] ^= 0x10
      try damaged.write(to: url)
      let store = store(url)
      let texts = try store.texts()
      #expect(texts.allSatisfy { whole[$0.key] == $0.value }, "byte \(place)")
      #expect(texts.count >= 3, "byte \(place): \(texts.keys.sorted())")
      #expect(store.recoveryOnceOpen != nil, "byte \(place)")
      #expect(store.stateOnceOpen == .damaged)
    }
  }

  /// Damage to the archive before the changes leaves the changes.
  @Test func damageToTheArchiveLeavesTheChanges() async throws {
    let places = try await appendedFile(url)
    let bytes = try Data(contentsOf: url)
    // After the part that identifies the file.
    for place in 37..<places[0] {
      var damaged = bytes
      damaged[place] ^= 0x10
      try damaged.write(to: url)
      let store = store(url)
      let texts = try store.texts()
      #expect(texts["0"] == "one" && texts["1"] == "two" && texts["2"] == "three", "byte \(place)")
      #expect(store.recoveryOnceOpen != nil, "byte \(place)")
      #expect(store.engine.memory.knownContents?.appendPoint == nil, "a compaction relies on this")
      try await store.set("next", forKey: "next")
      #expect(try self.store(url).texts() == texts.merging(["next": "next"]) { $1 })
      try FileManager.default.removeItem(at: try #require(store.recoveryOnceOpen?.setAsideURL))
    }
  }

  /// The damage begins in one change and ends in the next, which is then read as a part of the first.
  @Test func aValueBeforeALongDamageMayBeOutdated() async throws {
    let store = store(url)
    try await store.set("zero", forKey: "zero")
    let start = try #require(store.engine.memory.knownContents?.appendPoint).offset
    for (value, other) in [("earlier", "before"), ("later", "after")] {
      try await store.update { data in
        try data.set(value, forKey: "a")
        try data.set(other, forKey: value == "earlier" ? "b" : "c")
      }
    }
    var bytes = try Data(contentsOf: url)
    let first = try #require(bytes.range(of: Data("before".utf8))).lowerBound
    let last = try #require(bytes.range(of: Data("later".utf8))).upperBound
    // The head of the first change, too, so that its length is unknown.
    for place in [start + 2, start + 3] + (first..<last) { bytes[place] = 0xa5 }
    try bytes.write(to: url)
    let fresh = self.store(url)
    #expect(try fresh.texts() == ["zero": "zero", "a": "earlier", "c": "after"])
    #expect(fresh.recovery?.outdatedKeys.contains("a") == true)
  }

  @Test func laterSetsAndRemovalsAreNotLost() async throws {
    let store = store(url)
    try await store.update { data in
      for key in ["a", "b", "c", "d"] { try data.set("first \(key)", forKey: key) }
    }
    try await store.set("second a", forKey: "a")
    try await store.removeObject(forKey: "b")
    var bytes = try Data(contentsOf: url)
    for text in ["first a", "first b", "first c"] {
      bytes[try #require(bytes.firstRange(of: Data(text.utf8))).lowerBound] ^= 1
    }
    try bytes.write(to: url)
    let recovery = try #require(self.store(url).recoveryOnceOpen)
    #expect(recovery.problems.count == 3)
    #expect(Set(recovery.keptKeys) == ["a", "d"])
    #expect(recovery.lostKeys == ["c"])
    #expect(recovery.lostEntryCount == 1)
  }

  @Test func aChangeOfAnotherStoreIsDamage() async throws {
    let places = try await appendedFile(folder.file("one"))
    let others = try await appendedFile(folder.file("two"))
    let bytes = try Data(contentsOf: folder.file("one")).prefix(places[1])
    let foreign = try Data(contentsOf: folder.file("two"))[others[1]..<others[2]]
    try (bytes + foreign).write(to: folder.file("one"))
    let store = store(folder.file("one"))
    #expect(try store.texts() == ["zero": "zero", "0": "one", "1": "two"], "the entry is intact by itself")
    #expect(store.stateOnceOpen == .damaged)
    // One of the store's own changes is missing.
    let own = try Data(contentsOf: folder.file("two"))
    try (own.prefix(others[1]) + own[others[2]..<others[3]]).write(to: folder.file("two"))
    let other = self.store(folder.file("two"))
    #expect(other.stateOnceOpen == .damaged)
    #expect(try other.texts()["0"] == "one")
  }
}
