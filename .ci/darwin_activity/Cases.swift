import Foundation

// Stands in for what Foundation has on Apple's systems: it calls the function on a thread of its own, once where time is granted, and
// again when that is over, and the activity lasts until the calls have returned.

/// What the system answers.
final class System: Sendable {
  enum Answer { case granted, refused }

  static let shared = System()
  private struct State {
    var answer = Answer.granted
    var expire: (@Sendable () -> Void)?
    var callsGoingOn = 0
  }
  private let state = Locked(State())

  var callsGoingOn: Int { state.withLock { $0.callsGoingOn } }

  func answer(_ answer: Answer) { state.withLock { $0.answer = answer } }

  /// Ends the activity, as the system does when its time is over.
  func expire() { state.withLock { $0.expire }?() }

  func perform(_ block: @escaping @Sendable (Bool) -> Void) {
    let call: @Sendable (Bool) -> Void = { isExpired in
      self.state.withLock { $0.callsGoingOn += 1 }
      Thread.detachNewThread {
        usleep(20_000)  // so that who does not wait for the answer has none
        block(isExpired)
        self.state.withLock { $0.callsGoingOn -= 1 }
      }
    }
    state.withLock { $0.expire = { call(true) } }
    call(state.withLock { $0.answer } == .refused)
  }
}

extension ProcessInfo {
  func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
    System.shared.perform(block)
  }
}

@main struct Cases {
  /// Waits until something holds; that it never does ends the program.
  static func wait(_ what: String, _ condition: () -> Bool) {
    for _ in 0..<2000 where !condition() { usleep(1000) }
    guard condition() else {
      print("FAILED: \(what)")
      exit(1)
    }
  }

  static func main() {
    guard let source = ExpiringActivity.systemSource else {
      print("FAILED: there are no activities")
      exit(1)
    }
    let granted = source("granted")
    wait("an activity that is granted has not expired") { !granted.isExpired && System.shared.callsGoingOn == 1 }
    System.shared.expire()
    wait("an activity whose time is over has expired, and lasts") {
      granted.isExpired && System.shared.callsGoingOn == 2
    }
    granted.end()
    wait("both calls return when it ends") { System.shared.callsGoingOn == 0 }

    let short = source("short")
    short.end()
    wait("the call returns when it ends") { System.shared.callsGoingOn == 0 && !short.isExpired }
    System.shared.expire()
    wait("a call after the end returns") { System.shared.callsGoingOn == 0 }

    System.shared.answer(.refused)
    let refused = source("refused")
    let isExpired = refused.isExpired
    wait("an activity that is refused has expired immediately") { isExpired }
    refused.end()
    wait("its call returns") { System.shared.callsGoingOn == 0 }
    print("7 cases, 0 of them failed")
  }
}
