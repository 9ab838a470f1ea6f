import Foundation
import KeyedArchive
import Testing

/// All arrays without elements share one object in the process, which must not be written to. ThreadSanitizer would
/// detect a write.
@Suite struct NumberArrayConcurrencyTests {
  @Test func emptyArraysAreReadOnManyThreads() async throws {
    struct Arrays: Codable, Equatable, Sendable {
      var integers: [Int] = []
      var doubles: [Double] = []
      var bytes: [UInt8] = []
      var words: ContiguousArray<Int16> = []
      var data = Data()
      var texts: [String] = []
      var set: Set<Int> = []
      var dictionary: [String: [Float]] = ["a": []]
    }
    let data = try KeyedArchiveEncoder().encode(Arrays())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { () async throws -> Void in
          for _ in 0..<50 {
            #expect(try KeyedArchiveDecoder().decode(Arrays.self, from: data) == Arrays())
            #expect(try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)["integers"]?.array == [])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
