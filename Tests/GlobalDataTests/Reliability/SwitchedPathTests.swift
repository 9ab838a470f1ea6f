import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// A store follows its path at each write and refresh, and the lock belongs to the file that the path leads to.
@Suite struct SwitchedPathTests {
  @TemporaryFolder private var folder

  /// The part of the path that is switched while the store is open.
  enum Switch: CaseIterable, CustomTestStringConvertible {
    /// The path is a link to a file in the same folder.
    case link
    /// The path is a link to a link to a file in another folder.
    case chain
    /// The path's folder is a link.
    case folderLink
    /// A folder further up is a link.
    case parentLink
    /// The path's folder is renamed, and another one takes its name.
    case folder
    /// The path's folder is renamed, and a link takes its name.
    case folderForLink
    /// The file is renamed, and a link takes its name.
    case fileForLink

    var testDescription: String { "\(self)" }

    /// The path of the store, and the paths of the files that it leads to before and after the switch.
    func paths(in folder: URL) -> (store: URL, before: URL, after: URL) {
      switch self {
      case .link: (folder.file("link"), folder.file("one"), folder.file("two"))
      case .chain: (folder.file("link"), folder.file("a/one"), folder.file("b/two"))
      case .folderLink: (folder.file("link/store"), folder.file("a/store"), folder.file("b/store"))
      case .parentLink: (folder.file("link/c/store"), folder.file("a/c/store"), folder.file("b/c/store"))
      case .folder: (folder.file("x/store"), folder.file("x/store"), folder.file("b/store"))
      case .folderForLink: (folder.file("x/store"), folder.file("x/store"), folder.file("b/store"))
      case .fileForLink: (folder.file("store"), folder.file("store"), folder.file("b/store"))
      }
    }

    func prepare(in folder: URL) throws {
      for name in ["a/c", "b/c", "x"] {
        try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
      }
      switch self {
      case .link: try folder.file("link").makeLink(to: "one")
      case .chain:
        try folder.file("link").makeLink(to: "middle")
        try folder.file("middle").makeLink(to: "a/one")
      case .folderLink, .parentLink: try folder.file("link").makeLink(to: "a")
      case .folder, .folderForLink, .fileForLink: break
      }
    }

    /// - Returns: The current locations of the two files.
    func perform(in folder: URL) throws -> (before: URL, after: URL) {
      let (store, before, after) = paths(in: folder)
      let files = FileManager.default
      switch self {
      case .link:
        try files.removeItem(at: folder.file("link"))
        try folder.file("link").makeLink(to: "two")
      case .chain:
        try files.removeItem(at: folder.file("middle"))
        try folder.file("middle").makeLink(to: "b/two")
      case .folderLink, .parentLink:
        try files.removeItem(at: folder.file("link"))
        try folder.file("link").makeLink(to: "b")
      case .folder:
        try files.moveItem(at: folder.file("x"), to: folder.file("old"))
        try files.moveItem(at: folder.file("b"), to: folder.file("x"))
        return (folder.file("old/store"), folder.file("x/store"))
      case .folderForLink:
        try files.moveItem(at: folder.file("x"), to: folder.file("old"))
        try folder.file("x").makeLink(to: "b")
        return (folder.file("old/store"), after)
      case .fileForLink:
        try files.moveItem(at: store, to: folder.file("old"))
        try folder.file("store").makeLink(to: "b/store")
        return (folder.file("old"), after)
      }
      return (before, after)
    }
  }

  enum Kind: CaseIterable {
    case rewriting, appending, appendingWithSync

    var configuration: GlobalData.Configuration {
      var configuration = GlobalData.Configuration()
      configuration.persistence = self == .rewriting ? .rewriting : .appending
      configuration.durability = self == .appendingWithSync ? .powerLoss : .processCrash
      configuration.lockTimeout = .milliseconds(50)
      return configuration
    }
  }

  /// The contents of a file as another process sees it.
  private func contents(_ url: URL) throws -> [String: String] {
    try GlobalData(at: url, system: POSIXSystemCalls()).texts()
  }

  @Test(arguments: Switch.allCases, Kind.allCases)
  func writesGoToThePathsCurrentTarget(what: Switch, kind: Kind) async throws {
    try what.prepare(in: folder)
    let (path, before, after) = what.paths(in: folder)
    try await GlobalData(at: before, system: POSIXSystemCalls()).set("before", forKey: "place")
    try await GlobalData(at: after, system: POSIXSystemCalls()).set("after", forKey: "place")
    let system = FaultySystemCalls()
    let store = GlobalData(at: path, configuration: kind.configuration, system: system)
    try await store.set("1", forKey: "a")
    try await store.set("2", forKey: "a")
    #expect(try contents(before) == ["place": "before", "a": "2"])
    let (nowBefore, nowAfter) = try what.perform(in: folder)
    try await store.set("3", forKey: "a")
    try await store.set("4", forKey: "b")
    #expect(try store.texts() == ["place": "after", "a": "3", "b": "4"])
    #expect(try contents(nowAfter) == ["place": "after", "a": "3", "b": "4"])
    #expect(try contents(nowBefore) == ["place": "before", "a": "2"])
    try await store.clear()
    #expect(try contents(nowAfter) == [:])
    // Only a link needs the file that it leads to.
    #expect(FileManager.default.fileExists(atPath: nowAfter.path) == [.link, .chain, .fileForLink].contains(what))
    #expect(try contents(nowBefore) == ["place": "before", "a": "2"])
    try await store.close()
    #expect(system.openDescriptors == 0 && system.strayCloses == 0)
  }

