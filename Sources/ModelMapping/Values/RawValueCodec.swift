/// The codec of enumerations and other types whose raw values are scalars. It also reads scalars of other types.
struct RawValueCodec<Value: RawRepresentable & Codable>: ConvertingCodec {
  func converted(from raw: RawScalar) -> Value? {
    func make<Scalar: FieldScalar>(_ type: Scalar.Type) -> Value? {
      (type.converted(from: raw) as? Value.RawValue).flatMap(Value.init(rawValue:))
    }
    return (Value.RawValue.self as? any FieldScalar.Type).flatMap { make($0) }
  }

  /// The type's own `init(from:)` may refuse raw values that its `init(rawValue:)` takes, and a migration may have made
  /// one that both refuse.
  func isRefused(_ raw: RawScalar) -> Bool {
    switch raw {
    case .text: Value.RawValue.self == String.self
    case .bool: Value.RawValue.self == Bool.self
    case .integer, .unsigned, .numeral: Value.RawValue.self is any FixedWidthInteger.Type
    default: false
    }
  }
}
