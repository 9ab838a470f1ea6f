import CodingSupport
import FoundationCore

/// An `Array` of numbers is stored as a typed array, which is copied as a block. Any other is an array of its elements.
extension Array: SpeciallyEncodable where Element: Encodable {
  static var isSelfDescribing: Bool {
    guard let format = NumberArrayFormat(elements: Element.self) else { return false }
    return format.arrayType == Self.self
  }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    if let format = NumberArrayFormat(elements: Element.self) {
      if isIntNarrow, format.width != MemoryLayout<Element>.size {
        return try encodeWide(into: session, path: path)
      }
      return try session.write(tag: format.tag) {
        withUnsafeBytes { session.write(bytes: $0) }
      }
    }
    let path = path()
    let traits = session.traits(of: Element.self)
    try session.writeArray(count: count) {
      try withUnsafeBufferPointer { elements in
        guard let first = elements.baseAddress else { return }
        for index in 0..<elements.count {
          // The runtime would look up the type of the structure if the index were added to a pointer to it.
          let element = UnsafeRawPointer(first + index).assumingMemoryBound(to: Borrowed<Element>.self)
          try element.pointee.encode(into: session, traits) { session.path(path, AnyCodingKey(index: index)) }
        }
      }
    }
  }
}

/// A value that cannot be copied. An iterator, a subscript or a pointer to the value itself would copy an element with
/// everything that it refers to, which takes as long as writing a field.
///
/// A structure is as large as its only property, and begins with it. A pointer to a value therefore also points to this
/// structure, through which only the value is read.
private struct Borrowed<Value: Encodable>: ~Copyable {
  let value: Value

  @inline(__always)
  borrowing func encode(into session: EncodingSession, _ traits: TypeTraits, path: () -> CodingPathNode) throws {
    try session.encode(value, knowing: traits, path: path)
  }
}

/// Whether an `Int` has fewer bits than the 64 that it has in files. This is a constant. If it is false, the compiler
/// leaves out the code for such systems, including its copies of the coder.
private var isIntNarrow: Bool { Int.bitWidth < 64 }

extension Array {
  /// Encodes an array of `Int` or `UInt` if these types do not have the 64 bits that they have in files.
  private func encodeWide(into session: EncodingSession, path: () -> CodingPathNode) throws {
    if let numbers = identityCast(self, to: [Int].self) {
      try numbers.map(Int64.init).encode(into: session, path: path)
    }
    if let numbers = identityCast(self, to: [UInt].self) {
      try numbers.map(UInt64.init).encode(into: session, path: path)
    }
  }
}

extension Array: SpeciallyDecodable where Element: Decodable {
  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    let item = try session.input.item(at: cursor)
    if item.head.major == .tag, let format = NumberArrayFormat(tag: item.head.argument) {
      return try decode(numbers: item, as: format, from: session, path)
    }
    // A set can be read as an array.
    if item.hasTag(CBORTag.set) { return try decode(from: session, at: session.input.content(of: item), path: path) }
    if Element.self == UInt8.self, let bytes = try session.input.withBytes(of: item, { [UInt8]($0) }) {
      return identical(bytes, to: Self.self)  // a property that used to be `Data`
    }
    guard item.head.major == .array else { throw session.input.mismatch(at: cursor) }
    let count = Int(try session.input.container(at: item.cursor).count)
    let traits = session.traits(of: Element.self)
    let path = path()
    var elements: [Element] = []
    elements.reserveCapacity(Swift.min(count, 1024))
    var element = session.input.firstElement(of: item)
    for index in 0..<count {
      elements.append(
        try session.decode(Element.self, knowing: traits, at: element) {
          session.path(path, AnyCodingKey(index: index))
        })
      element = try session.input.skip(element)
    }
    return elements
  }

  private static func decode(
    numbers: StoredItem, as format: NumberArrayFormat, from session: DecodingSession, _ path: () -> CodingPathNode
  ) throws -> [Element] {
    guard format == NumberArrayFormat(elements: Element.self), format.width == MemoryLayout<Element>.size else {
      // The other session gets a copy of the paths, so this one must be added before.
      let path = path()
      return try decode(from: session.expanding(numbers), at: .start) { path }
    }
    let content = try session.input.item(at: session.input.content(of: numbers))
    let elements = try session.input.withBytes(of: content) { bytes -> [Element] in
      guard format.fits(bytes.count) else {
        throw CBORError(.invalidTypedArray, at: numbers.cursor.offset)
      }
      // The storage of the empty array is shared by the whole process, so nothing may be written to it.
      guard !bytes.isEmpty else { return [] }
      // An element is a number of exactly this width and byte order, so any bytes are a valid element.
      return [Element](unsafeUninitializedCapacity: bytes.count / format.width) { buffer, count in
        UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
        count = bytes.count / format.width
      }
    }
    guard let elements else { throw CBORError(.invalidTypedArray, at: numbers.cursor.offset) }
    return elements
  }
}

