@testable import GlobalData

/// The system's calls, of which a conforming type replaces some.
protocol ForwardingSystemCalls: SystemCalls {
  var system: POSIXSystemCalls { get }
}

extension ForwardingSystemCalls {
  var isPrivileged: Bool { system.isPrivileged }

  var processID: Int32 { system.processID }

  func duplicate(_ descriptor: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    try system.duplicate(descriptor)
  }

  func excludeFromBackups(_ path: String) throws(SystemCallError) { try system.excludeFromBackups(path) }

  func realPath(_ path: String) throws(SystemCallError) -> String { try system.realPath(path) }

  func nameComparison(atPath path: String) -> NameComparison { system.nameComparison(atPath: path) }

  func status(ofPath path: String) throws(SystemCallError) -> FileStatus { try system.status(ofPath: path) }

  func status(of name: String, in folder: FileDescriptor, withTime: Bool) throws(SystemCallError) -> FileStatus {
    try system.status(of: name, in: folder, withTime: withTime)
  }

  func names(in folder: FileDescriptor) throws(SystemCallError) -> [String] { try system.names(in: folder) }

  func tryLock(_ descriptor: FileDescriptor) throws(SystemCallError) { try system.tryLock(descriptor) }

  func unlock(_ descriptor: FileDescriptor) throws(SystemCallError) { try system.unlock(descriptor) }

  func status(of descriptor: FileDescriptor, withTime: Bool) throws(SystemCallError) -> FileStatus {
    try system.status(of: descriptor, withTime: withTime)
  }

  func read(
    _ descriptor: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int {
    try system.read(descriptor, into: buffer, at: offset)
  }

  func setPermissions(_ permissions: UInt32, of descriptor: FileDescriptor) throws(SystemCallError) {
    try system.setPermissions(permissions, of: descriptor)
  }

  func setOwner(_ owner: UInt32?, group: UInt32, of descriptor: FileDescriptor) throws(SystemCallError) {
    try system.setOwner(owner, group: group, of: descriptor)
  }

  func copyAttributes(from source: FileDescriptor, to destination: FileDescriptor) throws(SystemCallError) {
    try system.copyAttributes(from: source, to: destination)
  }

  func write(_ descriptor: FileDescriptor, _ pieces: [UnsafeRawBufferPointer]) throws(SystemCallError) -> Int {
    try system.write(descriptor, pieces)
  }

  func write(
    _ descriptor: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int {
    try system.write(descriptor, bytes, at: offset)
  }

  func truncate(_ descriptor: FileDescriptor, to size: Int) throws(SystemCallError) {
    try system.truncate(descriptor, to: size)
  }

  func sync(_ descriptor: FileDescriptor, _ strength: SyncStrength) throws(SystemCallError) {
    try system.sync(descriptor, strength)
  }

  func close(_ descriptor: FileDescriptor) throws(SystemCallError) { try system.close(descriptor) }

  func protect(
    _ descriptor: FileDescriptor, _ protection: GlobalData.FileProtection?, like earlier: FileDescriptor?
  ) throws(SystemCallError) {
    try system.protect(descriptor, protection, like: earlier)
  }
}
