import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Every operation of a store, with a failure at every call that it makes.
///
/// The tests of `ArchiveFile` do the same one layer below. These also examine the store's memory, its callers and its
/// next write.
@Suite struct EveryCallFaultTests {
  @TemporaryFolder private var folder
  private static let numbers: [Int32] = [EIO, ENOSPC, EACCES, EPERM, EMFILE, EINVAL, EINTR]
  private static let numbersThatStay: [Int32] = [EIO, ENOSPC, EACCES, EINVAL]

  /// In the short run, every call fails with one of the errors.
  @Test(arguments: StoreOperation.all, numbers.indices)
  func aFailureAtAnyCallLeavesTheOldStateOrTheNew(operation: StoreOperation, index: Int) async throws {
    let number = Self.numbers[index]
    for call in (1...(try await operation.countCalls())).oneIn(Self.numbers.count, from: index) {
      try await withTemporaryDirectory { folder in
        let run = try await operation.attempt(in: folder) { $0.failCall(number: call, .error(number)) }
        try #require(call <= run.records.count, "\(operation.testDescription), \(number), \(call): \(run.records)")
        let record = run.records[call - 1]
        #expect(record.isFaulty)
        let fault = "call \(call), \(record) of \(record.name): errno \(number)"
        let isAppended = operation.appends && run.records[..<(call - 1)].isSyncedAppend && !record.isFolderSync
        switch isAppended ? .survives : verdict(on: record, number, of: operation) {
        case .survives: #expect(run.error == nil, "\(operation.testDescription), \(fault)")
        case .fails: #expect(run.error != nil, "\(operation.testDescription), \(fault)")
        case .either: break
        }
        try await run.check(fault)
      }
    }
  }

  /// As if a disk were unplugged in the middle, and plugged in again.
  @Test(arguments: StoreOperation.all, numbersThatStay.indices)
  func failuresFromAnyCallOnLeaveTheOldStateOrTheNew(operation: StoreOperation, index: Int) async throws {
    let number = Self.numbersThatStay[index]
    for call in (1...(try await operation.countCalls())).oneIn(2 * Self.numbersThatStay.count, from: index) {
      try await withTemporaryDirectory { folder in
        let run = try await operation.attempt(in: folder) {
          $0.failCall(number: call, andLaterOnes: true, .error(number))
        }
        // The removal of a temporary file fails, too.
        try await run.check("from call \(call) on: errno \(number)", mayLeaveFiles: true)
      }
    }
  }

  @Test(arguments: StoreOperation.all, [1, 7, 100])
  func partialCallsChangeNothing(operation: StoreOperation, length: Int) async throws {
    let run = try await operation.attempt(in: folder) { system in
      for call in [SystemCall.write, .read, .pwrite] { system.fail(call, .short(length)) }
    }
    #expect(run.error == nil)
    try await run.check("\(length) bytes a call")
  }

  @Test(arguments: StoreOperation.all)
  func aWriteOfZeroBytesFails(operation: StoreOperation) async throws {
    let run = try await operation.attempt(in: folder) { system in
      for call in [SystemCall.write, .pwrite] { system.fail(call, .bytes(0)) }
    }
    let writes = run.records.contains { $0.call == .write || $0.call == .pwrite }
    #expect((run.error as? GlobalDataError)?.errorNumber == (writes ? EIO : nil))
    try await run.check("a write of nothing")
  }

  @Test(arguments: StoreOperation.all)
  func aRenameThatHappenedDespiteItsFailureIsASuccess(operation: StoreOperation) async throws {
    let run = try await operation.attempt(in: folder) { $0.fail(.renameat, .errorAfterwards(EIO)) }
    #expect(run.error == nil)
    try await run.check("a rename that reports a failure")
  }

