import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing

private struct CarInfo: Codable, Equatable, Sendable {
  var plate: String
  var speed: Int
}

private struct User: Codable, Equatable, Sendable {
  var name: String
}

// MARK: UserDefaults

extension GlobalData.Keys {
  fileprivate static let volume = Key("volume", default: 0.5)
  fileprivate static let lastCar = Key<CarInfo?>("lastCar")
}

@Suite struct MigratingFromUserDefaultsExamples {
  @Test func theAppsOwnDefaultsAreAskedFor() async throws {
    let store = GlobalData.inMemory()
    let report = try await store.importUserDefaults(keys: ["volume", "lastCar"], skipping: [.existing])
    #expect(report.skipped.map(\.reason) == [.noValue, .noValue])
    for key in report.importedKeys { UserDefaults.standard.removeObject(forKey: key) }
    if let data = UserDefaults.standard.data(forKey: "user"), !store.contains("user") {
      try await store.set(JSONDecoder().decode(User.self, from: data), forKey: "user")
    }
    if UserDefaults.standard.object(forKey: "isMuted") != nil, !store.contains("isMuted") {
      try await store.set(UserDefaults.standard.bool(forKey: "isMuted"), forKey: "isMuted")
    }
    #expect(store.allKeys.isEmpty)
  }

  @Test func aSecondImportLeavesAloneWhatTheStoreHas() async throws {
    let suite = "org.globaldata.tests.\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: suite))
    defer { defaults.removePersistentDomain(forName: suite) }
    defaults.set(0.8, forKey: "volume")
    defaults.set(["plate": "B 1", "speed": 5] as [String: Any], forKey: "lastCar")
    let store = GlobalData.inMemory()
    try await store.importUserDefaults(suite: suite, keys: ["volume", "lastCar"], skipping: [.existing])
    #expect(store[.volume] == 0.8)
    #expect(store[.lastCar] == CarInfo(plate: "B 1", speed: 5))

    try await store.set(0.2, for: .volume)
    let report = try await store.importUserDefaults(suite: suite, keys: ["volume"], skipping: [.existing])
    #expect(report.skipped.map(\.reason) == [.existing])
    #expect(store[.volume] == 0.2)
  }

  @Test func theCallsOfTheTableDoWhatTheirForerunnersDid() async throws {
    try await GlobalData.withStore(.inMemory()) {
      #expect(GlobalData[.volume] == 0.5)
      try await GlobalData.set(0.8, for: .volume)
      #expect(GlobalData[.volume] == 0.8)
      try await GlobalData.reset(.volume)
      #expect(GlobalData[.volume] == 0.5)
    }
  }
}

// MARK: NSKeyedArchiver

@Suite struct MigratingFromKeyedArchiverExamples {
  private func log(_ line: String) { print(line) }

  func moveOldArchive(at url: URL, into store: GlobalData) async throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    let report = try await store.importKeyedArchive(
      at: url, as: ["CarInfo": CarInfo.self], skipping: [.existing])
    log("imported \(report.importedKeys), left out \(report.skipped.map(\.key))")
    log("archived, but not in the new types: \(report.unreadFields)")
    try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("imported"))
  }

  @Test func anOldArchiveIsMovedOnce() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appending(path: "old.plist")
      try FileManager.default.copyItem(at: Self.archive, to: url)
      var configuration = GlobalData.Configuration(location: .file(folder.appending(path: "store")))
      configuration.registry = TypeRegistry()  // other tests have types of this name
      let store = GlobalData(configuration)
      try await moveOldArchive(at: url, into: store)
      try await moveOldArchive(at: url, into: store)
      store.register(CarInfo.self)
      let car = try store.object(forKey: "car") as? CarInfo
      #expect(car?.plate == "B 1")
      #expect(FileManager.default.fileExists(atPath: url.path + ".imported"))
    }
  }

  /// An archive written by Foundation, with an object of a class `CarInfo` under the key `car`.
  private static let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "GlobalDataImportingTests/Fixtures/Importing/several.plist")
}

// MARK: MMKV

private protocol OldStore {
  func contains(key: String) -> Bool
  func bool(forKey key: String) -> Bool
  func int64(forKey key: String) -> Int64
  func string(forKey key: String) -> String?
  func data(forKey key: String) -> Data?
}

private struct Account: Codable, Equatable, Sendable {
  var email: String
}

extension GlobalData.Keys {
  fileprivate static let isMuted = Key("isMuted", default: false)
  fileprivate static let launches = Key("launches", default: 0)
  fileprivate static let nickname = Key<String?>("nickname")
  fileprivate static let account = Key<Account?>("account")
  fileprivate static let hasMovedFromMMKV = Key("hasMovedFromMMKV", default: false)
}

private func move(from old: some OldStore, to store: GlobalData) async throws {
  guard try !store.value(for: .hasMovedFromMMKV) else { return }
  let isMuted = old.contains(key: "isMuted") ? old.bool(forKey: "isMuted") : nil
  let launches = old.contains(key: "launches") ? Int(old.int64(forKey: "launches")) : nil
  let nickname = old.string(forKey: "nickname")
  let account = try old.data(forKey: "account").map { try JSONDecoder().decode(Account.self, from: $0) }

  try await store.update { data in
    if let isMuted { data[.isMuted] = isMuted }
    if let launches { data[.launches] = launches }
    if let nickname { data[.nickname] = nickname }
    if let account { data[.account] = account }
    data[.hasMovedFromMMKV] = true
  }
}

@Suite struct MigratingFromMMKVExamples {
  /// Values without types, read like those of MMKV.
  private struct Values: OldStore {
    var values: [String: any Sendable]

    func contains(key: String) -> Bool { values[key] != nil }
    func bool(forKey key: String) -> Bool { values[key] as? Bool ?? false }
    func int64(forKey key: String) -> Int64 { values[key] as? Int64 ?? 0 }
    func string(forKey key: String) -> String? { values[key] as? String }
    func data(forKey key: String) -> Data? { values[key] as? Data }
  }

  @Test func whatIsThereIsMovedAndWhatIsNotKeepsItsDefault() async throws {
    let store = GlobalData.inMemory()
    let old = Values(values: ["launches": Int64(7), "account": Data(#"{"email": "ada@example.org"}"#.utf8)])
    try await move(from: old, to: store)
    #expect(store[.launches] == 7)
    #expect(store[.account] == Account(email: "ada@example.org"))
    #expect(!store.contains(.isMuted) && !store.contains(.nickname))
  }

  @Test func aSecondMoveChangesNothing() async throws {
    let store = GlobalData.inMemory()
    try await move(from: Values(values: ["nickname": "Ada", "isMuted": true]), to: store)
    try await store.set("Countess", for: .nickname)
    try await move(from: Values(values: ["nickname": "Ada"]), to: store)
    #expect(store[.nickname] == "Countess")
    #expect(store[.isMuted])
  }

  @Test func whatCannotBeReadMovesNothing() async throws {
    let store = GlobalData.inMemory()
    let old = Values(values: ["launches": Int64(7), "account": Data("no JSON".utf8)])
    await #expect(throws: DecodingError.self) { try await move(from: old, to: store) }
    #expect(store.allKeys.isEmpty)
  }
}
