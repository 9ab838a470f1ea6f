public import FoundationCore

/// A tree that represents any value of an archive, for programs that do not have the types.
///
/// Reading an entry as an `ArchiveValue` needs no registered type, and fails only for an entry that is malformed or
/// exceeds the ``ArchiveLimits``. A tree has a copy of a shared instance for each reference to it, so it can exceed the
/// limits even if the entry can be read as its own type. Writing the tree back keeps names, versions and the order of
/// fields.
///
/// ```swift
/// var value: ArchiveValue = ["plate": "B 123", "speed": 60]
/// value["plate"] = "B 124"
/// let speed = value["speed"]?.int  // 60
/// ```
///
/// Two values are equal if they are stored in the same way: `.double(.nan)` equals itself and `.double(-0.0)` differs
/// from `.double(0)`.
public enum ArchiveValue: Sendable {
  // Payloads of up to eight bytes are stored inline, and others behind a pointer, to keep arrays of small values small.
  /// The absence of a value: an optional that is `nil`.
  case null
  /// The simple value `undefined`, which other programs may write. This module never writes it on its own.
  case undefined
  /// A truth value.
  case bool(Bool)
  /// An integer that `Int` can hold.
  case int(Int)
  /// An integer above `Int.max`.
  case uint(UInt64)
  /// An integer that neither `Int` nor `UInt64` can hold. It is `magnitude`, or `-1 - magnitude` if it is negative. The
  /// magnitude is in network byte order without leading zeros.
  indirect case bigInteger(isNegative: Bool, magnitude: Data)
  /// A floating-point number. In a file it has the smallest width that holds it exactly.
  case double(Double)
  /// A decimal number: tag 4.
  indirect case decimal(Decimal)
  /// Text.
  indirect case string(String)
  /// Bytes.
  indirect case data(Data)
  /// A point in time: tag 1, or the name `Date` if tag 1 would lose bits.
  case date(Date)
  /// A UUID: tag 37.
  indirect case uuid(UUID)
  /// A URL: tag 32, or the name `URL` if it has a base.
  indirect case url(URL)
  /// Values in order.
  case array([ArchiveValue])
  /// An array of numbers of one width, stored as one block: a tag of RFC 8746 and the bytes under it.
  indirect case numbers(tag: UInt64, bytes: Data)
  /// The elements of a set: tag 258. The array should have no equal elements.
  case set([ArchiveValue])
  /// A map with text keys: the fields of an object, with the tag of its type if one is stored.
  indirect case object(ArchiveObject)
  /// A value that is not a map, with the tag of its type, such as an enum's raw value.
  indirect case named(ArchiveTag, version: Int, ArchiveValue)
  /// A map whose keys are not all text.
  case map([Pair])
  /// A value under a CBOR tag that has no meaning here.
  indirect case tagged(UInt64, ArchiveValue)
  /// A simple value that has no meaning here.
  case simple(UInt8)

  /// A key and its value in a map whose keys are not all text.
  public struct Pair: Hashable, Sendable {
    /// The key.
    public var key: ArchiveValue

    /// The value.
    public var value: ArchiveValue

    /// Creates a pair.
    public init(key: ArchiveValue, value: ArchiveValue) {
      self.key = key
      self.value = value
    }
  }
}

// MARK: - Equality

