import CodingSupport
import Foundation

/// A JSON text that models are read from.
struct JSONDocument {
  /// Foundation's own limit.
  private static let maximumDepth = 512

  private let text: JSONText

  init(_ data: Data) throws {
    do {
      text = try JSONText(data, maximumDepth: JSONDocument.maximumDepth)
    } catch {
      throw JSONDocument.decodingError(error)
    }
    if let duplicate = text.duplicates.first { throw JSONDocument.decodingError(duplicate.error(in: text.bytes)) }
  }

  func decode<Value: Decodable>(_ type: Value.Type, at path: [String], _ collector: ReportCollector?) throws -> Value {
    let decoder = JSONValueDecoder(source: JSONSource(text, collector), value: 0, path: nil)
    do {
      guard text.depth > DeepStack.shallowDepth else { return try JSONDocument.decode(type, at: path, decoder) }
      return try DeepStack.run(depth: text.depth) { try JSONDocument.decode(type, at: path, decoder) }
    } catch let error as DecodingError {
      throw located(error)
    } catch let error as StackError {
      throw ModelError(.limitReached, error.description)
    }
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, at path: [String], _ decoder: JSONValueDecoder
  ) throws -> Value {
    guard let last = path.last else { return try decoder.decode(type) }
    var container = try decoder.container(keyedBy: FieldKey.self)
    for key in path.dropLast() {
      container = try container.nestedContainer(keyedBy: FieldKey.self, forKey: FieldKey(key))
    }
    return try container.decode(type, forKey: FieldKey(last))
  }

  // MARK: Errors

  private static func decodingError(_ error: ModelError) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: error.path.codingPath,
        debugDescription: "\(error.message)\(error.location.map { " At \($0)." } ?? "")", underlyingError: error))
  }

  private func located(_ error: DecodingError) -> DecodingError {
    func locate(_ context: DecodingError.Context) -> DecodingError.Context {
      let path = ValuePath(context.codingPath)
      let location = TextLocation(offset: text.offset(of: path), in: text.bytes)
      let cause = context.underlyingError as? ModelError
      var message = context.debugDescription
      // The message of other code, such as a converter, may have no period.
      if let last = message.last, !".!?".contains(last) { message += "." }
      return DecodingError.Context(
        codingPath: context.codingPath, debugDescription: "\(message) At \(location).",
        underlyingError: ModelError(cause?.code ?? .mismatch, message, path: path, location: location))
    }
    switch error {
    case .typeMismatch(let type, let context): return .typeMismatch(type, locate(context))
    case .valueNotFound(let type, let context): return .valueNotFound(type, locate(context))
    case .keyNotFound(let key, let context): return .keyNotFound(key, locate(context))
    case .dataCorrupted(let context): return .dataCorrupted(locate(context))
    @unknown default: return error
    }
  }
}

extension ValuePath {
  package var codingPath: [any CodingKey] {
    components.map { component in
      switch component {
      case .key(let name): AnyCodingKey(stringValue: name)
      case .index(let index): AnyCodingKey(index: index)
      }
    }
  }
}
