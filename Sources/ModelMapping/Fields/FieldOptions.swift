/// What a field does beyond reading and writing its value.
public struct FieldOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Leaves out the elements of an array, set or dictionary that cannot be read from JSON, instead of failing. The
  /// report has each one. From storage such an element is an error: left out, it would be gone with the next write.
  public static let lossy = FieldOptions(rawValue: 1 << 0)

  /// Takes a single value where an array or set is wanted for the only element.
  public static let orSingle = FieldOptions(rawValue: 1 << 1)

  /// Reads the field and never writes it.
  public static let readOnly = FieldOptions(rawValue: 1 << 2)

  /// Writes the field and never reads it.
  public static let writeOnly = FieldOptions(rawValue: 1 << 3)

  /// Writes null to JSON where the value is `nil`, for servers that take a key that is left out for "not changed". In
  /// storage the key is left out all the same.
  public static let writesNull = FieldOptions(rawValue: 1 << 4)
}
