import Dispatch
import Foundation
import FuzzSupport

@testable import GlobalData
@testable import KeyedArchive

// Stores: files with correct checksums for contents that no store writes, which are then damaged; see Forge.swift.

@main enum StoreTarget {
  static func main() {
    Branches.reportAtExit([
      "intact", "intact with changes", "newer", "foreign", "head of the archive lost", "unwritten",
      "one bit put right", "truncated", "malformed", "entry's checksum", "archive's checksum", "change's checksum",
      "duplicate key", "invalid key", "bytes at the end", "gap", "more bytes than stand before it", "lost key",
      "outdated key", "unnamed loss", "refused", "recovered", "written over",
    ])
    exit(fuzz(check))
  }
}

private let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("fuzz-store-\(getpid())")

private func check(_ input: [UInt8]) {
  let forge = Forge(input)
  let data = Data(forge.file)
  let contents = parse(data)
  if let entries = forge.entries { checkIntact(entries, contents, data) }
  if let contents { checkRecovery(contents, data) }

  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for policy in GlobalData.RecoveryPolicy.allCases { try await use(data, policy, contents) }
      try FileManager.default.removeItem(at: folder)
    } catch {
      finding("an error where none can be: \(error)")
    }
    isDone.signal()
  }
  isDone.wait()
}

// MARK: The reading

/// Reads a file, and checks the amount of work.
private func parse(_ data: Data) -> ArchiveImage.Contents? {
  let file = SharedBytes(copying: data)
  return file.withUnsafeBytes { bytes in
    var parser = ArchiveParser(file, bytes)
    defer {
      // Work that has begun may be finished: one record, or a key with each of its bits changed.
      if parser.budget.rest < -2 * Int64(bytes.count) - (1 << 16) {
        finding("work beyond the budget: \(parser.budget.rest)")
      }
    }
    switch parser.parse() {
    case .intact(let contents), .damaged(let contents), .newer(_, let contents?): return contents
    case .foreign: Branches.reach("foreign")
    case .newer: Branches.reach("newer")
    case .unreadable: Branches.reach("head of the archive lost")
    }
    return nil
  }
}

/// Checks that reading an intact file returns its entries.
private func checkIntact(
  _ entries: [(key: String, value: [UInt8])], _ contents: ArchiveImage.Contents?, _ data: Data
) {
  guard let contents, contents.damage.isEmpty else {
    finding("an intact file is said to be damaged: \(String(describing: contents?.damage))")
  }
  let read = contents.image.entries.list().map { (key: $0.key, value: $0.value.withUnsafeBytes { [UInt8]($0) }) }
  guard read.elementsEqual(entries, by: { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }) else {
    finding("another content than the file's: \(read.map(\.key)) for \(entries.map(\.key))")
  }
  Branches.reach(contents.appendPoint?.offset == data.count ? "intact" : "intact with changes")
}

private func checkRecovery(_ contents: ArchiveImage.Contents, _ data: Data) {
  let keys = contents.image.entries.list().map(\.key)
  let (lost, outdated) = (contents.losses.lostKeys, contents.losses.outdatedKeys)
  if Set(keys).count != keys.count { finding("a key is there twice: \(keys)") }
  if Set(lost).count != lost.count || Set(outdated).count != outdated.count { finding("a key is named twice") }
  if !Set(lost).isDisjoint(with: keys) { finding("a lost key has a value: \(lost)") }
  if !Set(outdated).isSubset(of: keys) { finding("an outdated key has none: \(outdated)") }
  if contents.losses.lostCount < lost.count { finding("fewer are lost than are named") }
  if contents.damage.isEmpty, contents.losses != LostRecords.Result() { finding("something is lost without damage") }
  if contents.damage.isEmpty, contents.appendPoint == nil { Branches.reach("unwritten") }
  if contents.version > ArchiveImage.version { Branches.reach("newer") }
  if !lost.isEmpty { Branches.reach("lost key") }
  if !outdated.isEmpty { Branches.reach("outdated key") }
  if contents.losses.lostCount > lost.count { Branches.reach("unnamed loss") }
  for damage in contents.damage { Branches.reach(name(of: damage)) }
}

private func name(of damage: ArchiveDamage) -> String {
  switch damage.kind {
  case .empty, .zeros, .archiveHead: "head of the archive lost"
  case .truncated: "truncated"
  case .malformed(let what):
    what.hasSuffix("does not follow the one before it")
      ? "gap" : what.hasSuffix("than precede it") ? "more bytes than stand before it" : "malformed"
  case .expected: "malformed"
  case .flippedBit: "one bit put right"
  case .entryChecksum: "entry's checksum"
  case .archiveChecksum: "archive's checksum"
  case .changeChecksum: "change's checksum"
  case .duplicateKey: "duplicate key"
  case .invalidKey: "invalid key"
  case .trailingBytes: "bytes at the end"
  }
}

// MARK: The store

/// Reads all values of a store over the file, writes, and opens the file again.
private func use(_ data: Data, _ policy: GlobalData.RecoveryPolicy, _ contents: ArchiveImage.Contents?) async throws {
  let url = folder.appendingPathComponent("store")
  try data.write(to: url)
  var configuration = GlobalData.Configuration()
  configuration.recoveryPolicy = policy
  configuration.registry = TypeRegistry()
  configuration.durability = .processCrash
  configuration.persistence = data.count % 2 == 0 ? .appending : .rewriting
  let store = GlobalData(at: url, configuration: configuration)
  read(store)

  let isNewer = contents.map { $0.version > 1 } ?? false
  let isRefused = contents.map { !$0.damage.isEmpty && policy == .refuse } ?? true
  if isRefused || isNewer {
    do {
      try await store.set(1, forKey: "new")
      finding("a file that is to be refused was written: \(store.state)")
    } catch let error as GlobalDataError {
      _ = error.description
      if try Data(contentsOf: url) != data { finding("a file that is refused was changed") }
      Branches.reach("refused")
    }
    do {
      if try await store.recover() != nil { Branches.reach("recovered") }
    } catch let error as GlobalDataError {
      // The file has another format or a newer version, so nothing overwrites it.
      if error.code == .damaged { finding("a damaged file cannot be recovered") }
      if try Data(contentsOf: url) != data { finding("a file that is refused was changed") }
      return try FileManager.default.removeItem(at: url)
    }
  }
  try await store.set(1, forKey: "new")
  if let first = store.allKeys.first(where: { $0 != "new" }) { try await store.removeObject(forKey: first) }
  let keys = store.allKeys
  Branches.reach("written over")
  try await store.close()
  let parsed = ArchiveImage.parsing(SharedBytes(copying: try Data(contentsOf: url)))
  guard case .intact(let written) = parsed else { finding("damaged after a write: \(parsed)") }
  if written.image.entries.list().map(\.key) != keys { finding("other keys after a write: \(keys)") }

  let again = GlobalData(at: url, configuration: configuration)
  read(again)
  if again.allKeys != keys || again.state != .ready { finding("another store after a write: \(again.state)") }
  if try again.object(Int.self, forKey: "new") != 1 { finding("another value than was written") }
  try await again.clear()
}

/// Reads each value by its tag, and as a tree.
private func read(_ store: GlobalData) {
  for key in store.allKeys {
    do { _ = try store.object(forKey: key) } catch { _ = "\(error)" }
    do { _ = try store.object(ArchiveValue.self, forKey: key) } catch { _ = "\(error)" }
  }
  guard let recovery = store.recovery else { return }
  _ = recovery.problems
  if recovery.keptKeys != store.allKeys, store.state == .damaged { finding("recovery names other keys than the store") }
}
