import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// All spellings that are one name to the volume lead to one store with one lock, even before a file exists.
@Suite struct FileNameSpellingTests {
  @TemporaryFolder private var folder

  /// "é" as one character and as two.
  private static let composed = "caf\u{e9}"
  private static let decomposed = "cafe\u{301}"

  private func store(_ url: URL) -> GlobalData {
    GlobalData(at: url, system: CaselessSystemCalls())
  }

  private func engine(_ url: URL, _ system: any SystemCalls = CaselessSystemCalls()) -> StoreEngine {
    StoreEngine.engine(for: .file(url), GlobalData.Configuration(), system: system)
  }

  @Test(arguments: [
    (NameComparison.bytes, "Store", "store", false), (.normalized, "Store", "store", false),
    (.caseless, "Store", "store", true), (.caseless, "STORE.archive", "store.Archive", true),
    (.bytes, composed, decomposed, false), (.normalized, composed, decomposed, true),
    (.caseless, "CAF\u{c9}", decomposed, true), (.normalized, "CAF\u{c9}", decomposed, false),
    (.caseless, "Σ", "σ", true), (.caseless, "ß", "ss", false), (.caseless, "e", "\u{e9}", false),
  ]) func namesAreComparedAsTheVolumeComparesThem(comparison: NameComparison, one: String, other: String, areOne: Bool)
  {
    // Compared by bytes: Swift considers texts equal that are equal only after normalization.
    let (one, other) = (Array(comparison.folded(one).utf8), Array(comparison.folded(other).utf8))
    #expect((one == other) == areOne)
    #expect(comparison != .bytes || comparison.folded(Self.composed).utf8.elementsEqual(Self.composed.utf8))
  }

  #if os(Linux)
  @Test func linuxDistinguishesNamesByTheirBytes() async throws {
    #expect(POSIXSystemCalls().nameComparison(atPath: folder.path) == .bytes)
    let stores = [Self.composed, Self.decomposed, "CAF\u{c9}"].map { GlobalData(at: folder.file($0)) }
    for (number, store) in stores.enumerated() { try await store.set(number, forKey: "number") }
    for (number, store) in stores.enumerated() {
      try await store.refresh()
      #expect(try store.object(Int.self, forKey: "number") == number)
    }
    #expect(Set(stores.map { ObjectIdentifier($0.engine) }).count == 3)
  }
  #endif

  @Test(arguments: [("Store.archive", "store.ARCHIVE"), (composed, decomposed), ("New/a/Store", "new/A/store")])
  func allSpellingsAreOneStoreBeforeThereIsAFileAndAfter(one: String, other: String) async throws {
    let first = engine(folder.file(one))
    #expect(engine(folder.file(other)) === first)
    let writer = store(folder.file(one))
    try await writer.set(1, forKey: "a")
    #expect(engine(folder.file(other)) === first)
    #expect(engine(folder.file(one)) === first)
    try await writer.clear()
    #expect(engine(folder.file(other)) === first)
  }

  /// On a Mac, this is usually one store; elsewhere, it is two.
  @Test(arguments: [("Store", "store"), ("New/store", "new/store")])
  func spellingsAreOneStoreOnlyIfTheVolumeSaysSo(one: String, other: String) async throws {
    let system = POSIXSystemCalls()
    let (first, second) = (engine(folder.file(one), system), engine(folder.file(other), system))
    #expect((first === second) == (system.nameComparison(atPath: folder.path) == .caseless))
  }

  @Test func aFileThatIsCreatedMeanwhileDoesNotCreateASecondStore() async throws {
    let first = engine(folder.file("Store"))
    let system = FaultySystemCalls(over: CaselessSystemCalls())
    // The path was followed and led to nothing. The next question is whether it is a link.
    let interlude = FaultySystemCalls.Fault.interlude {
      #expect(FileManager.default.createFile(atPath: folder.file("Store").path, contents: nil))
    }
    system.fail(.lstat, nth: 2, interlude)
    #expect(engine(folder.file("store"), system) === first)
    #expect(system.faults == 1)
  }

  @Test func allSpellingsHaveOneLockBeforeThereIsAFileAndAfter() async throws {
    let configuration = GlobalData.Configuration.with { $0.lockTimeout = .zero }
    let other = GlobalData(at: folder.file("store"), configuration: configuration, system: CaselessSystemCalls())
    let writer = ArchiveFile(url: folder.file("Store"), system: CaselessSystemCalls())
    for number in 0..<2 {
      let lock = try #require(try writer.lock(timeout: .zero, makingFolder: false, .processCrash))
      let error = await expectError(GlobalDataError.self) { try await other.set(number, forKey: "a") }
      #expect(error?.code == .busy)
      lock.release()
      try await other.set(number, forKey: "a")
    }
    #expect(try folder.names().filter { $0.hasPrefix(".as-") }.count == 1)
  }

  @Test func theChangesOfAllSpellingsAreKept() async throws {
    let stores = ["Store", "store", "STORE"].map { store(folder.file($0)) }
    for store in stores { #expect(store.allKeys.isEmpty) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, store) in stores.enumerated() {
        group.addTask {
          for round in 0..<5 { try await store.set(round, forKey: "\(number) \(round)") }
        }
      }
      try await group.waitForAll()
    }
    for store in stores {
      try await store.refresh()
      #expect(store.allKeys.count == 15)
    }
    #expect(try folder.names().filter { !$0.hasPrefix(".") }.count == 1)
  }

  @Test func clearingRemovesTheDamagedFilesOfAllSpellings() async throws {
    for name in ["Store", "store"] {
      let store = store(folder.file(name))
      try await store.update { data in
        for number in 0..<9 { try data.set("text \(number)", forKey: "key \(number)") }
      }
      try await store.close()
      let url = try #require(try folder.names().first { !$0.hasPrefix(".") && !$0.contains("damaged") })
      var bytes = try Data(contentsOf: folder.file(url))
      bytes[bytes.count / 2] ^= 0xff
      try bytes.write(to: folder.file(url))
      try await store.set("new", forKey: "new")
      if name == "Store" { try FileManager.default.removeItem(at: folder.file(url)) }
    }
    #expect(try folder.names().filter { $0.contains("damaged") }.count == 2)
    try await store(folder.file("STORE")).clear()
    #expect(try folder.names().filter { $0.contains("damaged") } == [])
  }
}
