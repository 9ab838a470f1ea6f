import Testing

@testable import KeyedArchive

/// Names of types are the same on every platform, though the runtime's are not.
@Suite struct ArchiveTypeNameTests {
  @Test(arguments: [
    ("Foundation.Measurement<Foundation.UnitLength>", "Measurement<UnitLength>"),
    ("Foundation.Measurement<__C.NSUnitLength>", "Measurement<UnitLength>"),
    ("Foundation.Measurement<NSUnitLength>", "Measurement<UnitLength>"),
    ("Foundation.Measurement<__C.NSUnit>", "Measurement<Unit>"),
    ("Foundation.Measurement<__C.NSDimension>", "Measurement<Dimension>"),
    ("__C.CGRect", "CGRect"), ("__C._NSRange", "_NSRange"), ("App.NSUnitOfOurs", "NSUnitOfOurs"),
    ("Swift.SIMD4<Swift.Float>", "SIMD4<Float>"),
    ("__C.NSDecimal", "Decimal"), ("Foundation.Decimal", "Decimal"), ("App.NSDecimal", "NSDecimal"),
    ("Swift.Array<Swift.Optional<__C.NSDecimal>>", "Array<Optional<Decimal>>"),
    ("App.Box<__C.NSDecimal, __C.CGRect>", "Box<Decimal, CGRect>"),
    ("App.Box<__C.NSDecimal>.Part", "Box<Decimal>.Part"),
    ("(extension in Foundation):__C.NSDecimal.FormatStyle", "Decimal.FormatStyle"),
    ("(extension in Foundation):__C.NSDecimal.FormatStyle.Currency", "Decimal.FormatStyle.Currency"),
    ("(extension in App):__C.NSDecimal.Part", "Decimal.Part"),
    ("(extension in App):__C.NSUnitLength.Part", "UnitLength.Part"),
    ("Swift.Range<__C.NSDecimal>", "Range<Decimal>"), ("CoreGraphics.CGFloat", "CGFloat"),
    ("CoreFoundation.CGFloat", "CGFloat"),
    ("Foundation.CGFloat", "CGFloat"), ("__C.CGPoint", "CGPoint"),
    ("Foundation.Predicate<Pack{App.Car}>", "Predicate<Car>"), ("App.Row<Pack{}>", "Row<>"),
    ("App.Row<Pack{Swift.Int, App.Row<Pack{__C.NSDecimal}>}>.Part", "Row<Int, Row<Decimal>>.Part"),
    ("App.Pack<Swift.Int>", "Pack<Int>"), ("Pack", "Pack"),
    ("(extension in Foundation):Swift.Duration.TimeFormatStyle", "Duration.TimeFormatStyle"),
    ("(extension in Foundation):Swift.String.StandardComparator", "String.StandardComparator"),
  ])
  func aNameHasNoModule(runtimeName: String, name: String) {
    #expect(withoutModules(runtimeName) == name)
  }

  private struct Row<each Element> {}

  @Test func aTypeOfAnyNumberOfTypesIsNamedAfterThem() {
    #expect(
      defaultArchiveName(of: Row<Int, [String], Row<Bool>>.self)
        == "ArchiveTypeNameTests.Row<Int, Array<String>, ArchiveTypeNameTests.Row<Bool>>")
  }

  /// The names of standard types as they are in files. A type that is imported from C must not bring its name there along.
  @Test func noStandardTypeHasTheNameOfAnImportedOne() {
    for (name, type) in TypeRegistry.standardTypes {
      #expect(!name.hasPrefix("NS") && !name.contains("__C") && !name.contains("<NS"), "\(type)")
    }
    for name in ["Decimal", "Decimal.FormatStyle", "CGRect", "CGFloat", "_NSRange", "Measurement<UnitLength>"] {
      #expect(TypeRegistry.standardTypes[name] != nil, "\(name)")
    }
  }
}
