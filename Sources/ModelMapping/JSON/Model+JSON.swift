import CodingSupport
public import Foundation

extension Model {
  /// Reads a model from the JSON text of an object, or of an envelope that holds one.
  ///
  /// Scalars of another type are converted, and missing values keep their defaults; `decode(json:)` reports them.
  ///
  /// - Parameters:
  ///   - data: JSON text.
  ///   - path: The keys that lead from the outermost object to the model's, if they differ.
  ///   - mode: Whether values may be converted, replaced or left out.
  /// - Throws: `DecodingError` for text that is not JSON, has a key twice in an object, or does not fit the model, with
  ///   the path and the position; ``ModelError`` for a mistake in the model's declaration.
  /// - Complexity: O(*n*) in the length of the text.
  public init(json data: Data, at path: String..., mode: DecodingMode = .lenient) throws {
    self = try JSONReading.decode(Self.self, data, path, mode)
  }

  /// Reads a model from the JSON text of an object, or of an envelope that holds one.
  ///
  /// - Parameters:
  ///   - text: JSON text.
  ///   - path: The keys that lead from the outermost object to the model's, if they differ.
  ///   - mode: Whether values may be converted, replaced or left out.
  /// - Throws: As for `Data`.
  /// - Complexity: O(*n*) in the length of the text.
  public init(json text: String, at path: String..., mode: DecodingMode = .lenient) throws {
    self = try JSONReading.decode(Self.self, Data(text.utf8), path, mode)
  }

  /// Reads a model like `init(json:)`, and reports what was done to make it fit.
  ///
  /// - Parameters:
  ///   - data: JSON text.
  ///   - path: The keys that lead from the outermost object to the model's, if they differ.
  /// - Returns: The model, and a report of each conversion, default, unknown key and dropped element.
  /// - Throws: As `init(json:)`.
  /// - Complexity: O(*n*) in the length of the text.
  public static func decode(json data: Data, at path: String...) throws -> (value: Self, report: DecodingReport) {
    try JSONReading.decode(Self.self, data, path)
  }

  /// Reads a model like `init(json:)`, and reports what was done to make it fit.
  ///
  /// - Parameters:
  ///   - text: JSON text.
  ///   - path: The keys that lead from the outermost object to the model's, if they differ.
  /// - Returns: The model, and a report of each conversion, default, unknown key and dropped element.
  /// - Throws: As `init(json:)`.
  /// - Complexity: O(*n*) in the length of the text.
  public static func decode(json text: String, at path: String...) throws -> (value: Self, report: DecodingReport) {
    try JSONReading.decode(Self.self, Data(text.utf8), path)
  }

  /// Returns the model as JSON text in UTF-8, with the keys in alphabetical order.
  ///
  /// - Throws: `EncodingError` for a value that JSON cannot hold, such as an infinite number; ``ModelError`` for a
  ///   mistake in the model's declaration, or 512 levels of objects and arrays or more, which Foundation's encoder
  ///   refuses.
  /// - Complexity: O(*n*) in the size of the model.
  public func json() throws -> Data { try JSONReading.encode(self) }
}

extension Array where Element: Model {
  /// Reads models from the JSON text of an array, or of an envelope that holds one.
  ///
  /// - Parameters:
  ///   - data: JSON text.
  ///   - path: The keys that lead from the outermost object to the array, if there is one.
  ///   - mode: Whether values may be converted, replaced or left out.
  /// - Throws: As for a single model. The coding path of an error starts at the outermost object.
  /// - Complexity: O(*n*) in the length of the text.
  public init(json data: Data, at path: String..., mode: DecodingMode = .lenient) throws {
    self = try JSONReading.decode(Self.self, data, path, mode)
  }

  /// Reads models from the JSON text of an array, or of an envelope that holds one.
  ///
  /// - Parameters:
  ///   - text: JSON text.
  ///   - path: The keys that lead from the outermost object to the array, if there is one.
  ///   - mode: Whether values may be converted, replaced or left out.
  /// - Throws: As for a single model. The coding path of an error starts at the outermost object.
  /// - Complexity: O(*n*) in the length of the text.
  public init(json text: String, at path: String..., mode: DecodingMode = .lenient) throws {
    self = try JSONReading.decode(Self.self, Data(text.utf8), path, mode)
  }

