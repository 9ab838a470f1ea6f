import KeyedArchive

/// The reason why a value cannot be shown, as text.
final class ValueFailure: Error, Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  init(_ error: CBORError) {
    text = error.description
  }

  /// Runs a function that reads bytes, and converts its errors.
  static func wrapping<Result>(_ body: () throws(CBORError) -> Result) throws(ValueFailure) -> Result {
    do throws(CBORError) {
      return try body()
    } catch {
      throw ValueFailure(error)
    }
  }
}