// Values that contain values are compared first, and scalars in functions of their own. The functions for nested values
// call themselves for each level, so their stack frames must not grow with the number of other cases.
extension ArchiveValue: Hashable {
  public static func == (left: ArchiveValue, right: ArchiveValue) -> Bool {
    switch (left, right) {
    case (.array(let left), .array(let right)), (.set(let left), .set(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.named(let leftTag, let leftVersion, let left), .named(let rightTag, let rightVersion, let right)):
      leftTag == rightTag && leftVersion == rightVersion && left == right
    case (.map(let left), .map(let right)): left == right
    case (.tagged(let leftTag, let left), .tagged(let rightTag, let right)): leftTag == rightTag && left == right
    default: areEqualScalars(left, right)
    }
  }

  private static func areEqualScalars(_ left: ArchiveValue, _ right: ArchiveValue) -> Bool {
    switch (left, right) {
    case (.null, .null), (.undefined, .undefined): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.uint(let left), .uint(let right)): left == right
    case (.bigInteger(let leftSign, let left), .bigInteger(let rightSign, let right)):
      leftSign == rightSign && areEqual(left, right)
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.decimal(let left), .decimal(let right)): areEqual(left, right)
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.data(let left), .data(let right)): areEqual(left, right)
    case (.date(let left), .date(let right)):
      left.timeIntervalSinceReferenceDate.bitPattern == right.timeIntervalSinceReferenceDate.bitPattern
    case (.uuid(let left), .uuid(let right)): areEqual(left, right)
    case (.url(let left), .url(let right)): areEqual(left, right)
    case (.numbers(let leftTag, let left), .numbers(let rightTag, let right)):
      leftTag == rightTag && areEqual(left, right)
    case (.simple(let left), .simple(let right)): left == right
    default: false
    }
  }

  // Out of line, because the compiler would make a copy in each of the four places in this module that hash trees.
  @inline(never)
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .array(let values), .set(let values): hasher.combine(values)
    case .object(let object): hasher.combine(object)
    case .named(let tag, let version, let value):
      hasher.combine(tag)
      hasher.combine(version)
      hasher.combine(value)
    case .map(let pairs): hasher.combine(pairs)
    case .tagged(let tag, let value):
      hasher.combine(tag)
      hasher.combine(value)
    default: hashScalar(into: &hasher)
    }
  }

  private func hashScalar(into hasher: inout Hasher) {
    switch self {
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .uint(let value): hasher.combine(value)
    case .bigInteger(let isNegative, let magnitude):
      hasher.combine(isNegative)
      hasher.combine(magnitude)
    case .double(let value): hasher.combine(value.bitPattern)
    case .decimal(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let value): hasher.combine(value)
    case .url(let value): hasher.combine(value)
    case .numbers(let tag, let bytes):
      hasher.combine(tag)
      hasher.combine(bytes)
    case .simple(let value): hasher.combine(value)
    default: hasher.combine(isNull)
    }
  }
}

extension ArchiveValue {
  /// Runs a function that descends into the value, on a thread with a large enough stack if there is memory for it.
  package func withDeepStack(_ body: () -> Void) {
    let depth = nesting
    guard depth > DeepStack.shallowDepth else { return body() }
    do {
      try DeepStack.run(depth: depth, body)
    } catch {
      body()
    }
  }

  /// The number of levels of nested values, computed without recursion. Takes O(*n*) time in the number of values.
  private var nesting: Int {
    var deepest = 0
    var open = [(value: self, depth: 0)]
    while let (value, depth) = open.popLast() {
      let parts = value.parts
      guard !parts.isEmpty else { continue }
      deepest = max(deepest, depth + 1)
      // Values that contain no others are left out, because there may be millions of them.
      for part in parts where part.holdsOthers { open.append((part, depth + 1)) }
    }
    return deepest
  }

  /// The values in this one. Those of a map are its keys and values in turn.
  var parts: [ArchiveValue] {
    switch self {
    case .array(let elements), .set(let elements): elements
    case .object(let object): object.fields.map(\.value)
    case .map(let pairs): pairs.flatMap { [$0.key, $0.value] }
    case .named(_, _, let value), .tagged(_, let value): [value]
    default: []
    }
  }

  private var holdsOthers: Bool {
    switch self {
    case .array, .set, .object, .map, .named, .tagged: true
    default: false
    }
  }

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

  /// The number, or `nil` for any other value. An integer of up to 64 bits that a `Double` holds exactly is also a
  /// number.
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
  @inline(never)
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
  /// value with an object. Setting `nil` removes the field, if there is one.
  @_alwaysEmitIntoClient
  public subscript(name: String) -> ArchiveValue? {
    get { object?[name] }
    set {
      guard newValue != nil || self.object != nil else { return }
      var object = self.object ?? ArchiveObject()
      self = .null  // Otherwise, setting the field would copy all others.
      object[name] = newValue
      self = .object(object)
    }
  }

  /// An element of ``array``, or `nil` for any other value and beyond the end.
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
