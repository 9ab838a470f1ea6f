/// The loop of libFuzzer as a function, which its own `main` also calls.
///
/// Source: <https://llvm.org/docs/LibFuzzer.html>, "Using libFuzzer as a library".
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

nonisolated(unsafe) private var body: ([UInt8]) -> Void = { _ in }

/// Calls a function with inputs from the fuzzer, according to the program's arguments.
///
/// The package manager renames the `main` of each program, so libFuzzer's own would not be found.
public func fuzz(_ test: @escaping ([UInt8]) -> Void) -> CInt {
  body = test
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  return runDriver(&count, &arguments) { start, count in
    body(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  }
}
