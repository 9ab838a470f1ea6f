import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Every operation of a store against a failure at every call it makes.
///
/// The tests of `ArchiveFile` do the same one layer below; here the store's memory, its callers and its next write are
/// looked at too.
@Suite struct EveryCallFaultTests {
  private static let numbers: [Int32] = [EIO, ENOSPC, EACCES, EPERM, EMFILE, EINVAL, EINTR]
  private static let numbersThatStay: [Int32] = [EIO, ENOSPC, EACCES, EINVAL]

  /// In short, every call fails with one of the errors.
  @Test(arguments: StoreOperation.all, numbers.indices)
  func aFailureAtAnyCallLeavesTheOldOrTheNew(operation: StoreOperation, index: Int) async throws {
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

  /// As when a disk is pulled out in the middle, and put in again.
  @Test(arguments: StoreOperation.all, numbersThatStay.indices)
  func failuresOfAllCallsFromAnyOnLeaveTheOldOrTheNew(operation: StoreOperation, index: Int) async throws {
    let number = Self.numbersThatStay[index]
    for call in (1...(try await operation.countCalls())).oneIn(Self.numbersThatStay.count, from: index) {
      try await withTemporaryDirectory { folder in
        let run = try await operation.attempt(in: folder) {
          $0.failCall(number: call, andLaterOnes: true, .error(number))
        }
        // The removal of a temporary file fails like all else.
        try await run.check("from call \(call) on: errno \(number)", mayLeaveFiles: true)
      }
    }
  }

  @Test(arguments: StoreOperation.all, [1, 7, 100])
  func callsThatDoAPartOfTheirWorkChangeNothing(operation: StoreOperation, length: Int) async throws {
    try await withTemporaryDirectory { folder in
      let run = try await operation.attempt(in: folder) { system in
        for call in [SystemCall.write, .read, .pwrite, .pread] { system.fail(call, .short(length)) }
      }
      #expect(run.error == nil)
      try await run.check("\(length) bytes a call")
    }
  }

  @Test(arguments: StoreOperation.all)
  func aWriteOfNothingFails(operation: StoreOperation) async throws {
    try await withTemporaryDirectory { folder in
      let run = try await operation.attempt(in: folder) { system in
        for call in [SystemCall.write, .pwrite] { system.fail(call, .bytes(0)) }
      }
      let writes = run.records.contains { $0.call == .write || $0.call == .pwrite }
      #expect((run.error as? GlobalDataError)?.errorNumber == (writes ? EIO : nil))
      try await run.check("a write of nothing")
    }
  }

  @Test(arguments: StoreOperation.all)
  func aRenameThatHappenedAlthoughItFailedIsASuccess(operation: StoreOperation) async throws {
    try await withTemporaryDirectory { folder in
      let run = try await operation.attempt(in: folder) { $0.fail(.renameat, .errorAfterwards(EIO)) }
      #expect(run.error == nil)
      try await run.check("a rename that reports a failure")
    }
  }

  // MARK: What has to be survived

  private enum Verdict {
    case survives
    case fails
    case either
  }

  /// What a store must make of one failure. Nothing may be survived by accident, and nothing be given up for.
  private func verdict(
    on record: FaultySystemCalls.Record, _ number: Int32, of operation: StoreOperation
  ) -> Verdict {
    if operation.hasSecondFile { return .either }
    // Whatever fails before the store's own thread does it all again is nothing to the caller.
    if operation.isUnsynced { return record.call == .pwrite && number != EINTR ? .fails : .either }
    // An interrupted rename may have happened: it is not made again. An interrupted close has closed.
    if number == EINTR { return record.call == .renameat ? .fails : .survives }
    switch record.call {
    case .close:
      return record.isWritten ? .fails : .survives  // only what was written can be lost by a close
    case .fchown, .copyAttributes:
      return .survives  // reported as a concession; the file is then open to fewer users
    case .open where number == EACCES || number == EPERM:
      return .survives  // the folder may not be listed, and is used all the same
    case .linkat:
      return .survives  // the damaged file is copied instead
    case .fsync where record.isFolder && number == EINVAL:
      return .survives  // the file system cannot sync folders
    case .readdir:
      // Left-over files are not found, which only a clear has promised to do; opening looks for them too, before it.
      return operation.isClear ? .either : .survives
    case .unlinkat where record.name.hasSuffix(".lock"):
      return .survives  // the file is empty
    case .fchmod where record.name.hasSuffix(".lock"), .protect where record.name.hasSuffix(".lock"):
      return .survives  // it is locked, whoever else may lock it
    case .protect where record.name.contains(".damaged-"):
      return .survives  // The copy of a damaged file has the default then.
    case .openat where record.name == "store" && operation.appends && (number == EACCES || number == EPERM):
      // A file that may not be written in place is replaced. It has to be read before.
      return operation.isOpen ? .survives : .either
    case .fstat where record.isFolder:
      return .either  // Also asked when the commit is done, to keep the folder open for the next one.
    case .openat where operation.hasNoLinks:
      return .either  // To protect the copy, too, the damaged file is opened.
    case .unlock:
      return .survives  // closing its file gives it back
    case .flock where record.name.hasSuffix(".tmp") && number == EINVAL:
      return .survives  // the file system has no locks, so that nobody takes it for a dead writer's
    case .flock where !record.name.hasPrefix("."):
      return .survives  // It is the store's own file, whose lock is a second one.
    case .realpath where operation.path != "store", .lstat where operation.path != "store":
      return .either  // The path is followed at each attempt, and a commit makes several.
    case .realpath, .open, .fstatat, .lstat:
      // These calls also serve the search for left-over files at the first use, and the removal of the lock's file.
      return operation.isOpen && !operation.isClear ? .fails : .either
    default:
      return .fails
    }
  }
}

extension FaultySystemCalls.Record {
  /// Whether a name is brought to the medium, without which a change that was appended can be lost with its file.
  fileprivate var isFolderSync: Bool { call == .fsync && isFolder }
}

extension ArraySlice<FaultySystemCalls.Record> {
  /// Whether a change was appended and synced, so that nothing can be lost any more.
  fileprivate var isSyncedAppend: Bool {
    guard let append = lastIndex(where: { $0.call == .pwrite }) else { return false }
    return self[append...].contains { $0.call == .fsync }
  }
}
