import Foundation
public import GlobalData
import KeyedArchive

extension GlobalData {
  /// Imports values of the app's `UserDefaults`, in one write: each of its keys becomes an entry.
  ///
  /// ```swift
  /// let report = try await store.importUserDefaults(keys: ["volume", "car"], as: ["CarInfo": CarInfo.self])
  /// ```
  ///
  /// Only what the app itself has set is imported: no registered defaults, no settings of the system, no arguments of
  /// the command line. The defaults stay as they are; remove what is no longer needed when the import has returned.
  ///
  /// - Parameters:
  ///   - suite: The suite's name; `nil` for the standard defaults.
  ///   - keys: The keys to import; `nil` for all.
  ///   - types: What data that is an archive of `NSKeyedArchiver` is read as: types by the names of their classes, as
  ///     in `importKeyedArchive(at:as:unknownClasses:skipping:)`. Without types all data stays data.
  ///   - unknownClasses: What objects of other classes become. Where they are kept as trees, archives in data are read
  ///     without types, too.
  ///   - exceptions: What to leave out. By default all entries are imported, or none.
  /// - Returns: What was imported, what was left out, and what became something else. A key that has no value is left
  ///   out.
  /// - Throws: `GlobalDataError` with code `importFailed` when there can be no such suite, or an entry cannot be read
  ///   and is not to be left out; and as `update` does. `CancellationError` when the task is cancelled before the
  ///   entries are stored. Nothing is changed then.
  /// - Complexity: O(*n*) in the size of the defaults and of all values of the store.
  @discardableResult
  public nonisolated func importUserDefaults(
    suite: String? = nil, keys: [String]? = nil, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    let source = ImportSource(suite.map { "the user defaults \($0.quoted)" } ?? "the user defaults")
    let configuration = configuration
    return try await importEntries(from: source, as: types, skipping: exceptions) { entries in
      let values = try GlobalData.userDefaults(of: suite)
      var seen: Set<String> = []
      let keys = (keys ?? values.keys.sorted()).filter { seen.insert($0).inserted }
      let known = values.filter { seen.contains($0.key) }
      // The one form that tells truth values from numbers on every platform.
      let list = try PropertyListSerialization.data(fromPropertyList: known, format: .binary, options: 0)
      let session = try UnarchivingSession(list, types: types, unknownClasses, configuration)
      try session.readPropertyList(keys, into: &entries)
    }
  }

  private static func userDefaults(of suite: String?) throws -> [String: Any] {
    guard let defaults = suite.map({ UserDefaults(suiteName: $0) }) ?? .standard else {
      throw ImportFailure(
        message: "no suite can have this name", advice: "Leave the suite out to import the app's own defaults.")
    }
    // Programs without a bundle keep their defaults under the name of their process.
    let domain = suite ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    // What was set a moment ago is not in the domain on every platform before this call.
    defaults.synchronize()
    return defaults.persistentDomain(forName: domain) ?? [:]
  }

  /// Imports values of the app's `UserDefaults` into the current store; see the instance's method of the same name.
  @discardableResult
  public static func importUserDefaults(
    suite: String? = nil, keys: [String]? = nil, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importUserDefaults(
      suite: suite, keys: keys, as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }
}
