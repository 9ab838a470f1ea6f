import Dispatch

/// Runs a store's blocking work, one job after the other, on a queue of its own.
///
/// Swift's cooperative threads must never wait for a disk: there are as few of them as processor cores, and every other
/// task of the program needs them. A serial dispatch queue brings its own thread when it has work.
final class StoreExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) {
    queue = DispatchQueue(label: label)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      job.runSynchronously(on: self.asUnownedSerialExecutor())
    }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
