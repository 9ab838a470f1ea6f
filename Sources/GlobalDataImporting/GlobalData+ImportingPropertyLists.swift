public import Foundation
public import GlobalData

extension GlobalData {
  /// Imports a property list in one write: each key of its top-level dictionary becomes an entry. Another top-level
  /// value, such as an array, becomes the entry `root`.
  ///
  /// - Parameters:
  ///   - url: The file, a binary or an XML property list that is not an archive of `NSKeyedArchiver`.
  ///   - types: The types for `NSKeyedArchiver` archives in data, by class name. Without types, all data stays data.
  ///   - unknownClasses: How to handle objects of other classes. If they are kept as trees, archives in data are read
  ///     even without types.
  ///   - exceptions: The entries to skip. By default, all entries are imported, or none.
  /// - Returns: The imported, skipped and converted values.
  /// - Throws: `GlobalDataError` as `importKeyedArchive(at:as:unknownClasses:skipping:)` does.
  /// - Complexity: O(*n*) in the size of the file and of all values of the store.
  @discardableResult
  public nonisolated func importPropertyList(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await importList(from: ImportSource(url), as: types, unknownClasses: unknownClasses, skipping: exceptions) {
      try $0.readPropertyList(into: &$1)
    }
  }

  /// Imports a property list in one write; see `importPropertyList(at:as:unknownClasses:skipping:)`.
  ///
  /// - Parameters:
  ///   - data: The binary or XML property list.
  ///   - types: The types for `NSKeyedArchiver` archives in data, by class name.
  ///   - unknownClasses: How to handle objects of other classes. If they are kept as trees, archives in data are read
  ///     even without types.
  ///   - exceptions: The entries to skip. By default, all entries are imported, or none.
  /// - Returns: The imported, skipped and converted values.
  /// - Throws: `GlobalDataError` as the method for a file does.
  @discardableResult
  public nonisolated func importPropertyList(
    _ data: Data, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    let source = ImportSource("the property list", data)
    return try await importList(from: source, as: types, unknownClasses: unknownClasses, skipping: exceptions) {
      try $0.readPropertyList(into: &$1)
    }
  }

  // MARK: The current store

  /// Imports a property list into the current store; see the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func importPropertyList(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importPropertyList(at: url, as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }

  /// Imports a property list into the current store; see the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func importPropertyList(
    _ data: Data, as types: [String: any (Codable & Sendable).Type] = [:],
    unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importPropertyList(data, as: types, unknownClasses: unknownClasses, skipping: exceptions)
  }
}