  /// The advice of an error with code `durabilityUnknown` is to write to the file again, which may be the same call.
  @Test(arguments: StoreOperation.all, [true, false])
  func theNextWriteSyncsWhatTheFirstCouldNot(operation: StoreOperation, isRepeated: Bool) async throws {
    var unknown = 0
    for call in try await operation.numbersOfSyncs() {
      try await withTemporaryDirectory { folder in
        let run = try await operation.attempt(in: folder) { $0.failCall(number: call, .error(EIO)) }
        let failed = run.records[call - 1]
        if (run.error as? GlobalDataError)?.code == .durabilityUnknown {
          unknown += 1
        } else if run.error == nil || !failed.isFolder {
          return  // Without the sync of its bytes, a new file is not used.
        }
        // The next write to the store does not lead through the folders of a backup.
        guard isRepeated || !operation.hasSecondFile || failed.name == folder.path else { return }
        if isRepeated {
          try await operation.run(run.store)
        } else {
          try await run.store.set("later", forKey: "z")
        }
        let synced = run.system.records.filter { $0.call == .fsync && $0.isFolder == failed.isFolder }.map(\.name)
        // Another write may replace the file, instead of syncing the earlier one.
        #expect(
          synced.contains { $0 == failed.name || !isRepeated && $0.hasSuffix(".tmp") },
          "\(operation.testDescription), call \(call): \(failed) of \(failed.name)")
      }
    }
    // The last sync of a clear is that of the folder, after the file is gone.
    if operation.isClear { #expect(unknown > 0, "\(operation.testDescription)") }
  }

  // MARK: The failures to survive

  private enum Verdict {
    case survives
    case fails
    case either
  }

  /// The required outcome of one failure. An operation must not survive by accident, and must not fail without need.
  private func verdict(
    on record: FaultySystemCalls.Record, _ number: Int32, of operation: StoreOperation
  ) -> Verdict {
    if operation.hasSecondFile { return .either }
    // Failures on the caller's thread do not matter to the caller: the store's own thread then does all of the work
    // again.
    if operation.isUnsynced { return record.call == .pwrite && number != EINTR ? .fails : .either }
    // An interrupted rename may have happened, so it is not repeated. An interrupted close has closed the file.
    if number == EINTR { return record.call == .renameat ? .fails : .survives }
    switch record.call {
    case .close:
      return record.isWritten ? .fails : .survives  // closing can only lose bytes that were written
    case .fchown, .copyAttributes:
      return .survives  // reported as a concession; the file is open to fewer users
    case .open where number == EACCES || number == EPERM:
      return .survives  // the store uses a folder that it cannot list
    case .linkat:
      return .survives  // the damaged file is copied instead
    case .fsync where record.isFolder && number == EINVAL:
      return .survives  // the file system cannot sync folders
    case .pwrite where number == ENOSPC:
      return .either  // The change may fit without the room after it.
    case .readdir:
      // Leftover files are not found. Only a clear promises to remove them, and it also opens the store, which looks
      // for them before.
      return operation.isClear ? .either : .survives
    case .unlinkat where record.name.hasSuffix(".lock"):
      return .survives  // the file is empty
    case .fchmod where record.name.hasSuffix(".lock"), .protect where record.name.hasSuffix(".lock"):
      return .survives  // the file is locked, even if other users can lock it
    case .protect where record.name.contains(".damaged-"):
      return .survives  // The copy of a damaged file then has the default protection.
    case .openat where record.name == "store" && operation.appends && (number == EACCES || number == EPERM):
      // A file that may not be written in place is replaced. It is read before.
      return operation.isOpen ? .survives : .either
    case .fstat where record.isFolder:
      return .either  // Also called after the commit, to keep the folder open for the next one.
    case .openat where operation.hasNoLinks:
      return .either  // The damaged file is also opened to protect its copy.
    case .unlock:
      return .survives  // closing its file releases it
    case .flock where record.name.hasSuffix(".tmp") && number == EINVAL:
      return .survives  // the file system has no locks, so no process mistakes the file for a dead writer's
    case .flock where !record.name.hasPrefix("."):
      return .survives  // It is the store's own file, whose lock is a second one.
    case .realpath where operation.path != "store", .lstat where operation.path != "store":
      return .either  // The path is followed in each attempt, and a commit makes several.
    case .realpath, .open, .fstatat, .lstat:
      // These calls also serve the search for leftover files at the first use, and the removal of the lock file.
      return operation.isOpen && !operation.isClear ? .fails : .either
    default:
      return .fails
    }
  }
}

extension FaultySystemCalls.Record {
  /// Whether the call syncs a name. Without it, an appended change can be lost together with its file.
  fileprivate var isFolderSync: Bool { call == .fsync && isFolder }
}

extension ArraySlice<FaultySystemCalls.Record> {
  /// Whether a change was appended and synced, so that it can no longer be lost.
  fileprivate var isSyncedAppend: Bool {
    guard let append = lastIndex(where: { $0.call == .pwrite }) else { return false }
    return self[append...].contains { $0.call == .fsync }
  }
}
