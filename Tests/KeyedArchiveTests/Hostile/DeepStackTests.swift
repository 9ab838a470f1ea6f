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
          error?.message.hasSuffix("16384 levels of nesting, at byte 16384. This limit cannot be raised.") == true)
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

  // MARK: References

  /// Returns a map whose first field has shared items, each of which but the first refers to the one before, and whose
  /// second field refers to the last: `{"a": [28(first), 28(… 29(0) …), 28(… 29(1) …), …], "b": 29(count - 1)}`.
  private static func chain(_ first: String, _ next: String, count: Int) -> Data {
    func number(_ number: Int) -> Data { Data([0x1a]) + withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) } }
    var data = Data(hex: "a2 6161 9f d81c" + first)
    for target in 0..<count - 1 { data += Data(hex: "d81c" + next + "d81d") + number(target) }
    return data + Data(hex: "ff 6162 d81d") + number(count - 1)
  }

  private struct Last<Value: Decodable>: Decodable { var b: Value }

  private struct LastOfAnyType: Decodable { @Polymorphic var b: any Sendable }

  private struct Level: Decodable {
    var levels: [Level]

    init(from decoder: any Decoder) throws {
      levels = try decoder.singleValueContainer().decode([Level].self)
    }
  }

  /// A station, which is freed before the one in front of it.
  private final class Station: Decodable {
    var previous: Station?

    deinit {
      var rest = previous
      previous = nil
      while let station = rest, isKnownUniquelyReferenced(&rest) {
        rest = station.previous
        station.previous = nil
      }
    }
  }

  /// Reads the last item of each chain in each possible way. Returns the errors.
  private static func errors(readingChainsOf count: Int) -> [KeyedArchiveError.Code?] {
    let decoder = KeyedArchiveDecoder()
    let (lists, urls) = (chain("80", "81", count: count), chain("61 61", "82 61 61", count: count))
    let stations = chain("a0", "a1 68 70726576696f7573", count: count)
    return [
      { _ = try decoder.decode(Last<ArchiveValue>.self, from: lists) },
      { _ = try decoder.decode(Last<Level>.self, from: lists) },
      { _ = try decoder.decode(LastOfAnyType.self, from: lists) },
      { _ = try decoder.decode(Last<URL>.self, from: urls) },
      { _ = try decoder.decode(Last<ArchiveValue>.self, from: stations) },
      { _ = try decoder.decode(Last<Station>.self, from: stations) },
    ].map { (read: () throws -> Void) in
      do {
        try read()
        return nil
      } catch {
        return (error as? KeyedArchiveError)?.code ?? .invalidEncoding
      }
    }
  }

  @Test func referencesThatNestMoreDeeplyThanAnyStackAreRefused() throws {
    try onThread(stackSize: 512 << 10) {
      #expect(DeepStackTests.errors(readingChainsOf: 100) == [nil, nil, nil, nil, nil, nil])
      #expect(DeepStackTests.errors(readingChainsOf: 20_000) == Array(repeating: .limitReached, count: 6))
    }
  }

  @Test func anInstanceIsReadBeforeThoseToWhichItLeads() throws {
    let data = DeepStackTests.chain("a0", "a1 68 70726576696f7573", count: 3000)
    try onThread(stackSize: 512 << 10) {
      var station: Station? = try KeyedArchiveDecoder().decode(Last<Station>.self, from: data).b
      var count = 0
      while let next = station {
        station = next.previous
        count += 1
      }
      #expect(count == 3000)
    }
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
