import Foundation
import Synchronization

@testable import GlobalData

/// The system's calls, of which chosen ones fail as a kernel can make them fail; all calls are recorded.
final class FaultySystemCalls: SystemCalls {
  enum Fault: Sendable {
    /// The call is not made and fails with this error number.
    case error(Int32)
    /// The rename is made and fails all the same, as over a network that loses the answer.
    case errorAfterwards(Int32)
    /// At most this many bytes are read or written.
    case short(Int)
    /// The call reports this many bytes, and does nothing.
    case bytes(Int)
  }

  /// A call that was made.
  struct Record: Hashable, CustomStringConvertible {
    var call: SystemCall
    /// For calls on descriptors: whether it is a folder's.
    var isFolder: Bool

    var description: String { isFolder ? "\(call.rawValue)(folder)" : call.rawValue }
  }

  private struct State {
    var rules: [(matches: @Sendable (Record, _ nth: Int, _ total: Int) -> Bool, fault: Fault)] = []
    var records: [Record] = []
    var counts: [Record: Int] = [:]
    var open: [FileDescriptor: Bool] = [:]
    var faults = 0
  }

  private let system = POSIXSystemCalls()
  private let state = Mutex(State())
  let isPrivileged: Bool
  let processID: Int32

  init(
    isPrivileged: Bool = POSIXSystemCalls().isPrivileged,
    processID: Int32 = POSIXSystemCalls().processID
  ) {
    self.isPrivileged = isPrivileged
    self.processID = processID
  }

  // MARK: Choosing faults

  /// Makes the calls of one kind fail, or only the *n*th of them, counted from 1.
  func fail(_ call: SystemCall, nth: Int? = nil, onFolder: Bool? = nil, _ fault: Fault) {
    let rule = { @Sendable (record: Record, count: Int, _: Int) in
      record.call == call && (nth == nil || nth == count) && (onFolder == nil || onFolder == record.isFolder)
    }
    state.withLock { $0.rules.append((rule, fault)) }
  }

  /// Makes the *n*th of all calls fail, counted from 1.
  func failCall(number: Int, _ fault: Fault) {
    state.withLock { $0.rules.append(({ _, _, total in total == number }, fault)) }
  }

  /// From now on all calls are the system's, and the records and counts start anew.
  func recover() {
    state.withLock { state in
      state.rules = []
      state.records = []
      state.counts = [:]
      state.faults = 0
    }
  }

  // MARK: Looking at what happened

  var records: [Record] { state.withLock { $0.records } }
  var faults: Int { state.withLock { $0.faults } }
  /// The number of descriptors that were opened and not closed.
  var openDescriptors: Int { state.withLock { $0.open.count } }

  func count(of call: SystemCall, onFolder: Bool = false) -> Int {
    state.withLock { $0.counts[Record(call: call, isFolder: onFolder)] ?? 0 }
  }

  // MARK: Calls

  private func fault(_ call: SystemCall, _ descriptor: FileDescriptor? = nil) -> Fault? {
    state.withLock { state in
      let record = Record(call: call, isFolder: descriptor.flatMap { state.open[$0] } ?? false)
      state.records.append(record)
      let nth = state.counts[record, default: 0] + 1
      state.counts[record] = nth
      let total = state.records.count
      guard let rule = state.rules.first(where: { $0.matches(record, nth, total) }) else { return nil }
      state.faults += 1
      return rule.fault
    }
  }

  private func attempt(_ call: SystemCall, _ descriptor: FileDescriptor? = nil) throws(SystemCallError) {
    if case .error(let number)? = fault(call, descriptor) { throw SystemCallError(call, number) }
  }

  private func opened(_ descriptor: FileDescriptor, isFolder: Bool) -> FileDescriptor {
    state.withLock { $0.open[descriptor] = isFolder }
    return descriptor
  }

  func realPath(_ path: String) throws(SystemCallError) -> String {
    try attempt(.realpath)
    return try system.realPath(path)
  }

  func status(ofPath path: String) throws(SystemCallError) -> FileStatus {
    try attempt(.lstat)
    return try system.status(ofPath: path)
  }

  func makeDirectory(_ path: String) throws(SystemCallError) {
    try attempt(.mkdir)
    try system.makeDirectory(path)
  }

