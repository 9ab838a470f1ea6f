/// libFuzzer's loop as a function; its own `main` calls it too.
///
/// Source: <https://llvm.org/docs/LibFuzzer.html>, "Using libFuzzer as a library".
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

nonisolated(unsafe) private var body: ([UInt8]) -> Void = { _ in }

/// Calls a function with inputs that the fuzzer makes, as the program's arguments say.
///
/// The package manager gives each program's `main` another name, so libFuzzer's own would not be found.
public func fuzz(_ test: @escaping ([UInt8]) -> Void) -> CInt {
  body = test
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  return runDriver(&count, &arguments) { start, count in
    body(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  }
}
