import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Files of a store that is excluded from backups: each new file is excluded before it gets its name. Only a device can
/// show that the system then leaves it out.
@Suite struct BackupExclusionTests {
  @TemporaryFolder private var folder
  private let system = FaultySystemCalls()
  private var url: URL { folder.file("store") }

  private static let excluded = GlobalData.Configuration.with { $0.isExcludedFromBackup = true }

  /// The steps of a store that matter here, in order, each with the name of its file.
  private func steps(_ system: FaultySystemCalls) -> [(call: SystemCall, path: String)] {
    system.records.filter { [.create, .excludeFromBackups, .renameat].contains($0.call) }
      .filter { !$0.name.hasSuffix(".lock") }.map { ($0.call, $0.name) }
  }

  private func expectNewFile(
    _ folder: URL, _ system: FaultySystemCalls, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let steps = steps(system)
    try #require(steps.map(\.call) == [.create, .excludeFromBackups, .renameat], sourceLocation: sourceLocation)
    #expect(steps[1].path == folder.path + "/" + steps[0].path, sourceLocation: sourceLocation)
    #expect(steps[2].path == "store", sourceLocation: sourceLocation)
  }

  @Test(arguments: GlobalData.Persistence.allCases)
  func eachNewFileIsExcludedBeforeItTakesItsName(persistence: GlobalData.Persistence) async throws {
    var configuration = Self.excluded
    configuration.persistence = persistence
    let store = GlobalData(at: folder.file("store"), configuration: configuration, system: system)
    try await store.set(1, forKey: "a")
    try expectNewFile(folder, system)

    system.recover()
    try await store.set(2, forKey: "a")
    if persistence == .rewriting { try expectNewFile(folder, system) } else { #expect(steps(system).isEmpty) }

    try await store.clear()
    system.recover()
    try await store.set(3, forKey: "a")
    try expectNewFile(folder, system)
  }

  /// On Apple's systems, the attributes of the earlier file replace the exclusion, and a file without write permission
  /// cannot be excluded.
  @Test func aNewFileIsExcludedBetweenTheAttributesAndThePermissionsOfTheEarlierFile() async throws {
    let store = GlobalData(at: url, configuration: Self.excluded, system: system)
    try await store.set(1, forKey: "a")
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
    system.recover()
    try await store.set(2, forKey: "a")
    let steps = system.records.map(\.call).filter { [.copyAttributes, .excludeFromBackups, .fchmod].contains($0) }
    #expect(steps == [.copyAttributes, .excludeFromBackups, .fchmod])
  }

  @Test func anExistingFileIsExcludedWhenTheStoreOpens() async throws {
    try await GlobalData(at: url).set(1, forKey: "a")
    let store = GlobalData(at: url, configuration: Self.excluded, system: system)
    try store.openNow()
    #expect(steps(system).map(\.call) == [.excludeFromBackups])
    #expect(steps(system).map(\.path) == [url.path])
    try store.openNow()
    #expect(system.count(of: .excludeFromBackups) == 1)
  }

  @Test func withoutTheOptionOrAFileNothingIsExcluded() async throws {
    let store = GlobalData(at: folder.file("store"), system: system)
    try await store.set(1, forKey: "a")
    try await store.close()
    try store.openNow()
    try await store.clear()
    #expect(system.count(of: .excludeFromBackups) == 0)

    let absent = GlobalData(at: folder.file("absent"), configuration: Self.excluded, system: system)
    try absent.openNow()
    // Files that do not belong to a store are not changed.
    try Data("text".utf8).write(to: folder.file("text"))
    let stranger = GlobalData(at: folder.file("text"), configuration: Self.excluded, system: system)
    #expect(throws: GlobalDataError.self) { try stranger.openNow() }
    #expect(system.count(of: .excludeFromBackups) == 0)
  }

  @Test func aFileThatCannotBeExcludedIsWrittenAndReported() async throws {
    let diagnostics = Locked<[GlobalData.Diagnostic]>([])
    var configuration = Self.excluded
    configuration.diagnosticHandler = { diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
    let store = GlobalData(at: url, configuration: configuration, system: system)
    system.fail(.excludeFromBackups, .error(EPERM))
    try await store.set(1, forKey: "a")
    try await store.set(2, forKey: "a")
    #expect(try GlobalData(at: url).object(Int.self, forKey: "a") == 2)
    #expect(diagnostics.withLock { $0.map(\.kind) } == [.concession], "reported once")
    #expect(diagnostics.withLock { $0.first?.message.contains("backups (\(SystemCallError.text(of: EPERM)))") } == true)

    try await store.close()
    #expect(try store.object(Int.self, forKey: "a") == 2)
    #expect(system.count(of: .excludeFromBackups) == 3)
    system.recover()
    system.fail(.excludeFromBackups, nth: 1, .error(EINTR))
    try await store.set(3, forKey: "a")
    #expect(system.count(of: .excludeFromBackups) == 2, "an interrupted call is made again")
    #expect(diagnostics.withLock { $0.count } == 1)
  }

  /// If the file system does not support hard links, the damaged file is copied.
  @Test func theCopyOfADamagedFileIsExcludedAsWell() async throws {
    try await GlobalData(at: url).set("the text", forKey: "a")
    var bytes = try Data(contentsOf: url)
    bytes[try #require(bytes.range(of: Data("the text".utf8))?.lowerBound)] ^= 1
    try bytes.write(to: url)
    let store = GlobalData(at: url, configuration: Self.excluded, system: system)
    system.fail(.linkat, .error(EPERM))
    try await store.set(1, forKey: "b")
    let aside = try #require(store.recoveryOnceOpen?.setAsideURL)
    // A damaged file is read again before a write, and therefore excluded again.
    let steps = Array(steps(system).drop { $0.path == url.path })
    try #require(
      steps.map(\.call) == [.create, .excludeFromBackups, .create, .excludeFromBackups, .renameat])
    #expect(steps[0].path == aside.lastPathComponent)
    #expect(steps[1].path == aside.path)
    #expect(steps[3].path == folder.path + "/" + steps[2].path)
  }
}
