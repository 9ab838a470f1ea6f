import CodingSupport
import Dispatch

/// An executor that runs a store's blocking work, one job after the other, on its own queue.
///
/// Swift's cooperative threads must never wait for a disk: there are only as many of them as processor cores, and every
/// other task of the program needs them. A serial dispatch queue provides its own thread when it has work.
final class StoreExecutor: SerialExecutor {
  let queue: DispatchQueue
  private let turn = SystemLock()

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      self.runInTurn { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  /// Runs work on the store's thread, after the work that is already waiting there, or after a delay.
  func run(after delay: DispatchTimeInterval?, _ work: @escaping @Sendable () -> Void) {
    let job: @Sendable () -> Void = { self.runInTurn(work) }
    if let delay { queue.asyncAfter(deadline: .now() + delay, execute: job) } else { queue.async(execute: job) }
  }

  /// Runs work of a job on the queue.
  func runInTurn(_ work: () -> Void) { turn.withLock(work) }

  /// Runs nonblocking work on the calling thread. Returns `nil` if the executor is busy.
  func runImmediately<Result>(_ work: () throws -> Result) rethrows -> Result? {
    guard turn.lockIfFree() else { return nil }
    defer { turn.unlock() }
    return try work()
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