/// A `Set` is stored as tag 258 around an array of its elements. They are sorted by their bytes, so that equal sets
/// have equal bytes. Elements with equal encodings are all written, because their type may tell them apart again.
/// Source: <https://github.com/input-output-hk/cbor-sets-spec/blob/master/CBOR_SETS.md>, the registration of tag 258.
extension Set: SpeciallyEncodable where Element: Encodable {
  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    let path = path()
    let traits = session.traits(of: Element.self)
    let (order, items) = try session.sorted(self, by: { $0 }, refusingEqualBytes: false, path: { path })
    try session.write(tag: CBORTag.set) {
      try session.writeArray(count: count) {
        for item in items { session.buffer.append(contentsOf: item) }
        for (number, index) in order.enumerated() where items.isEmpty {
          try session.encode(self[index], knowing: traits) { session.path(path, AnyCodingKey(index: number)) }
        }
      }
    }
  }
}

extension Set: SpeciallyDecodable where Element: Decodable {
  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    Set(try [Element].decode(from: session, at: cursor, path: path))
  }
}

/// A `Dictionary` is stored as a map from keys of any type, sorted so that equal dictionaries have equal bytes.
extension Dictionary: SpeciallyEncodable where Key: Encodable, Value: Encodable {
  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    let valueTraits = session.traits(of: Value.self)
    if Key.self == String.self {
      return try encodeByText(into: session, path) { try session.encode($0, knowing: valueTraits, path: $1) }
    }
    let path = path()
    let keyTraits = session.traits(of: Key.self)
    let (order, items) = try session.sorted(self, by: { $0.key }, refusingEqualBytes: true, path: { path })
    try session.writeMap(count: count) {
      for (number, index) in order.enumerated() {
        let (key, value) = self[index]
        let node = { session.path(path, dictionaryKey: key) }
        if number < items.count {
          session.buffer.append(contentsOf: items[number])
        } else if let integer = identityCast(key, to: Int.self) {
          session.buffer.appendInteger(Int64(integer))
        } else {
          try session.encode(key, knowing: keyTraits, path: node)
        }
        try session.encode(value, knowing: valueTraits, path: node)
      }
    }
  }
}

extension Dictionary {
  /// Writes the pairs of a dictionary with text keys in the order of the keys.
  @inline(__always)
  func encodeByText(
    into session: EncodingSession, _ path: () -> CodingPathNode,
    _ encodeValue: (Value, () -> CodingPathNode) throws -> Void
  ) throws {
    let path = path()
    // Looking up each value again takes less time than the indices of a dictionary whose type is not known, or than
    // moving boxed values.
    var texts: [String] = []
    texts.reserveCapacity(count)
    for key in keys { texts.append(identical(key, to: String.self)) }
    try session.writeMap(count: count) {
      for index in EncodingSession.order(of: texts) {
        let text = texts[index]
        guard let value = self[identical(text, to: Key.self)] else { continue }
        session.write(text: text)
        try encodeValue(value) { session.path(path, dictionaryKey: text) }
      }
    }
  }
}