  @Test(arguments: Switch.allCases, Kind.allCases)
  func aRefreshReadsThePathsCurrentTarget(what: Switch, kind: Kind) async throws {
    try what.prepare(in: folder)
    let (path, before, after) = what.paths(in: folder)
    try await GlobalData(at: before, system: POSIXSystemCalls()).set("before", forKey: "place")
    try await GlobalData(at: after, system: POSIXSystemCalls()).set("after", forKey: "place")
    let store = GlobalData(at: path, configuration: kind.configuration, system: POSIXSystemCalls())
    #expect(try store.texts() == ["place": "before"])
    _ = try what.perform(in: folder)
    try await store.refresh()
    #expect(try store.texts() == ["place": "after"])
  }

  @Test(arguments: Switch.allCases, Kind.allCases)
  func theLockBelongsToThePathsCurrentTarget(what: Switch, kind: Kind) async throws {
    try what.prepare(in: folder)
    let (path, before, after) = what.paths(in: folder)
    try await GlobalData(at: before, system: POSIXSystemCalls()).set("before", forKey: "place")
    try await GlobalData(at: after, system: POSIXSystemCalls()).set("after", forKey: "place")
    let store = GlobalData(at: path, configuration: kind.configuration, system: POSIXSystemCalls())
    try await store.set("1", forKey: "a")
    let (nowBefore, nowAfter) = try what.perform(in: folder)
    let other = try #require(try ArchiveFile(url: nowAfter).lock(timeout: .zero, makingFolder: false, .powerLoss))
    let error = try await requireError(GlobalDataError.self) { try await store.set("2", forKey: "a") }
    #expect(error.code == .busy)
    other.release()
    let old = try #require(try ArchiveFile(url: nowBefore).lock(timeout: .zero, makingFolder: false, .powerLoss))
    try await store.set("3", forKey: "a")
    old.release()
    #expect(try contents(nowAfter) == ["place": "after", "a": "3"])
  }