  func openDirectory(_ path: String, forListing: Bool) throws(SystemCallError) -> FileDescriptor {
    try attempt(.open)
    return opened(try system.openDirectory(path, forListing: forListing), isFolder: true)
  }

  func openForReading(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    try attempt(.openat)
    return opened(try system.openForReading(name, in: folder), isFolder: false)
  }

  func create(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    try attempt(.create)
    return opened(try system.create(name, in: folder), isFolder: false)
  }

  func status(of name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileStatus {
    try attempt(.fstatat)
    return try system.status(of: name, in: folder)
  }

  func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    let fault = fault(.renameat)
    if case .error(let number)? = fault { throw SystemCallError(.renameat, number) }
    try system.rename(name, to: newName, in: folder)
    if case .errorAfterwards(let number)? = fault { throw SystemCallError(.renameat, number) }
  }

  func link(_ name: String, as newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    try attempt(.linkat)
    try system.link(name, as: newName, in: folder)
  }

  func openLock(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    try attempt(.create)
    return opened(try system.openLock(name, in: folder), isFolder: false)
  }

  func tryLock(_ descriptor: FileDescriptor) throws(SystemCallError) {
    try attempt(.flock, descriptor)
    try system.tryLock(descriptor)
  }

  func unlock(_ descriptor: FileDescriptor) throws(SystemCallError) {
    try attempt(.flock, descriptor)
    try system.unlock(descriptor)
  }

  func unlink(_ name: String, in folder: FileDescriptor) throws(SystemCallError) {
    try attempt(.unlinkat)
    try system.unlink(name, in: folder)
  }

  func names(in folder: FileDescriptor) throws(SystemCallError) -> [String] {
    try attempt(.readdir)
    return try system.names(in: folder)
  }

  func status(of descriptor: FileDescriptor) throws(SystemCallError) -> FileStatus {
    try attempt(.fstat, descriptor)
    return try system.status(of: descriptor)
  }

  func read(
    _ descriptor: FileDescriptor,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemCallError) -> Int {
    switch fault(.read, descriptor) {
    case .error(let number): throw SystemCallError(.read, number)
    case .short(let count): return try system.read(descriptor, into: .init(rebasing: buffer.prefix(count)))
    case .bytes(let count): return count
    case .errorAfterwards, nil: return try system.read(descriptor, into: buffer)
    }
  }

  func write(_ descriptor: FileDescriptor, _ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Int {
    switch fault(.write, descriptor) {
    case .error(let number): throw SystemCallError(.write, number)
    case .short(let count): return try system.write(descriptor, .init(rebasing: bytes.prefix(count)))
    case .bytes(let count): return count
    case .errorAfterwards, nil: return try system.write(descriptor, bytes)
    }
  }

  func sync(_ descriptor: FileDescriptor, _ strength: SyncStrength) throws(SystemCallError) {
    try attempt(.fsync, descriptor)
    try system.sync(descriptor, strength)
  }

  func close(_ descriptor: FileDescriptor) throws(SystemCallError) {
    let fault = fault(.close, descriptor)
    // Out of the table before the number is free for another thread.
    state.withLock { $0.open[descriptor] = nil }
    try system.close(descriptor)
    if case .error(let number)? = fault { throw SystemCallError(.close, number) }
  }

  func setPermissions(_ permissions: UInt32, of descriptor: FileDescriptor) throws(SystemCallError) {
    try attempt(.fchmod, descriptor)
    try system.setPermissions(permissions, of: descriptor)
  }

  func setOwner(_ owner: UInt32?, group: UInt32, of descriptor: FileDescriptor) throws(SystemCallError) {
    try attempt(.fchown, descriptor)
    try system.setOwner(owner, group: group, of: descriptor)
  }

  func copyAttributes(from source: FileDescriptor, to destination: FileDescriptor) throws(SystemCallError) {
    try attempt(.copyAttributes, destination)
    try system.copyAttributes(from: source, to: destination)
  }

  func protect(_ descriptor: FileDescriptor, like earlier: FileDescriptor?) throws(SystemCallError) {
    try attempt(.protect, descriptor)
    try system.protect(descriptor, like: earlier)
  }

  func isRunning(_ processID: Int32) -> Bool { system.isRunning(processID) }
}
