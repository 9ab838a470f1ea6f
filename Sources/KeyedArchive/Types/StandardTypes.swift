import FoundationCore

extension TypeRegistry {
  /// Returns the type of the standard library or Foundation that a tag denotes in every registry. Returns `nil` if
  /// there is none or it is not `Codable` here. Types with type arguments, such as `Range<Int>`, are composed on
  /// request; see ``CompositeName``.
  package static func standardType(named name: String) -> (any (Codable & Sendable).Type)? {
    let type = standardTypes[name] ?? rareType(named: name)
    return type as? any (Codable & Sendable).Type
  }

  // Names are written next to the types because asking the runtime for all of them takes longer than opening a store.
  package static let standardTypes: SharedCodeDictionary<String, Any.Type> = {
    let list: [(String, Any.Type)] = [
      ("Bool", Bool.self), ("String", String.self), ("Double", Double.self), ("Float", Float.self),
      ("Int", Int.self), ("Int8", Int8.self), ("Int16", Int16.self), ("Int32", Int32.self), ("Int64", Int64.self),
      ("Int128", Int128.self), ("UInt", UInt.self), ("UInt8", UInt8.self), ("UInt16", UInt16.self),
      ("UInt32", UInt32.self),
      ("UInt64", UInt64.self), ("UInt128", UInt128.self), ("Never", Never.self), ("Duration", Duration.self),
      ("ContinuousClock.Instant", ContinuousClock.Instant.self),
      ("SuspendingClock.Instant", SuspendingClock.Instant.self),
      ("TaskPriority", TaskPriority.self), ("FloatingPointRoundingRule", FloatingPointRoundingRule.self),
      ("Data", Data.self), ("Date", Date.self), ("UUID", UUID.self), ("URL", URL.self), ("Decimal", Decimal.self),
      ("AttributedString", AttributedString.self), ("ArchiveValue", ArchiveValue.self),
      ("DateComponents", DateComponents.self), ("DateInterval", DateInterval.self), ("IndexPath", IndexPath.self),
      ("URLComponents", URLComponents.self), ("SortOrder", SortOrder.self), ("Locale", Locale.self),
      ("Locale.Components", Locale.Components.self), ("Locale.Language", Locale.Language.self),
      ("Locale.Language.Components", Locale.Language.Components.self),
      ("Locale.LanguageCode", Locale.LanguageCode.self),
      ("Locale.Region", Locale.Region.self), ("Locale.Script", Locale.Script.self),
      ("Locale.Subdivision", Locale.Subdivision.self), ("Locale.Variant", Locale.Variant.self),
      ("Locale.Currency", Locale.Currency.self), ("Locale.Collation", Locale.Collation.self),
      ("Locale.NumberingSystem", Locale.NumberingSystem.self),
      ("Locale.MeasurementSystem", Locale.MeasurementSystem.self),
      ("Locale.HourCycle", Locale.HourCycle.self), ("Locale.Weekday", Locale.Weekday.self), ("TimeZone", TimeZone.self),
      ("Calendar", Calendar.self), ("Calendar.Identifier", Calendar.Identifier.self),
      ("Calendar.RecurrenceRule", Calendar.RecurrenceRule.self),
      ("Date.ISO8601FormatStyle", Date.ISO8601FormatStyle.self),
    ]
    var types = SharedCodeDictionary<String, Any.Type>()
    for (name, type) in list { types[name] = type }
    types["Float16"] = HalfPrecision.types?.element
    return types
  }()
}
