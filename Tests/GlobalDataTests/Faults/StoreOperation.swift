import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// An operation on a store in its own folder, with the store's contents before and after it.
struct StoreOperation: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The contents of the store's file; `nil` if there is none.
  var before: [String: String]? = ["a": "old", "b": "kept"]
  /// The contents that can be read before, if not all can.
  var intact: [String: String]?
  let after: [String: String]
  /// The path of the store in the folder.
  var path = "store"
  /// Whether the store is open already.
  var isOpen = true
  /// Whether it removes the file and the files beside it.
  var isClear = false
  /// Whether the file system does not support hard links.
  var hasNoLinks = false
  /// Whether the store appends.
  var appends = false
  /// Whether its appends are not synced, so that they run on the caller's thread.
  var isUnsynced = false
  /// Whether it also uses a second file, so that the effect of a failed call depends on which file the call is for.
  var hasSecondFile = false
  /// Prepares the folder.
  var prepare: @Sendable (URL) throws -> Void = { _ in }
  let run: @Sendable (GlobalData) async throws -> Void

  static let all: [StoreOperation] = [
    StoreOperation(testDescription: "first write", before: nil, after: ["a": "new"]) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(
      testDescription: "first write into new folders", before: nil, after: ["a": "new"], path: "outer/inner/store"
    ) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(testDescription: "first use, by a write", after: ["a": "new", "b": "kept"], isOpen: false) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(testDescription: "rewrite", after: ["a": "new", "b": "kept"]) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(
      testDescription: "rewrite of a file with other permissions", after: ["a": "new", "b": "kept"],
      prepare: openStoreToGroup
    ) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(
      testDescription: "rewrite through a link", after: ["a": "new", "b": "kept"], path: "link",
      prepare: linkToStore
    ) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(testDescription: "write of what is there", after: ["a": "old", "b": "kept"]) {
      try await $0.set("old", forKey: "a")
    },
    StoreOperation(testDescription: "removeObject", after: ["b": "kept"]) { try await $0.removeObject(forKey: "a") },
    StoreOperation(testDescription: "clear", after: [:], isClear: true) { try await $0.clear() },
    StoreOperation(
      testDescription: "clear through a link", after: [:], path: "link", isClear: true, prepare: linkToStore
    ) {
      try await $0.clear()
    },
    StoreOperation(
      testDescription: "clear of an appended file through a link", after: [:], path: "link", isClear: true,
      appends: true, prepare: linkToStore
    ) {
      try await $0.clear()
    },
    StoreOperation(
      testDescription: "update that clears through a link", after: [:], path: "link", isClear: true,
      prepare: linkToStore
    ) {
      try await $0.update { $0.clear() }
    },
    StoreOperation(testDescription: "clear of nothing", before: nil, after: [:], isClear: true) {
      try await $0.clear()
    },
    StoreOperation(testDescription: "clear(keeping:)", after: ["b": "kept"]) { try await $0.clear(keeping: ["b"]) },
    StoreOperation(testDescription: "open", after: ["a": "old", "b": "kept"], isOpen: false) { try $0.openNow() },
    StoreOperation(testDescription: "first use, by a read", after: ["a": "old", "b": "kept"], isOpen: false) {
      // A failure to read must never look like a missing value.
      let value = try $0.object(String.self, forKey: "a")
      #expect(value == "old")
    },
    StoreOperation(testDescription: "first use after a close", after: ["a": "old", "b": "kept"], isOpen: false) {
      try await readAfterClosing($0)
    },
    StoreOperation(
      testDescription: "write to a damaged file", intact: ["a": "old"], after: ["a": "new"], isOpen: false,
      prepare: damageEntry
    ) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(
      testDescription: "write to a damaged file, without links", intact: ["a": "old"], after: ["a": "new"],
      isOpen: false, hasNoLinks: true, prepare: damageEntry
    ) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(
      testDescription: "recover()", intact: ["a": "old"], after: ["a": "old"], isOpen: false, prepare: damageEntry
    ) { store in
      try await recover(store)
    },
    StoreOperation(
      testDescription: "clear of a damaged file", intact: ["a": "old"], after: [:], isClear: true, prepare: damageEntry
    ) {
      try await $0.clear()
    },
    StoreOperation(testDescription: "update", after: ["a": "new", "d": "new"]) {
      try await $0.update { data in
        try data.set("new", forKey: "a")
        try data.set("new", forKey: "d")
        data.removeObject(forKey: "b")
      }
    },
    // The file was appended to before, so it has room.
    StoreOperation(testDescription: "append", after: ["a": "new", "b": "kept"], appends: true) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(
      testDescription: "append that makes the file longer", before: ["a": "old"],
      after: ["a": "old", "b": "kept"], appends: true
    ) {
      try await $0.set("kept", forKey: "b")
    },
    StoreOperation(
      testDescription: "first use, by an append", after: ["a": "old"], isOpen: false, appends: true
    ) {
      try await $0.removeObject(forKey: "b")
    },
    StoreOperation(
      testDescription: "append that is not synced", after: ["a": "new", "b": "kept", "d": "first"], appends: true,
      isUnsynced: true
    ) {
      try await $0.set("new", forKey: "a")
    },
    StoreOperation(
      testDescription: "removal that is not synced", after: ["b": "kept", "d": "first"], appends: true, isUnsynced: true
    ) {
      try await $0.removeObject(forKey: "a")
    },
    StoreOperation(testDescription: "append of an update", after: ["a": "new", "d": "new"], appends: true) {
      try await $0.update { data in
        try data.set("new", forKey: "a")
        try data.set("new", forKey: "d")
        data.removeObject(forKey: "b")
      }
    },
    StoreOperation(testDescription: "clear of an appended file", after: [:], isClear: true, appends: true) {
      try await $0.clear()
    },
    StoreOperation(testDescription: "refresh", after: ["a": "old", "b": "kept"]) {
      try await refresh($0)
    },
    StoreOperation(testDescription: "restore of a snapshot", after: ["a": "new", "e": "first"]) {
      try await restoreSnapshot($0)
    },
    StoreOperation(
      testDescription: "restore of a snapshot, appending", after: ["a": "new", "e": "first"], appends: true
    ) {
      try await restoreSnapshot($0)
    },
    StoreOperation(
      testDescription: "restore of a snapshot over a damaged file", intact: ["a": "old"],
      after: ["a": "new", "e": "first"], hasSecondFile: true, prepare: damageEntry
    ) {
      try await restoreSnapshot($0)
    },
    StoreOperation(
      testDescription: "restore from a backup", after: ["a": "new", "e": "first"], hasSecondFile: true,
      prepare: writeBackup
    ) {
      try await restoreBackup($0)
    },
    StoreOperation(
      testDescription: "restore from a backup, without links", after: ["a": "new", "e": "first"], hasNoLinks: true,
      appends: true, hasSecondFile: true, prepare: writeBackup
    ) {
      try await restoreBackup($0)
    },
    StoreOperation(
      testDescription: "restore from a backup over a damaged file", intact: ["a": "old"],
      after: ["a": "new", "e": "first"], isOpen: false, hasSecondFile: true,
      prepare: writeBackupAndDamageEntry
    ) {
      try await restoreBackup($0)
    },
    StoreOperation(
      testDescription: "restore from a backup where there is no store", before: nil,
      after: ["a": "new", "e": "first"], hasSecondFile: true, prepare: writeBackup
    ) {
      try await restoreBackup($0)
    },
    StoreOperation(testDescription: "backup", after: ["a": "old", "b": "kept"], hasSecondFile: true) {
      try await backUp($0)
    },
    StoreOperation(testDescription: "backup into new folders", after: ["a": "old", "b": "kept"], hasSecondFile: true) {
      try await backUp($0, to: "outer/inner/backup")
    },
    StoreOperation(
      testDescription: "backup over an earlier one", after: ["a": "old", "b": "kept"], hasSecondFile: true,
      prepare: writeBackup
    ) {
      try await backUp($0)
    },
  ]

  // Swift 6.0 does not treat a call of the actor's own methods as a suspension if it is in a closure of the array.

  @Sendable private static func readAfterClosing(_ store: GlobalData) async throws {
    try await store.close()
    let value = try store.object(String.self, forKey: "a")
    #expect(value == "old")
  }

  @Sendable private static func refresh(_ store: GlobalData) async throws {
    try await store.refresh()
  }

  @Sendable private static func recover(_ store: GlobalData) async throws {
    _ = try await store.recover()
  }

  @Sendable private static func restoreSnapshot(_ store: GlobalData) async throws {
    let other = GlobalData.inMemory()
    try await other.set("new", forKey: "a")
    try await other.set("first", forKey: "e")
    try await store.restore(try other.snapshot())
  }

  @Sendable private static func restoreBackup(_ store: GlobalData) async throws {
    let folder = try #require(store.url?.deletingLastPathComponent())
    try await store.restore(from: folder.file("backup"))
  }

  /// Makes a backup, and checks that there is a complete backup afterward, this one or an earlier one.
  @Sendable private static func backUp(_ store: GlobalData, to path: String = "backup") async throws {
    let backup = try #require(store.url?.deletingLastPathComponent()).file(path)
    let earlier = FileManager.default.fileExists(atPath: backup.path) ? try Data(contentsOf: backup) : nil
    func read() throws -> [String: String]? {
      guard FileManager.default.fileExists(atPath: backup.path) else { return nil }
      return try GlobalData(at: backup, system: POSIXSystemCalls()).texts()
    }
    do {
      try await store.backup(to: backup)
    } catch {
      let isNew = (error as? GlobalDataError)?.code == .durabilityUnknown
      if isNew {
        #expect(try read() == ["a": "old", "b": "kept"])
      } else {
        #expect((try read() == nil) == (earlier == nil))
        if let earlier { #expect(try Data(contentsOf: backup) == earlier) }
      }
      throw error
    }
    #expect(try read() == ["a": "old", "b": "kept"])
  }

  /// Writes another store's file to restore from.
  private static let writeBackup: @Sendable (URL) throws -> Void = { folder in
    let entries = try [("a", "new"), ("e", "first")].map { key, text in
      try StoredEntry(key: key, GlobalData.Configuration(), in: nil) { try $0.encodeItem(text, $1) }
    }
    try ArchiveImage(identity: .random(), generation: 7, entries: entries).data.write(to: folder.file("backup"))
  }

  private static let writeBackupAndDamageEntry: @Sendable (URL) throws -> Void = { folder in
    try writeBackup(folder)
    try damageEntry(folder)
  }

  /// Changes the last byte of the value of "b".
  static let damageEntry: @Sendable (URL) throws -> Void = { folder in
    var bytes = try Data(contentsOf: folder.file("store"))
    let value = try #require(bytes.range(of: Data("kept".utf8)))
    bytes[value.upperBound - 1] ^= 1
    try bytes.write(to: folder.file("store"))
  }

  private static let openStoreToGroup: @Sendable (URL) throws -> Void = {
    try $0.file("store").setPermissions(0o640)
  }
  private static let linkToStore: @Sendable (URL) throws -> Void = { try $0.file("link").makeLink(to: "store") }

  // MARK: Running it

  /// Runs the operation in a new folder, with faults that are set before it and removed after it.
  ///
  /// - Returns: The outcome, for ``Run/check(mayLeaveFiles:)``.
  func attempt(in folder: URL, _ chooseFaults: (FaultySystemCalls) -> Void) async throws -> Run {
    if let before {
      let writer = GlobalData(at: folder.file("store"), configuration: configuration, system: POSIXSystemCalls())
      for key in before.keys.sorted() { try await writer.set(before[key], forKey: key) }
    }
    try prepare(folder)
    let bytes = before == nil ? nil : try Data(contentsOf: folder.file("store"))
    let system = FaultySystemCalls()
    let store = GlobalData(at: folder.file(path), configuration: configuration, system: system)
    if isOpen { try store.openNow() }
    // From the second operation on, the folder and the lock file are open.
    if isUnsynced {
      try await store.set("first", forKey: "d")
      // The store's own thread may not have finished that, and would then also make the next write, with other calls.
      while store.engine.withWriterImmediately({ _ in true }) == nil { await Task.yield() }
    }
    system.recover()
    chooseFaults(system)
    if hasNoLinks { system.fail(.linkat, .error(ENOTSUP)) }
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await run(store))
    } catch {
      outcome = .failure(error)
    }
    let records = system.records
    system.recover()
    return Run(
      operation: self, folder: folder, bytes: bytes, system: system, store: store, records: records, outcome: outcome)
  }

  private var configuration: GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.persistence = appends ? .appending : .rewriting
    if isUnsynced { configuration.durability = .ordered }
    return configuration
  }

  /// The number of calls that the operation makes without faults.
  func countCalls() async throws -> Int {
    try await withTemporaryDirectory { folder in
      let run = try await attempt(in: folder) { _ in }
      try run.outcome.get()
      return run.records.count
    }
  }

  /// The positions of the syncs among those calls, counted from 1.
  func numbersOfSyncs() async throws -> [Int] {
    try await withTemporaryDirectory { folder in
      let records = try await attempt(in: folder) { _ in }.records
      return records.indices.filter { records[$0].call == .fsync }.map { $0 + 1 }
    }
  }

  /// A completed run of an operation.
  struct Run {
    let operation: StoreOperation
    let folder: URL
    /// The file before the operation.
    let bytes: Data?
    let system: FaultySystemCalls
    let store: GlobalData
    let records: [FaultySystemCalls.Record]
    let outcome: Result<Void, any Error>

    var error: (any Error)? {
      if case .failure(let error) = outcome { error } else { nil }
    }

    /// Checks what must hold whatever failed: the store has the old or the new contents, the caller knows which,
    /// memory and file agree, no files are left over, and the next write works.
    func check(_ fault: String, mayLeaveFiles: Bool = false) async throws {
      let situation = "\(operation.testDescription), \(fault): \(error.map { "\($0)" } ?? "no error")"
      let url = folder.file(operation.path)
      if let error { #expect(error is GlobalDataError, "\(situation)") }
      // An appending store keeps its folder and its lock file open while it has a file.
      let kept = operation.appends && FileManager.default.fileExists(atPath: url.path) ? 2 : 0
      #expect([0, kept].contains(system.openDescriptors), "\(situation)")
      if !mayLeaveFiles { #expect(try leftovers() == [], "\(situation)") }
      try checkNothingDamagedIsLost(situation)

      var expected = isNew ? operation.after : operation.intact ?? operation.before ?? [:]
      if operation.isUnsynced { expected["d"] = "first" }
      #expect(try store.texts() == expected, "memory, \(situation)")
      #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == expected, "file, \(situation)")

      try await store.set("next", forKey: "c")
      let next = expected.merging(["c": "next"]) { $1 }
      #expect(try store.texts() == next, "next write, memory, \(situation)")
      #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == next, "next write, file, \(situation)")
      // If a clear failed after the file was gone, there is now a new file, and no damaged one.
      if !operation.isClear { try checkNothingDamagedIsLost("next write, \(situation)") }
      #expect([0, operation.appends ? 2 : 0].contains(system.openDescriptors), "\(situation)")
      try await store.close()
      #expect(system.openDescriptors == 0, "\(situation)")
      #expect(system.strayCloses == 0, "\(situation)")
    }

    /// Whether the new state is required: after success, or if only its durability is unknown.
    private var isNew: Bool {
      let code = (error as? GlobalDataError)?.code
      if error == nil || code == .durabilityUnknown { return true }
      // A clear also fails if only an item beside the file remains. In that case, there is no file or an empty one.
      return code == .removeFailed && FileManager.default.contents(atPath: folder.file("store").path) != bytes
    }

    /// Checks that a damaged file still exists, under its own name or set aside, unless it was to be removed.
    private func checkNothingDamagedIsLost(_ situation: String) throws {
      guard operation.intact != nil, !(operation.isClear && isNew) else { return }
      let contents = try folder.names().map { try Data(contentsOf: folder.file($0)) }
      #expect(contents.contains { $0 == bytes }, "\(situation)")
    }

    /// The other files in the store's folders: those that it set aside, and the empty lock file.
    private func leftovers() throws -> [String] {
      let inner = folder.file("outer/inner")
      let names = try folder.names() + (FileManager.default.fileExists(atPath: inner.path) ? inner.names() : [])
      return names.filter { name in
        if operation.intact != nil && !operation.isClear && name.hasPrefix("store.damaged-") { return false }
        // A restoration keeps the previous file.
        if isNew && name.hasPrefix("store.replaced-") { return false }
        return !["store", "link", "outer", "backup"].contains(name) && !name.hasSuffix(".lock")
      }
    }
  }
}

extension GlobalData {
  /// All entries of a store that contains texts.
  nonisolated func texts() throws -> [String: String] {
    try entries().reduce(into: [:]) { $0[$1.key] = try object(String.self, forKey: $1.key) }
  }
}
