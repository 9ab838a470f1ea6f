public import FoundationCore

extension ArchiveValue {
  /// Whether the value is null.
  @_alwaysEmitIntoClient
  public var isNull: Bool { self == .null }

  /// The Boolean, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The integer, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var int: Int? { if case .int(let value) = self { value } else { nil } }

  /// The integer if it is not negative and at most 64 bits wide, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var uint: UInt64? {
    switch self {
    case .int(let value): UInt64(exactly: value)
    case .uint(let value): value
    default: nil
    }
  }

  /// The number, or `nil` for any other value. An integer that a `Double` holds exactly is also a number.
  @_alwaysEmitIntoClient
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .int(let value): Double(exactly: value)
    case .uint(let value): Double(exactly: value)
    default: nil
    }
  }

  /// The decimal number, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var decimal: Decimal? { if case .decimal(let value) = self { value } else { nil } }

  /// The text, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The bytes, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var data: Data? { if case .data(let value) = self { value } else { nil } }

  /// The date, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var date: Date? { if case .date(let value) = self { value } else { nil } }

  /// The UUID, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var uuid: UUID? { if case .uuid(let value) = self { value } else { nil } }

  /// The URL, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var url: URL? { if case .url(let value) = self { value } else { nil } }

  /// The elements of an array, a block of numbers or a set, or `nil` for any other value.
  ///
  /// - Complexity: O(*n*) for a block of numbers, otherwise O(1).
  public var array: [ArchiveValue]? {
    switch self {
    case .array(let elements), .set(let elements): elements
    case .numbers(let tag, let bytes): ArchiveValue.elements(ofNumbers: bytes, tag: tag)
    default: nil
    }
  }

  /// The object, or `nil` for any other value.
  @_alwaysEmitIntoClient
  public var object: ArchiveObject? { if case .object(let value) = self { value } else { nil } }

  /// A field of an object, or `nil` for any other value. Setting a field of a value that is not an object replaces the
  /// value with an object.
  @_alwaysEmitIntoClient
  public subscript(name: String) -> ArchiveValue? {
    get { object?[name] }
    set {
      var object = object ?? ArchiveObject()
      object[name] = newValue
      self = .object(object)
    }
  }

  /// An element of an array, or `nil` for any other value and beyond the end.
  @_alwaysEmitIntoClient
  public subscript(index: Int) -> ArchiveValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  private static func elements(ofNumbers bytes: Data, tag: UInt64) -> [ArchiveValue]? {
    guard let format = NumberArrayFormat(tag: tag) else { return nil }
    return bytes.withUnsafeBytes { bytes in
      guard bytes.count.isMultiple(of: format.width) else { return nil }
      return (0..<bytes.count / format.width).map { index in
        switch format.number(at: index, in: bytes) {
        case .signed(let value): ArchiveValue(integer: value)
        case .unsigned(let value): ArchiveValue(integer: value)
        case .float(let value): .double(value)
        }
      }
    }
  }
}

// MARK: - Literals

extension ArchiveValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: ArchiveValue...) { self = .array(elements) }

  /// Creates an object with the fields in the order of the literal. If two fields have the same name, the later value
  /// is used.
  public init(dictionaryLiteral elements: (String, ArchiveValue)...) {
    var object = ArchiveObject()
    for (name, value) in elements { object[name] = value }
    self = .object(object)
  }
}