  /// Reads models like `init(json:at:)`, and reports what was done to make them fit.
  ///
  /// - Parameters:
  ///   - data: JSON text.
  ///   - path: The keys that lead from the outermost object to the array, if there is one.
  /// - Returns: The models, and a report of each conversion, default, unknown key and dropped element.
  /// - Throws: As `init(json:at:)`.
  /// - Complexity: O(*n*) in the length of the text.
  public static func decode(json data: Data, at path: String...) throws -> (value: [Element], report: DecodingReport) {
    try JSONReading.decode(Self.self, data, path)
  }

  /// Reads models like `init(json:at:)`, and reports what was done to make them fit.
  ///
  /// - Parameters:
  ///   - text: JSON text.
  ///   - path: The keys that lead from the outermost object to the array, if there is one.
  /// - Returns: The models, and a report of each conversion, default, unknown key and dropped element.
  /// - Throws: As `init(json:at:)`.
  /// - Complexity: O(*n*) in the length of the text.
  public static func decode(json text: String, at path: String...) throws -> (value: [Element], report: DecodingReport)
  {
    try JSONReading.decode(Self.self, Data(text.utf8), path)
  }

  /// Returns the models as the JSON text of an array in UTF-8, with the keys in alphabetical order.
  ///
  /// - Throws: As for a single model.
  /// - Complexity: O(*n*) in the size of the models.
  public func json() throws -> Data { try JSONReading.encode(self) }
}

/// The mode of reading: lenient or strict.
public struct DecodingMode: Hashable, Sendable {
  private let isStrict: Bool

  /// Converts scalars if nothing is lost, uses defaults for missing values, and ignores unknown keys.
  public static let lenient = DecodingMode(isStrict: false)

  /// Throws a ``ModelError`` with the code `notStrict` and the whole report if there is any finding.
  public static let strict = DecodingMode(isStrict: true)

  fileprivate func check(_ report: DecodingReport) throws(ModelError) {
    guard isStrict, let first = report.entries.first else { return }
    let more =
      report.entries.count > 1 ? " (and \(counted(report.entries.count - 1, "more finding", "more findings")))" : ""
    let finding = "\(first)"
    let text = finding.hasSuffix(".") ? String(finding.dropLast()) : finding
    throw ModelError(.notStrict, "\(text)\(more).", path: first.path, report: report)
  }
}

private enum JSONReading {
  static func decode<Value: Decodable>(
    _ type: Value.Type, _ data: Data, _ path: [String], _ mode: DecodingMode
  ) throws -> Value {
    guard mode == .strict else { return try JSONDocument(data).decode(type, at: path, nil) }
    let (value, report) = try decode(type, data, path)
    try mode.check(report)
    return value
  }

  static func decode<Value: Decodable>(
    _ type: Value.Type, _ data: Data, _ path: [String]
  ) throws -> (value: Value, report: DecodingReport) {
    let collector = ReportCollector()
    let value = try JSONDocument(data).decode(type, at: path, collector)
    return (value, collector.report)
  }

  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.userInfo[.modelKeys] = ModelKeys.json
    encoder.dateEncodingStrategy = .custom { date, encoder in
      guard let text = ISO8601Text.text(of: date) else {
        throw EncodingError.invalidValue(
          printable(date),
          .init(
            codingPath: encoder.codingPath, debugDescription: "Only the years 0 to 9999 can be written in ISO 8601."))
      }
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
    let data: Data
    do {
      data = try encoder.encode(value)
    } catch EncodingError.invalidValue(_, let context)
      where context.debugDescription.hasPrefix("Unable to encode the given top-level value to JSON")
    {
      // Foundation's encoder refuses a value with these words only if it is nested too deeply.
      throw ModelError(.limitReached, "The JSON would have too many levels of objects and arrays, 512 or more.")
    }
    return data.withUnsafeBytes(hasNaN) ? try checkingNumbers(data) : data
  }

  /// Whether a text contains the word that Foundation's encoder writes for a `Decimal` that is not a number. It is not
  /// JSON.
  @inline(never)
  private static func hasNaN(_ text: UnsafeRawBufferPointer) -> Bool {
    var end: UInt32 = 0
    return text.contains { byte in
      end = end << 8 & 0xffffff | UInt32(byte)
      return end == 0x4e614e
    }
  }

  private static func checkingNumbers(_ data: Data) throws -> Data {
    do {
      _ = try JSONText(data, maximumDepth: .max)
      return data
    } catch {
      throw EncodingError.invalidValue(
        Decimal.nan, .init(codingPath: error.path.codingPath, debugDescription: "The value is not a number."))
    }
  }
}