  /// Before each call of a write in turn. In the short run, before every other one.
  @Test(arguments: Switch.allCases, Kind.allCases)
  func aSwitchDuringAWriteLeavesBothFilesComplete(what: Switch, kind: Kind) async throws {
    var last = 0
    var isOver = false
    for call in (1...1_000).oneIn(2) where !isOver {
      try await withTemporaryDirectory { (folder) async throws in
        try what.prepare(in: folder)
        let (path, before, after) = what.paths(in: folder)
        try await GlobalData(at: before, system: POSIXSystemCalls()).set("before", forKey: "place")
        try await GlobalData(at: after, system: POSIXSystemCalls()).set("after", forKey: "place")
        let system = FaultySystemCalls()
        let store = GlobalData(at: path, configuration: kind.configuration, system: system)
        try await store.set("1", forKey: "a")
        system.recover()
        let places = Locked<(before: URL, after: URL)?>(nil)
        system.failCall(
          number: call,
          .interlude {
            do {
              let moved = try what.perform(in: folder)
              places.withLock { $0 = moved }
            } catch {
              Issue.record(error)
            }
          })
        try await store.set("2", forKey: "a")
        guard let (nowBefore, nowAfter) = places.withLock({ $0 }) else {
          isOver = true
          return
        }
        last = call
        // Nothing can be done between the last check of a name and giving it to another file, which then replaces the
        // link. The check of the lock is between the two.
        if what == .fileForLink, let index = system.records.firstIndex(where: \.isFaulty),
          system.records[index...].prefix(2).contains(where: { $0.call == .renameat })
        {
          return
        }
        // It was made before or after the switch, and to one of the files.
        let texts = [try contents(nowBefore), try contents(nowAfter)]
        #expect(
          texts == [["place": "before", "a": "2"], ["place": "after"]]
            || texts == [["place": "before", "a": "1"], ["place": "after", "a": "2"]], "call \(call)")
        try await store.set("3", forKey: "b")
        #expect(try contents(nowAfter)["b"] == "3", "call \(call)")
        try await store.close()
        #expect(system.openDescriptors == 0 && system.strayCloses == 0, "call \(call)")
      }
    }
    #expect(isOver && last > 5)
  }

  /// As a program does that makes snapshots. The store has left its folder and its lock file open, and the lock file
  /// is in both folders.
  @Test(arguments: [true, false])
  func aFolderThatWasReplacedWithACopyOfHardLinksIsOpenedAgain(isCleared: Bool) async throws {
    let (inner, earlier) = (folder.file("inner"), folder.file("earlier"))
    var configuration = GlobalData.Configuration()
    configuration.persistence = .appending
    configuration.durability = .processCrash
    let store = GlobalData(at: inner.file("store"), configuration: configuration)
    for number in 0..<2 { try await store.set(number, forKey: "a") }
    try FileManager.default.moveItem(at: inner, to: earlier)
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    for name in try earlier.names() {
      try FileManager.default.linkItem(at: earlier.file(name), to: inner.file(name))
    }
    let other = GlobalData(at: inner.file("store"), system: POSIXSystemCalls())
    if isCleared {
      try await store.clear()
      #expect(try inner.names() == [])
    } else {
      // Some of these rewrite the file.
      for number in 2..<7 {
        try await store.update { data in
          try data.set(Data(count: 300_000), forKey: "b")
          try data.set(number, forKey: "a")
        }
        try await other.set(number, forKey: "c")  // This rewrites the file, which then is in one folder only.
        #expect(try other.object(Int.self, forKey: "a") == number)
      }
    }
  }

  @Test(arguments: Kind.allCases) func aLinkThatIsSwitchedToAMissingFileIsAnError(kind: Kind) async throws {
    for what in [Switch.link, .chain, .folderLink, .parentLink] {
      try await withTemporaryDirectory { (folder) async throws in
        try what.prepare(in: folder)
        let (path, _, _) = what.paths(in: folder)
        if what == .link { try await GlobalData(at: folder.file("one")).set("1", forKey: "a") }
        if what == .chain { try await GlobalData(at: folder.file("a/one")).set("1", forKey: "a") }
        let store = GlobalData(at: path, configuration: kind.configuration)
        try await store.set("1", forKey: "a")
        let link = folder.file(what == .chain ? "middle" : "link")
        try FileManager.default.removeItem(at: link)
        try link.makeLink(to: "nowhere")
        let error = try await requireError(GlobalDataError.self) { try await store.set("2", forKey: "a") }
        #expect(error.code == .danglingLink)
        #expect(!FileManager.default.fileExists(atPath: folder.file("nowhere").path))
      }
    }
  }

  // MARK: The engine that stores share

  @Test(arguments: [false, true]) func storesShareAnEngineByTheirCurrentTargets(isFormerFirst: Bool) async throws {
    let (one, two, link) = (folder.file("one"), folder.file("two"), folder.file("link"))
    try await GlobalData(at: one).set("one", forKey: "place")
    try await GlobalData(at: two).set("two", forKey: "place")
    try link.makeLink(to: "one")
    let store = GlobalData(at: link)
    #expect(store.engine === GlobalData(at: one).engine)
    try FileManager.default.removeItem(at: link)
    try link.makeLink(to: "two")
    if isFormerFirst { #expect(store.engine !== GlobalData(at: one).engine) }
    // The first store now writes the second file, so that a store that is opened there shares its engine, and one at
    // the first path does not.
    #expect(store.engine === GlobalData(at: two).engine)
    #expect(store.engine === GlobalData(at: link).engine)
    let first = GlobalData(at: one)
    #expect(store.engine !== first.engine)
    try await store.set("through the link", forKey: "a")
    #expect(try first.texts() == ["place": "one"])
    #expect(try GlobalData(at: two).texts() == ["place": "two", "a": "through the link"])
  }

  @Test func aNewStoreExaminesThePathOfEachOtherStoreOnce() async throws {
    let system = FaultySystemCalls()
    func engine(_ name: String) -> StoreEngine {
      StoreEngine.engine(for: .file(folder.file(name)), GlobalData.Configuration(), system: system)
    }
    var engines: [StoreEngine] = []
    for number in 0..<50 {
      // Half of the stores have files.
      if number.isMultiple(of: 2) {
        _ = FileManager.default.createFile(atPath: folder.file("\(number)").path, contents: nil)
      }
      engines.append(engine("\(number)"))
    }
    for names in [["0", "0", "0", "0"], ["1", "1", "1", "1"], ["new", "newer", "newest", "last"]] {
      var excess: [Int] = []
      for name in names {
        system.recover()
        engines.append(engine(name))
        let calls = system.records.filter { $0.name.contains(folder.lastPathComponent) }
        #expect(!calls.isEmpty)
        excess.append(calls.count - engines.count)
      }
      // Tests that run at the same time have stores in other folders, and each new one of theirs examines these paths.
      #expect(try #require(excess.min()) <= 20)
    }
    #expect(engines[50] === engines[0] && engines[54] === engines[1])
  }

  @Test(arguments: ["x/../store", "./store", "x/./../store", "missing/../store", "missing/./x/../../store"])
  func pathsWithDotsAreOneStoreBeforeThereIsAFileAndAfter(path: String) async throws {
    try FileManager.default.createDirectory(at: folder.file("x"), withIntermediateDirectories: false)
    // As text, because Foundation would resolve the dots of an appended path.
    let spelled = try #require(URL(string: "file://\(folder.path)/\(path)"))
    let store = GlobalData(at: spelled)
    let plain = GlobalData(at: folder.file("store"))
    #expect(store.engine === plain.engine)
    try await plain.set(1, forKey: "a")
    #expect(GlobalData(at: spelled).engine === store.engine)
    #expect(GlobalData(at: folder.file("store")).engine === store.engine)
  }
}
