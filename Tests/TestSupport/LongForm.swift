import Foundation

/// Whether tests look at every case. They do with `LONG_TESTS=1` in the environment, as `Scripts/test.sh --all` sets it.
private let isLongForm = ProcessInfo.processInfo.environment["LONG_TESTS"] == "1"

extension Sequence {
  /// Returns one in so many elements, always the same ones, and all of them in the long form of the tests.
  ///
  /// For tests whose cases are alike and take long together.
  ///
  /// - Parameters:
  ///   - count: The number of elements of which one is returned.
  ///   - first: The position of the first one that is returned. Give several tests several ones, and they share the work.
  /// - Returns: The elements to look at.
  public func oneIn(_ count: Int, from first: Int = 0) -> [Element] {
    isLongForm ? Array(self) : enumerated().filter { $0.offset % count == first % count }.map(\.element)
  }
}
