public import Foundation

extension Model {
  /// Reads a model from the JSON text of an object.
  ///
  /// - Parameter data: JSON text in UTF-8.
  /// - Throws: `DecodingError` for text that is not JSON or does not fit the model.
  /// - Complexity: O(*n*) in the length of the text.
  public init(json data: Data) throws {
    self = try JSONDecoder().decode(Self.self, from: data)
  }

  /// The model as JSON text in UTF-8, with the keys in alphabetical order.
  ///
  /// - Throws: `EncodingError` for a value that JSON cannot hold, such as an infinite number.
  /// - Complexity: O(*n*) in the size of the model.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}

extension Array where Element: Model {
  /// Reads models from the JSON text of an array, or of an envelope that holds one.
  ///
  /// - Parameters:
  ///   - data: JSON text in UTF-8.
  ///   - path: The keys that lead from the outermost object to the array; none when the text is the array.
  /// - Throws: `DecodingError` for text that is not JSON, a missing key, or elements that do not fit the model; its
  ///   coding path starts at the outermost object.
  /// - Complexity: O(*n*) in the length of the text.
  public init(json data: Data, at path: String...) throws {
    self = try JSONDecoder().decode(Enveloped<[Element]>.self, from: data, configuration: path).value
  }
}

/// A value at the end of a path of keys.
private struct Enveloped<Value: Decodable>: DecodableWithConfiguration {
  let value: Value

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder, configuration path: [String]) throws {
    guard let last = path.last else {
      value = try decoder.singleValueContainer().decode(Value.self)
      return
    }
    var container = try decoder.container(keyedBy: Key.self)
    for key in path.dropLast() {
      container = try container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: key))
    }
    value = try container.decode(Value.self, forKey: Key(stringValue: last))
  }
}
