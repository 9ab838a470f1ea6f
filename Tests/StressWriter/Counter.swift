import Foundation
import GlobalData

/// A number that several processes increment.
enum Counter {
  private static let key = "counter"

  /// Adds 1 repeatedly, and prints each result. The last line is the final value of the counter.
  ///
  /// - Returns: The number of failures.
  static func increment(in store: GlobalData, count: Int) async throws -> Int {
    var failures = 0
    for number in 1..<count + 1 {
      try say("TRY \(number)")
      let counter: Int
      do {
        counter = try await store.update { data in
          let counter = (try data.object(Int.self, forKey: key) ?? 0) &+ 1
          try data.set(counter, forKey: key)
          return counter
        }
      } catch {
        failures += 1
        try say("ERR \(number) \(error)")
        continue
      }
      try say("ACK \(counter)")
    }
    try say("\(store.object(Int.self, forKey: key) ?? 0)")
    return failures
  }
}
