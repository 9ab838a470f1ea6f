public import Foundation
public import GlobalData
import KeyedArchive
import ModelMapping

extension GlobalData {
  /// Imports JSON in one write: each key of the top-level object becomes an entry. Another top-level value, such as an
  /// array, becomes the entry `root`.
  ///
  /// ```swift
  /// let report = try await store.importJSON(at: url, as: ["car": CarInfo.self])
  /// ```
  ///
  /// Numbers keep their value: integers of up to 2,467 digits, and fractions as `Double` if that has the same shortest
  /// digits, otherwise as `Decimal`. A fraction with more digits than a `Decimal` is rounded, and
  /// ``ImportReport/conversions`` lists it. An entry with a longer integer, or with another number that is too large
  /// for a `Double`, cannot be read. Fields keep their order. Text, such as that of a date, stays text, unless its key
  /// has a type.
  ///
  /// - Parameters:
  ///   - url: The file, in any encoding of Unicode.
  ///   - types: The types to read values as, by key. The import registers them once all entries are read. Other values
  ///     are stored without a type; you can name one when you read them.
  ///   - exceptions: The entries to skip. By default, all entries are imported, or none.
  ///   - decoder: Reads the values that have a type. The report includes the findings of models, unless the decoder has
  ///     its own `ReportCollector`, or is a subclass.
  /// - Returns: The imported, skipped and converted values.
  /// - Throws: `GlobalDataError` with code `importFailed` if the file is missing or not JSON, or an entry cannot be
  ///   read and is not skipped, for example because an object has a key twice; the reason if the file cannot be read;
  ///   and the errors of `update`. `CancellationError` if the task is cancelled before the entries are stored. The
  ///   store is unchanged after any error except `durabilityUnknown`.
  /// - Complexity: O(*n*) in the size of the file and of all values of the store.
  @discardableResult
  public nonisolated func importJSON(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    skipping exceptions: ImportExceptions = [], decoder: JSONDecoder = JSONDecoder()
  ) async throws -> ImportReport {
    try await importJSON(from: ImportSource(url), as: types, skipping: exceptions, decoder)
  }

  /// Imports JSON text in one write; see `importJSON(at:as:skipping:decoder:)`.
  ///
  /// - Parameters:
  ///   - data: The text, in any encoding of Unicode.
  ///   - types: The types to read values as, by key.
  ///   - exceptions: The entries to skip. By default, all entries are imported, or none.
  ///   - decoder: Reads the values that have a type.
  /// - Returns: The imported, skipped and converted values.
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
        guard let type = types[member.key], !reader.isNull(member) else { return try reader.value(of: member) }
        do {
          return try decoder.reporting(to: collector).decode(type, from: reader.data(of: member))
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
          // Foundation says that a number is not valid JSON if it is only too large.
          var reader = reader
          _ = try reader.value(of: member)
          throw DecodingError.dataCorrupted(context)
        }
      }
    }
    entries.findings = reader.findings
  }

  // MARK: The current store

  /// Imports the text of JSON into the current store; see the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func importJSON(
    at url: URL, as types: [String: any (Codable & Sendable).Type] = [:],
    skipping exceptions: ImportExceptions = [], decoder: JSONDecoder = JSONDecoder()
  ) async throws -> ImportReport {
    try await current.importJSON(at: url, as: types, skipping: exceptions, decoder: decoder)
  }

  /// Imports the text of JSON into the current store; see the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func importJSON(
    _ data: Data, as types: [String: any (Codable & Sendable).Type] = [:],
    skipping exceptions: ImportExceptions = [], decoder: JSONDecoder = JSONDecoder()
  ) async throws -> ImportReport {
    try await current.importJSON(data, as: types, skipping: exceptions, decoder: decoder)
  }
}

extension JSONDecoder {
  /// Returns a copy of the decoder whose models report to a collector, because another import may be using the decoder.
  /// A decoder that has a collector keeps it. A subclass cannot be copied, so it is returned itself.
  fileprivate func reporting(to collector: ReportCollector) -> JSONDecoder {
    guard type(of: self) == JSONDecoder.self, userInfo[.reportCollector] == nil else { return self }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = dateDecodingStrategy
    decoder.dataDecodingStrategy = dataDecodingStrategy
    decoder.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
    decoder.keyDecodingStrategy = keyDecodingStrategy
    // The options for other texts than JSON make no difference: the text was checked.
    decoder.userInfo = userInfo
    decoder.userInfo[.reportCollector] = collector
    return decoder
  }
}
