package import GlobalData
import KeyedArchive

/// System calls that are recorded, and of which chosen ones fail as a kernel can make them fail.
///
/// Apps use it through ``FaultInjector``. The tests of the store's file layer use it directly, because they distinguish
/// calls that are one operation to an app.
package final class FaultySystemCalls: SystemCalls {
  package enum Fault: Sendable {
    /// The call is not made and fails with this error number.
    case error(Int32)
    /// The rename is made but reports a failure, as over a network that loses the answer.
    case errorAfterwards(Int32)
    /// At most this many bytes are read or written.
    case short(Int)
    /// The call reports this many bytes, and does nothing.
    case bytes(Int)
    /// The call proceeds when the pause ends.
    case pause(CallPause)
    /// The function runs right before the call, for example to act like another process.
    case interlude(@Sendable () -> Void)
  }

  /// A call that was made.
  package struct Record: Hashable, Sendable, CustomStringConvertible {
    package var call: SystemCall
    /// Whether the descriptor of the call, if it has one, is that of a folder.
    package var isFolder: Bool
    /// The name or path that the call is about, or that its descriptor was opened under.
    package var name: String
    /// The requested number of bytes to read or write.
    package var byteCount: Int
    /// Whether anything was written through the descriptor of the call, if it has one.
    package var isWritten: Bool
    /// Whether a fault affected the call.
    package var isFaulty = false

    package var description: String { isFolder ? "\(call.rawValue)(folder)" : call.rawValue }
  }

  /// A fault, and the calls that it affects: `times` of the matching ones, after the first `skipped`.
  private struct Rule {
    var matches: @Sendable (Record) -> Bool
    var skipped: Int
    var times: Int
    var fault: Fault
    var seen = 0

    /// Counts a call, and returns whether the fault applies to it.
    mutating func meets(_ record: Record) -> Bool {
      guard matches(record) else { return false }
      seen += 1
      return seen > skipped && seen - skipped <= times
    }
  }

  private struct TrackedFile {
    var name: String
    var isFolder: Bool
    var isWritten = false
  }

  private struct State {
    var rules: [Rule] = []
    var records: [Record] = []
    var open: [FileDescriptor: TrackedFile] = [:]
    var faults = 0
    var strayCloses = 0
  }

  private let system: any SystemCalls
  private let state = Locked(State())
  package let isPrivileged: Bool
  package let processID: Int32

  /// Creates system calls that forward to others, by default the system's own.
  package init(
    over system: any SystemCalls = GlobalData.systemCalls, isPrivileged: Bool? = nil, processID: Int32? = nil
  ) {
    self.system = system
    self.isPrivileged = isPrivileged ?? system.isPrivileged
    self.processID = processID ?? system.processID
  }

  // MARK: Choosing faults

  /// Makes calls fail from now on: `times` of the matching ones, after the first `skipped`.
  package func fail(
    _ fault: Fault, skipping skipped: Int = 0, times: Int = .max, where matches: @escaping @Sendable (Record) -> Bool
  ) {
    state.withLock { $0.rules.append(Rule(matches: matches, skipped: skipped, times: times, fault: fault)) }
  }

  /// Makes the *n*th of all calls from now on fail, counted from 1, or that call and all later ones.
  package func failCall(number: Int, andLaterOnes: Bool = false, _ fault: Fault) {
    fail(fault, skipping: number - 1, times: andLaterOnes ? .max : 1) { _ in true }
  }

  /// Removes all faults, and clears the records.
  package func recover() {
    state.withLock { state in
      state.rules = []
      state.records = []
      state.faults = 0
    }
  }

  // MARK: Examining calls

  package var records: [Record] { state.withLock { $0.records } }
  /// The number of calls that a fault affected.
  package var faults: Int { state.withLock { $0.faults } }
  package var openDescriptors: Int { state.withLock { $0.open.count } }

  /// The number of times that a descriptor was closed that was not open, and may belong to other code.
  package var strayCloses: Int { state.withLock { $0.strayCloses } }

  // MARK: For the calls

  private func fault(
    _ call: SystemCall, _ descriptor: FileDescriptor? = nil, name: String? = nil, byteCount: Int = 0
  ) -> Fault? {
    let fault: Fault? = state.withLock { state in
      let file = descriptor.flatMap { state.open[$0] }
      var record = Record(
        call: call, isFolder: file?.isFolder ?? false, name: name ?? file?.name ?? "", byteCount: byteCount,
        isWritten: file?.isWritten ?? false)
      var first: Fault?
      for index in state.rules.indices where state.rules[index].meets(record) {
        if first == nil { first = state.rules[index].fault }
      }
      record.isFaulty = first != nil
      if first != nil { state.faults += 1 }
      state.records.append(record)
      return first
    }
    // Outside the lock, so that other threads continue while this one is paused.
    switch fault {
    case .pause(let pause)?: pause.hold()
    case .interlude(let interlude)?: interlude()
    default: break
    }
    return fault
  }

  /// Makes a call unless a fault makes it fail.
  private func attempt<Answer>(
    _ call: SystemCall, _ descriptor: FileDescriptor? = nil, name: String? = nil,
    _ body: @autoclosure () throws(SystemCallError) -> Answer
  ) throws(SystemCallError) -> Answer {
    if case .error(let number)? = fault(call, descriptor, name: name) { throw SystemCallError(call, number) }
    return try body()
  }

  /// Reads or writes as many bytes as a fault allows.
  private func transfer(
    _ call: SystemCall, _ descriptor: FileDescriptor, _ byteCount: Int, _ body: (Int) throws(SystemCallError) -> Int
  ) throws(SystemCallError) -> Int {
    let fault = fault(call, descriptor, byteCount: byteCount)
    if call == .write || call == .pwrite { state.withLock { $0.open[descriptor]?.isWritten = true } }
    switch fault {
    case .error(let number): throw SystemCallError(call, number)
    case .short(let count): return try body(min(count, byteCount))
    case .bytes(let count): return count
    case .errorAfterwards, .pause, .interlude, nil: return try body(byteCount)
    }
  }

  private func opened(_ descriptor: FileDescriptor, _ name: String, isFolder: Bool = false) -> FileDescriptor {
    state.withLock { $0.open[descriptor] = TrackedFile(name: name, isFolder: isFolder) }
    return descriptor
  }

  // MARK: Paths

  package func realPath(_ path: String) throws(SystemCallError) -> String {
    try attempt(.realpath, name: path, system.realPath(path))
  }

  package func nameComparison(atPath path: String) -> NameComparison {
    system.nameComparison(atPath: path)
  }

  package func status(ofPath path: String) throws(SystemCallError) -> FileStatus {
    try attempt(.lstat, name: path, system.status(ofPath: path))
  }

  package func makeDirectory(_ path: String) throws(SystemCallError) {
    try attempt(.mkdir, name: path, system.makeDirectory(path))
  }

  package func openDirectory(_ path: String, forListing: Bool) throws(SystemCallError) -> FileDescriptor {
    opened(try attempt(.open, name: path, system.openDirectory(path, forListing: forListing)), path, isFolder: true)
  }

  package func excludeFromBackups(_ path: String) throws(SystemCallError) {
    try attempt(.excludeFromBackups, name: path, system.excludeFromBackups(path))
  }

  // MARK: Names in a folder

  package func openExisting(
    _ name: String, in folder: FileDescriptor, isForUpdating: Bool
  ) throws(SystemCallError) -> FileDescriptor {
    opened(try attempt(.openat, name: name, system.openExisting(name, in: folder, isForUpdating: isForUpdating)), name)
  }

  package func create(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    opened(try attempt(.create, name: name, system.create(name, in: folder)), name)
  }

  package func status(
    of name: String, in folder: FileDescriptor, withTime: Bool
  ) throws(SystemCallError) -> FileStatus {
    try attempt(.fstatat, name: name, system.status(of: name, in: folder, withTime: withTime))
  }

  package func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    try rename(to: newName) { () throws(SystemCallError) in try system.rename(name, to: newName, in: folder) }
  }

  package func renameWithoutReplacing(
    _ name: String, to newName: String, in folder: FileDescriptor
  ) throws(SystemCallError) {
    try rename(to: newName) { () throws(SystemCallError) in
      try system.renameWithoutReplacing(name, to: newName, in: folder)
    }
  }

  private func rename(to newName: String, _ call: () throws(SystemCallError) -> Void) throws(SystemCallError) {
    let fault = fault(.renameat, name: newName)
    if case .error(let number)? = fault { throw SystemCallError(.renameat, number) }
    try call()
    if case .errorAfterwards(let number)? = fault { throw SystemCallError(.renameat, number) }
  }

  package func link(_ name: String, as newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    try attempt(.linkat, name: newName, system.link(name, as: newName, in: folder))
  }

  package func unlink(_ name: String, in folder: FileDescriptor) throws(SystemCallError) {
    try attempt(.unlinkat, name: name, system.unlink(name, in: folder))
  }

  package func names(in folder: FileDescriptor) throws(SystemCallError) -> [String] {
    try attempt(.readdir, folder, system.names(in: folder))
  }

  // MARK: Locks

  package func openLock(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    opened(try attempt(.create, name: name, system.openLock(name, in: folder)), name)
  }

  package func tryLock(_ descriptor: FileDescriptor) throws(SystemCallError) {
    try attempt(.flock, descriptor, system.tryLock(descriptor))
  }

  package func unlock(_ descriptor: FileDescriptor) throws(SystemCallError) {
    try attempt(.unlock, descriptor, system.unlock(descriptor))
  }

  // MARK: Open files

  package func status(of descriptor: FileDescriptor, withTime: Bool) throws(SystemCallError) -> FileStatus {
    try attempt(.fstat, descriptor, system.status(of: descriptor, withTime: withTime))
  }

  package func write(_ descriptor: FileDescriptor, _ pieces: [UnsafeRawBufferPointer]) throws(SystemCallError) -> Int {
    try transfer(.write, descriptor, pieces.reduce(0) { $0 + $1.count }) { count throws(SystemCallError) in
      try system.write(descriptor, pieces.prefix(bytes: count))
    }
  }

  package func read(
    _ descriptor: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int {
    try transfer(.read, descriptor, buffer.count) { count throws(SystemCallError) in
      try system.read(descriptor, into: .init(rebasing: buffer.prefix(count)), at: offset)
    }
  }

  package func write(
    _ descriptor: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int {
    try transfer(.pwrite, descriptor, bytes.count) { count throws(SystemCallError) in
      try system.write(descriptor, .init(rebasing: bytes.prefix(count)), at: offset)
    }
  }

  package func truncate(_ descriptor: FileDescriptor, to size: Int) throws(SystemCallError) {
    try attempt(.truncate, descriptor, system.truncate(descriptor, to: size))
  }

  package func sync(_ descriptor: FileDescriptor, _ strength: SyncStrength) throws(SystemCallError) {
    try attempt(.fsync, descriptor, system.sync(descriptor, strength))
  }

  package func duplicate(_ descriptor: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    let copy = try attempt(.dup, descriptor, system.duplicate(descriptor))
    let name = state.withLock { $0.open[descriptor]?.name ?? "" }
    return opened(copy, name)
  }

  package func close(_ descriptor: FileDescriptor) throws(SystemCallError) {
    let fault = fault(.close, descriptor)
    // The entry is removed before another thread can get the number.
    state.withLock { state in
      if state.open.removeValue(forKey: descriptor) == nil { state.strayCloses += 1 }
    }
    try system.close(descriptor)
    if case .error(let number)? = fault { throw SystemCallError(.close, number) }
  }

  package func setPermissions(_ permissions: UInt32, of descriptor: FileDescriptor) throws(SystemCallError) {
    try attempt(.fchmod, descriptor, system.setPermissions(permissions, of: descriptor))
  }

  package func setOwner(_ owner: UInt32?, group: UInt32, of descriptor: FileDescriptor) throws(SystemCallError) {
    try attempt(.fchown, descriptor, system.setOwner(owner, group: group, of: descriptor))
  }

  package func copyAttributes(from source: FileDescriptor, to destination: FileDescriptor) throws(SystemCallError) {
    try attempt(.copyAttributes, destination, system.copyAttributes(from: source, to: destination))
  }

  package func protect(
    _ descriptor: FileDescriptor, _ protection: GlobalData.FileProtection?, like earlier: FileDescriptor?
  ) throws(SystemCallError) {
    try attempt(.protect, descriptor, system.protect(descriptor, protection, like: earlier))
  }
}
