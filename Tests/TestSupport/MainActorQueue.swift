import Dispatch

/// Determines whether code runs on the main actor, which on Linux need not be the main thread.
public enum MainActorQueue {
  // `@unchecked` is safe because the key has no state: only its identity counts. Dispatch of Swift 6.0 does not declare this.
  private struct Mark: @unchecked Sendable {
    let key = DispatchSpecificKey<Bool>()

    init() { DispatchQueue.main.setSpecific(key: key, value: true) }
  }

  private static let mark = Mark()

  public static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark.key) == true }
}
