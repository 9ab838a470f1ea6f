import Foundation

extension ArchiveValue: CustomStringConvertible {
  /// The value in CBOR diagnostic notation, which shows every tag.
  ///
  /// Source: RFC 8949, section 8.
  ///
  /// - Complexity: O(*n*) in the size of the value.
  public var diagnostic: String {
    withDeepStack { notation }
  }

  fileprivate var notation: String {
    switch self {
    case .null: "null"
    case .undefined: "undefined"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .bigInteger(let isNegative, let magnitude):
      magnitude.count > ArchiveValue.longestDecimalInteger
        ? "\(isNegative ? 3 : 2)(\(ArchiveValue.diagnostic(magnitude)))"
        : ArchiveValue.digits(isNegative: isNegative, magnitude: magnitude)
    case .double(let value): ArchiveValue.diagnostic(value)
    case .decimal(let value):
      value.isNaN ? "27([\"Decimal\", \"NaN\"])" : "4([\(value.exponent), \(ArchiveValue.significand(value))])"
    case .string(let value): ArchiveValue.string(value).json()
    case .data(let value): ArchiveValue.diagnostic(value)
    case .date(let value): ArchiveValue.diagnostic(value)
    case .uuid(let value): "37(\(ArchiveValue.diagnostic(withUnsafeBytes(of: value.uuid) { Data($0) })))"
    case .url(let value): ArchiveValue.diagnostic(value)
    case .array(let elements): ArchiveValue.diagnostic(elements)
    case .numbers(let tag, let bytes): "\(tag)(\(ArchiveValue.diagnostic(bytes)))"
    case .set(let elements): "258(\(ArchiveValue.diagnostic(elements)))"
    case .object(let object): object.notation
    case .named(let tag, let version, let value):
      ArchiveValue.diagnostic(tag, version, value.notation)
    case .map(let pairs):
      "{\(pairs.map { "\($0.key.notation): \($0.value.notation)" }.joined(separator: ", "))}"
    case .tagged(let tag, let value): "\(tag)(\(value.notation))"
    case .simple(let value): "simple(\(value))"
    }
  }

  /// The value in CBOR diagnostic notation.
  public var description: String { diagnostic }

  private static func significand(_ value: Decimal) -> String {
    (value.isSignMinus ? "-" : "") + value.significand.magnitude.description
  }

  private static func diagnostic(_ elements: [ArchiveValue]) -> String {
    "[\(elements.map(\.notation).joined(separator: ", "))]"
  }

  private static func diagnostic(_ data: Data) -> String {
    let digits = Array("0123456789abcdef")
    return "h'" + String(data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }) + "'"
  }

  fileprivate static func diagnostic(_ tag: ArchiveTag, _ version: Int, _ content: String) -> String {
    "27([\(ArchiveValue.string(tag.name).json()), \(content)\(version > 1 ? ", \(version)" : "")])"
  }

  private static func diagnostic(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
    return value.description
  }

  private static func diagnostic(_ date: Date) -> String {
    guard let seconds = date.exactUnixSeconds else {
      return diagnostic("Date", 1, diagnostic(date.timeIntervalSinceReferenceDate))
    }
    return "1(\(Int64(exactly: seconds).map(String.init) ?? diagnostic(seconds)))"
  }

  private static func diagnostic(_ url: URL) -> String {
    let text = ArchiveValue.string(url.relativeString).json()
    guard let base = url.baseURL else { return "32(\(text))" }
    return diagnostic("URL", 1, "[\(text), \(diagnostic(base))]")
  }
}

extension ArchiveObject {
  fileprivate var notation: String {
    let fields = fields.map { "\(ArchiveValue.string($0.name).json()): \($0.value.notation)" }
    let map = "{\(fields.joined(separator: ", "))}"
    return tag.map { ArchiveValue.diagnostic($0, version, map) } ?? map
  }
}
