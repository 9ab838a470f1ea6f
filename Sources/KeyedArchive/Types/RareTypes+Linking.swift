#if canImport(FoundationEssentials)
// A program that has values of these types links the types, and other programs need not. Naming the types in Swift
// would link them into every program, so they are requested by their mangled names. A name from a file is only looked
// up in these tables. `RareTypeTests` compares the tables with the types.

extension TypeRegistry {
  package static let singleRareTypes: [String: String] = [
    "CGFloat": "10Foundation7CGFloatV",
    "IndexSet": "10Foundation8IndexSetV",
    "CharacterSet": "10Foundation12CharacterSetV",
    "PersonNameComponents": "10Foundation20PersonNameComponentsV",
    "_NSRange": "10Foundation8_NSRangeV",
    "String.Comparator": "SS30FoundationInternationalizationE10ComparatorV",
    "String.StandardComparator": "SS30FoundationInternationalizationE18StandardComparatorV",
    "Morphology": "10Foundation10MorphologyV",
    "InflectionRule": "10Foundation14InflectionRuleO",
    "Date.FormatStyle": "20FoundationEssentials4DateV0A20InternationalizationE11FormatStyleV",
    "Date.VerbatimFormatStyle": "20FoundationEssentials4DateV0A20InternationalizationE19VerbatimFormatStyleV",
    "Date.IntervalFormatStyle": "20FoundationEssentials4DateV0A20InternationalizationE19IntervalFormatStyleV",
    "Date.ComponentsFormatStyle": "20FoundationEssentials4DateV0A20InternationalizationE21ComponentsFormatStyleV",
    "Date.RelativeFormatStyle": "20FoundationEssentials4DateV0A20InternationalizationE19RelativeFormatStyleV",
    "Date.ParseStrategy": "20FoundationEssentials4DateV0A20InternationalizationE13ParseStrategyV",
    "Duration.TimeFormatStyle": "s8DurationV30FoundationInternationalizationE15TimeFormatStyleV",
    "Duration.UnitsFormatStyle": "s8DurationV30FoundationInternationalizationE16UnitsFormatStyleV",
    "Decimal.FormatStyle": "20FoundationEssentials7DecimalV0A20InternationalizationE11FormatStyleV",
    "Decimal.FormatStyle.Currency": "20FoundationEssentials7DecimalV0A20InternationalizationE11FormatStyleV8CurrencyV",
    "Decimal.FormatStyle.Percent": "20FoundationEssentials7DecimalV0A20InternationalizationE11FormatStyleV7PercentV",
    "ByteCountFormatStyle": "30FoundationInternationalization20ByteCountFormatStyleV",
    "ListFormatStyle<StringStyle, Array<String>>":
      "30FoundationInternationalization15ListFormatStyleVyAA06StringE0VSaySSGG",
    "CGPoint": "10Foundation7CGPointV",
    "CGSize": "10Foundation6CGSizeV",
    "CGRect": "10Foundation6CGRectV",
    "AffineTransform": "10Foundation15AffineTransformV",
  ]

  private static let foundTypes = Locked(SharedCodeDictionary<String, Any.Type?>())

  /// Returns the type with a mangled name, if the program links the type. Each name is looked up only once. For a
  /// missing type the runtime searches all types of the program, and a file may contain the name any number of times.
  static func found(_ name: String) -> Any.Type? {
    if let known = foundTypes.withLock({ $0[name] }) { return known }
    let type = _typeByName(name)
    foundTypes.withLock { $0[name] = .some(type) }
    return type
  }

  static func measurement(of unit: String) -> Any.Type? {
    found("10Foundation11MeasurementVyAA\(unit.utf8.count)\(unit)CG")
  }

  static var sortDescriptor: Any.Type? { found("30FoundationInternationalization14SortDescriptorVySiG") }

  static func integerFormatStyle(_ kind: String, of value: Any.Type) -> Any.Type? {
    numberFormatStyle("18IntegerFormatStyleV", kind, value)
  }

  static func floatFormatStyle(_ kind: String, of value: Any.Type) -> Any.Type? {
    numberFormatStyle("24FloatingPointFormatStyleV", kind, value)
  }

  private static func numberFormatStyle(_ style: String, _ kind: String, _ value: Any.Type) -> Any.Type? {
    guard let value = _mangledTypeName(value) else { return nil }
    let name = "30FoundationInternationalization\(style)"
    return switch kind {
    case "": found("\(name)y\(value)G")
    case ".Currency": found("\(name)8CurrencyVy\(value)_G")
    case ".Percent": found("\(name)7PercentVy\(value)_G")
    default: nil
    }
  }
}
#endif
