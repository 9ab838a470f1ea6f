#if canImport(FoundationEssentials)
import CodingSupport

// A program that has values of these types links them, and one that has none need not: so they are not named in Swift,
// which would link them into every program, but asked for by the names that the compiler gives them. A name of a file
// is only looked up in these tables. `RareTypeTests` compares them with the types.

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

  /// The type of a mangled name, where the program links it. It is looked for once: the runtime goes over all types of
  /// the program for one that is not there, and a file may name it as often as it likes.
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
