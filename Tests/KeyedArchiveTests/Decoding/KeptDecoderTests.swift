import Foundation
import KeyedArchive
import Testing

/// Sessions reuse the decoders that no other code refers to. Decoders that a type keeps must not move.
@Suite struct KeptDecoderTests {
  private enum Keys: String, CodingKey { case number, text, first, second, values }

  private struct Value: Decodable {
    var number: Int
    var text: String
  }

  private struct Values: Decodable {
    var values: [Value]
  }

  // Without type names, so that any type with these fields can read them.
  private static func value(_ number: Int, _ text: String) -> ArchiveValue {
    ["number": .int(number), "text": .string(text)]
  }

  private static func values() throws -> Data {
    let values: ArchiveValue = ["values": .array((0..<5).map { value($0, "text \($0)") })]
    return try KeyedArchiveEncoder().encode(values)
  }

  private static func pair() throws -> Data {
    let pair: ArchiveValue = ["first": value(1, "one"), "second": value(2, "two")]
    return try KeyedArchiveEncoder().encode(pair)
  }

  /// Keeps its decoder.
  private struct KeepsDecoder: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) throws {
      self.decoder = decoder
    }
  }

  private struct KeepsContainer: Decodable {
    let container: KeyedDecodingContainer<Keys>
    let number: Int

    init(from decoder: any Decoder) throws {
      container = try decoder.container(keyedBy: Keys.self)
      number = try container.decode(Int.self, forKey: .number)
    }
  }

  @Test func keptContainersReadTheirOwnFieldsDuringLaterDecoding() throws {
    struct Reader: Decodable {
      var texts: [String] = []

      init(from decoder: any Decoder) throws {
        let kept = try decoder.container(keyedBy: Keys.self).decode([KeepsContainer].self, forKey: .values)
        for value in kept {
          texts.append("\(value.number) \(try value.container.decode(String.self, forKey: .text))")
        }
      }
    }
    let data = try Self.values()
    let reader = try KeyedArchiveDecoder().decode(Reader.self, from: data)
    #expect(reader.texts == (0..<5).map { "\($0) text \($0)" })
  }

  @Test func keptDecodersReadTheirOwnValuesDuringLaterDecoding() throws {
    struct Reader: Decodable {
      var numbers: [Int] = []

      init(from decoder: any Decoder) throws {
        let kept = try decoder.container(keyedBy: Keys.self).decode([KeepsDecoder].self, forKey: .values)
        for value in kept.reversed() { numbers.append(try Value(from: value.decoder).number) }
      }
    }
    let data = try Self.values()
    #expect(try KeyedArchiveDecoder().decode(Reader.self, from: data).numbers == [4, 3, 2, 1, 0])
  }

  @Test func twoNestedContainersAreReadInTurn() throws {
    struct Reader: Decodable {
      var parts: [String] = []

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let first = try container.nestedContainer(keyedBy: Keys.self, forKey: .first)
        let second = try container.nestedContainer(keyedBy: Keys.self, forKey: .second)
        parts.append("\(try first.decode(Int.self, forKey: .number))")
        parts.append("\(try second.decode(Int.self, forKey: .number))")
        parts.append(try first.decode(String.self, forKey: .text))
        parts.append(try second.decode(String.self, forKey: .text))
      }
    }
    let data = try Self.pair()
    #expect(try KeyedArchiveDecoder().decode(Reader.self, from: data).parts == ["1", "2", "one", "two"])
  }

  @Test func theValueAfterAFailedOneHasItsOwnEntry() throws {
    struct Reader: Decodable {
      var numbers: [Int] = []

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        #expect(throws: DecodingError.self) { try container.decode(Values.self, forKey: .first) }
        numbers.append(try container.decode(Value.self, forKey: .second).number)
        numbers.append(try container.decode(Value.self, forKey: .first).number)
      }
    }
    let data = try Self.pair()
    #expect(try KeyedArchiveDecoder().decode(Reader.self, from: data).numbers == [2, 1])
  }

  @Test func aContainerThatOutlivesItsDecodingThrows() throws {
    let data = try KeyedArchiveEncoder().encode(Self.value(7, "seven"))
    let kept = try KeyedArchiveDecoder().decode(KeepsContainer.self, from: data)
    #expect(kept.number == 7)
    #expect(kept.container.allKeys.isEmpty)
    let complaint = try complaint { try kept.container.decode(String.self, forKey: .text) }
    #expect(complaint.message == "A decoder or container was used after its decoding had ended.")
    #expect(complaint.path == "text")
    let decoder = try KeyedArchiveDecoder().decode(KeepsDecoder.self, from: data).decoder
    for read in [
      { _ = try decoder.container(keyedBy: Keys.self) }, { _ = try decoder.unkeyedContainer() },
      { _ = try decoder.singleValueContainer().decode(Int.self) },
      { _ = try decoder.singleValueContainer().decode(Value.self) },
      { _ = try kept.container.nestedUnkeyedContainer(forKey: .text) },
    ] as [() throws -> Void] {
      #expect(try KeyedArchiveTests.complaint(read).message == complaint.message)
    }
  }

  @Test func aSessionIsReleasedWithItsDecoders() throws {
    final class Witness: Sendable {}
    let key = try #require(CodingUserInfoKey(rawValue: "witness"))
    weak var witness: Witness?
    let data = try Self.values()
    do {
      let object = Witness()
      witness = object
      let decoder = KeyedArchiveDecoder(userInfo: [key: object])
      #expect(try decoder.decode(Values.self, from: data).values.count == 5)
    }
    // The session holds the user info, and reused decoders hold the session.
    #expect(witness == nil)
  }
}
