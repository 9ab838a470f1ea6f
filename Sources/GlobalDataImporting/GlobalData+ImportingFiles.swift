public import Foundation
public import GlobalData
import KeyedArchive
import ModelMapping

extension GlobalData {
  /// Imports a file of any supported format in one write: JSON, a property list, or an `NSKeyedArchiver` archive.
  ///
  /// The import recognizes the format by the bytes of the file, not by its name. If you know the format, call its own
  /// method, which also takes types.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - unknownClasses: How to handle archived objects of an app's own classes. By default, they cannot be read.
  ///   - exceptions: The entries to skip. By default, all entries are imported, or none.
  /// - Returns: The imported, skipped and converted values.
  /// - Throws: `GlobalDataError` as the method for the file's form does: `importJSON`, `importPropertyList`, or
  ///   `importKeyedArchive`.
  /// - Complexity: O(*n*) in the size of the file and of all values of the store.
  @discardableResult
  public nonisolated func importFile(
    at url: URL, unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    let source = ImportSource(url)
    let configuration = configuration
    return try await importEntries(from: source, as: [:], skipping: exceptions) { entries in
      let data = try source.read(configuration)
      guard GlobalData.isPropertyList(data) else {
        return try GlobalData.readJSON(data, into: &entries, as: [:], JSONDecoder(), configuration)
      }
      let session = try UnarchivingSession(data, types: [:], unknownClasses, configuration)
      guard try session.isArchive else { return try session.readPropertyList(into: &entries) }
      try session.readArchive(into: &entries)
    }
  }

  /// Whether bytes begin as a property list does and JSON does not: as a binary one, or with the first tag of XML.
  private static func isPropertyList(_ data: Data) -> Bool {
    if data.starts(with: BinaryPropertyList.signature) { return true }
    return UnicodeText.inUTF8(data)?.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }

  /// Imports a file of any known form into the current store; see the instance's method of the same name.
  @discardableResult
  public static func importFile(
    at url: URL, unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importFile(at: url, unknownClasses: unknownClasses, skipping: exceptions)
  }
}
