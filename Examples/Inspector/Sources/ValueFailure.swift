import KeyedArchive

/// Why a value cannot be shown, in words.
final class ValueFailure: Error, Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  init(_ error: CBORError) {
    text = error.description
  }

  /// Runs what reads bytes.
  static func wrapping<Result>(_ body: () throws(CBORError) -> Result) throws(ValueFailure) -> Result {
    do throws(CBORError) {
      return try body()
    } catch {
      throw ValueFailure(error)
    }
  }
}
