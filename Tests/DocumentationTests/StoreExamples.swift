import Foundation
import GlobalData
import GlobalDataTesting
import TestSupport
import Testing

/// Serialized, because two stores with one name would share one configuration.
@Suite(.serialized) struct StoreExamples {
  @TemporaryFolder private var folder

  @Test func storesAreMadeForTheirPlaces() async throws {
    let url = folder.appendingPathComponent("document")
    let cache = GlobalData(named: "cache")  // next to the default store
    let document = GlobalData(at: url)  // at a location of your choice
    let group = GlobalData(inAppGroup: "group.org.example.app")  // shared with the app's extensions
    let memory = GlobalData.inMemory()  // not on disk
    #expect(cache.url?.lastPathComponent == "cache.archive")
    #expect(document.url == url && group.url != nil && memory.url == nil)
    try await document.set(1, forKey: "a")
    try await document.close()
    #expect(document.contains("a"))
    try await Self.end(document)
    #expect(try folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  private static func end(_ document: GlobalData) async throws {
    try await document.close()  // finishes what is queued; the next use opens the file again
    try await document.clear()  // removes all values, and the file
  }

  /// Only compiled, because the shared store of the tests must keep its location.
  private static func configureTheSharedStore() throws {
    var configuration = GlobalData.Configuration(location: .appGroup("group.org.example"))
    configuration.persistence = .appending
    try GlobalData.configure(configuration)
  }

  @Test func aConfigurationIsOneValue() async throws {
    var configuration = GlobalData.Configuration(location: .named("thumbnails"))
    configuration.durability = .ordered  // after a power cut the last state or an earlier one
    configuration.recoveryPolicy = .refuse  // a damaged file is an error
    configuration.fileProtection = .complete  // readable only while the device is unlocked
    configuration.limits.maximumFileSize = 64 << 20
    let thumbnails = GlobalData(configuration)
    #expect(thumbnails.configuration.durability == .ordered)
    #expect(thumbnails.url?.lastPathComponent == "thumbnails.archive")
  }

  @Test func aLargeStoreAppends() {
    var configuration = GlobalData.Configuration(location: .named("history"))
    configuration.persistence = .appending
    let history = GlobalData(configuration)
    #expect(history.configuration.persistence == .appending)
  }

  @Test func aCacheNeedsNoSync() {
    var configuration = GlobalData.Configuration(location: .named("cache"))
    configuration.durability = .processCrash
    let cache = GlobalData(configuration)
    #expect(cache.configuration.durability == .processCrash)
  }

  @Test func aStoreSaysWhatWasLost() async throws {
    func log(_ text: String) { print(text) }
    let url = folder.appendingPathComponent("store")
    try await GlobalData(at: url).set("a value", forKey: "a")
    var bytes = try Data(contentsOf: url)
    let place = try #require(bytes.firstRange(of: Data("a value".utf8)))
    bytes[place.lowerBound] ^= 1
    try bytes.write(to: url)

    let store = GlobalData(at: url)
    try await store.open()
    if let recovery = store.recovery {
      log("lost \(recovery.lostEntryCount) entries: \(recovery.lostKeys)")
      log("older, or removed before: \(recovery.outdatedKeys)")
    }
    #expect(store.recovery?.lostKeys == ["a"])
  }

  @Test func aStoreLooksAtItsFileAgain() async throws {
    let group = GlobalData.inMemory()
    try await group.refresh()
    #expect(group.state == .ready)
  }

  @Test func aStoreMovesIntoAGroupOnce() async throws {
    let (old, group) = (GlobalData.inMemory(), GlobalData.inMemory())
    try await old.set(1, forKey: "a")
    for value in [1, 2] {
      let contents = try old.snapshot()
      if !contents.allKeys.isEmpty {
        try await group.restore(contents)
        try await old.clear()
      }
      #expect(old.allKeys.isEmpty)
      #expect(try group.object(Int.self, forKey: "a") == value)
      try await group.set(2, forKey: "a")
    }
  }

  @Test func anErrorSaysWhatCanBeDone() async throws {
    let car = "HH 1"
    var shown: [String?] = []
    func show(_ texts: String?...) { shown += texts }
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store")
      let faults = FaultInjector()
      faults.fail(.write, with: .noSpace)
      try await GlobalData.withStore(.faulty(at: url, faults)) {
        do {
          try await GlobalData.set(car, forKey: "car")
        } catch let error as GlobalDataError where error.code == .writeFailed {
          show(error.message, error.advice)
        }
      }
    }
    #expect(shown.count == 2)
  }
}
