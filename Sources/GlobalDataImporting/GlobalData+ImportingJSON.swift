public import Foundation
public import GlobalData
import KeyedArchive
import ModelMapping

extension GlobalData {
  /// Imports JSON, in one write: each key of the outermost object becomes an entry. An outermost value of another kind,
  /// such as an array, becomes the entry `root`.
  ///
  /// ```swift
  /// let report = try await store.importJSON(at: url, as: ["car": CarInfo.self])
  /// ```
  ///
  /// Numbers keep their value: integers of any size, fractions as `Double` where it has the same shortest digits, else
  /// as `Decimal`. A number of more digits than that holds is rounded, and ``ImportReport/conversions`` says so. Fields
  /// keep their order. What JSON says in words, such as a date, stays text, unless its key is to be read as a type.
  ///
  /// - Parameters:
  ///   - url: The file, in any encoding of Unicode.
  ///   - types: The types to read values as, by key. They are registered once all entries are read. Other values are
  ///     read by naming a type when they are taken from the store, or as what they are.
  ///   - exceptions: What to leave out. By default all entries are imported, or none.
  ///   - decoder: Reads the values that have a type. What models then do to values is in the report, unless the decoder
  ///     brings a `ReportCollector` of its own, or is of a subclass.
  /// - Returns: What was imported, what was left out, and what became something else.
  /// - Throws: `GlobalDataError` with code `importFailed` when the file is not JSON, or an entry cannot be read and is
  ///   not to be left out, as one with a key twice in an object; why the file cannot be read; and as `update` does.
  ///   `CancellationError` when the task is cancelled before the entries are stored. Nothing is changed then.
  /// - Complexity: O(*n*) in the size of the file and of all values of the store.
  @discardableResult
  public nonisolated func importJSON(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    skipping exceptions: ImportExceptions = [], decoder: JSONDecoder = JSONDecoder()
  ) async throws -> ImportReport {
    try await importJSON(from: ImportSource(url), as: types, skipping: exceptions, decoder)
  }

  /// Imports the text of JSON, in one write; see `importJSON(at:as:skipping:decoder:)`.
  ///
  /// - Parameters:
  ///   - data: The text, in any encoding of Unicode.
  ///   - types: The types to read values as, by key.
  ///   - exceptions: What to leave out. By default all entries are imported, or none.
  ///   - decoder: Reads the values that have a type.
  /// - Returns: What was imported, what was left out, and what became something else.
  /// - Throws: `GlobalDataError` as the method for a file does.
  @discardableResult
  public nonisolated func importJSON(
    _ data: Data, as types: [String: any (Codable & Sendable).Type] = [:],
    skipping exceptions: ImportExceptions = [], decoder: JSONDecoder = JSONDecoder()
  ) async throws -> ImportReport {
    try await importJSON(from: ImportSource("the JSON text", data), as: types, skipping: exceptions, decoder)
  }

  private nonisolated func importJSON(
    from source: ImportSource, as types: [String: any (Codable & Sendable).Type],
    skipping exceptions: ImportExceptions, _ decoder: JSONDecoder
  ) async throws -> ImportReport {
    let configuration = configuration
    return try await importEntries(from: source, as: types, skipping: exceptions) { entries in
      try GlobalData.readJSON(source.read(configuration), into: &entries, as: types, decoder, configuration)
    }
  }

  static func readJSON(
    _ data: Data, into entries: inout ImportedEntries, as types: [String: any (Codable & Sendable).Type],
    _ decoder: JSONDecoder, _ configuration: Configuration
  ) throws {
    let depth = min(configuration.limits.maximumDepth, DeepStack.greatestDepth)
    var reader = try JSONReader(data, maximumDepth: depth)
    while let member = reader.nextMember() {
      try entries.add(member.key) { collector in
        try reader.check(member)
        guard let type = types[member.key] else { return try reader.value(of: member) }
        return try decoder.reporting(to: collector).decode(type, from: reader.data(of: member))
      }
    }
    entries.findings = reader.findings
  }

  // MARK: The current store

  /// Imports the text of JSON into the current store; see the instance's method of the same name.
  @discardableResult
  public static func importJSON(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    skipping exceptions: ImportExceptions = [], decoder: JSONDecoder = JSONDecoder()
  ) async throws -> ImportReport {
    try await current.importJSON(at: url, as: types, skipping: exceptions, decoder: decoder)
  }

  /// Imports the text of JSON into the current store; see the instance's method of the same name.
  @discardableResult
  public static func importJSON(
    _ data: Data, as types: [String: any (Codable & Sendable).Type] = [:],
    skipping exceptions: ImportExceptions = [], decoder: JSONDecoder = JSONDecoder()
  ) async throws -> ImportReport {
    try await current.importJSON(data, as: types, skipping: exceptions, decoder: decoder)
  }
}

extension JSONDecoder {
  /// Returns a copy of the decoder whose models report to a collector; another import may be using the caller's own. A
  /// decoder that brings a collector keeps it, and a subclass, which cannot be copied, is used itself.
  fileprivate func reporting(to collector: ReportCollector) -> JSONDecoder {
    guard type(of: self) == JSONDecoder.self, userInfo[.reportCollector] == nil else { return self }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = dateDecodingStrategy
    decoder.dataDecodingStrategy = dataDecodingStrategy
    decoder.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
    decoder.keyDecodingStrategy = keyDecodingStrategy
    decoder.allowsJSON5 = allowsJSON5
    decoder.assumesTopLevelDictionary = assumesTopLevelDictionary
    decoder.userInfo = userInfo
    decoder.userInfo[.reportCollector] = collector
    return decoder
  }
}
