import Foundation

/// A server's answer to a login: an envelope around the session, or around a refusal.
struct LoginAnswer: Decodable {
  /// The content of the envelope. The sample also has a `token`, which belongs in the keychain and is not read here.
  struct Body: Decodable {
    var user: User
    var data: [CarInfo]
  }

  var code: Int
  var message: String
  var body: Body?

  /// Reads an answer from a file and opens its envelope.
  ///
  /// - Throws: ``LoginError`` if the file cannot be read, has other content, or contains a refusal.
  static func body(ofFileAt path: String) throws -> Body {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw LoginError(description: "cannot read \(path): \(error.localizedDescription)")
    }
    let answer: LoginAnswer
    do {
      answer = try JSONDecoder().decode(LoginAnswer.self, from: data)
    } catch let error as DecodingError {
      throw LoginError(description: "\(path) is not a login answer: \(explain(error))")
    }
    guard answer.code == 0 else {
      throw LoginError(description: "the server refused the login: \(answer.message) (code \(answer.code))")
    }
    guard let body = answer.body else {
      throw LoginError(description: "\(path) is not a login answer: code 0 means success, but there is no body")
    }
    return body
  }

  private static func explain(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      "\(place(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      "\(place(context.codingPath)): \(context.debugDescription)"
    @unknown default:
      "\(error)"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "the whole file" }
    return path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
  }
}

/// The reason why a login failed.
struct LoginError: Error, CustomStringConvertible {
  let description: String
}