extension Dictionary: SpeciallyDecodable where Key: Decodable, Value: Decodable {
  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    let item = try session.input.item(at: cursor)
    let count: Int
    switch item.head.major {
    case .map: count = Int(try session.input.container(at: item.cursor).count)
    case .array where Key.self != String.self && Key.self != Int.self:
      // The form in which `Dictionary` encodes itself for other coders: alternating keys and values. With keys of text
      // or integers, it never has this form. If it were read, a type that tries a dictionary before an array, as types
      // for any JSON do, would take an array for a dictionary.
      let elements = try session.input.container(at: item.cursor).count
      guard elements.isMultiple(of: 2) else {
        throw ItemError.mismatch(stored: "an array with an odd number of elements")
      }
      count = Int(elements / 2)
    default: throw session.input.mismatch(at: cursor)
    }
    let keyTraits = session.traits(of: Key.self)
    let valueTraits = session.traits(of: Value.self)
    let path = path()
    var pairs: [Key: Value] = .init()
    pairs.reserveCapacity(Swift.min(count, 1024))
    let equalThemselves = Key.self == String.self || Key.self == Int.self
    var others = SharedCodeDictionary<ArchiveValue, Bool>?.none
    var next = session.input.firstElement(of: item)
    for _ in 0..<count {
      let key = try decodeKey(from: session, traits: keyTraits, at: next, path)
      if !equalThemselves, key != key { try session.checkUnequalKey(at: next, &others, path) }
      next = try session.input.skip(next)
      let value = try session.decode(Value.self, knowing: valueTraits, at: next) {
        session.path(path, dictionaryKey: key)
      }
      next = try session.input.skip(next)
      guard pairs.updateValue(value, forKey: key) == nil else {
        throw ItemError.malformed(
          "The key \(AnyCodingKey(dictionaryKey: key).stringValue) appears twice in one dictionary.")
      }
    }
    return pairs
  }

  /// Decodes a key. Other coders store an integer as the text of its digits, and a key that has a name as that name. So
  /// does JSON, and so does `Dictionary.encode(to:)`, which a wrapper may call.
  private static func decodeKey(
    from session: DecodingSession, traits: TypeTraits, at cursor: CBORCursor, _ path: CodingPathNode
  ) throws -> Key {
    if Key.self == Int.self, let text = try session.input.textIfPresent(session.input.item(at: cursor)),
      let integer: Int = parsed(text), let key = identityCast(integer, to: Key.self)
    {
      return key
    }
    do {
      return try session.decode(Key.self, knowing: traits, at: cursor) { path }
    } catch {
      guard let type = Key.self as? any CodingKeyRepresentable.Type,
        let name = try session.input.textIfPresent(session.input.item(at: cursor)),
        let key = type.init(codingKey: AnyCodingKey(stringValue: name)) as? Key
      else { throw error }
      return key
    }
  }
}

extension DecodingSession {
  /// Throws if a key that does not equal itself, such as a NaN, is the same as one of the others in its map.
  @inline(never)
  fileprivate func checkUnequalKey(
    at cursor: CBORCursor, _ others: inout SharedCodeDictionary<ArchiveValue, Bool>?, _ path: CodingPathNode
  ) throws {
    let key = try ArchiveValue.decode(from: self, at: cursor) { path }
    guard others?[key] == nil else { throw ItemError.malformed("A key appears twice in one map.") }
    others = others ?? SharedCodeDictionary()
    others?[key] = true
  }
}

extension AnyCodingKey {
  init(dictionaryKey key: Any) {
    self = (key as? Int).map(AnyCodingKey.integer) ?? .text(AnyCodingKey.text(of: key))
  }

  /// Returns a key as text for a message. A description can stop the program: that of a `Date` that is not a number
  /// does, and so does that of any value that contains such a date. So only keys known to be safe are described. For
  /// other keys the type is shown.
  private static func text(of key: Any) -> String {
    switch key {
    case let text as String: text
    case is any BinaryInteger, is any BinaryFloatingPoint, is UUID, is URL, is Decimal: String(describing: key)
    case let date as Date: ArchiveValue.date(date).diagnostic
    case let key as any RawRepresentable: text(of: key.rawValue)
    default:
      Mirror(reflecting: key).children.isEmpty ? String(describing: key) : defaultArchiveName(of: Swift.type(of: key))
    }
  }
}
