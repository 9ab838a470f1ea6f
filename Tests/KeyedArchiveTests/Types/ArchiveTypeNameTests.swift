import TestSupport
import Testing

@testable import KeyedArchive

/// Names of types are the same on every platform, although the runtime's names are not. The byte layer's checks test
/// the conversion of the runtime's text.
@Suite struct ArchiveTypeNameTests {
  private struct Row<each Element> {}

  @Test func aVariadicGenericTypeIsNamedAfterItsArguments() {
    #expect(
      defaultArchiveName(of: Row<Int, [String], Row<Bool>>.self)
        == "ArchiveTypeNameTests.Row<Int, Array<String>, ArchiveTypeNameTests.Row<Bool>>")
  }

  /// The names of standard types, as they are in files. A type that is imported from C must not have its C name there.
  @Test func noStandardTypeHasTheNameOfAnImportedOne() {
    for name in TypeRegistry.standardTypeNames {
      #expect(!name.hasPrefix("NS") && !name.contains("__C") && !name.contains("<NS"))
      #expect(TypeRegistry.standardType(named: name).map(defaultArchiveName) == name)
    }
    #expect(TypeRegistry.standardTypeNames.count > 135)
    for name in ["Decimal", "Decimal.FormatStyle", "CGRect", "CGFloat", "_NSRange", "Measurement<UnitLength>"] {
      #expect(TypeRegistry.standardType(named: name) != nil, "\(name)")
    }
  }
}
