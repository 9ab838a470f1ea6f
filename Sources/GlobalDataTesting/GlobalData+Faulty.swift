public import Foundation
public import GlobalData

extension GlobalData {
  /// Returns a store whose system calls go through a fault injector.
  ///
  /// It does not share its contents with other stores in the process: a second store with the same file behaves like
  /// one in another process.
  ///
  /// - Parameters:
  ///   - url: The location of the file, which is a real one.
  ///   - faults: The injector that chooses the calls to fail.
  ///   - configuration: The configuration of the store.
  /// - Returns: The store, which is opened at its first use.
  public static func faulty(
    at url: URL, _ faults: FaultInjector, configuration: Configuration = Configuration()
  ) -> GlobalData {
    GlobalData(at: url, configuration: configuration, system: faults.system)
  }
}
