import Testing

/// The checks of the byte layer on this machine. `.ci/byte_layer.py` runs them with an `Int` of 32 bits.
struct ByteLayerTests {
  @Test(arguments: ByteCheck.all)
  func theByteLayerIsRight(check: ByteCheck) {
    var findings = Findings()
    check.run(&findings)
    #expect(findings.failures == [])
    #expect(findings.count > 0)
  }
}

extension ByteCheck: CustomTestStringConvertible {
  var testDescription: String { name }
}
