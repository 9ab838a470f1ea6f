public import Foundation
public import GlobalData

extension GlobalData {
  /// A store whose calls of the operating system go through an injector of faults.
  ///
  /// It shares its contents with no other store in the process: a second one at the same place is to it like one in
  /// another process, and shows what is in the file.
  ///
  /// - Parameters:
  ///   - url: The place of the file, which is a real one.
  ///   - faults: What chooses the calls that fail.
  ///   - configuration: How the store behaves.
  /// - Returns: The store, which is opened at its first use.
  public static func faulty(
    at url: URL, _ faults: FaultInjector, configuration: Configuration = Configuration()
  ) -> GlobalData {
    GlobalData(at: url, configuration: configuration, system: faults.system)
  }
}
