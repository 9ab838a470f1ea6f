#if DEBUG
import KeyedArchive
import TestSupport
import Testing

/// In this package's tests, each encoded value is read back. See `ReadBack`.
@Suite struct ReadBackTests {
  /// A type that reads a different value from the one that it writes.
  private struct Unreadable: Codable, Sendable {
    init() {}

    init(from decoder: any Decoder) throws {
      _ = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode("text")
    }
  }

  private struct Exempt: Codable, NotReadBack {
    var value = [Unreadable()]
  }

  @Test func aValueThatCannotBeReadBackIsNotEncoded() throws {
    let error = expectFailure(.invalidEncoding) { try KeyedArchiveEncoder().encode(["a": Unreadable()]) }
    #expect(error?.message.contains("was encoded, but cannot be read") == true)
  }

  @Test func anExemptTypeIsNotReadBack() throws {
    #expect(throws: DecodingError.self) { try roundTrip(Exempt()) }
  }

  @Test func readBackAcceptsAnUnregisteredType() throws {
    #expect(
      !(try KeyedArchiveEncoder(registry: TypeRegistry()).encode([Dog(name: "Rex", tricks: [])] as [Animal]).isEmpty))
  }
}
#endif
