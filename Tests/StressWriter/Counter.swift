import Foundation
import GlobalData

/// A number that several processes count up.
enum Counter {
  private static let key = "counter"

  /// Adds 1 again and again, and tells of each time; the last line is what the counter then is.
  ///
  /// - Returns: The number of times that failed.
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
