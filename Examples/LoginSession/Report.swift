import Foundation
import GlobalData

/// The output of the example.
enum Report {
  static func loggedIn(_ session: Session, from answerFile: String) -> String {
    """
    Logged in from \(answerFile).
    Stored: the user \(session.user.name), \(count(session.cars)), a flag and a mixed array.
    file: \(storePath)
    Run again to see that they are still there.
    """
  }

  static func nothingStored() -> String {
    let fileExists = FileManager.default.fileExists(atPath: storePath)
    return """
      Nobody is logged in: found no session.
      \(fileExists ? "file: \(storePath)" : "There is no file at \(storePath).")
      """
  }

  /// Describes the stored session twice: read without naming a type, and read by type.
  static func session(_ session: Session) throws -> String {
    var lines = ["Found a session.", "file: \(storePath)", "", "Read without naming a type:"]
    for key in GlobalData.allKeys.sorted() {
      guard let value = try GlobalData.object(forKey: key) else { continue }
      lines += describe(value, name: key).map { "  " + $0 }
    }
    lines += [
      "",
      "Read by type:",
      "  User: \(session.user)",
      "  [CarInfo]: \(count(session.cars)), \(session.cars.count(where: \.isOnline)) online",
      "  Bool: \(session.isLoggedIn)",
    ]
    return lines.joined(separator: "\n")
  }

  /// Returns one line for a value with its type at run time, and for an array, one more line for each element.
  private static func describe(_ value: Any, name: String) -> [String] {
    guard let elements = value as? [Any] else {
      return ["\(name): \(type(of: value)) = \(text(of: value))"]
    }
    return ["\(name): \(type(of: value)) of \(elements.count)"]
      + elements.enumerated().flatMap { index, element in
        describe(element, name: "[\(index)]").map { "  " + $0 }
      }
  }

  private static func text(of value: Any) -> String {
    switch value {
    case let string as String: "\"\(string)\""
    case let date as Date: date.formatted(.iso8601)
    default: "\(value)"
    }
  }

  private static func count(_ cars: [CarInfo]) -> String {
    "\(cars.count) \(cars.count == 1 ? "car" : "cars")"
  }

  private static var storePath: String {
    GlobalData.shared.url?.path(percentEncoded: false) ?? "memory"
  }
}
