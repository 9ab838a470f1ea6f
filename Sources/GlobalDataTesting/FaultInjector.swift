public import Foundation
public import GlobalData
import KeyedArchive

/// An injector of faults, which makes chosen system calls of a store fail, do part of their work, or pause.
///
/// ```swift
/// let faults = FaultInjector()
/// let store = GlobalData.faulty(at: url, faults)
/// try await store.set(1, forKey: "visits")
///
/// faults.fail(.write, with: .noSpace)
/// await #expect(throws: GlobalDataError.self) { try await store.set(2, forKey: "visits") }
/// #expect(try store.object(Int.self, forKey: "visits") == 1)
/// ```
///
/// Other calls go to the system unchanged, on real files. A fault affects calls made after it is set; if several apply
/// to a call, the first one is used. One injector can serve several stores.
public final class FaultInjector: Sendable {
  package let system = FaultySystemCalls()
  private let pauses = Locked<[(operation: StorageOperation, pause: CallPause)]>([])

  /// Creates an injector without faults.
  public init() {}

  /// Resumes paused calls.
  deinit { resume() }

  // MARK: Choosing faults

  /// Makes calls fail without executing them, except that `close` still closes the file.
  ///
  /// - Parameters:
  ///   - operation: The kind of call.
  ///   - skipped: The number of calls of that kind to let through first.
  ///   - times: The number of calls to fail; `.max` for all.
  ///   - reason: The error. A store repeats interrupted calls, so do not interrupt all of them.
  public func fail(_ operation: StorageOperation, after skipped: Int = 0, times: Int = 1, with reason: StorageFailure) {
    system.fail(.error(reason.errorNumber), skipping: skipped, times: times) { operation.includes($0) }
  }

  /// Makes one call of any kind fail, or that call and all later ones.
  ///
  /// To test every failure of an operation, run it without faults, count its ``calls``, and let each of them fail in
  /// turn.
  ///
  /// - Parameters:
  ///   - index: The number of calls to let through first.
  ///   - andLaterOnes: Whether all later calls fail, too, as when a disk is removed.
  ///   - reason: The error.
  public func failCall(_ index: Int, andLaterOnes: Bool = false, with reason: StorageFailure) {
    system.failCall(number: index + 1, andLaterOnes: andLaterOnes, .error(reason.errorNumber))
  }

  /// Makes calls read or write only part of their bytes, which any system may do.
  ///
  /// - Parameters:
  ///   - operation: `read` or `write`; other calls are not affected.
  ///   - byteCount: The maximum number of bytes to read or write. With 0, a read finds the end of the file, and a write
  ///     fails, since a system never writes 0 bytes.
  ///   - skipped: The number of calls of that kind to let through first.
  ///   - times: The number of calls to affect; all by default.
  public func shorten(_ operation: StorageOperation, to byteCount: Int, after skipped: Int = 0, times: Int = .max) {
    let fault = byteCount > 0 ? FaultySystemCalls.Fault.short(byteCount) : .bytes(0)
    system.fail(fault, skipping: skipped, times: times) { operation.includes($0) && $0.byteCount > 0 }
  }

  /// Removes all faults, resumes paused calls, and empties ``calls``.
  public func reset() {
    resume()
    system.recover()
  }

  // MARK: Pausing calls

  /// Pauses a call until ``resume()`` or a time limit, then lets it proceed.
  ///
  /// This blocks the calling thread, which for writes is the store's own. The first use of a store reads the file on
  /// its caller's thread: open the store first, unless you test this.
  ///
  /// ``stop(at:after:during:isolation:while:)`` does the same in one call.
  ///
  /// - Parameters:
  ///   - operation: The kind of call.
  ///   - skipped: The number of calls of that kind to let through first.
  ///   - limit: The longest pause. Keep it long: if many tests run concurrently, each step of one can take a minute.
  public func pause(_ operation: StorageOperation, after skipped: Int = 0, atMost limit: Duration = .seconds(600)) {
    addPause(operation, after: skipped, limit)
  }

