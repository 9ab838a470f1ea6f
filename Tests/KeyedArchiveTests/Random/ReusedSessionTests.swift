import Foundation
import KeyedArchive
import TestSupport
import Testing
import ThrownErrors

/// Coders without a user info reuse a session that coded another value before. Coders with a user info create their
/// own. Both return the same, whatever was coded before.
@Suite struct ReusedSessionTests {
  /// A value that uses the coders that earlier values kept while it is coded itself, and keeps its own.
  private struct Keeper: Codable {
    static nonisolated(unsafe) var decoders: [any Decoder] = []
    static nonisolated(unsafe) var encoders: [any Encoder] = []
    var number: Int

    private enum CodingKeys: CodingKey { case number }

    init(number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
      try Keeper.expectErrorsOfDecoders()
      Keeper.decoders.append(decoder)
      number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
    }

    func encode(to encoder: any Encoder) throws {
      try Keeper.expectErrorsOfEncoders()
      Keeper.encoders.append(encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(number, forKey: .number)
    }

    // Each kept coder is used as its own value used it, so that only the end of the coding makes this an error.

    static func expectErrorsOfDecoders() throws {
      for decoder in decoders {
        let error = try complaint { try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number) }
        #expect(error.message == "A decoder or container was used after its decoding had ended.")
      }
    }

    static func expectErrorsOfEncoders() throws {
      for encoder in encoders {
        let error = expectError(EncodingError.self) {
          var container = encoder.container(keyedBy: CodingKeys.self)
          try container.encode(-1, forKey: .number)
        }
        #expect("\(try #require(error))".contains("used after its encoding had ended"))
      }
    }
  }

  private let info: [CodingUserInfoKey: any Sendable]

  init() throws {
    info = [try #require(CodingUserInfoKey(rawValue: "anything")): 1]
  }

  @Test(arguments: (0..<20 as Range<UInt64>).oneIn(4))
  func reusedSessionsReturnTheSameAsNewOnes(seed: UInt64) throws {
    var types = RandomType(random: SeededGenerator(seed: seed))
    let registry = TypeRegistry()
    for _ in 0..<100 { try compare(types.next(), registry, &types.random) }
  }

  private func compare<Value: RandomValue>(
    _ type: Value.Type, _ registry: TypeRegistry, _ random: inout SeededGenerator
  ) throws {
    try registry.register(Value.ownTypes)
    var limits = ArchiveLimits()
    limits.maximumTagLength = 4096
    let value = Value.random(&random)
    let bytes = try KeyedArchiveEncoder(registry: registry, limits: limits).encode(value)
    #expect(try KeyedArchiveEncoder(registry: registry, limits: limits, userInfo: info).encode(value) == bytes)
    let decoder = KeyedArchiveDecoder(registry: registry, limits: limits)
    let other = KeyedArchiveDecoder(registry: registry, limits: limits, userInfo: info)
    for _ in 0..<3 {
      for data in [bytes, damaged(bytes, &random)] {
        let first = outcome { try decoder.decode(type, from: data) }
        let second = outcome { try other.decode(type, from: data) }
        switch (first, second) {
        case (.success(let first), .success(let second)): #expect(first.isIdentical(to: second))
        case (.failure(let first), .failure(let second)): #expect(first.text == second.text)
        default: Issue.record("\(first) and \(second) for \(type)")
        }
      }
    }
  }

  private struct Failure: Error { let text: String }

  private func outcome<Value>(_ body: () throws -> Value) -> Result<Value, Failure> {
    do { return .success(try body()) } catch { return .failure(Failure(text: "\(error)")) }
  }

  private func damaged(_ data: Data, _ random: inout SeededGenerator) -> Data {
    var bytes = [UInt8](data)
    if !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
    return Data(random.below(3) == 0 ? bytes.dropLast(random.below(bytes.count)) : bytes[...])
  }

  @Test func keptCodersThrowWhileOtherValuesAreCoded() throws {
    defer { (Keeper.decoders, Keeper.encoders) = ([], []) }
    var archives: [Data] = []
    for number in 0..<10 { archives.append(try KeyedArchiveEncoder().encode(Keeper(number: number))) }
    for (number, archive) in archives.enumerated() {
      #expect(try KeyedArchiveDecoder().decode(Keeper.self, from: archive).number == number)
    }
    var values: [Keeper] = []
    DecodingSeries(KeyedArchiveDecoder()).decode(Keeper.self, to: &values) { count in
      count < archives.count ? SharedBytes(copying: archives[count]) : nil
    }
    #expect(values.map(\.number) == Array(0..<10))
    #expect(Keeper.decoders.count >= 20 && Keeper.encoders.count >= 10)
    try Keeper.expectErrorsOfDecoders()
    try Keeper.expectErrorsOfEncoders()
  }

  @Test func aRememberedNameBelongsToItsTypeOnly() throws {
    struct First: Codable, Archivable {
      static let archiveTag: ArchiveTag = "one"
      var number = 1
    }
    struct Second: Codable, Archivable {
      static let archiveTag: ArchiveTag = "two"
      var number = 2
    }
    let (first, second) = (try KeyedArchiveEncoder().encode(First()), try KeyedArchiveEncoder().encode(Second()))
    for _ in 0..<3 {
      #expect(try KeyedArchiveDecoder().decode(First.self, from: first).number == 1)
      #expect(throws: (any Error).self) { try KeyedArchiveDecoder().decode(First.self, from: second) }
      #expect(throws: (any Error).self) { try KeyedArchiveDecoder().decode(Second.self, from: first) }
      #expect(try KeyedArchiveDecoder().decode(Second.self, from: second).number == 2)
    }
  }
}
