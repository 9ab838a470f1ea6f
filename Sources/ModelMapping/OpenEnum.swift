/// A case of an enumeration, or a raw value without a case.
///
/// A server can send cases that an app does not know. They are kept and written back unchanged:
///
/// ```swift
/// enum Status: String, Codable, Sendable {
///   case driving, parked
/// }
///
/// @Field var status = OpenEnum(Status.parked)
///
/// let isDriving = car.status == .driving
/// ```
public struct OpenEnum<Case: RawRepresentable> {
  /// The raw value, whether or not it has a case.
  public var rawValue: Case.RawValue

  /// Creates a value from a case.
  public init(_ value: Case) { rawValue = value.rawValue }

  /// Creates a value from a raw value, whether or not it has a case.
  public init(rawValue: Case.RawValue) { self.rawValue = rawValue }

  /// The case, or `nil` if the raw value has none.
  public var value: Case? { Case(rawValue: rawValue) }
}

extension OpenEnum: RawRepresentable {}
extension OpenEnum: Sendable where Case.RawValue: Sendable {}
extension OpenEnum: Equatable where Case.RawValue: Equatable {}
extension OpenEnum: Hashable where Case.RawValue: Hashable {}

extension OpenEnum where Case.RawValue: Equatable {
  /// Returns whether a value is the given case.
  public static func == (left: OpenEnum, right: Case) -> Bool { left.rawValue == right.rawValue }

  /// Returns whether a value is not the given case.
  public static func != (left: OpenEnum, right: Case) -> Bool { left.rawValue != right.rawValue }
}

extension OpenEnum: CustomStringConvertible {
  public var description: String { value.map { "\($0)" } ?? "\(rawValue)" }
}

extension OpenEnum: Decodable where Case.RawValue: Codable {
  public init(from decoder: any Decoder) throws {
    let context = DecodingContext(decoder)
    rawValue = try CodecFactory.codec(for: Case.RawValue.self, []).read(from: decoder, context)
    if value == nil { context.report(.unknownCase, at: decoder, found: String(reflecting: rawValue)) }
  }
}

extension OpenEnum: Encodable where Case.RawValue: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
