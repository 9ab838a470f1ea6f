import Foundation

/// Whether tests run all their cases. The variable `LONG_TESTS=1` requests this, and `Scripts/test.sh --all` sets it.
private let isLongForm = ProcessInfo.processInfo.environment["LONG_TESTS"] == "1"

extension Sequence {
  /// Returns every *n*th element, always the same ones, or all elements in a long run.
  ///
  /// For tests whose cases are similar and take long together.
  ///
  /// - Parameters:
  ///   - count: The number of elements of which one is returned.
  ///   - first: The position of the first element. Tests with different positions share the work.
  /// - Returns: The elements to test.
  public func oneIn(_ count: Int, from first: Int = 0) -> [Element] {
    isLongForm ? Array(self) : enumerated().filter { $0.offset % count == first % count }.map(\.element)
  }
}
