import Dispatch
import Foundation
import GlobalData

/// An operation on one key of a store that other processes change too.
enum Operation: String {
  case set, remove, clear, restore, read, reopen

  /// Performs operations one after the other, and prints the times at which each began and ended, in nanoseconds of a
  /// clock that all processes of a system share. A set stores the number of its operation.
  static func perform(
    _ operations: [Operation], on key: String, of file: URL, _ configuration: GlobalData.Configuration, backup: URL
  ) async throws {
    var store = GlobalData(at: file, configuration: configuration)
    for (index, operation) in operations.enumerated() {
      let number = index + 1
      try say("TRY \(number) \(operation) \(DispatchTime.now().uptimeNanoseconds)")
      var numbers = ""
      do {
        switch operation {
        case .set: try await store.set(number, forKey: key)
        case .remove: try await store.removeObject(forKey: key)
        case .clear: try await store.clear()
        case .restore: try await store.restore(from: backup)
        case .read:
          try await store.refresh()
          for key in store.allKeys { numbers += " \(key)=\(try store.object(Int.self, forKey: key) ?? 0)" }
        case .reopen:
          try await store.close()
          store = GlobalData(at: file, configuration: configuration)
        }
      } catch {
        try say("ERR \(number) \(error)")
        continue
      }
      try say("ACK \(number) \(DispatchTime.now().uptimeNanoseconds)\(numbers)")
    }
    try await store.close()
  }
}
