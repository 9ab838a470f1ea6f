import Dispatch

/// Runs a task on its own thread, which may block without delaying other tasks.
public final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "a thread that may stand still")

  public init() {}

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
