import Dispatch
import KeyedArchive

extension GlobalData {
  /// Reads the entries of a source on a thread with the stack for them, and stores them.
  nonisolated func importEntries(
    from source: ImportSource, as types: [String: any (Codable & Sendable).Type],
    skipping exceptions: ImportExceptions, _ read: @escaping @Sendable () throws -> ImportedEntries
  ) async throws -> ImportReport {
    let depth = min(configuration.limits.maximumDepth, DeepStack.greatestDepth)
    let entries = try await withCheckedThrowingContinuation { continuation in
      // Reading waits for the disk, which no cooperative thread may.
      DispatchQueue.global().async {
        continuation.resume(
          with: Result { try DeepStack.run(depth: depth, read) }
            .mapError { GlobalDataError.cannotImport($0, from: source) })
      }
    }
    register(Array(types.values))
    return try await update { data in try entries.store(in: &data, skipping: exceptions) }
  }
}
