import Foundation
import ModelMapping
import TestSupport
import Testing
import ThrownErrors

/// Fields whose types have hand-written coding read and write the same JSON as Foundation's coders.
@Suite struct HandWrittenCodingTests {
  struct Holder: Model {
    @Field var value = HandWrittenCoding()
    @Field var list: [HandWrittenCoding] = []
  }

  struct Plain: Codable {
    var value = HandWrittenCoding()
    var list: [HandWrittenCoding] = []
  }

  @Test func everyCallOfAContainerReadsJSON() throws {
    var plain = Plain()
    plain.value.numbers = [4, 5]
    plain.list = [HandWrittenCoding(), plain.value]
    let (holder, report) = try Holder.decode(json: JSONEncoder().encode(plain))
    #expect(holder.value == plain.value)
    #expect(holder.list == plain.list)
    #expect(report.isEmpty, "\(report)")
  }

  @Test func everyCallOfAContainerWritesJSON() throws {
    var holder = Holder()
    holder.value.numbers = [4, 5]
    holder.list = [HandWrittenCoding(), holder.value]
    let plain = try JSONDecoder().decode(Plain.self, from: holder.json())
    #expect(plain.value == holder.value)
    #expect(plain.list == holder.list)
  }

  /// A type whose decoder refuses raw values that its initializer takes.
  struct Address<Raw: Codable & Sendable>: RawRepresentable, Codable, Sendable {
    var rawValue: Raw

    init(rawValue: Raw) { self.rawValue = rawValue }

    init(from decoder: any Decoder) throws {
      rawValue = try decoder.singleValueContainer().decode(Raw.self)
      guard "\(rawValue)".count > 1 else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "It is too short."))
      }
    }
  }

  @Test func aTypeCanRefuseARawValueThatItsInitializerTakes() throws {
    struct Letter: Model {
      @Field var to = Address(rawValue: "none")
      @Field var copies: [Address<String>] = []
      @Field var number = Address(rawValue: 10)
    }
    #expect(try Letter(json: #"{"to": 12, "number": "12"}"#).to.rawValue == "12")
    for text in [#"{"to": "x"}"#, #"{"copies": ["x"]}"#, #"{"number": 1}"#, #"{"number": 1.0}"#] {
      expectError(DecodingError.self) { try Letter(json: text) }
      expectError(DecodingError.self) { try JSONDecoder().decode(Letter.self, from: Data(text.utf8)) }
    }
  }

  /// A matrix that asks for the number of elements before it reads each of them.
  struct Matrix: Codable, Equatable {
    var rows: [[Int]] = []

    init() {}

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      while list.currentIndex < list.count ?? 0 {
        var row = try list.nestedUnkeyedContainer()
        rows.append([])
        while row.currentIndex < row.count ?? 0 { rows[rows.count - 1].append(try row.decode(Int.self)) }
      }
    }

    func encode(to encoder: any Encoder) throws { try rows.encode(to: encoder) }
  }

  struct Table: Model {
    @Field var matrix = Matrix()
  }

  /// A list that asks for each element whether it is null.
  struct Gaps: Codable {
    var elements: [Int?] = []

    init() {}

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      while !list.isAtEnd { elements.append(try list.decodeNil() ? nil : list.decode(Int.self)) }
    }

    func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
  }

  @Test func aTypeMayAskForEachElementWhetherItIsNull() throws {
    struct Row: Model {
      @Field var gaps = Gaps()
    }
    #expect(try Row(json: #"{"gaps": [1, null, 2, null]}"#).gaps.elements == [1, nil, 2, nil])
  }

  @Test func theNumberOfElementsIsCountedOnce() throws {
    var table = Table()
    table.matrix.rows = [Array(0..<5)] + (0..<20_000).map { [$0] }  // counted each time, this would take half a minute
    #expect(try Table(json: table.json()).matrix == table.matrix)
  }

  /// A type that codes a part of itself as a superclass does.
  struct Derived: Codable, Equatable {
    var base = ["a": 1]

    enum CodingKeys: CodingKey {}

    init() {}

    init(from decoder: any Decoder) throws {
      base = try [String: Int](from: decoder.container(keyedBy: CodingKeys.self).superDecoder())
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try base.encode(to: container.superEncoder())
    }
  }

  struct Garage: Model {
    @Field var car: Derived?
  }

  @Test func theFieldsOfASuperclassAreReadUnderTheirKey() throws {
    let text = "{\"car\":{\"super\":{\"a\":2}}}"
    let garage = try Garage(json: text)
    #expect(garage.car?.base == ["a": 2])
    #expect(try garage.json() == Data(text.utf8))
    for (json, path, offset) in [
      ("{\"car\":{\"super\":{\"a\":[]}}}", "car.super.a", 21), ("{\"car\":{}}", "car.super", 7),
    ] {
      let error = try requireError(DecodingError.self) { try Garage(json: json) }
      let cause = try #require(error.context?.underlyingError as? ModelError)
      #expect(cause.path.description == path && cause.location?.offset == offset, "\(error)")
    }
  }
}
