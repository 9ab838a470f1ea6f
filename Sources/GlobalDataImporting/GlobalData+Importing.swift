import Dispatch
public import Foundation
public import GlobalData
import KeyedArchive

extension GlobalData {
  /// Reads the entries of a source on a thread with enough stack, and stores them. Throws `CancellationError` if the
  /// task is cancelled before they are stored.
  nonisolated func importEntries(
    from source: ImportSource, as types: [String: any (Codable & Sendable).Type],
    skipping exceptions: ImportExceptions, _ read: @escaping @Sendable (inout ImportedEntries) throws -> Void
  ) async throws -> ImportReport {
    let number = takeCallNumber()
    let depth = min(configuration.limits.maximumDepth, DeepStack.greatestDepth)
    // The reading thread runs no task, so it cannot check for cancellation itself.
    let isCancelled = Locked(false)
    return try await withTaskCancellationHandler {
      let entries = try await withCheckedThrowingContinuation { continuation in
        // Reading waits for the disk, which must not block a cooperative thread.
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              try GlobalData.checkThatNoActorIsNeeded(for: types)
              var entries = ImportedEntries(from: source, isCancelled)
              try DeepStack.run(depth: depth) { try read(&entries) }
              return entries
            }.mapError { $0 is CancellationError ? $0 : GlobalDataError.cannotImport($0, from: source) })
        }
      }
      return try await update { data in
        let report = try entries.store(in: &data, since: number, skipping: exceptions)
        // Before the entries are published, so that observers can read them by their tags.
        configuration.registry.registerOrWarn(Array(types.values))
        return report
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// Refuses types whose `Codable` conformance is isolated to an actor: imports create values on another thread. Since
  /// Swift 6.2, the runtime does not find such a conformance outside its actor; earlier runtimes do.
  private static func checkThatNoActorIsNeeded(for types: [String: any (Codable & Sendable).Type]) throws {
    // A cast of the metatype ignores isolation; a cast of a value of the type does not.
    func isDecodable<Value>(_: Value.Type) -> Bool { ([] as [Value]) is any Decodable }
    for type in types.values {
      // Not in a `where` clause: there, the compiler of Swift 6.0 does not open the type.
      if isDecodable(type) { continue }
      throw GlobalDataError(
        .importFailed, "the Codable conformance of \(type) is isolated to an actor, but an import decodes elsewhere",
        advice: "Declare the conformance or its type nonisolated.")
    }
  }

  nonisolated func importList(
    from source: ImportSource, as types: [String: any (Codable & Sendable).Type], unknownClasses: UnknownClasses,
    skipping exceptions: ImportExceptions,
    _ read: @escaping @Sendable (UnarchivingSession, inout ImportedEntries) throws -> Void
  ) async throws -> ImportReport {
    let configuration = configuration
    return try await importEntries(from: source, as: types, skipping: exceptions) { entries in
      try read(UnarchivingSession(source.read(configuration), types: types, unknownClasses, configuration), &entries)
    }
  }

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
  /// - Throws: `GlobalDataError` as the method for the file's format does: `importJSON`, `importPropertyList`, or
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
        if let mark = GlobalData.firstMark(of: data), !"{[\"-0123456789tfn".utf8.contains(mark) {
          throw ImportFailure(
            message: "it is neither JSON nor a binary or XML property list",
            advice:
              "Check the file. If it is an old-style property list, convert a copy with plutil -convert xml1 on macOS.")
        }
        return try GlobalData.readJSON(data, into: &entries, as: [:], JSONDecoder(), configuration)
      }
      let session = try UnarchivingSession(data, types: [:], unknownClasses, configuration)
      guard try session.isArchive else { return try session.readPropertyList(into: &entries) }
      try session.readArchive(into: &entries)
    }
  }

  /// Whether bytes begin as a property list does, and neither JSON nor an archive: as a binary one, or with the first
  /// tag of XML.
  package static func isPropertyList(_ data: Data) -> Bool {
    if data.starts(with: BinaryPropertyList.signature) { return true }
    return firstMark(of: data) == UInt8(ascii: "<")
  }

  /// Returns the first byte of a text after any spaces, byte order mark and, in UTF-16 and UTF-32, zeros.
  private static func firstMark(of data: Data) -> UInt8? {
    data.first { $0 < 0xfe && !" \t\r\n\0\u{feff}".utf8.contains($0) }
  }

  /// Imports a file of any supported format into the current store; see the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func importFile(
    at url: URL, unknownClasses: UnknownClasses = .refuse, skipping exceptions: ImportExceptions = []
  ) async throws -> ImportReport {
    try await current.importFile(at: url, unknownClasses: unknownClasses, skipping: exceptions)
  }
}
