/// Options for reading and writing a field.
public struct FieldOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Leaves out elements of an array, set or dictionary that cannot be read from JSON, and reports each of them. In
  /// storage, such an element is an error: the next write would lose it.
  public static let lossy = FieldOptions(rawValue: 1 << 0)

  /// Reads a single value as an array or set of one element.
  public static let orSingle = FieldOptions(rawValue: 1 << 1)

  /// Reads the field and never writes it. It cannot be combined with ``writeOnly``.
  public static let readOnly = FieldOptions(rawValue: 1 << 2)

  /// Writes the field and never reads it. It cannot be combined with ``readOnly``.
  public static let writeOnly = FieldOptions(rawValue: 1 << 3)

  /// Writes null to JSON if the value is `nil`, for servers that treat a missing key as "not changed". It makes no
  /// difference in storage.
  public static let writesNull = FieldOptions(rawValue: 1 << 4)
}
