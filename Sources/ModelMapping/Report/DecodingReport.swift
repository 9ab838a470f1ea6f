/// The conversions, defaults and omissions that made values fit a model.
///
/// ```swift
/// let (cars, report) = try [Car].decode(json: data, at: "body", "data")
/// print(report)
/// // body.data[1].speed: converted text "62" to 62
/// // body.data[1].colour: unknown key
/// // body.data[2].parts[0]: left out: size: Expected Int, but found text "big".
/// ```
public struct DecodingReport: Hashable, Sendable {
  /// One finding, for one value.
  public struct Entry: Hashable, Sendable {
    /// The kind of finding.
    public let kind: Kind
    /// The path of the value in the input.
    public let path: ValuePath
    /// A description of the value that was found, or of why it could not be read.
    public let found: String
    /// A description of the value that the model has instead, if any.
    public let made: String?

    /// Returns the entry with a key prepended to its path.
    package func inside(_ key: String) -> Entry {
      Entry(kind: kind, path: ValuePath([.key(key)] + path.components), found: found, made: made)
    }
  }

  /// A kind of finding.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    private let name: String

    /// A scalar was converted to another type.
    public static let coercion = Kind(name: "coercion")
    /// A number or date has more digits than its type can hold, and became the nearest value.
    public static let rounding = Kind(name: "rounding")
    /// The key is missing, and the property keeps its default.
    public static let missing = Kind(name: "missing")
    /// The value is null, and the property keeps its default.
    public static let null = Kind(name: "null")
    /// The value cannot be read, and the property has its value for invalid input.
    public static let invalid = Kind(name: "invalid")
    /// Elements were left out: one of a lossy collection that cannot be read, or some of a set or dictionary that equal
    /// others.
    public static let dropped = Kind(name: "dropped")
    /// A single value became a collection of one element.
    public static let single = Kind(name: "single")
    /// An object has a key that no field has.
    public static let unknownKey = Kind(name: "unknownKey")
    /// A raw value without a case in the enumeration was kept.
    public static let unknownCase = Kind(name: "unknownCase")

    public var description: String { name }
  }

  /// The findings, in the order of reading.
  public var entries: [Entry]

  /// Whether there are no findings.
  public var isEmpty: Bool { entries.isEmpty }

  /// Creates a report with entries.
  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// Returns the entries of one kind.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public func entries(_ kind: Kind) -> [Entry] { entries.filter { $0.kind == kind } }
}

extension DecodingReport: CustomStringConvertible {
  /// One line for each entry.
  public var description: String { entries.map(\.description).joined(separator: "\n") }
}

extension DecodingReport.Entry: CustomStringConvertible {
  public var description: String {
    let subject = path.components.isEmpty ? "the whole value" : path.description
    let made = made ?? "nothing"
    switch kind {
    case .coercion: return "\(subject): converted \(found) to \(made)"
    case .rounding: return "\(subject): rounded \(found) to \(made)"
    case .missing: return "\(subject): missing, used \(made)"
    case .null: return "\(subject): null, used \(made)"
    case .invalid:
      return "\(subject): invalid value (\(found.hasSuffix(".") ? String(found.dropLast()) : found)), used \(made)"
    case .dropped: return "\(subject): left out: \(found)"
    case .single: return "\(subject): wrapped a single value in a collection"
    case .unknownKey: return "\(subject): unknown key"
    case .unknownCase: return "\(subject): kept unknown case \(found)"
    default: return "\(subject): \(kind)"
    }
  }
}
