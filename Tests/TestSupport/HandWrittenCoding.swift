/// A value with hand-written coding, which makes every call that a container has.
public struct HandWrittenCoding: Codable, Equatable, Sendable {
  public var scalars = Scalars()
  public var numbers = [1, 2, 3]
  public var names = ["a", "b"]
  public var base = ["name": "Rex"]
  public var parent = ["name": "Tom"]

  public init() {}

  private enum CodingKeys: CodingKey {
    case nested, list, parent, absent
  }

  private enum NestedKeys: CodingKey {
    case scalars, numbers, absent
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let nested = try container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
    guard !nested.contains(.absent), nested.contains(.scalars), Set(nested.allKeys) == [.scalars, .numbers] else {
      throw Refusal("the keys are \(nested.allKeys)")
    }
    scalars = try nested.decode(Scalars.self, forKey: .scalars)
    var numbers = try nested.nestedUnkeyedContainer(forKey: .numbers)
    self.numbers = []
    while !numbers.isAtEnd { self.numbers.append(try numbers.decode(Int.self)) }

    // Elements of all kinds.
    var list = try container.nestedUnkeyedContainer(forKey: .list)
    guard list.count == 4, try !list.decodeNil() else { throw Refusal("the list has \(list.count ?? 0) elements") }
    var inner = try list.nestedUnkeyedContainer()
    names = try [inner.decode(String.self), inner.decode(String.self)]
    guard inner.isAtEnd, inner.currentIndex == 2 else { throw Refusal("the inner list does not end") }
    let map = try list.nestedContainer(keyedBy: NestedKeys.self)
    guard try map.decode(Bool.self, forKey: .absent) else { throw Refusal("the map in the list is another") }
    base = try [String: String](from: list.superDecoder())
    guard try Scalars(from: list.superDecoder()) == scalars, list.isAtEnd, list.currentIndex == 4 else {
      throw Refusal("the list does not end")
    }
    parent = try [String: String](from: container.superDecoder(forKey: .parent))
    try expectPastTheEnd(&list)
  }

  private func expectPastTheEnd(_ list: inout any UnkeyedDecodingContainer) throws {
    do {
      _ = try list.decode(Int.self)
    } catch DecodingError.valueNotFound where list.currentIndex == 4 {
      return
    }
    throw Refusal("an element after the last one was read")
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    var nested = container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
    try nested.encode(scalars, forKey: .scalars)
    var numbers = nested.nestedUnkeyedContainer(forKey: .numbers)
    try numbers.encode(contentsOf: self.numbers)

    var list = container.nestedUnkeyedContainer(forKey: .list)
    var inner = list.nestedUnkeyedContainer()
    for name in names { try inner.encode(name) }
    var map = list.nestedContainer(keyedBy: NestedKeys.self)
    try map.encode(true, forKey: .absent)
    try base.encode(to: list.superEncoder())
    try scalars.encode(to: list.superEncoder())
    try parent.encode(to: container.superEncoder(forKey: .parent))
  }

  /// Values of each scalar type: as optional fields, in a list, and alone.
  public struct Scalars: Codable, Equatable, Sendable {
    public var bool: Bool? = true
    public var string: String? = "text"
    public var double: Double? = 1.5
    public var float: Float? = 2.5
    public var int: Int? = -1
    public var int8: Int8? = .min
    public var int16: Int16? = .min
    public var int32: Int32? = .min
    public var int64: Int64? = .min
    public var uint: UInt? = 7
    public var uint8: UInt8? = .max
    public var uint16: UInt16? = .max
    public var uint32: UInt32? = .max
    public var uint64: UInt64? = 1 << 62
    public var none: Int?
    public var list = List()
    public var single = Single()

    public init() {}
  }

  public struct List: Codable, Equatable, Sendable {
    var scalars = Scalar.allCases

    public init() {}

    public init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      scalars = try [
        .bool(container.decode(Bool.self)), .string(container.decode(String.self)),
        .double(container.decode(Double.self)), .float(container.decode(Float.self)),
      ]
      scalars += try [
        .integer(Int64(container.decode(Int.self))), .integer(Int64(container.decode(Int8.self))),
        .integer(Int64(container.decode(Int16.self))), .integer(Int64(container.decode(Int32.self))),
        .integer(Int64(container.decode(Int64.self))),
      ]
      scalars += try [
        .integer(Int64(container.decode(UInt.self))), .integer(Int64(container.decode(UInt8.self))),
        .integer(Int64(container.decode(UInt16.self))), .integer(Int64(container.decode(UInt32.self))),
        .integer(Int64(container.decode(UInt64.self))),
      ]
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for scalar in scalars { try scalar.encode(to: container.superEncoder()) }
    }
  }

  enum Scalar: Equatable, Sendable {
    case bool(Bool)
    case string(String)
    case double(Double)
    case float(Float)
    case integer(Int64)

    static let allCases: [Scalar] =
      [.bool(false), .string("word"), .double(0.5), .float(-2)] + (1...10).map { .integer($0) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .float(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      }
    }
  }

  /// Reads one number as each type.
  public struct Single: Codable, Equatable, Sendable {
    var number = 5

    public init() {}

    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard !container.decodeNil() else { throw Refusal("the number is nil") }
      number = try container.decode(Int.self)
      let others = try [
        Int(container.decode(Int8.self)), Int(container.decode(Int16.self)), Int(container.decode(Int32.self)),
        Int(container.decode(Int64.self)), Int(container.decode(UInt.self)), Int(container.decode(UInt8.self)),
        Int(container.decode(UInt16.self)), Int(container.decode(UInt32.self)), Int(container.decode(UInt64.self)),
        Int(container.decode(Double.self)), Int(container.decode(Float.self)),
      ]
      guard others.allSatisfy({ $0 == number }) else { throw Refusal("\(number) is read as \(others)") }
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  struct Refusal: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }
}
