import Foundation

@testable import GlobalData

// Steps of a commit by themselves, each with a visit of its own.

extension ArchiveFile {
  @discardableResult
  func replace(with pieces: [Data], durability: Durability) throws(GlobalDataError) -> Replacement {
    let visit = ArchiveVisit(self)
    defer { visit.end() }
    return try replace(with: pieces, durability: durability, during: visit)
  }

  /// - Returns: The lock, or `nil` where there is no folder and none is to be made.
  func lock(timeout: Duration, makingFolder: Bool, _ durability: Durability) throws(GlobalDataError) -> FileLock? {
    let visit = ArchiveVisit(self)
    defer { visit.forget() }
    return try visit.takeLock(timeout: timeout, makingFolder: makingFolder, durability)
  }
}
