import KeyedArchive

/// Stands between a store and the operating system, and makes chosen calls fail, do half their work, or stand still.
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
/// Without faults, calls are the system's: files are real. A fault meets the calls that are made after it was chosen;
/// if several meet one call, the one that was chosen first does. One injector may serve several stores.
public final class FaultInjector: Sendable {
  package let system: FaultySystemCalls
  private let pauses = Locked<[(operation: StorageOperation, pause: CallPause)]>([])

  /// An injector without faults.
  public convenience init() {
    self.init(FaultySystemCalls())
  }

  package init(_ system: FaultySystemCalls) {
    self.system = system
  }

  /// What stands still goes on.
  deinit {
    resume()
  }

  // MARK: Choosing faults

  /// Makes calls fail without being made; a close is made all the same, as by the system.
  ///
  /// - Parameters:
  ///   - operation: The kind of call.
  ///   - skipped: The number of calls of that kind that are let through first.
  ///   - times: The number of calls that fail then; `.max` for all.
  ///   - reason: Why they fail. A store makes interrupted calls again: do not interrupt all of them.
  public func fail(_ operation: StorageOperation, after skipped: Int = 0, times: Int = 1, with reason: StorageFailure) {
    system.fail(.error(reason.errorNumber), skipping: skipped, times: times) { operation.includes($0) }
  }

  /// Makes one call fail, whatever it is, or that and all after it.
  ///
  /// Run an operation without faults, take the number of ``calls``, and let each of them fail in turn: so every failure
  /// that the operation can meet has been met.
  ///
  /// - Parameters:
  ///   - index: The number of calls that are let through first.
  ///   - andLaterOnes: Whether all calls after it fail too, as when a disk is pulled out.
  ///   - reason: Why it fails.
  public func failCall(_ index: Int, andLaterOnes: Bool = false, with reason: StorageFailure) {
    system.failCall(number: index + 1, andLaterOnes: andLaterOnes, .error(reason.errorNumber))
  }

  /// Makes calls that read or write do only a part of their work, as every system may.
  ///
  /// - Parameters:
  ///   - operation: `read` or `write`; other calls are made as ever.
  ///   - byteCount: The greatest number of bytes that a call reads or writes. With 0 a read finds the end of the file,
  ///     and a write fails, since no system writes nothing.
  ///   - skipped: The number of calls of that kind that are let through first.
  ///   - times: The number of calls that are met; all by default.
  public func shorten(_ operation: StorageOperation, to byteCount: Int, after skipped: Int = 0, times: Int = .max) {
    let fault = byteCount > 0 ? FaultySystemCalls.Fault.short(byteCount) : .bytes(0)
    system.fail(fault, skipping: skipped, times: times) { operation.includes($0) }
  }

  /// No more faults: what stands still goes on, and ``calls`` is empty again.
  public func reset() {
    resume()
    system.recover()
  }

  // MARK: Stopping the world

  /// Makes a call stand still until ``resume()``, or until the limit is over, and go on then as if nothing were.
  ///
  /// The thread that makes the call is blocked. For writes it is the store's own. The first use of a store reads the
  /// file on the thread of its caller: open the store before, unless that is what you test.
  ///
  /// ``stop(at:after:during:isolation:while:)`` does the same with less to forget.
  ///
  /// - Parameters:
  ///   - operation: The kind of call.
  ///   - skipped: The number of calls of that kind that are let through first.
  ///   - limit: How long the call stands still at most. It does not measure time: where many tests run concurrently,
  ///     each step of one may take a minute.
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

  /// Waits until a call stands still that ``pause(_:after:atMost:)`` was asked for.
  ///
  /// - Throws: ``NotReached`` when there is no such pause, or the call is not made within the pause's limit.
  public func reached(_ operation: StorageOperation) async throws {
    let pause = pauses.withLock { $0.last { $0.operation == operation }?.pause }
    guard let pause, await pause.reached() else { throw NotReached(operation: operation) }
  }

  /// Lets go on what stands still, and stops nothing that was to be stopped.
  public func resume() {
    let ended = pauses.withLock { pauses in
      defer { pauses = [] }
      return pauses.map(\.pause)
    }
    for pause in ended { pause.end() }
  }

  /// Runs something until it makes a call, looks around while the world stands still there, and lets it finish.
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
  ///   - skipped: The number of calls of that kind that are let through first.
  ///   - work: What makes the call. It goes on when `body` has returned or thrown, and has ended when this method
  ///     returns.
  ///   - isolation: The actor that `body` runs on, which is the caller's.
  ///   - body: What is done while the call stands still.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw; else what `work` threw; ``NotReached`` when `work` ended without that call.
  public func stop<Result: Sendable>(
    at operation: StorageOperation, after skipped: Int = 0,
    during work: @escaping @Sendable () async throws -> Void,
    isolation: isolated (any Actor)? = #isolation,
    while body: () async throws -> Result
  ) async throws -> Result {
    let pause = addPause(operation, after: skipped, .seconds(600))
    let task = Task {
      defer { pause.end() }
      try await work()
    }
    let result: Result
    do {
      guard await pause.reached() else { throw NotReached(operation: operation) }
      result = try await body()
    } catch {
      pause.end()
      // Its own outcome is of less interest than why the body stopped, but nothing may run on after the test.
      _ = await task.result
      throw error
    }
    pause.end()
    try await task.value
    return result
  }

  /// The call that was to stand still was not made.
  public struct NotReached: Error, CustomStringConvertible {
    /// The kind of call.
    public let operation: StorageOperation

    /// What was not reached, as a sentence.
    public var description: String { "no call of the kind \"\(operation)\" was made, or it was not to be stopped" }
  }

  // MARK: Looking at what happened

  /// The calls that were made since the injector was made or reset, in order.
  public var calls: [StorageCall] { system.records.compactMap { StorageCall($0) } }

  /// The number of calls that a fault met since the injector was made or reset.
  public var faultCount: Int { system.faults }

  /// The number of files and folders that are open. When no operation is under way, it is 0.
  public var openFileCount: Int { system.openDescriptors }
}
