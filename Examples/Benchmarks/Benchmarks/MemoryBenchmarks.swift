import Foundation
import GlobalData

/// Measures the peak memory of encoding, relative to the size of the result.
///
/// This needs the counter in `AllocationCounter.c`, which explains how to run it.
enum MemoryBenchmarks {
  static func run() throws {
    try report("1,000 cars", (0..<1000).map(CarRecord.sample))
    try report("100 cars", (0..<100).map(CarRecord.sample))
    try report("1 car", CarRecord.sample(1))
    try report("1,000 nested records", (0..<1000).map(NestedRecord.sample))
    try report("100 nested records", (0..<100).map(NestedRecord.sample))
    try report("100,000 doubles", (0..<100_000).map { Double($0) * 1.1 })
    try report("1 MiB of Data", Data(repeating: 7, count: 1 << 20))
  }

  private static func report<Value: Codable & Sendable>(_ title: String, _ value: Value) throws {
    // The handle for all loaded libraries is nil on Linux. On other systems, where the counter does not work anyway, it
    // is a special pointer.
    #if os(Linux)
    let counter = dlsym(nil, "allocation_peak")
    #else
    let counter: UnsafeMutableRawPointer? = nil
    #endif
    guard let symbol = counter else {
      return print("\(title): run on Linux with the counter of AllocationCounter.c")
    }
    let peak = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
    // The first encoding fills the caches that stay in memory.
    blackHole(try KeyedArchiveEncoder().encode(value))
    _ = peak()
    let data = try KeyedArchiveEncoder().encode(value)
    let bytes = peak()
    let times = String(format: "%.2f", Double(bytes) / Double(data.count))
    print("\(title): \(data.count) bytes of output, \(bytes) bytes of memory at the peak: \(times) times")
  }
}
