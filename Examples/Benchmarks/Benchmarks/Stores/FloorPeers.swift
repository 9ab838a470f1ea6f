import Floor
import Foundation
import GlobalData

/// The bare system calls that replace a file as large as this package's store.
final class ReplacingFloor: BlockingPeer {
  private let folder: Int32
  private let image: Data
  private let syncsFile: Bool
  private let syncsFolder: Bool

  init(_ folder: URL, _ entries: [SampleEntry], syncsFile: Bool, syncsFolder: Bool) async throws {
    // Uses the image of a store, so that the floor writes the same number of bytes.
    let file = GlobalDataPeer.file(in: folder)
    let store = GlobalData(at: file, configuration: GlobalDataPeer.configuration(.processCrash, .rewriting))
    try await GlobalDataPeer(store: store).write(entries)
    try await store.close()
    image = try Data(contentsOf: file)
    self.folder = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    (self.syncsFile, self.syncsFolder) = (syncsFile, syncsFolder)
  }

  func write(_ entries: [SampleEntry]) throws {
    let answer = image.withUnsafeBytes { bytes in
      floor_replace(folder, "floor", bytes.baseAddress, bytes.count, syncsFile ? 1 : 0, syncsFolder ? 1 : 0)
    }
    try PeerFailure.check(answer, "floor_replace")
  }

  func read(_ key: String) throws -> String? { throw PeerFailure("the floor has no entries") }

  func close() throws {
    Foundation.close(folder)
  }
}

/// The bare system calls that append one record to a file that already has space for it.
final class AppendingFloor: BlockingPeer {
  private static let recordSize = 256
  private static let logSize = 16 << 20

  private let log: Int32
  private let record = Data(repeating: 7, count: recordSize)
  private let syncs: Bool
  private var offset = 0

  init(_ folder: URL, syncs: Bool) throws {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    log = floor_make_log(descriptor, "log", AppendingFloor.logSize)
    Foundation.close(descriptor)
    guard log >= 0 else { throw PeerFailure("floor_make_log failed: errno \(errno)") }
    self.syncs = syncs
  }

  func write(_ entries: [SampleEntry]) throws {
    // One record holds all entries: one call and one sync for the bytes of all of them.
    let bytes = entries.count == 1 ? record : Data(repeating: 7, count: AppendingFloor.recordSize * entries.count)
    let answer = bytes.withUnsafeBytes { floor_append(log, $0.baseAddress, $0.count, off_t(offset), syncs ? 1 : 0) }
    try PeerFailure.check(answer, "floor_append")
    offset = (offset + bytes.count) % (AppendingFloor.logSize / 2)
  }

  func read(_ key: String) throws -> String? { throw PeerFailure("the floor has no entries") }

  func close() throws {
    Foundation.close(log)
  }
}

/// The bare system calls that append one record to a file that other processes may also write.
final class SharedAppendingFloor: BlockingPeer {
  private let path: String
  private let log: Int32
  private let lock: Int32
  private let record = Data(repeating: 7, count: 256)
  private var offset = 0

  init(_ folder: URL) throws {
    path = folder.appendingPathComponent("log").path
    log = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    lock = open(folder.appendingPathComponent("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard log >= 0, lock >= 0 else { throw PeerFailure("open failed: errno \(errno)") }
  }

  func write(_ entries: [SampleEntry]) throws {
    let bytes = entries.count == 1 ? record : Data(repeating: 7, count: 256 * entries.count)
    let answer = bytes.withUnsafeBytes {
      floor_append_shared(path, log, lock, $0.baseAddress, $0.count, off_t(offset))
    }
    try PeerFailure.check(answer, "floor_append_shared")
    offset += bytes.count
  }

  func read(_ key: String) throws -> String? { throw PeerFailure("the floor has no entries") }

  func close() throws {
    Foundation.close(log)
    Foundation.close(lock)
  }
}

extension StoreColumn {
  /// The name of the floor that the other rows with this survival are compared with.
  static func floor(of survival: Survival) -> String {
    switch survival {
    case .powerCut: "floor: replace, fsync, fsync folder"
    case .olderState, .inPlace: "floor: replace, fsync"
    case .kill: "floor: replace"
    }
  }

  static var floors: [StoreColumn] {
    [Survival.powerCut, .olderState, .kill].map { survival in
      StoreColumn(name: floor(of: survival), survives: survival) { folder, entries in
        try await ReplacingFloor(
          folder, entries, syncsFile: survival != .kill, syncsFolder: survival == .powerCut)
      }
    } + [
      StoreColumn(name: "floor: append, fdatasync", survives: .powerCut) { folder, _ in
        try AppendingFloor(folder, syncs: true)
      },
      StoreColumn(name: "floor: append", survives: .kill) { folder, _ in
        try AppendingFloor(folder, syncs: false)
      },
      StoreColumn(name: "floor: lock, look, append, look", survives: .kill) { folder, _ in
        try SharedAppendingFloor(folder)
      },
    ]
  }
}
