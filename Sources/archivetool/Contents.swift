import GlobalData
import GlobalDataImporting

/// The contents of a file: a store's entries, or those that an import of the file would store.
struct Contents {
  let entries: [GlobalData.EntryInfo]
  /// The size of the file.
  let byteCount: Int
  private let source: Source

  private enum Source {
    case archive(GlobalData.FileContents)
    /// The imported entries, and those that could not be read.
    case imported(GlobalData, [ImportReport.SkippedEntry])
  }

  init(_ contents: GlobalData.FileContents) {
    entries = contents.entries
    byteCount = contents.byteCount
    source = .archive(contents)
  }

  /// Reads a property list or an `NSKeyedArchiver` file, with objects of unknown classes as trees. Reports unreadable
  /// entries to standard error.
  init(importing file: ArchiveOperand, _ configuration: GlobalData.Configuration) async throws {
    let store = GlobalData.inMemory(configuration: configuration)
    let report = try await store.importFile(at: file.url, unknownClasses: .keepAsTrees, skipping: .unreadable)
    let unreadable = report.skipped.filter { $0.reason == .unreadable }
    for entry in unreadable { Output.complain("skipped \(entry.key.quotedIfNeeded): \(entry.message)") }
    entries = try store.entries()
    byteCount = file.byteCount
    source = .imported(store, unreadable)
  }

  /// Whether an import could read every value.
  var isComplete: Bool {
    if case .imported(_, let unreadable) = source { unreadable.isEmpty } else { true }
  }

  /// Returns the value of a key, or `nil` if there is none.
  func value(forKey key: String) throws -> ArchiveValue? {
    switch source {
    case .archive(let contents): return try contents.value(forKey: key)
    case .imported(let store, let unreadable):
      // If the file has a key twice, its first value can be read.
      if let value = try store.object(ArchiveValue.self, forKey: key) { return value }
      if let error = unreadable.first(where: { $0.key == key })?.error { throw error }
      return nil
    }
  }

  /// Whether a value is known to have the same bytes in another file.
  func hasSameBytes(forKey key: String, as other: Contents) -> Bool {
    guard case .archive(let contents) = source, case .archive(let others) = other.source else { return false }
    return contents.hasSameBytes(forKey: key, as: others)
  }
}

extension GlobalData.EntryInfo {
  /// The fields of an entry in the output of `--json`.
  var json: ArchiveValue { ["key": .string(key), "type": .string(type), "size": .int(size)] }
}

extension ArchiveValue {
  static func strings(_ texts: [String]) -> ArchiveValue { .array(texts.map { .string($0) }) }
}
