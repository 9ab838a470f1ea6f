public import Foundation
public import GlobalData

extension GlobalData {
  /// Imports an `NSKeyedArchiver` file in one write.
  ///
  /// ```swift
  /// let report = try await store.importKeyedArchive(at: url, as: ["CarInfo": CarInfo.self, "CIEngine": Engine.self])
  /// ```
  ///
  /// If the archive's root object is a dictionary whose keys are all text, each of them becomes an entry. Otherwise,
  /// each top-level object does, under the key it was archived with, which is `root` for a single object. Objects of
  /// Foundation's classes become Swift values. An object of another class is decoded as the type in the map for its
  /// class, or for its nearest superclass in the map. The declared types of properties need not be in the map. Types
  /// read the archived fields under their names, with or without a leading `_`. The import never looks up a class by a
  /// name in the file. Objects of other classes cannot be read, unless `unknownClasses` keeps them as trees.
  ///
  /// The import registers the types of the map, so that you can read the entries without naming their types. After a
  /// relaunch, register them yourself; see `register`.
  ///
  /// - Parameters:
  ///   - url: The file, a binary or an XML property list.
  ///   - types: The types to decode objects as, by the names of their classes in the archive. For a Swift class, which
  ///     is archived as `App.CarInfo`, you can write `CarInfo`; for one inside of another type, `Garage.Slot`.
  ///   - unknownClasses: How to handle objects of other classes. By default, they cannot be read.
  ///   - exceptions: The entries to skip. By default, all entries are imported, or none.
  /// - Returns: The imported, skipped and converted values.
  /// - Throws: `GlobalDataError` with code `importFailed` if the file is missing or not an `NSKeyedArchiver` archive,
  ///   an entry cannot be read and is not skipped, or an object contains itself; the reason if the file cannot be read;
  ///   and the errors of `update`. `CancellationError` if the task is cancelled before the entries are stored. The
  ///   store is unchanged after any error except `durabilityUnknown`.
  /// - Complexity: O(*n*) in the size of the file and of all values of the store.
  @discardableResult
  public nonisolated func importKeyedArchive(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await importList(from: ImportSource(url), as: types, unknownClasses: unknownClasses, skipping: exceptions) {
      try $0.readArchive(into: &$1)
    }
  }

  /// Imports an `NSKeyedArchiver` archive in one write; see `importKeyedArchive(at:as:unknownClasses:skipping:)`.
  ///
  /// - Parameters:
  ///   - data: The archive, a binary or an XML property list.
  ///   - types: The types to decode objects as, by the names of their classes in the archive.
  ///   - unknownClasses: How to handle objects of other classes. By default, they cannot be read.
  ///   - exceptions: The entries to skip. By default, all entries are imported, or none.
  /// - Returns: The imported, skipped and converted values.
  /// - Throws: `GlobalDataError` as the method for a file does.
  @discardableResult
  public nonisolated func importKeyedArchive(
    _ data: Data, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    let source = ImportSource("the archive", data)
    return try await importList(from: source, as: types, unknownClasses: unknownClasses, skipping: exceptions) {
      try $0.readArchive(into: &$1)
    }
  }

  // MARK: The current store

  /// Imports an `NSKeyedArchiver` file into the current store; see the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func importKeyedArchive(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importKeyedArchive(at: url, as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }

  /// Imports an `NSKeyedArchiver` archive into the current store; see the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func importKeyedArchive(
    _ data: Data, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importKeyedArchive(data, as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }
}
