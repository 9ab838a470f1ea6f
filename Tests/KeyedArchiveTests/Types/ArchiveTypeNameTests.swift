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
  ])
  func aNameHasNoModule(runtimeName: String, name: String) {
    #expect(withoutModules(runtimeName) == name)
  }
}
