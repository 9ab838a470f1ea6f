import Dispatch
import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing
import ThrownErrors

/// The rules of all imports.
@Suite struct ImportingRulesTests {
  @TemporaryFolder private var folder
  private let store = ArchiveFixtures.store()

  private func source(_ text: String) throws -> URL {
    let url = folder.appending(path: "source.json")
    try Data(text.utf8).write(to: url)
    return url
  }

  @Test func anImportIsOneChange() async throws {
    let url = try source(#"{"a": 1, "b": 2, "c": 3}"#)
    let changes = store.changes
    try await store.importJSON(at: url)
    for await change in changes {
      #expect(change.keys == ["a", "b", "c"])
      break
    }
  }

  @Test func existingValuesAreReplacedOrKeptAsRequested() async throws {
    let url = try source(#"{"a": 1, "b": 2}"#)
    try await store.set("mine", forKey: "a")
    let report = try await store.importJSON(at: url, skipping: .existing)
    #expect(report.importedKeys == ["b"] && report.skipped.map(\.key) == ["a"])
    #expect(report.skipped.map(\.reason) == [.existing])
    #expect(try store.object(String.self, forKey: "a") == "mine")
    #expect(try await store.importJSON(at: url).importedKeys == ["a", "b"])
    #expect(try store.object(Int.self, forKey: "a") == 1)
  }

  @Test func anEntryThatCannotBeStoredFailsTheImportOrIsSkipped() async throws {
    let url = try source(#"{"good": 1, "": 2}"#)
    await #expect(throws: GlobalDataError.self) { try await store.importJSON(at: url) }
    #expect(store.allKeys.isEmpty)
    let report = try await store.importJSON(at: url, skipping: [.unreadable, .existing])
    #expect(report.importedKeys == ["good"] && report.skipped.map(\.reason) == [.unreadable])
    #expect(report.skipped.first?.error?.code == .invalidKey)
  }

  @Test func keysThatAreEqualInSwiftAreDistinguished() async throws {
    let url = try source("{\"caf\u{e9}\": 1, \"cafe\u{301}\": 2}")
    let error = try await requireError(GlobalDataError.self) { try await store.importJSON(at: url) }
    #expect(error.code == .importFailed && error.message.contains("twice"))
  }

  @Test func aSecondValueOfTheSourceIsNoExistingValue() async throws {
    let url = try source(#"{"a": 1, "b": 2, "a": 3}"#)
    let error = try await requireError(GlobalDataError.self) {
      try await store.importJSON(at: url, skipping: .existing)
    }
    #expect(error.code == .importFailed && error.message.contains("twice"))
    let report = try await store.importJSON(at: url, skipping: [.unreadable, .existing])
    #expect(report.importedKeys == ["a", "b"] && report.skipped.map(\.reason) == [.unreadable])
    #expect(try store.object(Int.self, forKey: "a") == 1)
  }

  @Test func aMissingFileIsAnError() async throws {
    let url = folder.appending(path: "absent")
    for operation in [
      { @Sendable () async throws in _ = try await store.importJSON(at: url) },
      { @Sendable () async throws in _ = try await store.importKeyedArchive(at: url) },
      { @Sendable () async throws in _ = try await store.importPropertyList(at: url) },
    ] {
      let error = try await requireError(GlobalDataError.self) { try await operation() }
      #expect(error.code == .importFailed && error.fileURL == url)
    }
    let error = try await requireError(GlobalDataError.self) { try await store.importJSON(at: folder) }
    #expect(error.code == .notAFile)
  }

  @Test func theStaticCallsImportIntoTheCurrentStore() async throws {
    let url = try source(#"{"a": 1}"#)
    _ = try await GlobalData.withStore(store) { try await GlobalData.importJSON(at: url) }
    #expect(store.allKeys == ["a"])
  }

  @Test func theStaticCallsImportDataAsTheirArgumentsSay() async throws {
    let object = ArchiveFixtures.object(ofClass: 1, [("name", "<string>Ada</string>")])
    let types = [ArchiveFixtures.type("Stranger", "NSObject"), object]
    let archive = Data("<?xml version='1.0'?>".utf8) + ArchiveFixtures.archive([("a", 2), ("b", 2)], types)
    let data = "<data>\(archive.base64EncodedString())</data>"
    let list = Data("<dict><key>a</key><integer>2</integer><key>b</key>\(data)</dict>".utf8)
    let url = try source(String(decoding: list, as: UTF8.self))
    for (kind, operation) in [
      { try await GlobalData.importJSON(Data(#"{"a": 2, "b": {"name": "Ada"}}"#.utf8), skipping: .existing) },
      { try await GlobalData.importKeyedArchive(archive, unknownClasses: .keepAsTrees, skipping: .existing) },
      { try await GlobalData.importPropertyList(list, unknownClasses: .keepAsTrees, skipping: .existing) },
      { try await GlobalData.importPropertyList(at: url, unknownClasses: .keepAsTrees, skipping: .existing) },
    ].enumerated() as EnumeratedSequence<[@Sendable () async throws -> ImportReport]> {
      let store = ArchiveFixtures.store()
      try await store.set(1, forKey: "a")
      let report = try await GlobalData.withStore(store) { try await operation() }
      #expect(report.importedKeys == ["b"] && report.skipped.map(\.key) == ["a"], "\(kind)")
      #expect(try store.object(Int.self, forKey: "a") == 1)
      let tree = try store.object(ArchiveValue.self, forKey: "b")
      #expect(tree?.object?["name"] ?? tree?["b"]?.object?["name"] == "Ada", "\(kind): \(tree?.diagnostic ?? "")")
    }
  }

  @Test func aFileOfAnotherKindIsRefused() async throws {
    let url = folder.appending(path: "list.plist")
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: format, options: 0)
      try list.write(to: url)
      let error = try await requireError(GlobalDataError.self) { try await store.importKeyedArchive(at: url) }
      #expect(error.message.contains("not an archive of NSKeyedArchiver"))
      #expect(try await store.importPropertyList(at: url).importedKeys == ["a"])
    }
    let archive = ArchiveFixtures.folders[0].appending(path: "garage.plist")
    let error = try await requireError(GlobalDataError.self) { try await store.importPropertyList(at: archive) }
    #expect(error.advice.contains("importKeyedArchive"))
  }

  @Test(arguments: ["streamtyped", "typedstream"])
  func anArchiveOfNSArchiverIsRefusedWithWhatToDoInstead(mark: String) async throws {
    let archive = Data([4, 11] + mark.utf8) + Data([0x81, 0xe8, 0x03, 0x84, 0x01, 0x40])
    let imports = [
      { @Sendable in try await store.importKeyedArchive(archive) }, { try await store.importPropertyList(archive) },
      { try await store.importJSON(archive) },
    ]
    for operation in imports {
      let error = try await requireError(GlobalDataError.self) { try await operation() }
      #expect(error.message.contains("it is an archive of NSArchiver") && error.advice.contains("NSUnarchiver"))
    }
  }

  @Test func bytesThatAreNoPropertyListAreNotCalledDamagedText() async throws {
    let picture = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    let error = try await requireError(GlobalDataError.self) { try await store.importPropertyList(picture) }
    #expect(error.message.hasSuffix("it is neither a binary nor an XML property list"))
  }

  @Test func aTypeIsRegisteredOnlyIfItsImportSucceeds() async throws {
    let car = #""car": {"plate": "B 1", "speed": 5, "isOnline": true}"#
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    let store = GlobalData.inMemory(configuration: configuration)
    let tag = configuration.registry.tag(for: Imported.Car.self)
    await #expect(throws: GlobalDataError.self) {
      try await store.importJSON(Data("{\(car), \"\": 1}".utf8), as: ["car": Imported.Car.self])
    }
    #expect(try configuration.registry.type(for: tag) == nil)
    try await store.importJSON(Data("{\(car)}".utf8), as: ["car": Imported.Car.self])
    #expect(try configuration.registry.type(for: tag) != nil)
  }

  @Test func aCancelledImportStopsBetweenEntriesAndStoresNothing() async throws {
    let (started, readCount) = (AsyncStream<Void>.makeStream(), Locked(0))
    let mayGoOn = DispatchSemaphore(value: 0)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { _ in
      readCount.withLock { $0 += 1 }
      started.continuation.yield()
      mayGoOn.wait()
      return Date()
    }
    let task = Task {
      try await store.importJSON(
        Data(#"{"a": 1, "b": 2}"#.utf8), as: ["a": Date.self, "b": Date.self], decoder: decoder)
    }
    for await _ in started.stream {
      task.cancel()
      mayGoOn.signal()
      mayGoOn.signal()
      break
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(readCount.withLock { $0 } == 1 && store.allKeys.isEmpty)
  }

  @Test(arguments: [nil, "kept"])
  func aClearDuringAnImportRemovesWhatTheImportStoresAfterIt(keptKey: String?) async throws {
    try await store.set(1, forKey: "earlier")
    let pause = DecodingPause()
    let task = Task {
      try await store.importJSON(Data(#"{"a": 1, "kept": true}"#.utf8), as: ["a": Date.self], decoder: pause.decoder)
    }
    for await _ in pause.started.stream { break }
    // As when a user logs out while another user's file is being read.
    if let keptKey { try await store.clear(keeping: [keptKey]) } else { try await store.clear() }
    pause.mayGoOn.signal()
    _ = try await task.value
    #expect(store.allKeys == [keptKey].compactMap(\.self))
  }

  @Test func anImportCancelledAfterItsLastEntryStoresNothing() async throws {
    let pause = DecodingPause()
    let task = Task {
      try await store.importJSON(Data(#"{"a": 1}"#.utf8), as: ["a": Date.self], decoder: pause.decoder)
    }
    for await _ in pause.started.stream {
      task.cancel()
      pause.mayGoOn.signal()
      break
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(store.allKeys.isEmpty)
  }
}

/// A decoder that waits at a date until it may go on.
private struct DecodingPause {
  let decoder = JSONDecoder()
  let started = AsyncStream<Void>.makeStream()
  let mayGoOn = DispatchSemaphore(value: 0)

  init() {
    decoder.dateDecodingStrategy = .custom { [started, mayGoOn] _ in
      started.continuation.yield()
      mayGoOn.wait()
      return Date()
    }
  }
}
