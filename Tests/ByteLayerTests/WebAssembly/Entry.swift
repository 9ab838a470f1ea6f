/// Runs all checks, prints the failures, and returns their number. The program's start in C calls this function.
@_cdecl("byte_layer_failures")
func runByteLayerChecks() -> Int32 {
  print("an Int has \(Int.bitWidth) bits")
  var failures: Int32 = 0
  for check in ByteCheck.all {
    var findings = Findings()
    check.run(&findings)
    for failure in findings.failures { print("FAILED: \(check.name): \(failure)") }
    if findings.count == 0 { print("FAILED: \(check.name): it looks at nothing") }
    failures += Int32(truncatingIfNeeded: findings.failures.count) + (findings.count == 0 ? 1 : 0)
  }
  print("\(ByteCheck.all.count) checks, \(failures) failures")
  return failures
}
