/// What was done to values so that they fit a model.
///
/// ```swift
/// let (cars, report) = try [Car].decode(json: data, at: "body", "data")
/// print(report)
/// // body.data[1].speed: converted text "62" to 62
/// // body.data[1].colour: unknown key
/// // body.data[2]: left out: wanted a number, found text "fast"
/// ```
public struct DecodingReport: Hashable, Sendable {
  /// One thing that was done, at one place.
  public struct Entry: Hashable, Sendable {
    /// What was done.
    public let kind: Kind
    /// Where the value is in what was read.
    public let path: ValuePath
    /// What was found, in words, or why it could not be read.
    public let found: String
    /// What the model has instead, if anything.
    public let made: String?

    /// The same, in a value that stands under a key of another one.
    package func inside(_ key: String) -> Entry {
      Entry(kind: kind, path: ValuePath([.key(key)] + path.components), found: found, made: made)
    }
  }

  /// The kinds of things that are reported.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case coercion, rounding, missing, null, invalid, dropped, single, unknownKey, unknownCase
    }
    private let name: Name

    /// A scalar was converted to another type.
    public static let coercion = Kind(name: .coercion)
    /// A number or date has more digits than its type holds, and became the nearest value that there is.
    public static let rounding = Kind(name: .rounding)
    /// The key is missing, and the property keeps its default.
    public static let missing = Kind(name: .missing)
    /// The value is null, and the property keeps its default.
    public static let null = Kind(name: .null)
    /// The value cannot be read, and the property has its value for that.
    public static let invalid = Kind(name: .invalid)
    /// Elements were left out: one of a lossy collection that cannot be read, or some of a set or dictionary that equal
    /// others.
    public static let dropped = Kind(name: .dropped)
    /// A single value became a collection of one element.
    public static let single = Kind(name: .single)
    /// An object has a key that no field has.
    public static let unknownKey = Kind(name: .unknownKey)
    /// A value is none of an enumeration's cases and was kept as it is.
    public static let unknownCase = Kind(name: .unknownCase)

    public var description: String { name.rawValue }
  }

  /// What was done, in the order in which it was read.
  public var entries: [Entry]

  /// Whether everything was as the model declares it.
  public var isEmpty: Bool { entries.isEmpty }

  /// A report of the entries given.
  public init(_ entries: [Entry] = []) {
    self.entries = entries
  }

  /// The entries of one kind.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public func entries(_ kind: Kind) -> [Entry] {
    entries.filter { $0.kind == kind }
  }
}

extension DecodingReport: CustomStringConvertible {
  /// One line for each entry.
  public var description: String {
    entries.map(\.description).joined(separator: "\n")
  }
}

extension DecodingReport.Entry: CustomStringConvertible {
  public var description: String {
    let place = path.components.isEmpty ? "the whole value" : path.description
    let made = made ?? "nothing"
    switch kind {
    case .coercion: return "\(place): converted \(found) to \(made)"
    case .rounding: return "\(place): rounded \(found) to \(made)"
    case .missing: return "\(place): missing, used \(made)"
    case .null: return "\(place): null, used \(made)"
    case .invalid: return "\(place): took \(made): \(found)"
    case .dropped: return "\(place): left out: \(found)"
    case .single: return "\(place): used a single value as a collection of one"
    case .unknownKey: return "\(place): unknown key"
    case .unknownCase: return "\(place): kept unknown case \(found)"
    default: return "\(place): \(kind)"
    }
  }
}
