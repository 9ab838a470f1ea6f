import KeyedArchive

/// The entries of a source, read and not yet stored.
struct ImportedEntries: Sendable {
  enum Outcome: Sendable {
    case value(any Sendable)
    case noValue
    case failure(GlobalDataError)
  }

  private(set) var entries: [(key: String, outcome: Outcome)] = []
  var findings = ImportFindings()
  private let source: ImportSource
  private var keys: Set<String> = []

  init(from source: ImportSource) {
    self.source = source
  }

  /// Reads an entry; null is no value.
  mutating func add(_ key: String, _ read: () throws -> any Sendable) {
    let outcome: Outcome
    do {
      let value = try read()
      outcome = (value as? ArchiveValue) == .null ? .noValue : .value(value)
    } catch {
      outcome = .failure(.cannotImport(error, key: key, from: source))
    }
    // Swift takes some keys for equal that have different bytes.
    let isNew = keys.insert(key).inserted
    entries.append((key, isNew ? outcome : .failure(.importedTwice(key, from: source))))
  }

  mutating func addMissing(_ key: String) {
    entries.append((key, .noValue))
  }

  /// Stores the entries in a transaction.
  ///
  /// - Throws: ``GlobalDataError`` for the first entry that cannot be read or stored, unless such are left out.
  func store(
    in data: inout GlobalData.Transaction, skipping exceptions: GlobalData.ImportExceptions
  ) throws -> ImportReport {
    var report = ImportReport()
    for (key, outcome) in entries {
      do {
        switch outcome {
        case .noValue:
          report.skipped.append(.init(key: key, .noValue, "it has no value"))
        case .value, .failure:
          if exceptions.contains(.existing), data.contains(key) {
            report.skipped.append(.init(key: key, .existing, "the store has a value for this key"))
          } else {
            try store(outcome, forKey: key, in: &data)
            report.importedKeys.append(key)
          }
        }
      } catch let error as GlobalDataError where exceptions.contains(.unreadable) {
        report.skipped.append(.init(key: key, .unreadable, error.message, error))
      }
    }
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
