import Foundation
import GlobalData
import TestSupport
import Testing

struct CancellationConcurrencyTests {
  /// A cancelled writer returns like any other: acknowledged values are there, in memory and in the file.
  @Test func aStormOfCancellationsLeavesWhatWasAcknowledged() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store")
      let store = GlobalData(at: url)
      let acknowledged = try await withThrowingTaskGroup(of: Int?.self) { group in
        for number in 0..<300 {
          let task = Task {
            try await store.set([number, number], forKey: "key \(number)")
            #expect(try store.object([Int].self, forKey: "key \(number)") == [number, number])
            return number
          }
          // Cancels before it begins, while it encodes, waits or commits, or too late; some are not cancelled.
          if number % 3 == 1 { task.cancel() }
          group.addTask {
            if number % 3 == 0 { task.cancel() }
            do {
              return try await task.value
            } catch is CancellationError {
              return nil
            }
          }
        }
        var acknowledged: Set<Int> = []
        for try await case let number? in group { acknowledged.insert(number) }
        return acknowledged
      }
      #expect(acknowledged.isSuperset(of: (0..<300).filter { $0 % 3 == 2 }))
      try await store.close()
      #expect(try GlobalData.check(fileAt: url).isIntact)
      #expect(Set(store.allKeys).isSuperset(of: acknowledged.map { "key \($0)" }))
      for number in acknowledged { #expect(try store.object([Int].self, forKey: "key \(number)") == [number, number]) }
      #expect(try folderContents(folder).filter { $0.hasSuffix(".tmp") }.isEmpty)
    }
  }
}