  @discardableResult
  private func addPause(_ operation: StorageOperation, after skipped: Int, _ limit: Duration) -> CallPause {
    let pause = CallPause(limit: limit)
    pauses.withLock { $0.append((operation, pause)) }
    system.fail(.pause(pause), skipping: skipped, times: 1) { operation.includes($0) }
    return pause
  }

  /// Waits for a call that ``pause(_:after:atMost:)`` pauses.
  ///
  /// - Throws: ``NotReached`` if there is no such pause, or the call is not made within the limit of the pause.
  public func reached(_ operation: StorageOperation) async throws {
    let pause = pauses.withLock { $0.last { $0.operation == operation }?.pause }
    guard let pause, await pause.reached() else { throw NotReached(operation: operation) }
  }

  /// Resumes paused calls, and cancels pauses that were not reached.
  public func resume() {
    let ended = pauses.withLock { pauses in
      defer { pauses = [] }
      return pauses.map(\.pause)
    }
    for pause in ended { pause.end() }
  }

  /// Runs an operation, pauses it at a call to run another closure, and lets it finish.
  ///
  /// ```swift
  /// try await faults.stop(at: .rename) {
  ///   try await store.set("new", forKey: "a")
  /// } while: {
  ///   let seen = try store.object(String.self, forKey: "a")
  ///   #expect(seen == "old")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - operation: The kind of call.
  ///   - skipped: The number of calls of that kind to let through first.
  ///   - work: The operation that makes the call. It resumes after `body` returns or throws, and ends before this
  ///     method returns.
  ///   - isolation: The actor that `body` runs on, which is the caller's.
  ///   - body: The closure to run while the call is paused.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or else that of `work`; ``NotReached`` if `work` ends without an error before it
  ///   makes the call, or does not make it within ten minutes.
  public func stop<Result: Sendable>(
    at operation: StorageOperation, after skipped: Int = 0, during work: @escaping @Sendable () async throws -> Void,
    isolation: isolated (any Actor)? = #isolation, while body: () async throws -> Result
  ) async throws -> Result {
    let pause = addPause(operation, after: skipped, .seconds(600))
    let task = Task {
      defer { pause.end() }
      try await work()
    }
    let result: Result
    do {
      guard await pause.reached() else {
        // The error of work that failed before the call says why it was not made.
        pause.end()
        try await task.value
        throw NotReached(operation: operation)
      }
      result = try await body()
    } catch {
      pause.end()
      // The error of the body matters more, but nothing may run on after the test.
      _ = await task.result
      throw error
    }
    pause.end()
    try await task.value
    return result
  }

  /// An error that reports that a call to pause was not made.
  public struct NotReached: Error, CustomStringConvertible {
    /// The kind of call.
    public let operation: StorageOperation

    /// The call that was not reached, as a sentence.
    public var description: String { "no call of the kind \"\(operation)\" was made in time, or no pause was set" }
  }

  // MARK: Examining calls

  /// The calls since the injector was created or reset, in order.
  public var calls: [StorageCall] { system.records.compactMap { StorageCall($0) } }

  /// The number of faulty calls since the injector was created or reset.
  public var faultCount: Int { system.faults }

  /// The number of open files and folders. Between operations, it is 0 unless a store appends.
  public var openFileCount: Int { system.openDescriptors }
}

extension GlobalData {
  /// Returns a store whose system calls go through a fault injector.
  ///
  /// It does not share its contents with other stores in the process: a second store with the same file behaves like
  /// one in another process. The store does not watch its file, whatever its configuration says: also while it is
  /// observed, it reads the changes of others at its next write or at `refresh()`.
  ///
  /// - Parameters:
  ///   - url: The location of the file, which is a real one.
  ///   - faults: The injector that chooses the calls to fail.
  ///   - configuration: The configuration of the store.
  /// - Returns: The store, which is opened at its first use.
  public static func faulty(
    at url: URL, _ faults: FaultInjector, configuration: Configuration = Configuration()
  ) -> GlobalData {
    GlobalData(at: url, configuration: configuration, system: faults.system)
  }
}
