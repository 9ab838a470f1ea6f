public import Foundation
public import GlobalData
import KeyedArchive

extension GlobalData {
  /// Imports a file that `NSKeyedArchiver` wrote, in one write.
  ///
  /// ```swift
  /// let report = try await store.importKeyedArchive(at: url, as: ["CarInfo": CarInfo.self, "CIEngine": Engine.self])
  /// ```
  ///
  /// Where the archive's root object is a dictionary, each of its keys becomes an entry; else the archive's own keys
  /// do, which for a single object is `root`. Objects of Foundation's classes become Swift's own values. An object of
  /// another class is decoded as the type that the map names for its class, or for the nearest of its superclasses;
  /// what a property declares needs no place in the map. The types see the archived fields under their names, or with
  /// `_` before it. A class is never looked up by a name in the file. Objects of all other classes cannot be read,
  /// unless `unknownClasses` keeps them as trees.
  ///
  /// The map's types are registered, so that the entries can be read without being named. After a relaunch the app does
  /// that itself; see `register`.
  ///
  /// - Parameters:
  ///   - url: The file, a binary or an XML property list.
  ///   - types: The types to decode objects as, by the names of their classes in the archive. A Swift class stands
  ///     there with its module's name, `App.CarInfo`, for which `CarInfo` will do.
  ///   - unknownClasses: What objects of other classes become. By default they cannot be read.
  ///   - exceptions: What to leave out. By default all entries are imported, or none.
  /// - Returns: What was imported, what was left out, and what became something else.
  /// - Throws: `GlobalDataError` with code `importFailed` when the file is none of `NSKeyedArchiver`, when an entry
  ///   cannot be read and is not to be left out, or when an object that is read contains itself; why the file cannot be
  ///   read; and as `update` does. `CancellationError` when the task is cancelled before the entries are stored.
  ///   Nothing is changed then.
  /// - Complexity: O(*n*) in the size of the file and of all values of the store.
  @discardableResult
  public nonisolated func importKeyedArchive(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await importKeyedArchive(
      from: ImportSource(url), as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }

  /// Imports what `NSKeyedArchiver` wrote, in one write; see `importKeyedArchive(at:as:unknownClasses:skipping:)`.
  ///
  /// - Parameters:
  ///   - data: The archive, a binary or an XML property list.
  ///   - types: The types to decode objects as, by the names of their classes in the archive.
  ///   - unknownClasses: What objects of other classes become. By default they cannot be read.
  ///   - exceptions: What to leave out. By default all entries are imported, or none.
  /// - Returns: What was imported, what was left out, and what became something else.
  /// - Throws: `GlobalDataError` as the method for a file does.
  @discardableResult
  public nonisolated func importKeyedArchive(
    _ data: Data, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await importKeyedArchive(
      from: ImportSource("the archive", data), as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }

  private nonisolated func importKeyedArchive(
    from source: ImportSource, as types: [String: any (Codable & Sendable).Type], unknownClasses: UnknownClasses,
    skipping exceptions: ImportExceptions
  ) async throws -> ImportReport {
    try await importList(from: source, as: types, unknownClasses: unknownClasses, skipping: exceptions) {
      session, entries in
      try session.openArchive()
      try session.readArchive(into: &entries)
    }
  }

  // MARK: The current store

  /// Imports a file that `NSKeyedArchiver` wrote into the current store; see the instance's method of the same name.
  @discardableResult
  public static func importKeyedArchive(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importKeyedArchive(at: url, as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }

  /// Imports what `NSKeyedArchiver` wrote into the current store; see the instance's method of the same name.
  @discardableResult
  public static func importKeyedArchive(
    _ data: Data, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importKeyedArchive(data, as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }
}
