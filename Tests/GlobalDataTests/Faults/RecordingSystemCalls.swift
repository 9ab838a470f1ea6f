import Foundation
import TestSupport

@testable import GlobalData

/// The system's calls, with a record of those that change the disk. Some syncs can be left out.
final class RecordingSystemCalls: ForwardingSystemCalls {
  /// A step of the write protocol to leave out, in order to show its purpose.
  enum Omission: CaseIterable {
    case syncOfFiles
    case syncOfFolders
    case syncOfParents
  }

  private enum Opened {
    case file(Int)
    case folder(String)
    /// A file that existed before.
    case named(String, folder: String)
  }

  private struct State {
    var steps: [DiskStep] = []
    var opened: [FileDescriptor: Opened] = [:]
    var fileCount = 0
    var protections: [GlobalData.FileProtection?] = []
  }

  let system = POSIXSystemCalls()
  private let state = Locked(State())
  private let storeFolder: String
  private let omission: Omission?
  let processID: Int32 = 0x7fff_fff0

  init(storeFolder: URL, omission: Omission? = nil) {
    self.storeFolder = storeFolder.path
    self.omission = omission
  }

  var steps: [DiskStep] { state.withLock { $0.steps } }

  /// The requested protection of each new file.
  var protections: [GlobalData.FileProtection?] { state.withLock { $0.protections } }

  private func record(_ step: DiskStep) {
    state.withLock { $0.steps.append(step) }
  }

  private func folder(_ descriptor: FileDescriptor) -> String {
    state.withLock { state in
      if case .folder(let path)? = state.opened[descriptor] { path } else { "" }
    }
  }

  private func file(_ descriptor: FileDescriptor) -> Int? {
    state.withLock { state in
      if case .file(let number)? = state.opened[descriptor] { number } else { nil }
    }
  }

  private func place(_ descriptor: FileDescriptor) -> (name: String, folder: String)? {
    state.withLock { state in
      if case .named(let name, let folder)? = state.opened[descriptor] { (name, folder) } else { nil }
    }
  }

  private func recordCreation(of name: String, in folder: FileDescriptor, _ descriptor: FileDescriptor) {
    let path = self.folder(folder)
    state.withLock { state in
      state.steps.append(.create(file: state.fileCount, name: name, folder: path))
      state.opened[descriptor] = .file(state.fileCount)
      state.fileCount += 1
    }
  }

  // MARK: Calls that change the disk

  func makeDirectory(_ path: String) throws(SystemCallError) {
    try system.makeDirectory(path)
    record(.makeFolder(path))
  }

  func create(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    let descriptor = try system.create(name, in: folder)
    recordCreation(of: name, in: folder, descriptor)
    return descriptor
  }

  func openLock(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    let isNew = try !system.names(in: folder).contains(name)
    let descriptor = try system.openLock(name, in: folder)
    if isNew { recordCreation(of: name, in: folder, descriptor) }
    return descriptor
  }

  func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    try system.rename(name, to: newName, in: folder)
    record(.rename(name, to: newName, folder: self.folder(folder)))
  }

  func renameWithoutReplacing(
    _ name: String, to newName: String, in folder: FileDescriptor
  ) throws(SystemCallError) {
    try system.renameWithoutReplacing(name, to: newName, in: folder)
    record(.rename(name, to: newName, folder: self.folder(folder)))
  }

  func link(_ name: String, as newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    try system.link(name, as: newName, in: folder)
    record(.link(name, as: newName, folder: self.folder(folder)))
  }

  func unlink(_ name: String, in folder: FileDescriptor) throws(SystemCallError) {
    try system.unlink(name, in: folder)
    record(.unlink(name, folder: self.folder(folder)))
  }

  func write(_ descriptor: FileDescriptor, _ pieces: [UnsafeRawBufferPointer]) throws(SystemCallError) -> Int {
    let count = try system.write(descriptor, pieces)
    let bytes = pieces.reduce(into: Data()) { $0.append(contentsOf: $1) }
    if let file = file(descriptor) { record(.write(file: file, bytes.prefix(count))) }
    return count
  }

  func openExisting(
    _ name: String, in folder: FileDescriptor, isForUpdating: Bool
  ) throws(SystemCallError) -> FileDescriptor {
    let descriptor = try system.openExisting(name, in: folder, isForUpdating: isForUpdating)
    let path = self.folder(folder)
    state.withLock { $0.opened[descriptor] = .named(name, folder: path) }
    return descriptor
  }

  func write(
    _ descriptor: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int {
    let count = try system.write(descriptor, bytes, at: offset)
    if let place = place(descriptor) {
      record(.update(place.name, folder: place.folder, offset: offset, Data(bytes.prefix(count))))
    }
    return count
  }

  func truncate(_ descriptor: FileDescriptor, to size: Int) throws(SystemCallError) {
    try system.truncate(descriptor, to: size)
    if let place = place(descriptor) { record(.truncate(place.name, folder: place.folder, size: size)) }
  }

  func sync(_ descriptor: FileDescriptor, _ strength: SyncStrength) throws(SystemCallError) {
    // The model decides what is on the disk, so the test need not wait for the real disk.
    if let place = place(descriptor) {
      if omission != .syncOfFiles { record(.syncNamed(place.name, folder: place.folder)) }
    } else if let file = file(descriptor) {
      if omission != .syncOfFiles { record(.sync(file: file, strength)) }
    } else {
      let path = folder(descriptor)
      let left: Omission = path == storeFolder ? .syncOfFolders : .syncOfParents
      if omission != left { record(.syncFolder(path)) }
    }
  }

  // MARK: Descriptors

  func openDirectory(_ path: String, forListing: Bool) throws(SystemCallError) -> FileDescriptor {
    let descriptor = try system.openDirectory(path, forListing: forListing)
    state.withLock { $0.opened[descriptor] = .folder(path) }
    return descriptor
  }

  func close(_ descriptor: FileDescriptor) throws(SystemCallError) {
    state.withLock { $0.opened[descriptor] = nil }
    try system.close(descriptor)
  }

  func protect(
    _ descriptor: FileDescriptor, _ protection: GlobalData.FileProtection?, like earlier: FileDescriptor?
  ) throws(SystemCallError) {
    state.withLock { $0.protections.append(protection) }
    try system.protect(descriptor, protection, like: earlier)
  }
}
