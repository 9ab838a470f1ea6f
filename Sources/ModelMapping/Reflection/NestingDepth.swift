import CodingSupport
import Foundation

/// The number of models that are being coded inside each other on a thread. Each level takes a few calls. A JSON text
/// has up to 512 levels, and tasks have 512 KiB of stack. So after every ``CodingSupport/DeepStack/shallowDepth``
/// levels, coding continues on a thread with a fresh stack.
enum NestingDepth {
  private static let current = ThreadValue()
  /// The levels that a JSON text may have. Foundation's encoder has no limit of its own.
  private static let maximum = 512

  /// Throws an error where a text of JSON cannot have more levels.
  static func check() throws {
    guard current.bits > maximum else { return }
    throw ModelError(
      .limitReached,
      "Models are nested more than \(counted(maximum, "level", "levels")) deep, or contain each other in a cycle.")
  }

  static func nested<Result>(_ body: () throws -> Result) throws -> Result {
    let outer = current.bits
    let depth = outer + 1
    guard depth % DeepStack.shallowDepth == 0 else {
      current.bits = depth
      defer { current.bits = outer }
      return try body()
    }
    do {
      return try DeepStack.run(depth: DeepStack.shallowDepth) {
        current.bits = depth
        return try body()
      }
    } catch let error as StackError {
      throw ModelError(.limitReached, error.description)
    }
  }
}

/// One word for each thread, initially 0. A task-local value would be inherited by a task that a model's `init()`
/// starts.
struct ThreadValue: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    // Fails only if the process uses more keys than the system has, which are at least 128.
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "no thread-specific key is left")
    self.key = key
  }

  var pointer: UnsafeMutableRawPointer? {
    get { pthread_getspecific(key) }
    nonmutating set {
      let status = pthread_setspecific(key, newValue)
      precondition(status == 0, "no memory for thread-specific values")
    }
  }

  /// The word as a number. It is never used as an address.
  var bits: Int {
    get { Int(bitPattern: pointer) }
    nonmutating set { pointer = UnsafeMutableRawPointer(bitPattern: newValue) }
  }
}
