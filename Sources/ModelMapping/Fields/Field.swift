/// A property of a ``Model`` that is read and written.
///
/// If the key is missing or, in JSON, null, the property keeps its initial value. An optional without an initial value
/// is `nil`. If null is stored, an optional is `nil`. Arrays, sets, dictionaries and other models are declared like any
/// other field:
///
/// ```swift
/// @Field("level") var vipLevel = 1                                // a key
/// @Field var accountID: Int? = nil                                // the key is the property's name
/// @Field("profile", "nick_name") var nickName = ""                // a path of keys; dots are ordinary characters
/// @Field("registered", as: .unixSeconds) var registered = Date()  // a converter
/// @Field("tel", formerly: "phone") var tel = ""                   // a name it had before
/// @Field(json: "id", stored: "memberID") var memberID = ""        // one key for JSON, another one for storage
/// @Field(stored: nil) var token = ""                              // not in storage
/// @Field("score", ifInvalid: -1) var score = 0                    // -1 if the value cannot be read
/// @Field(options: .lossy) var cars: [Car] = []                    // leaves out cars that cannot be read
/// ```
///
/// A struct with fields keeps value semantics: a change of a copy does not change the original.
@propertyWrapper
@frozen public struct Field<Value> {
  @usableFromInline var content: FieldContent<Value>

  @inlinable init(_ content: FieldContent<Value>) { self.content = content }

  /// Creates an optional field whose key is the property's name.
  @inlinable public init() where Value: Codable & Sendable & ExpressibleByNilLiteral {
    self.init(wrappedValue: nil)
  }

  /// The property's value.
  @inlinable public var wrappedValue: Value {
    get { content.value }
    set {
      guard case .box(var box) = content else {
        content = FieldContent(newValue)
        return
      }
      content = .taken
      if isKnownUniquelyReferenced(&box) || FieldCollector.isHolding(box) {
        box.value = newValue
      } else {
        box = FieldBox(newValue)
      }
      content = .box(box)
    }
    _modify {
      if case .box(var box) = content {
        content = .taken
        if !isKnownUniquelyReferenced(&box), !FieldCollector.isHolding(box) { box = FieldBox(box.value) }
        defer { content = .box(box) }
        yield &box.value
      } else {
        var value = content.value
        content = .taken
        defer { content = FieldContent(value) }
        yield &value
      }
    }
  }
}

extension Field: FieldStorage {
  var anyBox: AnyObject {
    if case .box(let box) = content { box } else { FieldBox(content.value) }
  }

  var offsetOfBox: Int? {
    guard case .box(let box) = content else { return nil }
    let address = UInt(bitPattern: Unmanaged.passUnretained(box).toOpaque())
    return withUnsafeBytes(of: self) { $0.offsets(ofWord: address).first }
  }
}

extension Field: Sendable where Value: Sendable {}

extension Field: Equatable where Value: Equatable {
  public static func == (left: Field, right: Field) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension Field: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// A field prints as its value, so that a model prints as if it had plain properties.
extension Field: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { String(describing: wrappedValue) }

  public var debugDescription: String { String(reflecting: wrappedValue) }
}
