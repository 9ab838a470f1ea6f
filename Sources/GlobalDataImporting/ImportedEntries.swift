import GlobalData
import KeyedArchive
import ModelMapping

/// The entries of a source that were read and are not yet stored.
struct ImportedEntries: Sendable {
  enum Outcome: Sendable {
    case value(any Sendable)
    case noValue
    case failure(GlobalDataError)
  }

  private struct Entry {
    let key: String
    let outcome: Outcome
    var modelFindings = DecodingReport()
    var moreModelFindings = 0
  }

  /// The number of findings of models that a report lists. Each field can have one, which takes more memory than the
  /// field.
  private static let listedModelFindings = 1_000

  private var entries: [Entry] = []
  var findings = ImportFindings()
  private let source: ImportSource
  private let isCancelled: Locked<Bool>
  private var keys: Set<String> = []
  private var modelFindingsLeft = ImportedEntries.listedModelFindings

  init(from source: ImportSource, _ isCancelled: Locked<Bool>) {
    self.source = source
    self.isCancelled = isCancelled
  }

  /// Reads an entry, with a collector for the findings of models. Null is not a value. Throws only if the import is
  /// cancelled: an error of `read` becomes part of the entry.
  mutating func add(_ key: String, _ read: (ReportCollector) throws -> any Sendable) throws {
    try checkCancellation()
    let collector = ReportCollector(limit: modelFindingsLeft)
    var entry: Entry
    do {
      let value = try read(collector)
      entry = Entry(key: key, outcome: (value as? ArchiveValue) == .null ? .noValue : .value(value))
      entry.modelFindings = collector.report
      entry.moreModelFindings = collector.omittedCount
      modelFindingsLeft -= entry.modelFindings.entries.count
    } catch {
      entry = Entry(key: key, outcome: .failure(.cannotImport(error, key: key, from: source)))
    }
    // Swift considers some keys with different bytes equal.
    let isNew = keys.insert(key).inserted
    entries.append(isNew ? entry : Entry(key: key, outcome: .failure(.importedTwice(key, from: source))))
  }

  mutating func addMissing(_ key: String) { entries.append(Entry(key: key, outcome: .noValue)) }

  private func checkCancellation() throws {
    if isCancelled.withLock({ $0 }) { throw CancellationError() }
  }

  /// Stores the entries in a transaction, unless they were cleared since the import took its number. Throws the error
  /// of the first entry that cannot be read or stored, unless such entries are skipped, and `CancellationError` if the
  /// import is cancelled.
  func store(
    in data: inout GlobalData.Transaction, since number: UInt64, skipping exceptions: GlobalData.ImportExceptions
  ) throws -> ImportReport {
    var report = ImportReport()
    let existing = exceptions.contains(.existing) ? Set(entries.map(\.key).filter(data.contains)) : []
    for entry in entries {
      try checkCancellation()
      do {
        switch entry.outcome {
        case .noValue:
          report.skipped.append(.init(key: entry.key, reason: .noValue, message: "it has no value", error: nil))
        case _ where existing.contains(entry.key):
          report.skipped.append(
            .init(key: entry.key, reason: .existing, message: "the store has a value for this key", error: nil))
        case .failure(let error): throw error
        case .value(let value):
          try data.set(anyValue: value, forKey: entry.key, since: number)
          report.importedKeys.append(entry.key)
          report.modelFindings.entries += entry.modelFindings.entries.map { $0.inside(entry.key) }
          report.moreModelFindings += entry.moreModelFindings
        }
      } catch let error as GlobalDataError where exceptions.contains(.unreadable) {
        report.skipped.append(.init(key: entry.key, reason: .unreadable, message: error.message, error: error))
      }
    }
    try checkCancellation()
    report.conversions = findings.conversions
    report.unreadFields = findings.unreadFields
    return report
  }
}
