import Foundation
public import GlobalData

extension GlobalData {
  /// Imports values of the app's `UserDefaults` in one write: each key becomes an entry.
  ///
  /// ```swift
  /// let report = try await store.importUserDefaults(keys: ["volume", "car"], as: ["CarInfo": CarInfo.self])
  /// ```
  ///
  /// Imports only values that the app has set: no registered defaults, no system settings, no command-line arguments.
  /// The import does not change the defaults. Remove them yourself when you no longer need them.
  ///
  /// - Parameters:
  ///   - suite: The suite's name; `nil` for the standard defaults.
  ///   - keys: The keys to import; `nil` for all.
  ///   - types: The types for `NSKeyedArchiver` archives in data, by class name, as in
  ///     `importKeyedArchive(at:as:unknownClasses:skipping:)`. Without types, all data stays data.
  ///   - unknownClasses: How to handle objects of other classes. If they are kept as trees, archives in data are read
  ///     even without types.
  ///   - exceptions: The entries to skip. By default, all entries are imported, or none.
  /// - Returns: The imported, skipped and converted values. A key without a value is skipped.
  /// - Throws: `GlobalDataError` with code `importFailed` if no suite can have that name, or an entry cannot be read
  ///   and is not skipped; and the errors of `update`. `CancellationError` if the task is cancelled before the entries
  ///   are stored. The store is unchanged after any error except `durabilityUnknown`.
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
      // The only format that distinguishes Booleans from numbers on every platform.
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
    // On some platforms, the domain lacks recent values before this call.
    defaults.synchronize()
    return defaults.persistentDomain(forName: domain) ?? [:]
  }

  /// Imports values of the app's `UserDefaults` into the current store; see the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func importUserDefaults(
    suite: String? = nil, keys: [String]? = nil, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importUserDefaults(
      suite: suite, keys: keys, as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }
}
