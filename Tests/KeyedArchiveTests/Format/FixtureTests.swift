import Foundation
import KeyedArchive
import TestSupport
import Testing

/// The bytes of the format are a promise: written values can be read forever, and their encoding does not change.
///
/// The files in `Fixtures` never change. See ``FixtureFolder`` for how to add one.
@Suite struct FixtureTests {
  @Test(arguments: Fixture.all + Fixture.halfPrecision)
  func aFixtureReadsAsItsValueAndIsWrittenAlike(fixture: Fixture) async throws {
    let url = try await Fixture.folder.url(of: fixture.name) { try fixture.encode() }
    let data = try Data(contentsOf: url)
    #expect(try fixture.decodes(data))
    #expect(try fixture.encode().hex == data.hex)
  }

  @Test func everyFileBelongsToAFixture() throws {
    let known = (Fixture.all + Fixture.halfPrecision).map(\.name)
    #expect(Set(known).count == known.count)
    let others = try Set(Fixture.folder.names()).subtracting(known)
    #expect(others.subtracting(["half-precision.cbor", "half-precision-scalar.cbor"]).isEmpty)
  }
}
