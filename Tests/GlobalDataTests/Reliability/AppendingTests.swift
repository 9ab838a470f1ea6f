import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

@Suite struct AppendingTests {
  private static var configuration: GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.persistence = .appending
    return configuration
  }

  /// A store that shares nothing with others, as if it were in a process of its own.
  private func store(_ url: URL, _ configuration: GlobalData.Configuration = configuration) -> GlobalData {
    GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
  }

  private func fileNumber(_ url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int
  }

  @Test func aChangeIsAppendedAndReadByANewStore() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
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
      #expect(after.count % ArchiveFile.roomLength == 0)
      #expect(try store.texts() == ["b": "new", "c": "three"])
      let other = self.store(url)
      #expect(try other.texts() == ["b": "new", "c": "three"])
      #expect(other.allKeys == ["b", "c"])
      #expect(other.state == .ready)
      #expect(try GlobalData.check(fileAt: url).isIntact)
    }
  }

  @Test func onlyTheChangeIsWritten() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
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
  }

  @Test func theFileNeverTakesMoreThanTwiceWhatItHoldsAndAConstant() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      var configuration = Self.configuration
      configuration.durability = .processCrash
      let store = store(url, configuration)
      var rewrites = 0
      var number = try? fileNumber(url)
      for round in 0..<400 {
        try await store.set(String(repeating: "\(round % 10)", count: 3000), forKey: "\(round % 7)")
        let live = try store.entries().map(\.size).reduce(0, +)
        let size = try Data(contentsOf: url).count
        #expect(size <= 2 * live + 2 * ArchiveFile.roomLength + 1000, "round \(round)")
        if try fileNumber(url) != number { rewrites += 1 }
        number = try fileNumber(url)
      }
      #expect((5...60).contains(rewrites), "\(rewrites)")
    }
  }

  @Test func whatIsLargeAndGoneDoesNotStayInTheFile() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let store = store(url)
      let large = String(repeating: "large", count: 100_000)
      for change in [{ $0.removeObject(forKey: "a") }, { try $0.set("small", forKey: "a") }] as [Change] {
        try await store.set(large, forKey: "a")
        try await store.update(change)
        #expect(try Data(contentsOf: url).count <= 2 * ArchiveFile.roomLength + 1000)
      }
      #expect(try self.store(url).texts() == ["a": "small"])
    }
  }

  private typealias Change = @Sendable (inout GlobalData.Transaction) throws -> Void

  @Test(arguments: 0..<6) func aStoreThatAppendsHoldsWhatAStoreThatRewritesHolds(seed: UInt64) async throws {
    try await withTemporaryDirectory { folder in
      var random = SeededGenerator(seed: seed)
      let url = folder.file("store")
      var configurations = [Self.configuration, Self.configuration, GlobalData.Configuration()]
      for index in configurations.indices { configurations[index].durability = .processCrash }
      // Two that append and one that rewrites, each as if in a process of its own, in turn.
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
  }

  @Test func whatIsClearedIsNotInTheFile() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let store = store(url)
      try await store.set("kept", forKey: "a")
      try await store.set("a secret", forKey: "b")
      try await store.clear(keeping: ["a"])
      #expect(try Data(contentsOf: url).firstRange(of: Data("a secret".utf8)) == nil)
      #expect(try store.texts() == ["a": "kept"])
    }
  }

  // MARK: Changes that were not written to their ends

  /// A file with three changes, and the places where they begin and end.
  private func appendedFile(_ url: URL, values: [String] = ["one", "two", "three"]) async throws -> [Int] {
    var places: [Int] = []
    func end() throws -> Int {
      let bytes = try Data(contentsOf: url)
      return try #require(try ArchiveImage.parse(bytes, limits: ArchiveLimits()).appendPoint).offset
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

  @Test func aChangeThatIsCutOffAnywhereCountsForNothing() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let places = try await appendedFile(url)
      let bytes = try Data(contentsOf: url)
      for length in places[2]..<places[3] {
        for room in [0, 100, ArchiveFile.roomLength] {
          // Of a file with room, a disk leaves whole sectors; a file without is as long as what was written.
          guard room == 0 || length == places[2] else { continue }
          try (bytes.prefix(length) + Data(count: room)).write(to: url)
          let store = store(url)
          #expect(try store.texts() == ["zero": "zero", "0": "one", "1": "two"], "\(length) bytes and \(room)")
          #expect(store.state == .ready && store.recovery == nil, "\(length) bytes and \(room)")
          try await store.set("next", forKey: "next")
          #expect(try self.store(url).texts() == ["zero": "zero", "0": "one", "1": "two", "next": "next"])
        }
      }
    }
  }

  @Test func aChangeOfWhichASectorWasNotWrittenCountsForNothing() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
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
        #expect(store.recovery == nil)
        start = end
      }
    }
  }

  // MARK: Changes that were not synced

  private static var ordered: GlobalData.Configuration {
    var configuration = configuration
    configuration.durability = .ordered
    return configuration
  }

  private static let long = String(repeating: "0123456789", count: 100)

  @Test func orderedChangesAreSyncedOnceForEach64KiB() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let system = FaultySystemCalls()
      let store = GlobalData(at: url, configuration: Self.ordered, system: system)
      try await store.set(String(repeating: "x", count: 300_000), forKey: "large")
      system.recover()
      for number in 0..<200 { try await store.set("\(number)" + Self.long, forKey: "\(number % 10)") }
      #expect(system.count(of: .pwrite) == 200)
      let length = try Data(contentsOf: url).count - 300_000
      #expect(system.count(of: .fsync) == length / ArchiveFile.roomLength)
      let fresh = self.store(url)
      #expect(fresh.state == .ready)
      #expect(try fresh.texts()["9"] == "199" + Self.long)
    }
  }

  /// A store with an archive of one entry and four changes of a thousand bytes, and the places where they begin and end. Those from
  /// the given one on are not synced.
  private func unsyncedFile(_ url: URL, from first: Int = 0) async throws -> [Int] {
    var places: [Int] = []
    let (synced, unsynced) = (store(url), store(url, Self.ordered))
    for number in -1..<4 {
      let store = number < first ? synced : unsynced
      try await store.set("\(number)" + Self.long, forKey: "\(number)")
      let image = try ArchiveImage.parse(Data(contentsOf: url), limits: ArchiveLimits())
      places.append(try #require(image.appendPoint).offset)
    }
    return places
  }

  private func texts(until count: Int) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (-1..<count).map { ("\($0)", "\($0)" + Self.long) })
  }

  @Test func whatALostSectorOfUnsyncedChangesLeavesIsAnEarlierState() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
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
          #expect(store.state == .ready && store.recovery == nil)
          try await store.set("next", forKey: "next")
          #expect(try self.store(url).texts() == texts(until: number).merging(["next": "next"]) { $1 })
        }
      }
    }
  }

  /// What was synced cannot be missing because of a power cut, also where changes follow that were not.
  @Test func aLostSectorOfASyncedChangeIsDamage() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let places = try await unsyncedFile(url, from: 2)
      var bytes = try Data(contentsOf: url)
      let sector = (places[0] / 512 + 1) * 512
      bytes.replaceSubrange(sector..<sector + 512, with: Data(count: 512))
      try bytes.write(to: url)
      let store = store(url)
      #expect(store.state == .damaged)
      let problems = try #require(store.recovery).problems
      #expect(problems.count == 1 && store.recovery?.keptKeys.contains("3") == true)
    }
  }

  /// The same, where it was written after this store was opened.
  @Test func aWriteThatChangesNothingSyncsWhatAnotherHasWrittenSince() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
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
  }

  /// What is written already is promised as well, also if another writer has not synced it.
  @Test func aWriteThatChangesNothingSyncsWhatWasFound() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      _ = try await unsyncedFile(url)
      let system = FaultySystemCalls()
      let store = GlobalData(at: url, configuration: Self.configuration, system: system)
      for _ in 0..<2 {
        try await store.set("3" + Self.long, forKey: "3")
        #expect(system.count(of: .fsync) == 1 && system.count(of: .pwrite) == 0)
      }
      let other = GlobalData(at: url, configuration: Self.configuration, system: system)
      system.fail(.fsync, .error(EIO))
      let error = try await requireError(GlobalDataError.self) { try await other.set("3" + Self.long, forKey: "3") }
      #expect(error.code == .durabilityUnknown)
      #expect(try other.texts() == texts(until: 4))
    }
  }

  /// Numbers have bytes that are zero, as what was never written has.
  @Test func aFlippedBitAmongZerosIsDamage() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
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
        #expect(damaged.state == .damaged, "byte \(offset)")
        #expect(damaged.recovery?.lostKeys == ["numbers"], "byte \(offset)")
      }
    }
  }

  @Test func damageToUnsyncedChangesIsTold() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let places = try await unsyncedFile(url)
      let bytes = try Data(contentsOf: url)
      for place in stride(from: places[0], to: places[4], by: 7) {
        var damaged = bytes
        damaged[place] ^= 0x10
        try damaged.write(to: url)
        let store = store(url)
        let texts = try store.texts()
        #expect(store.recovery != nil, "byte \(place)")
        #expect(texts.count >= 4 && texts.allSatisfy { self.texts(until: 4)[$0.key] == $0.value }, "byte \(place)")
      }
    }
  }

  /// Whether the last change was synced is not known to who finds it.
  @Test func whatWasFoundIsSyncedBeforeTheFirstSyncedChange() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      _ = try await unsyncedFile(url)
      let system = FaultySystemCalls()
      let store = GlobalData(at: url, configuration: Self.configuration, system: system)
      for number in 0..<3 {
        try await store.set("\(number)", forKey: "synced")
        let image = try ArchiveImage.parse(Data(contentsOf: url), limits: ArchiveLimits())
        let point = try #require(image.appendPoint)
        #expect(point.offset - point.syncedLength < 100, "all before the last change")
        #expect(system.count(of: .fsync) == number + 2)
      }
      #expect(try self.store(url).texts() == texts(until: 4).merging(["synced": "2"]) { $1 })
    }
  }

  // MARK: Damage

  /// Each byte of the changes in turn: what was acknowledged is there, or said to be lost, and never changed.
  @Test func damageToAnyByteCostsItsEntryOnlyAndIsTold() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
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
        #expect(store.recovery != nil, "byte \(place)")
        #expect(store.state == .damaged)
      }
    }
  }

  /// Damage to the archive before the changes leaves the changes.
  @Test func damageToTheArchiveLeavesTheChanges() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let places = try await appendedFile(url)
      let bytes = try Data(contentsOf: url)
      // Behind the part that tells what the file is.
      for place in 37..<places[0] {
        var damaged = bytes
        damaged[place] ^= 0x10
        try damaged.write(to: url)
        let store = store(url)
        let texts = try store.texts()
        #expect(texts["0"] == "one" && texts["1"] == "two" && texts["2"] == "three", "byte \(place)")
        #expect(store.recovery != nil, "byte \(place)")
        try await store.set("next", forKey: "next")
        #expect(try self.store(url).texts() == texts.merging(["next": "next"]) { $1 })
        try FileManager.default.removeItem(at: try #require(store.recovery?.setAsideURL))
      }
    }
  }

  @Test func whatWasSetOrRemovedSinceIsNotLost() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
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
      let recovery = try #require(self.store(url).recovery)
      #expect(recovery.problems.count == 3)
      #expect(Set(recovery.keptKeys) == ["a", "d"])
      #expect(recovery.lostKeys == ["c"])
      #expect(recovery.lostEntryCount == 1)
    }
  }

  @Test func aChangeOfAnotherStoreIsDamage() async throws {
    try await withTemporaryDirectory { folder in
      let places = try await appendedFile(folder.file("one"))
      let others = try await appendedFile(folder.file("two"))
      let bytes = try Data(contentsOf: folder.file("one")).prefix(places[1])
      let foreign = try Data(contentsOf: folder.file("two"))[others[1]..<others[2]]
      try (bytes + foreign).write(to: folder.file("one"))
      let store = store(folder.file("one"))
      #expect(try store.texts() == ["zero": "zero", "0": "one", "1": "two"], "the entry is intact by itself")
      #expect(store.state == .damaged)
      // A change of its own that was left out.
      let own = try Data(contentsOf: folder.file("two"))
      try (own.prefix(others[1]) + own[others[2]..<others[3]]).write(to: folder.file("two"))
      let other = self.store(folder.file("two"))
      #expect(other.state == .damaged)
      #expect(try other.texts()["0"] == "one")
    }
  }
}
