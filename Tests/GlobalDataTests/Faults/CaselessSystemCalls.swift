import Foundation

@testable import GlobalData

/// The system's calls on a volume that ignores case in names, and keeps the spelling with which each was created.
final class CaselessSystemCalls: ForwardingSystemCalls {
  let system = POSIXSystemCalls()

  func nameComparison(atPath path: String) -> NameComparison { .caseless }

  /// Returns the spelling that a folder has for a name, or the name itself.
  private func spelling(of name: String, in names: [String]) -> String {
    if names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { return name }
    let folded = NameComparison.caseless.folded(name)
    return names.first { NameComparison.caseless.folded($0) == folded } ?? name
  }

  private func spelling(of name: String, in folder: FileDescriptor) throws(SystemCallError) -> String {
    spelling(of: name, in: try system.names(in: folder))
  }

  private func spelling(ofPath path: String) throws(SystemCallError) -> String {
    var spelled = ""
    for component in path.split(separator: "/").map(String.init) {
      do {
        let folder = try system.openDirectory(spelled + "/", forListing: true)
        defer { system.closeUnwritten(folder) }
        spelled += "/" + (try spelling(of: component, in: folder))
      } catch {
        guard error.isAbsent else { throw error }
        spelled += "/" + component
      }
    }
    return spelled
  }

  // MARK: Paths

  func realPath(_ path: String) throws(SystemCallError) -> String {
    try system.realPath(try spelling(ofPath: path))
  }

  func status(ofPath path: String) throws(SystemCallError) -> FileStatus {
    try system.status(ofPath: try spelling(ofPath: path))
  }

  func makeDirectory(_ path: String) throws(SystemCallError) {
    try system.makeDirectory(try spelling(ofPath: path))
  }

  func excludeFromBackups(_ path: String) throws(SystemCallError) {
    try system.excludeFromBackups(spelling(ofPath: path))
  }

  func openDirectory(_ path: String, forListing: Bool) throws(SystemCallError) -> FileDescriptor {
    try system.openDirectory(try spelling(ofPath: path), forListing: forListing)
  }

  // MARK: Names in a folder

  func openExisting(
    _ name: String, in folder: FileDescriptor, isForUpdating: Bool
  ) throws(SystemCallError) -> FileDescriptor {
    try system.openExisting(try spelling(of: name, in: folder), in: folder, isForUpdating: isForUpdating)
  }

  func create(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    try system.create(try spelling(of: name, in: folder), in: folder)
  }

  func status(
    of name: String, in folder: FileDescriptor, withTime: Bool
  ) throws(SystemCallError) -> FileStatus {
    try system.status(of: try spelling(of: name, in: folder), in: folder, withTime: withTime)
  }

  func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    try system.rename(try spelling(of: name, in: folder), to: try spelling(of: newName, in: folder), in: folder)
  }

  func renameWithoutReplacing(
    _ name: String, to newName: String, in folder: FileDescriptor
  ) throws(SystemCallError) {
    try system.renameWithoutReplacing(
      try spelling(of: name, in: folder), to: try spelling(of: newName, in: folder), in: folder)
  }

  func link(_ name: String, as newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    try system.link(try spelling(of: name, in: folder), as: try spelling(of: newName, in: folder), in: folder)
  }

  func unlink(_ name: String, in folder: FileDescriptor) throws(SystemCallError) {
    try system.unlink(try spelling(of: name, in: folder), in: folder)
  }

  func openLock(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    try system.openLock(try spelling(of: name, in: folder), in: folder)
  }
}
