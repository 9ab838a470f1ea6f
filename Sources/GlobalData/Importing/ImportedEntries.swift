import CodingSupport
import KeyedArchive

/// The entries of a source, read and not yet stored.
struct ImportedEntries: Sendable {
  enum Outcome: Sendable {
    case value(any Sendable)
    case noValue
    case failure(GlobalDataError)
  }

  private struct Entry {
    let key: String
    let outcome: Outcome
  }

  private var entries: [Entry] = []
  var findings = ImportFindings()
  private let source: ImportSource
  private let isCancelled: Locked<Bool>
  private var keys: Set<String> = []

  init(from source: ImportSource, _ isCancelled: Locked<Bool>) {
    self.source = source
    self.isCancelled = isCancelled
  }

  /// Reads an entry; null is no value.
  ///
  /// - Throws: `CancellationError` when the import is cancelled; what `read` throws becomes part of the entry.
  mutating func add(_ key: String, _ read: () throws -> any Sendable) throws {
    try checkCancellation()
    let entry: Entry
    do {
      let value = try read()
      entry = Entry(key: key, outcome: (value as? ArchiveValue) == .null ? .noValue : .value(value))
    } catch {
      entry = Entry(key: key, outcome: .failure(.cannotImport(error, key: key, from: source)))
    }
    // Swift takes some keys for equal that have different bytes.
    let isNew = keys.insert(key).inserted
    entries.append(isNew ? entry : Entry(key: key, outcome: .failure(.importedTwice(key, from: source))))
  }

  mutating func addMissing(_ key: String) {
    entries.append(Entry(key: key, outcome: .noValue))
  }

  private func checkCancellation() throws {
    if isCancelled.withLock({ $0 }) { throw CancellationError() }
  }

  /// Stores the entries in a transaction.
  ///
  /// - Throws: ``GlobalDataError`` for the first entry that cannot be read or stored, unless such are left out;
  ///   `CancellationError` when the import is cancelled.
  func store(
    in data: inout GlobalData.Transaction, skipping exceptions: GlobalData.ImportExceptions
  ) throws -> ImportReport {
    var report = ImportReport()
    for entry in entries {
      try checkCancellation()
      do {
        switch entry.outcome {
        case .noValue:
          report.skipped.append(.init(key: entry.key, .noValue, "it has no value"))
        case .value, .failure:
          if exceptions.contains(.existing), data.contains(entry.key) {
            report.skipped.append(.init(key: entry.key, .existing, "the store has a value for this key"))
          } else {
            try store(entry.outcome, forKey: entry.key, in: &data)
            report.importedKeys.append(entry.key)
          }
        }
      } catch let error as GlobalDataError where exceptions.contains(.unreadable) {
        report.skipped.append(.init(key: entry.key, .unreadable, error.message, error))
      }
    }
    try checkCancellation()
    report.conversions = findings.conversions
    report.unreadFields = findings.unreadFields
    return report
  }

  private func store(_ outcome: Outcome, forKey key: String, in data: inout GlobalData.Transaction) throws {
    switch outcome {
    case .value(let value): try data.set(value, forKey: key)
    case .failure(let error): throw error
    case .noValue: break
    }
  }
}
