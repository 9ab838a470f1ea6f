import Foundation
import TestSupport

extension SeededGenerator {
  /// Returns the seeds of a random test: from 0, this many, or as many as the environment variable `RANDOM_WALKS` says.
  static func seeds(_ count: UInt64) -> Range<UInt64> {
    0..<(ProcessInfo.processInfo.environment["RANDOM_WALKS"].flatMap(UInt64.init) ?? count)
  }
}
