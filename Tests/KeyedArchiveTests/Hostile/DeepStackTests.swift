import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Limits on nesting beyond the capacity of any stack: an error, and never an endless wait.
@Suite(.timeLimit(.minutes(10))) struct DeepStackTests {
  private static let raised = [10_000_000, Int.max]

  private func limits(_ depth: Int) -> ArchiveLimits {
    var limits = ArchiveLimits()
    limits.maximumDepth = depth
    return limits
  }

  private func nested(_ depth: Int) -> Data {
    Data(repeating: 0x81, count: depth) + [0x00]
  }

  @Test(arguments: raised)
  func valuesThatFitTheStackAreCodedUnderAnyLimit(depth: Int) throws {
    let tree = try KeyedArchiveDecoder(limits: limits(depth)).decode(ArchiveValue.self, from: nested(100))
    #expect(try KeyedArchiveEncoder(limits: limits(depth)).encode(tree) == nested(100))
  }

  @Test(arguments: raised)
  func valuesThatExceedAnyStackAreRefused(depth: Int) {
    let decoder = KeyedArchiveDecoder(limits: limits(depth))
    for levels in [16_385, 1_000_000] {
      for read in [
        { try decoder.decode(ArchiveValue.self, from: nested(levels)) }, { try decoder.decode(from: nested(levels)) },
      ] as [() throws -> Any?] {
        let error = expectFailure(.limitReached) { try read() as Any }
        #expect(
          error?.message.hasSuffix("more than 16384 levels of nesting, at byte 16384. No stack holds more.") == true)
      }
    }
  }

  /// A list whose elements are nested, and are freed one by one.
  private final class List: Encodable {
    var next: List?

    init(count: Int) {
      for _ in 0..<count {
        let list = List(count: 0)
        list.next = next
        next = list
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if let next { try container.encode(next) }
    }

    deinit {
      var rest = next
      next = nil
      while let list = rest {
        rest = list.next
        list.next = nil
      }
    }
  }

  @Test func valuesThatExceedAnyStackAreNotWritten() throws {
    let encoder = KeyedArchiveEncoder(limits: limits(.max))
    // 4,000 levels with calls of a type's own code between them.
    #expect(try encoder.encode(List(count: 4000)).count > 4000)
    let error = expectFailure(.limitReached) { try encoder.encode(List(count: 20_000)) }
    #expect(error?.message.contains("more than 16384 levels of nesting") == true)
  }

  @Test func deepTreesArePrintedWithEnoughStack() throws {
    // A value of 4,000 levels is freed on this thread's stack.
    try onThread(stackSize: 16 << 20) {
      var limits = ArchiveLimits()
      limits.maximumDepth = 4000
      let data = Data(repeating: 0x81, count: 4000) + [0x00]
      let tree = try KeyedArchiveDecoder(limits: limits).decode(ArchiveValue.self, from: data)
      let text = String(repeating: "[", count: 4000) + "0" + String(repeating: "]", count: 4000)
      #expect(tree.json() == text)
      #expect(tree.diagnostic == text)
    }
  }

  /// The figure in the documentation of the limit.
  @Test(arguments: ["81", "a16161", "c6", "d9010281"])
  func freeingATreeTakesNoMoreThanHalfAKibibyteALevel(level: String) throws {
    let bytes = Data(hex: level)
    let containers = bytes.count { $0 >> 5 == 4 || $0 >> 5 == 5 || $0 >> 5 == 6 }
    let count = 16_384 / containers
    let data = (0..<count).reduce(into: Data()) { data, _ in data.append(bytes) } + [0x00]
    let decoder = KeyedArchiveDecoder(limits: limits(16_384))
    try onThread(stackSize: 16_384 * 512) { () throws in
      for _ in 0..<2 { #expect(try decoder.decode(ArchiveValue.self, from: data) != .null) }
    }
  }
}
