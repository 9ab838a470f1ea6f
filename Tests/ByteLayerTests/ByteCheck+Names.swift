@testable import KeyedArchive

extension ByteCheck {
  /// The names of types in files.
  static let names = [
    ByteCheck("a type has one name, whatever the runtime of a system calls it") { findings in
      let examples: [(String, String)] = [
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
      ]
      for (runtimeName, name) in examples { findings.expectEqual(withoutModules(runtimeName), name, runtimeName) }
    }
  ]
}
