import Dispatch
import GlobalData
import KeyedArchive

extension GlobalData {
  /// Reads the entries of a source on a thread with the stack for them, and stores them. Throws `CancellationError`
  /// when the task is cancelled before they are stored.
  nonisolated func importEntries(
    from source: ImportSource, as types: [String: any (Codable & Sendable).Type],
    skipping exceptions: ImportExceptions, _ read: @escaping @Sendable (inout ImportedEntries) throws -> Void
  ) async throws -> ImportReport {
    let depth = min(configuration.limits.maximumDepth, DeepStack.greatestDepth)
    // The reading thread has no task that it could ask.
    let isCancelled = Locked(false)
    return try await withTaskCancellationHandler {
      let entries = try await withCheckedThrowingContinuation { continuation in
        // Reading waits for the disk, which no cooperative thread may.
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
        let report = try entries.store(in: &data, skipping: exceptions)
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
    for type in types.values where !isDecodable(type) {
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
}
