import GlobalData
import KeyedArchive

/// The reason why a source, or a value in it, cannot be imported.
struct ImportFailure: Error, CustomStringConvertible {
  /// A sentence without its beginning and its period: "it is …".
  var message: String
  var advice: String?
  var path: [any CodingKey] = []
  /// The archived class that caused the failure, if any.
  var className: String?
  /// Whether the failure is an unknown form of an object of a known class. Such an object can still become a tree.
  var isUnknownForm = false

  var description: String { message }

  /// The failure as the error that a type's `init(from:)` expects from its decoder.
  var decodingError: DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: message, underlyingError: self))
  }

  static func unmapped(_ type: ArchivedClass, at path: [any CodingKey]) -> ImportFailure {
    ImportFailure(
      message: "it holds an object of the class \(type.name.quoted), which the class map does not name",
      advice:
        "Add \(type.name.quoted) to the class map with the type to read it as, keep unknown classes as trees, or skip "
        + "unreadable values.",
      path: path, className: type.name)
  }

  static func cycle(of kind: String, from path: [any CodingKey], to ancestor: [any CodingKey]) -> ImportFailure {
    let position = ancestor.isEmpty ? "the top-level value" : ancestor.pathDescription
    return ImportFailure(
      message: "an object of the class \(kind.quoted) contains itself: this is \(position) again",
      advice:
        "Remove the property that refers back, such as a parent or delegate, from the type and set it after the import.",
      path: path, className: kind)
  }

  static func tooDeep(_ limit: Int, at path: [any CodingKey]) -> ImportFailure {
    ImportFailure(
      message: "its objects are nested more than \(limit) levels deep",
      advice: GlobalDataError.depthAdvice, path: Array(path.prefix(8)))
  }

  static func doubleKey(_ key: String, at path: [any CodingKey]) -> ImportFailure {
    ImportFailure(
      message: "a dictionary has the key \(key.prefix(80).quoted) twice, possibly in another Unicode form",
      advice: GlobalDataError.doubleKeyAdvice, path: path)
  }

  static func malformed(_ message: String, at path: [any CodingKey] = []) -> ImportFailure {
    ImportFailure(message: message, advice: "Check the file: it is damaged, or has another format.", path: path)
  }
}

extension ImportFailure {
  init(_ error: PropertyListError, at path: [any CodingKey] = []) {
    self = .malformed(error.description, at: path)
    if error == .exhausted { advice = GlobalDataError.referencesAdvice }
  }
}
