import Foundation
import KeyedArchive

@testable import GlobalData

// Single steps of an operation, each in a session of its own.

extension ArchiveFile {
  private func alone<Result>(
    _ access: FileSession.Access, _ step: (FileSession) throws(GlobalDataError) -> Result
  ) throws(GlobalDataError) -> Result {
    let session = FileSession(self, access)
    defer { session.end() }
    return try step(session)
  }

  func exists() throws(GlobalDataError) -> Bool {
    try alone(.reading) { session throws(GlobalDataError) in try session.exists() }
  }

  func read(limit: Int) throws(GlobalDataError) -> Data? {
    try alone(.reading) { session throws(GlobalDataError) in try session.read(limit: limit).map { Data($0.0) } }
  }

  func readArchive() throws(GlobalDataError) -> FileSession.Reading? {
    try alone(.reading) { session throws(GlobalDataError) in
      try session.readArchive(limit: ArchiveLimits().maximumFileSize)
    }
  }

  /// The properties that distinguish the file from a later one, or `nil` if there is no file.
  func stamp() throws(GlobalDataError) -> FileStamp? {
    try alone(.reading) { session throws(GlobalDataError) in
      if case .file(let examined) = try session.examine(isForUpdating: false) { examined.stamp } else { nil }
    }
  }

  @discardableResult
  func replace(with pieces: [Data], durability: Durability) throws(GlobalDataError) -> FileSession.Replacement {
    try alone(.writing) { session throws(GlobalDataError) in
      let pieces = pieces.map { SharedBytes(copying: $0) }
      guard let result = try session.replace(with: pieces, durability: durability) else {
        throw .keepsBeingReplaced(url)
      }
      return result
    }
  }

  func remove(durability: Durability) throws(GlobalDataError) {
    try alone(.writing) { session throws(GlobalDataError) in
      guard try session.remove(durability: durability) else { throw .keepsBeingReplaced(url) }
    }
  }

  @discardableResult
  func removeLeftovers(now: Double = Date().timeIntervalSince1970) throws(GlobalDataError) -> Int {
    try alone(.reading) { session throws(GlobalDataError) in try session.removeLeftovers(now: now) }
  }

  func removeSetAsideFiles() throws(GlobalDataError) {
    try alone(.writing) { session throws(GlobalDataError) in try session.removeSetAsideFiles() }
  }

  func setAside(limit: Int, _ durability: Durability) throws -> URL {
    let session = FileSession(self, .writing)
    defer { session.end() }
    return try session.setAside(limit: limit, durability, as: .damaged)
  }

  /// - Returns: The lock, or `nil` if there is no folder and none is to be created.
  func lock(timeout: Duration, makingFolder: Bool, _ durability: Durability) throws(GlobalDataError) -> LockFile? {
    try alone(.writing) { session throws(GlobalDataError) in
      try session.lock(timeout: timeout, creatingFolder: makingFolder, durability)
      defer { session.lock = nil }
      return session.lock
    }
  }
}
